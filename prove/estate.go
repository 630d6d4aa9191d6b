package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// estate is a project with records of every kind that a project can have.
type estate struct {
	project string              // uid
	uids    map[string][]string // by the last word of the list that shows them
}

// of gives the uid of a record of a kind.
func (e *estate) of(family string) string { return e.uids[family][0] }

// textOf is the field of each kind that says anything one likes.
var textOf = map[string]string{
	"issues": "title", "issue_lists": "name", "rfis": "title", "comments": "text", "annotations": "text", "photos": "title", "attachments": "name",
	"field_reports": "title", "sheets": "description", "version_sets": "version_name",
}

// newEstates starts a site that has n of them.
func (s *site) newEstates(n int) ([]*estate, error) {
	if _, err := s.start(); err != nil {
		return nil, err
	}
	return s.estates(n)
}

func (s *site) estates(n int) ([]*estate, error) {
	c := s.client()
	all := make([]*estate, n)
	for i := range all {
		project, err := c.newProject(s.t, fmt.Sprintf("Estate %d", i))
		if err != nil {
			return nil, err
		}
		all[i] = &estate{strings.TrimPrefix(project, "/projects/"), map[string][]string{}}
	}
	var errs [8]error
	crew(len(errs), func(w int) {
		for i := w; i < n && errs[w] == nil; i += len(errs) {
			errs[w] = all[i].fill(s.t, c)
		}
	})
	return all, errors.Join(errs[:]...)
}

// fill makes a few records of each kind, and waits until the photos were looked at.
func (e *estate) fill(t *trial, c *client) error {
	p := "/projects/" + e.project
	drawn, err := c.sendSet(t, p, drawings("A-101", "A-102"))
	if err == nil {
		err = c.readSet(t, p, drawn)
	}
	if err == nil {
		err = e.learn(t, c, "sheets", "version_sets", "roles", "statuses")
	}
	if err != nil {
		return err
	}
	open := &drawnSet{}
	if err := c.must(t, http.MethodPost, p+"/sheets/uploads", object{"num_files": 1, "version_name": "Next"}, open); err != nil {
		return err
	}
	e.uids["uploads"], e.uids["files"] = []string{drawn.UID, open.UID}, []string{path.Base(open.Requests[0].URL)}
	for _, family := range []string{"photos", "attachments", "snapshots"} {
		for i := range 2 {
			attributes := map[string]any{"title": fmt.Sprintf("Picture %d", i), "content_type": "image/png"}
			if family == "attachments" {
				attributes = map[string]any{"name": fmt.Sprintf("picture %d.png", i), "content_type": "image/png"}
			}
			if _, err := c.upload(t, p, family, attributes, picture(40+i, 30)); err != nil {
				return err
			}
		}
	}
	for i := range 2 {
		title := fmt.Sprintf("Record %d", i)
		for _, one := range []struct {
			family string
			body   object
		}{
			{"issue_lists", object{"name": title}},
			{"issues", object{"title": title}},
			{"rfis", object{"title": title}},
			{"field_reports", object{"report_date": "2026-03-01", "title": title}},
			{"comments", object{"text": title}},
			{"annotations", object{"sheet_uid": e.of("sheets")}},
			{"users/invites", object{"email": []string{"bob@example.com", "dora@example.com"}[i]}},
		} {
			if err := c.must(t, http.MethodPost, p+"/"+one.family, one.body, nil); err != nil {
				return err
			}
		}
	}
	if err := e.learn(t, c, "photos", "attachments", "snapshots", "issue_lists", "issues", "rfis", "field_reports", "comments", "annotations", "users"); err != nil {
		return err
	}
	for _, uid := range e.uids["photos"] {
		if _, err := c.developed(t, p+"/photos/"+uid); err != nil {
			return err
		}
	}
	return nil
}

// learn reads the uids of lists.
func (e *estate) learn(t *trial, c *client, families ...string) error {
	for _, family := range families {
		list := "/projects/" + e.project + "/" + family
		if family == "statuses" {
			list = "/projects/" + e.project + "/rfis/statuses"
		}
		records, _, err := c.all(t, list)
		if err != nil {
			return err
		}
		e.uids[family] = nil
		for _, raw := range records {
			var f fields
			if err := json.Unmarshal(raw, &f); err != nil {
				return err
			}
			e.uids[family] = append(e.uids[family], f.text("uid"))
		}
		if len(records) == 0 {
			return fmt.Errorf("there are no %s", family)
		}
	}
	return nil
}

// developed waits until a photo was looked at, and gives it.
func (c *client) developed(t *trial, photo string) (fields, error) {
	for {
		var f fields
		if err := c.must(t, http.MethodGet, photo, nil, &f); err != nil {
			return nil, err
		}
		if f.text("thumbnail_url") != "" || f.text("image_error") != "" {
			return f, nil
		}
		select {
		case <-t.Done():
			return nil, fmt.Errorf("%s is not looked at: %w", photo, t.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// picture is a PNG.
func picture(width, height int) []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))) // into memory
	return b.Bytes()
}

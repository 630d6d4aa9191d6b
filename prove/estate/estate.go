// Package estate fills projects with records of every kind, drawings and files among them, and waits until the service
// has read them. It judges nothing.
package estate

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

	"groundwork/prove/lab"
)

// Estate is a project with records of every kind that a project can have.
type Estate struct {
	Project string              // uid
	UIDs    map[string][]string // by the last word of the list that shows them
}

// First gives the uid of a record of a kind.
func (e *Estate) First(family string) string { return e.UIDs[family][0] }

// TextField is the field of each kind that says anything one likes.
var TextField = map[string]string{
	"issues": "title", "issue_lists": "name", "rfis": "title", "comments": "text", "annotations": "text",
	"photos": "title", "attachments": "name", "views": "name",
	"field_reports": "title", "sheets": "description", "version_sets": "version_name",
}

// Start starts a site that has n of them.
func Start(s *lab.Site, n int) ([]*Estate, error) {
	if _, err := s.Start(); err != nil {
		return nil, err
	}
	return New(s, n)
}

// New makes n of them on a site that runs.
func New(s *lab.Site, n int) ([]*Estate, error) {
	c := s.NewClient()
	all := make([]*Estate, n)
	for i := range all {
		project, err := c.NewProject(s.Trial, fmt.Sprintf("Estate %d", i))
		if err != nil {
			return nil, err
		}
		all[i] = &Estate{strings.TrimPrefix(project, "/projects/"), map[string][]string{}}
	}
	var errs [8]error
	lab.Parallel(len(errs), func(w int) {
		for i := w; i < n && errs[w] == nil; i += len(errs) {
			errs[w] = all[i].fill(s.Trial, c)
		}
	})
	return all, errors.Join(errs[:]...)
}

// fill makes a few records of each kind, and waits until the photos were looked at.
func (e *Estate) fill(t *lab.Trial, c *lab.Client) error {
	p := "/projects/" + e.Project
	drawn, err := SendSet(t, c, p, Drawings("A-101", "A-102"))
	if err == nil {
		err = AwaitSet(t, c, p, drawn)
	}
	if err == nil {
		err = e.ListUIDs(t, c, "sheets", "version_sets", "roles", "statuses")
	}
	if err != nil {
		return err
	}
	open := &DrawingSet{}
	if err := c.MustDo(t, http.MethodPost, p+"/sheets/uploads", lab.Object{"num_files": 1, "version_name": "Next"},
		open); err != nil {
		return err
	}
	e.UIDs["uploads"], e.UIDs["files"] = []string{drawn.UID, open.UID}, []string{path.Base(open.Requests[0].URL)}
	for _, family := range []string{"photos", "attachments", "snapshots"} {
		for i := range 2 {
			attributes := map[string]any{"title": fmt.Sprintf("Picture %d", i), "content_type": "image/png"}
			if family == "attachments" {
				attributes = map[string]any{"name": fmt.Sprintf("picture %d.png", i), "content_type": "image/png"}
			}
			if _, err := c.Upload(t, p, family, attributes, Picture(40+i, 30)); err != nil {
				return err
			}
		}
	}
	for i := range 2 {
		title := fmt.Sprintf("Record %d", i)
		for _, one := range []struct {
			family string
			body   lab.Object
		}{
			{"issue_lists", lab.Object{"name": title}},
			{"issues", lab.Object{"title": title}},
			{"rfis", lab.Object{"title": title}},
			{"field_reports", lab.Object{"report_date": "2026-03-01", "title": title}},
			{"comments", lab.Object{"text": title}},
			{"annotations", lab.Object{"sheet_uid": e.First("sheets")}},
			{"views", lab.Object{"name": title, "of": "issues"}},
			{"users/invites", lab.Object{"email": []string{"bob@example.com", "dora@example.com"}[i]}},
		} {
			if err := c.MustDo(t, http.MethodPost, p+"/"+one.family, one.body, nil); err != nil {
				return err
			}
		}
	}
	if err := e.ListUIDs(t, c, "photos", "attachments", "snapshots", "issue_lists", "issues", "rfis", "field_reports",
		"comments", "annotations", "views", "users"); err != nil {
		return err
	}
	for _, uid := range e.UIDs["photos"] {
		if _, err := AwaitPhoto(t, c, p+"/photos/"+uid); err != nil {
			return err
		}
	}
	return nil
}

// ListUIDs reads the uids of lists.
func (e *Estate) ListUIDs(t *lab.Trial, c *lab.Client, families ...string) error {
	for _, family := range families {
		list := "/projects/" + e.Project + "/" + family
		if family == "statuses" {
			list = "/projects/" + e.Project + "/rfis/statuses"
		}
		records, _, err := c.ListAll(t, list)
		if err != nil {
			return err
		}
		e.UIDs[family] = nil
		for _, raw := range records {
			var f lab.Fields
			if err := json.Unmarshal(raw, &f); err != nil {
				return err
			}
			e.UIDs[family] = append(e.UIDs[family], f.Text("uid"))
		}
		if len(records) == 0 {
			return fmt.Errorf("there are no %s", family)
		}
	}
	return nil
}

// AwaitPhoto waits until a photo was looked at, and gives it.
func AwaitPhoto(t *lab.Trial, c *lab.Client, photo string) (lab.Fields, error) {
	for {
		var f lab.Fields
		if err := c.MustDo(t, http.MethodGet, photo, nil, &f); err != nil {
			return nil, err
		}
		if f.Text("thumbnail_url") != "" || f.Text("image_error") != "" {
			return f, nil
		}
		select {
		case <-t.Done():
			return nil, fmt.Errorf("%s is not looked at: %w", photo, t.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Picture is a PNG.
func Picture(width, height int) []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))) // into memory
	return b.Bytes()
}

// KindByField says of what kind the records are that a field refers to.
var KindByField = map[string]string{
	"role_uid": "roles", "issue_list_uid": "issue_lists", "assigned_to": "users", "assigned_to_uids": "users",
	"sheet_uid": "sheets", "issue_uid": "issues", "photo_uid": "photos",
	"attachment_uid": "attachments", "snapshot_uid": "snapshots", "status": "statuses", "version_set": "version_sets",
	"sheet_uids": "sheets", "field_report_uids": "field_reports", "issue_uids": "issues",
	"record_uid": "issues", // of the kind that is named beside it; see AnyKind
}

// AnyKind is what experiments put where a kind of records is asked for by its name.
const AnyKind = "issues"

package demo

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"time"

	"groundwork/internal/draft"
)

// offer is what is needed to send a file.
type offer struct {
	UID       string `json:"uid"`
	Webhook   string `json:"webhook_url"`
	Arguments struct {
		Action string `json:"action"`
		Fields []struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"fields"`
	} `json:"storage_post_form_arguments"`
}

// had gives the uids of the records of a list by a field: what an earlier making made is not made again. An upload that
// it began and did not complete cannot be continued, for the keys of then are gone.
func (s *Site) had(ctx context.Context, list, field string) map[string]string {
	var page struct {
		Data []map[string]any `json:"data"`
	}
	s.call(ctx, manager, http.MethodGet, s.in(list), nil, &page)
	uids := map[string]string{}
	for _, record := range page.Data {
		name, _ := record[field].(string)
		uids[name], _ = record["uid"].(string)
	}
	return uids
}

// upload sends a file as people's programs do: a form is asked for, the file is posted with it, and the upload is
// completed.
func (s *Site) upload(ctx context.Context, as int, path string, body map[string]any, name string,
	content func() ([]byte, error),
) string {
	var o offer
	s.keyless(ctx, as, http.MethodPost, path, body, &o)
	s.send(ctx, &o, name, content)
	return o.UID
}

func (s *Site) send(ctx context.Context, o *offer, name string, content func() ([]byte, error)) {
	if s.err != nil {
		return
	}
	file, err := content()
	if err != nil {
		s.err = err
		return
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for _, f := range o.Arguments.Fields {
		_ = w.WriteField(f.Name, f.Value) // into memory
	}
	part, _ := w.CreateFormFile("file", name)
	_, _ = part.Write(file)
	_ = w.Close()
	status, answer := s.ask(ctx, http.MethodPost, s.local(o.Arguments.Action), http.Header{
		"Content-Type": {w.FormDataContentType()},
	}, &form)
	if s.err == nil && status == http.StatusSeeOther {
		status, answer = s.ask(ctx, http.MethodGet, s.local(o.Webhook), http.Header{}, http.NoBody)
	}
	if s.err == nil && status != http.StatusOK {
		s.err = fmt.Errorf("the file %s: %d %s", name, status, answer)
	}
}

// local is a URL of the service without its address.
func (s *Site) local(url string) string { return strings.TrimPrefix(url, s.Base) }

// makeDocuments makes documents in folders, and links some to RFIs.
func (s *Site) makeDocuments(ctx context.Context) {
	had := s.had(ctx, "attachments", "name")
	add := func(name, folder, kind string, content func() ([]byte, error)) string {
		if uid, ok := had[name]; ok {
			return uid
		}
		body := map[string]any{"content_type": kind, "name": name}
		if folder != "" {
			body["folder"] = folder
		}
		return s.upload(ctx, manager, s.in("attachments", "uploads"), body, name, content)
	}
	for _, p := range papers {
		add(p.name, p.folder, p.kind, func() ([]byte, error) { return []byte(dated(p.text, s.m.day)), nil })
	}
	for i := range sketches {
		uid := add(fmt.Sprintf("Sketch SK-%02d.pdf", i+1), "Sketches", "application/pdf", func() ([]byte, error) {
			var sketch bytes.Buffer
			_, err := draft.Write(&sketch, draft.Options{Seed: s.Seed + uint64(i), Sheets: 1, Plain: true})
			return sketch.Bytes(), err
		})
		if s.err == nil {
			s.link(ctx, manager, s.in("rfis", s.rfis[i*3+1].uid), "attachments", "attachment_uid", uid)
		}
	}
	s.say("documents", len(papers)+sketches)
}

// dated puts dates for {DAYS}, so many days before today.
func dated(text string, day time.Time) string {
	for {
		before, rest, found := strings.Cut(text, "{")
		ago, after, closed := strings.Cut(rest, "}")
		days, err := strconv.Atoi(ago)
		if !found || !closed || err != nil {
			return text
		}
		text = before + day.AddDate(0, 0, -days).Format(time.DateOnly) + after
	}
}

// makePhotos takes photos, and links them to issues, RFIs and reports.
func (s *Site) makePhotos(ctx context.Context) {
	had := s.had(ctx, "photos", "title")
	for i := range allPhotos {
		shown := pictures[i%len(pictures)]
		title := numbered(shown.title, i/len(pictures))
		taken := s.m.day.AddDate(0, 0,
			-1-i/3).Add(time.Duration(14+i%6)*time.Hour + time.Duration(s.m.chance.IntN(60))*time.Minute)
		if s.err != nil {
			return
		}
		content := func() ([]byte, error) { return photograph(s.Seed+uint64(i), title, taken, shown.draw) }
		as := []int{superintendent, foreman, engineer, architect}[i%4]
		uid, ok := had[title]
		if !ok {
			uid = s.upload(ctx, as, s.in("photos", "uploads"), map[string]any{
				"content_type": "image/jpeg", "title": title,
			}, title+".jpg", content)
		}
		switch i % 4 {
		case 0:
			s.link(ctx, superintendent, s.in("field_reports", s.reports[len(s.reports)-1-i/4]), "photos", "photo_uid",
				uid)
		case 1:
			s.link(ctx, manager, s.in("rfis", s.rfis[i].uid), "photos", "photo_uid", uid)
		default:
			s.link(ctx, superintendent, s.in("issues", s.issues[i*5].uid), "photos", "photo_uid", uid)
		}
	}
	s.say("photos", allPhotos)
}

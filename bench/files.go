package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// files sends a large file in and out again, in turns with a plain program that does the same and nothing else.
func (r *rig) files(ctx context.Context, _ *field) error {
	g, err := r.newGround(ctx, "files", "")
	if err != nil {
		return err
	}
	s, err := g.serve(ctx, "files", nil)
	if err != nil {
		return err
	}
	defer s.stop()
	project, err := g.make(s, "/projects", map[string]any{"name": "Harbour Tower"})
	if err != nil {
		return err
	}
	g.project = "/projects/" + project
	floor, err := r.startFloor(ctx, "floor-files", false, nil)
	if err != nil {
		return err
	}
	defer floor.stop()
	// Once for nothing: both have their folders, and their memory for small things.
	if _, _, err := g.sendFile(ctx, s, 1<<20, 0); err != nil {
		return err
	}
	before, err := s.peak()
	if err != nil {
		return err
	}
	for round := range r.Rounds {
		r.say("files: round %d of %d, %d MB", round+1, r.Rounds, r.File>>20)
		plainIn, _, err := timed(ctx, "POST", "http://"+floor.address+"/file", "application/octet-stream",
			io.LimitReader(&noise{}, r.File), r.File)
		if err != nil {
			return err
		}
		in, link, err := g.sendFile(ctx, s, r.File, 0)
		if err != nil {
			return err
		}
		plainOut, _, err := timed(ctx, "GET", "http://"+floor.address+"/file", "", nil, 0)
		if err != nil {
			return err
		}
		out, _, err := timed(ctx, "GET", link, "", nil, 0)
		if err != nil {
			return err
		}
		r.figure("upload", plainIn.Seconds()/in.Seconds())
		r.figure("download", plainOut.Seconds()/out.Seconds())
	}
	after, err := s.peak()
	r.figure("file memory", after-before)
	return errors.Join(err, os.RemoveAll(filepath.Join(r.folder, floor.name)),
		os.RemoveAll(filepath.Join(g.data, "files")))
}

// sendFile uploads a document of n bytes and gives the time that took, with its completion, and the link to it. Another
// seed makes another file.
func (g *ground) sendFile(ctx context.Context, s *server, n int64, seed uint64) (took time.Duration, link string, err error) {
	body := []byte(`{"content_type":"application/octet-stream","name":"large"}`)
	w, status, err := s.ask(appendRequest(nil, "POST", g.project+"/attachments/uploads", g.headers(), body))
	if err != nil || status != 201 {
		return 0, "", errors.Join(err, fmt.Errorf("the upload: %d", status))
	}
	var offer formOffer
	if err := json.Unmarshal(w.body, &offer); err != nil {
		return 0, "", err
	}
	took, answer, err := offer.post(ctx, io.LimitReader(&noise{at: seed}, n), n)
	if err != nil {
		return 0, "", err
	}
	var document struct {
		Size int64  `json:"size"`
		URL  string `json:"url"`
	}
	if err := json.Unmarshal(answer, &document); err != nil || document.Size != n {
		return 0, "", fmt.Errorf("the document has %d bytes: %w", document.Size, err)
	}
	return took, document.URL, nil
}

// formOffer is what is needed to post a file.
type formOffer struct {
	Arguments struct {
		Action string                         `json:"action"`
		Fields []struct{ Name, Value string } `json:"fields"`
	} `json:"storage_post_form_arguments"`
}

// post sends a file of n bytes with its form, and gives the time that took, with its completion, and what came back.
func (o *formOffer) post(ctx context.Context, file io.Reader, n int64) (time.Duration, []byte, error) {
	const part = "--frontier\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s"
	var head strings.Builder
	for _, f := range o.Arguments.Fields {
		fmt.Fprintf(&head, part+"\r\n", f.Name, f.Value)
	}
	fmt.Fprintf(&head, part, "file", "")
	const tail = "\r\n--frontier--\r\n"
	form := io.MultiReader(strings.NewReader(head.String()), file, strings.NewReader(tail))
	return timed(ctx, "POST", o.Arguments.Action, "multipart/form-data; boundary=frontier", form,
		int64(head.Len()+len(tail))+n)
}

// timed sends a request, follows where it leads, and gives the time until the last byte, and the first bytes of the
// answer.
func timed(ctx context.Context, method, url, kind string, body io.Reader, length int64) (time.Duration, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return 0, nil, err
	}
	if req.ContentLength = length; kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	began := time.Now()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	first, err := io.ReadAll(io.LimitReader(res.Body, 1<<16))
	if err == nil {
		_, err = io.Copy(io.Discard, res.Body)
	}
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s %.300s", method, url, res.Status, first)
	}
	return time.Since(began), first, err
}

// noise is an endless file that nothing can compress away and that costs little to make.
type noise struct{ at uint64 }

func (n *noise) Read(p []byte) (int, error) {
	for i := 0; i+8 <= len(p); i += 8 {
		n.at = n.at*6364136223846793005 + 1442695040888963407
		for j := range 8 {
			p[i+j] = byte(n.at >> (8 * j))
		}
	}
	return len(p), nil
}

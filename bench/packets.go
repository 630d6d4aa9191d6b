package main

import (
	"bufio"
	"bytes"
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

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
)

// packetSheets is how many sheets the packet has.
const packetSheets = 50

// askAgain is how long a caller waits before it asks again whether a file is ready.
const askAgain = 2 * time.Millisecond

// packets asks for packets of sheets, in turns with the bare library that merges the same files: a set of believable
// drawings, read from files and written to a file that the disk has taken, as ours is. The library does nothing else:
// no numbers, no links, no annotations, no rights, no process of its own.
func (r *rig) packets(ctx context.Context, _ *field) error {
	g, err := r.newGround(ctx, "packets", "")
	if err != nil {
		return err
	}
	s, err := g.serve(ctx, "packets", nil)
	if err != nil {
		return err
	}
	defer s.stop()
	project, err := g.make(s, "/projects", map[string]any{"name": "Harbour Tower"})
	if err != nil {
		return err
	}
	g.project = "/projects/" + project
	c := &caller{ctx, "http://" + s.address, g.key}
	r.say("packets: a set of %d sheets", packetSheets)
	set := filepath.Join(r.folder, "packet-set.pdf")
	if err := r.drawings(ctx, "draw", packetSheets, set, nil); err != nil {
		return err
	}
	if err := c.publish(g.project, set); err != nil {
		return err
	}
	folder := filepath.Join(r.folder, "packet-sheets")
	uids, files, err := c.sheets(g.project, folder)
	if err != nil {
		return err
	}
	api.DisableConfigDir()
	for round := range r.Rounds {
		r.say("packets: round %d of %d", round+1, r.Rounds)
		one, err := r.pair(ctx, func() (time.Duration, error) {
			return merge(files, filepath.Join(folder, "merged.pdf"))
		},
			func() (time.Duration, error) {
				return c.share(g.project+"/sheets/packets", map[string]any{"sheet_uids": uids})
			})
		if err != nil {
			return err
		}
		r.figure("packet", one.took)
		r.figure("packet, bare", one.bare)
		r.figure("packet, relative", one.took/one.bare)
	}
	return nil
}

// merge has the bare library put files together. It reads from memory, which suits it best.
func merge(files []string, to string) (time.Duration, error) {
	began := time.Now()
	var in []io.ReadSeeker
	for _, path := range files {
		content, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		in = append(in, bytes.NewReader(content))
	}
	out, err := os.Create(to)
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriterSize(out, 1<<16)
	err = api.MergeRaw(in, w, false, model.NewDefaultConfiguration())
	err = errors.Join(err, w.Flush(), out.Sync(), out.Close())
	return time.Since(began), err
}

// caller is a plain client of the service.
type caller struct {
	ctx       context.Context //nolint:containedctx // it lives inside one phase
	base, key string
}

// ask sends JSON and reads JSON; a path may be an address that the service gave out.
func (c *caller) ask(method, path string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(path, "http") {
		path = c.base + path
	}
	req, err := http.NewRequestWithContext(c.ctx, method, path, nil)
	if err != nil {
		return err
	}
	if body != nil {
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		req.Header.Set("Content-Type", "application/json")
	}
	req.SetBasicAuth(c.key, "")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	answer, err := io.ReadAll(res.Body)
	if err = errors.Join(err, res.Body.Close()); err == nil && res.StatusCode > 299 {
		err = fmt.Errorf("%s %s: %s %.300s", method, path, res.Status, answer)
	}
	if err != nil || into == nil {
		return err
	}
	if raw, is := into.(*[]byte); is {
		*raw = answer
		return nil
	}
	return json.Unmarshal(answer, into)
}

// publish uploads a set of drawings and waits until nothing more is done with it.
func (c *caller) publish(project, path string) error {
	set, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var upload struct {
		URL      string                 `json:"complete_url"`
		UID      string                 `json:"uid"`
		Requests []struct{ URL string } `json:"file_upload_requests"`
	}
	if err := c.ask("POST", project+"/sheets/uploads", map[string]any{"num_files": 1, "version_name": "Bench"},
		&upload); err != nil {
		return err
	}
	var offer formOffer
	if err := c.ask("POST", upload.Requests[0].URL, map[string]any{"file_name": "set.pdf"}, &offer); err != nil {
		return err
	}
	if _, _, err := offer.post(c.ctx, bytes.NewReader(set), int64(len(set))); err != nil {
		return err
	}
	if err := c.ask("POST", upload.URL, nil, nil); err != nil {
		return err
	}
	for {
		var list struct {
			Data []struct {
				Tiles *string `json:"tiles_url"`
			} `json:"data"`
		}
		if err := c.ask("GET", project+"/sheets", nil, &list); err != nil {
			return err
		}
		ready := 0
		for _, one := range list.Data {
			if one.Tiles != nil {
				ready++
			}
		}
		if ready == packetSheets {
			return nil
		}
		select {
		case <-c.ctx.Done():
			return c.ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// sheets gives the uids of all sheets, and brings their files into a folder.
func (c *caller) sheets(project, folder string) (uids, files []string, err error) {
	var list struct {
		Data []struct {
			UID  string `json:"uid"`
			File string `json:"file_url"`
		} `json:"data"`
	}
	if err := c.ask("GET", project+"/sheets", nil, &list); err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, nil, err
	}
	for _, one := range list.Data {
		var file []byte
		if err := c.ask("GET", one.File, nil, &file); err != nil {
			return nil, nil, err
		}
		path := filepath.Join(folder, one.UID+".pdf")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			return nil, nil, err
		}
		uids, files = append(uids, one.UID), append(files, path)
	}
	return uids, files, nil
}

// share asks for a file that is made in the background, and gives the time until it could be fetched.
func (c *caller) share(path string, body any) (time.Duration, error) {
	var p struct {
		UID     string  `json:"uid"`
		Status  string  `json:"status"`
		Message *string `json:"message"`
	}
	began := time.Now()
	if err := c.ask("POST", path, body, &p); err != nil {
		return 0, err
	}
	for p.Status == "incomplete" {
		<-time.After(askAgain)
		if err := c.ask("GET", path+"/"+p.UID, nil, &p); err != nil {
			return 0, err
		}
	}
	if p.Status != "complete" {
		return 0, fmt.Errorf("%s is %s: %s", path, p.Status, *p.Message)
	}
	return time.Since(began), nil
}

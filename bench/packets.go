package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
)

// packetSheets is how many sheets the packet has.
const packetSheets = 50

// packets asks for packets of sheets, in turns with the bare library that merges the same files and does nothing else: no numbers, no links, no annotations,
// no process of its own, no disk.
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
	if err := c.publish(g.project, drawings(packetSheets)); err != nil {
		return err
	}
	uids, files, err := c.sheets(g.project)
	if err != nil {
		return err
	}
	api.DisableConfigDir()
	for round := range r.Rounds {
		r.say("packets: round %d of %d", round+1, r.Rounds)
		bare, err := merge(files)
		if err != nil {
			return err
		}
		took, err := c.share(g.project+"/sheets/packets", map[string]any{"sheet_uids": uids})
		if err != nil {
			return err
		}
		r.figure("packet", took.Seconds())
		r.figure("packet, relative", took.Seconds()/bare.Seconds())
	}
	return nil
}

// merge has the bare library put files together.
func merge(files [][]byte) (time.Duration, error) {
	var in []io.ReadSeeker
	for _, f := range files {
		in = append(in, bytes.NewReader(f))
	}
	began := time.Now()
	err := api.MergeRaw(in, io.Discard, false, model.NewDefaultConfiguration())
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
func (c *caller) publish(project string, set []byte) error {
	var upload struct {
		URL      string                 `json:"complete_url"`
		UID      string                 `json:"uid"`
		Requests []struct{ URL string } `json:"file_upload_requests"`
	}
	if err := c.ask("POST", project+"/sheets/uploads", map[string]any{"num_files": 1, "version_name": "Bench"}, &upload); err != nil {
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

// sheets gives the uids of all sheets, and their files.
func (c *caller) sheets(project string) (uids []string, files [][]byte, err error) {
	var list struct {
		Data []struct {
			UID  string `json:"uid"`
			File string `json:"file_url"`
		} `json:"data"`
	}
	if err := c.ask("GET", project+"/sheets", nil, &list); err != nil {
		return nil, nil, err
	}
	for _, one := range list.Data {
		var file []byte
		if err := c.ask("GET", one.File, nil, &file); err != nil {
			return nil, nil, err
		}
		uids, files = append(uids, one.UID), append(files, file)
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
		<-time.After(10 * time.Millisecond)
		if err := c.ask("GET", path+"/"+p.UID, nil, &p); err != nil {
			return 0, err
		}
	}
	if p.Status != "complete" {
		return 0, fmt.Errorf("%s is %s: %s", path, p.Status, *p.Message)
	}
	return time.Since(began), nil
}

// drawings is a PDF of pages with as many lines as a sheet has, and a number in the corner.
func drawings(pages int) []byte {
	chance := rand.New(rand.NewPCG(7, 1))
	var out bytes.Buffer
	var at []int
	object := func(body string) {
		at = append(at, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", len(at), body)
	}
	out.WriteString("%PDF-1.7\n")
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
	}
	object("<</Type/Catalog/Pages 2 0 R>>")
	object(fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", kids.String(), pages))
	object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	for i := range pages {
		var content strings.Builder
		for range 12_000 {
			x, y := 30+1100*chance.Float64(), 60+680*chance.Float64()
			fmt.Fprintf(&content, "%.2f %.2f m %.2f %.2f l S\n", x, y, x+60*chance.Float64(), y+40*chance.Float64())
		}
		fmt.Fprintf(&content, "BT /F1 24 Tf 1100 30 Td (A-%d) Tj ET", 101+i)
		object(fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 1224 792]/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R>>", 5+2*i))
		object(fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", content.Len(), content.String()))
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, offset := range at {
		fmt.Fprintf(&out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&out, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return out.Bytes()
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

// far is the time that a request and its answer travel where the program is not in the same house.
const far = 50 * time.Millisecond

// walk takes all issues of the project as a program does that begins to keep a copy: by one connection, one request
// after the other, in pages of 50 and by the walk over records. Then the same once more from afar.
func (r *rig) walk(ctx context.Context, f *field) error {
	s, err := f.read.serve(ctx, "walk", nil)
	if err != nil {
		return err
	}
	defer s.stop()
	issues := f.read.project + "/issues?limit=50"
	walk := f.read.project + "/changes?include=records&latest=true&kinds=issues&limit=1000"
	for round := range min(3, r.Rounds) {
		r.say("walk: round %d", round+1)
		if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.pid), []byte("5"), 0); err != nil {
			return err
		}
		before, err := s.peak()
		if err != nil {
			return err
		}
		walked, requests, err := f.read.takeAll(ctx, s, walk, `"operation":"latest"`, r.Issues)
		if err != nil {
			return err
		}
		after, err := s.peak()
		if err != nil {
			return err
		}
		listed, pages, err := f.read.takeAll(ctx, s, issues, `"number":`, r.Issues)
		if err != nil {
			return err
		}
		r.figure("walk", listed.Seconds()/walked.Seconds())
		travel := func(n int) float64 { return (time.Duration(n) * far).Seconds() }
		r.figure("walk, far", (listed.Seconds()+travel(pages))/(walked.Seconds()+travel(requests)))
		r.figure("walk, records", float64(r.Issues)/walked.Seconds())
		r.figure("walk memory", after-before)
	}
	return nil
}

// takeAll follows a list to its end and gives how long that took, and how many requests. Each record has one mark.
func (g *ground) takeAll(ctx context.Context, s *server, path, mark string, n int) (time.Duration, int, error) {
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	began, requests, records := time.Now(), 0, 0
	for path != "" {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.address+path, nil)
		if err != nil {
			return 0, 0, err
		}
		request.SetBasicAuth(g.key, "")
		answer, err := client.Do(request)
		if err != nil {
			return 0, 0, err
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil {
			return 0, 0, fmt.Errorf("%s: %w", path, err)
		}
		if answer.StatusCode != http.StatusOK {
			return 0, 0, fmt.Errorf("%s: %s", path, answer.Status)
		}
		requests, records = requests+1, records+bytes.Count(body, []byte(mark))
		if path, err = next(body); err != nil {
			return 0, 0, err
		}
	}
	if records != n {
		return 0, 0, fmt.Errorf("%d records of %d", records, n)
	}
	return time.Since(began), requests, nil
}

// next is the path of the next page; "" at the end.
func next(body []byte) (string, error) {
	at := bytes.LastIndex(body, []byte(`"next_page_url":`))
	if at < 0 {
		return "", fmt.Errorf("a page does not say what comes next")
	}
	rest := body[at+len(`"next_page_url":`):]
	if bytes.HasPrefix(rest, []byte("null")) {
		return "", nil
	}
	end := bytes.IndexByte(rest[1:], '"')
	if end < 0 {
		return "", fmt.Errorf("the address of the next page does not end")
	}
	var url string
	if err := json.Unmarshal(rest[:end+2], &url); err != nil {
		return "", err
	}
	_, after, _ := strings.Cut(url, "://")
	_, path, _ := strings.Cut(after, "/")
	return "/" + path, nil
}

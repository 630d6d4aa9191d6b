package follow_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/await"
	"groundwork/internal/client"
	"groundwork/internal/follow"
)

// line is a line of changes.jsonl.
type line struct {
	Sequence             int64
	Kind, UID, Operation string
	Record               map[string]any
	Files                []struct {
		Field string
		Path  *string
		Bytes int64
	}
}

// lines reads a copy. What was killed leaves half a line at most, which the next run cuts off.
func lines(t testing.TB, folder string) (all []line) {
	t.Helper()
	file, err := os.Open(filepath.Join(folder, "changes.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	in := bufio.NewScanner(file)
	in.Buffer(nil, 10<<20)
	for in.Scan() {
		var l line
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			t.Fatalf("%s: %v", in.Text(), err)
		}
		all = append(all, l)
	}
	return all
}

// site is a server with a project, behind a proxy that does harm.
type site struct {
	*apitest.Server
	ada     *apitest.Person
	project string
	address string
	harm    atomic.Pointer[func(w http.ResponseWriter, r *http.Request) bool]
}

func start(t *testing.T, engine string) *site {
	s := &site{Server: apitest.Start(t, engine)}
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			if u, err := url.Parse(s.URL); err == nil {
				r.SetURL(u)
			}
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if harm := s.harm.Load(); harm == nil || !(*harm)(w, r) {
			forward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(proxy.Close)
	s.address = proxy.URL
	s.Move(proxy.URL)
	s.ada = s.Account("ada")
	s.project = s.ada.Project("Tower")
	return s
}

func (s *site) client(t testing.TB) *client.Client {
	t.Helper()
	c, err := client.New(s.address, client.Options{Key: s.ada.Key, Pause: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (s *site) options(t testing.TB) follow.Options {
	return follow.Options{Once: true, MostFile: 1 << 20, Notice: func(text string) { t.Log(text) }}
}

func (s *site) issue(title string) string {
	return s.ada.Want(201, "POST", "/projects/"+s.project+"/issues", map[string]any{"title": title}).Text("uid")
}

// Every change is there once, with its files, also when the follower is cut off again and again.
func TestEachChangeOnce(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := start(t, engine)
		folder := filepath.Join(t.TempDir(), "copy")
		for i := range 30 {
			s.issue(fmt.Sprint("before ", i))
		}
		photo := s.ada.Upload(s.project, "attachments", map[string]any{"content_type": "text/plain", "name": "a.txt"}, "hello").Text("uid")
		run := func(ctx context.Context) error { return follow.Run(ctx, s.client(t), s.project, folder, s.options(t)) }
		if err := run(t.Context()); err != nil {
			t.Fatal(err)
		}
		walked := len(lines(t, folder))
		made := map[string]bool{}
		for i := range 40 {
			uid := s.issue(fmt.Sprint("after ", i))
			made[uid] = true
			if i%3 == 0 {
				s.ada.Want(200, "PATCH", "/projects/"+s.project+"/issues/"+uid, map[string]any{"room": fmt.Sprint(i)})
			}
			// It is cut off somewhere, with what it was writing.
			ctx, cut := context.WithCancel(t.Context())
			n := 0
			harm := func(w http.ResponseWriter, _ *http.Request) bool {
				if n++; n > i%3 {
					cut()
				}
				return false
			}
			s.harm.Store(&harm)
			_ = run(ctx)
			cut()
			s.harm.Store(nil)
			half(t, folder)
		}
		if err := run(t.Context()); err != nil {
			t.Fatal(err)
		}
		all := lines(t, folder)
		created := map[string]int{}
		last := int64(0)
		for _, l := range all[walked:] {
			if l.Sequence <= last {
				t.Errorf("%d comes after %d", l.Sequence, last)
			}
			last = l.Sequence
			if l.Operation == "create" {
				created[l.UID]++
			}
		}
		for uid := range made {
			if created[uid] != 1 {
				t.Errorf("%s was made %d times", uid, created[uid])
			}
		}
		content, err := os.ReadFile(filepath.Join(folder, "files", "attachments", photo+".url"))
		if err != nil || string(content) != "hello" {
			t.Errorf("the file: %q %v", content, err)
		}
	})
}

// half leaves what a killed writer leaves: half a line after the last note.
func half(t testing.TB, folder string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(folder, "changes.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(`{"sequence":99,"kind":"iss`)
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// A server that was restored says so, and everything is read again after a line that says it too.
func TestBeginsAgain(t *testing.T) {
	s := start(t, apitest.SQLite)
	folder := t.TempDir()
	s.issue("one")
	if err := follow.Run(t.Context(), s.client(t), s.project, folder, s.options(t)); err != nil {
		t.Fatal(err)
	}
	before := len(lines(t, folder))
	var refused atomic.Bool
	harm := func(w http.ResponseWriter, r *http.Request) bool {
		if !r.URL.Query().Has("after") || refused.Swap(true) {
			return false
		}
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"message":"No.","errors":{"after":"It is from before a backup was restored. Begin again with 0."}}`)
		return true
	}
	s.harm.Store(&harm)
	if err := follow.Run(t.Context(), s.client(t), s.project, folder, s.options(t)); err != nil {
		t.Fatal(err)
	}
	all := lines(t, folder)[before:]
	if len(all) != before+1 || all[0].Operation != follow.BeginAgain {
		t.Errorf("%d lines follow %d: %+v", len(all), before, all)
	}
}

// What happens is there soon, without asking for it.
func TestFollowsAlong(t *testing.T) {
	s := start(t, apitest.SQLite)
	folder := t.TempDir()
	o := s.options(t)
	o.Once = false
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- follow.Run(ctx, s.client(t), s.project, folder, o) }()
	seen := func(uid string) func() bool {
		return func() bool {
			text, err := os.ReadFile(filepath.Join(folder, "changes.jsonl"))
			return err == nil && strings.Contains(string(text), uid)
		}
	}
	await.True(t, time.Minute, "the project", seen(s.project))
	await.True(t, time.Minute, "a new issue", seen(s.issue("now")))
	end()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Servers that have no log, refuse, or lie are told in a sentence.
func TestOddServers(t *testing.T) {
	for name, one := range map[string]struct {
		answers map[string]string // by a part of the path or query
		want    string
	}{
		"no log":     {map[string]string{"/changes": ""}, "groundwork mirror"},
		"not a log":  {map[string]string{"/changes": `[]`}, "form"},
		"a bad uid":  {map[string]string{"/changes": `{"data":[{"kind":"issues","uid":"../../x","operation":"latest","record":{}}],"next_after":1}`}, "uid"},
		"a bad kind": {map[string]string{"/changes": `{"data":[{"kind":"../x","uid":"x","operation":"latest","record":{}}],"next_after":1}`}, "kind"},
		"elsewhere":  {map[string]string{"/changes": `{"data":[],"next_after":1,"next_page_url":"https://evil.example/"}`}, "elsewhere"},
		"backwards":  {map[string]string{"latest=true": `{"data":[],"next_after":9}`, "after=": `{"data":[],"next_after":3}`}, "go on"},
		"standing":   {map[string]string{"latest=true": `{"data":[],"next_after":9}`, "after=": `{"data":[],"next_after":9,"next_page_url":"/x"}`}, "go on"},
		"no record":  {map[string]string{"/changes": `{"data":[{"kind":"issues","uid":"x","operation":"latest","record":null}],"next_after":1}`}, "record"},
		"file elsewhere": {map[string]string{
			"latest=true": `{"data":[{"kind":"photos","uid":"x","operation":"latest","record":{"uid":"x","url":"http://169.254.169.254/key"}}],"next_after":1}`,
			"after=":      `{"data":[],"next_after":1}`,
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				for part, text := range one.answers {
					if strings.Contains(r.URL.String(), part) {
						if text == "" {
							w.WriteHeader(http.StatusNotFound)
						}
						fmt.Fprint(w, text)
						return
					}
				}
				fmt.Fprint(w, `{}`)
			}))
			defer s.Close()
			c, err := client.New(s.URL, client.Options{Key: "k", Pause: time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			folder := t.TempDir()
			err = follow.Run(t.Context(), c, "p", folder, follow.Options{Once: true, MostFile: 1 << 20, Notice: func(string) {}})
			if (err == nil) != (one.want == "") || err != nil && !strings.Contains(err.Error(), one.want) {
				t.Errorf("%v", err)
			}
			if one.want == "" {
				if all := lines(t, folder); len(all) != 1 || all[0].Files[0].Path != nil {
					t.Errorf("%+v", all)
				}
			}
		})
	}
	if err := follow.Run(t.Context(), nil, "../x", t.TempDir(), follow.Options{}); err == nil {
		t.Error("a project that is no uid was followed")
	}
}

package apitest_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/await"
)

// event is one block of a stream.
type event struct{ id, event, data, retry string }

// listener reads an event stream in the background.
type listener struct {
	res    *http.Response
	events chan event // closed when the stream ends
	header http.Header
}

// listen opens a stream; a refusal ends the test.
func listen(t *testing.T, who *apitest.Person, path string, header http.Header) *listener {
	t.Helper()
	if header == nil {
		header = http.Header{}
	}
	header.Set("Accept", "text/event-stream")
	res := who.Open(path, header)
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%s: %d %s", path, res.StatusCode, res.Header)
	}
	l := &listener{res: res, events: make(chan event, 10000), header: res.Header}
	t.Cleanup(func() { _ = res.Body.Close() })
	go func() {
		defer close(l.events)
		var e event
		for lines := bufio.NewScanner(bufio.NewReaderSize(res.Body, 1<<20)); lines.Scan(); {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				e.id = value
			case "event":
				e.event = value
			case "data":
				e.data = value
			case "retry":
				e.retry = value
			case "":
				if e != (event{}) {
					l.events <- e
				}
				e = event{}
			}
		}
	}()
	return l
}

// next is the next event with data; ok is false where the stream has ended.
func (l *listener) next(t *testing.T) (e event, ok bool) {
	t.Helper()
	late := time.NewTimer(20 * time.Second)
	defer late.Stop()
	for {
		select {
		case e, ok = <-l.events:
			if !ok || e.data != "" {
				return e, ok
			}
		case <-late.C:
			t.Fatal("nothing came in 20 s")
		}
	}
}

// ended waits for the end of a stream and gives the last block.
func (l *listener) ended(t *testing.T) (last event) {
	t.Helper()
	late := time.NewTimer(20 * time.Second)
	defer late.Stop()
	for {
		select {
		case e, ok := <-l.events:
			if !ok {
				return last
			}
			last = e
		case <-late.C:
			t.Fatal("the stream did not end in 20 s")
		}
	}
}

// TestEvents follows a project by events: what any process writes comes, once and in order; a reader who comes back
// goes on from where they were; who was removed hears nothing more; and the service says when to come back.
func TestEvents(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		other := s.Beside()
		ada, bob := s.Account("ada"), s.Account("bob")
		uid := ada.Project("Tower")
		ada.Invite(uid, bob, "Collaborator")
		bob.Want(200, "GET", "/projects/"+uid, nil)
		p := "/projects/" + uid
		// What a stream tells is what the log tells.
		whole, first := feedOf(t, ada.Do("GET", p+"/changes?limit=1000", nil), nil), listen(t, ada, p+"/events?after=0", nil)
		for _, want := range whole.Data {
			e, _ := first.next(t)
			if e.id != fmt.Sprint(want.Sequence) || e.event != "change" || !strings.Contains(e.data, want.UID) {
				t.Fatalf("the stream tells %v, the log %v", e, want)
			}
		}
		_ = first.res.Body.Close()

		plain, records := listen(t, ada, p+"/events", nil), listen(t, bob, p+"/events?include=records", nil)
		for _, writer := range []*apitest.Server{s, other} {
			issue := ada.At(writer).Want(201, "POST", p+"/issues", `{"title":"a"}`).Text("uid")
			e, _ := plain.next(t)
			if !strings.Contains(e.data, issue) || strings.Contains(e.data, `"record"`) {
				t.Errorf("without records: %s", e.data)
			}
			e, _ = records.next(t)
			var got entry
			if err := json.Unmarshal([]byte(e.data), &got); err != nil || got.UID != issue ||
				got.Record["title"] != "a" || got.Etag == nil {
				t.Errorf("with records: %s %v", e.data, err)
			}
		}
		// A count is told with records alone; a stream of one kind tells that kind.
		comments := listen(t, ada, p+"/events?kinds=comments", nil)
		issue := ada.Want(201, "POST", p+"/issues", `{"title":"b"}`).Text("uid")
		ada.Want(201, "POST", p+"/issues/"+issue+"/comments", `{"text":"c"}`)
		if e, _ := comments.next(t); !strings.Contains(e.data, `"kind":"comments"`) {
			t.Errorf("of comments: %s", e.data)
		}
		var last event
		for found := false; !found; {
			last, _ = records.next(t)
			found = strings.Contains(last.data, `"operation":"touch"`)
		}
		// Whoever comes back goes on from there.
		ada.Want(200, "PATCH", p+"/issues/"+issue, `{"room":"1"}`)
		again := listen(t, bob, p+"/events?after=0", http.Header{"Last-Event-Id": {last.id}})
		for found := false; !found; {
			e, _ := again.next(t)
			found = strings.Contains(e.data, `"room"`)
			if strings.Contains(e.data, `"create"`) && strings.Contains(e.data, issue) {
				t.Errorf("what was told before is told again: %s", e.data)
			}
		}
		if again.header.Get("Content-Encoding") != "" || again.header.Get("Cache-Control") != "no-store" {
			t.Errorf("headers %v", again.header)
		}
		// Removed by another process: the streams end and nothing that came after is told.
		began := time.Now()
		ada.At(other).Want(204, "DELETE", p+"/users/"+bob.UID, nil)
		ada.At(other).Want(201, "POST", p+"/issues", `{"title":"secret"}`)
		for _, l := range []*listener{again, records} {
			for e, ok := l.next(t); ok; e, ok = l.next(t) {
				if strings.Contains(e.data, bob.UID) || strings.Contains(e.data, "secret") {
					t.Errorf("who was removed is told %s", e.data)
				}
			}
		}
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("it took %s until the streams ended", took)
		}
		if r, err := bob.TryWith("GET", p+"/events", nil, http.Header{"Accept": {"text/event-stream"}}); err != nil ||
			r.Status != 403 || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("the refusal: %v %v", r, err)
		}
		s.Edge.Drain()
		if e := plain.ended(t); e.retry == "" {
			t.Errorf("the service stops, and a stream ends with %v", e)
		}
	})
}

// TestEventsMissNothing follows a project by events with records while several people write through two processes, and
// keeps an exact mirror of it, also of a stream that is cut again and again.
func TestEventsMissNothing(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		other := s.Beside()
		ada := s.Account("ada")
		p := "/projects/" + ada.Project("Tower")
		m := &mirror{t: t, who: ada, project: p}
		m.fill("")
		const writers, writes = 4, 25
		var writing sync.WaitGroup
		for w := range writers {
			writing.Go(func() {
				who := ada.At([]*apitest.Server{s, other}[w%2])
				for range writes {
					r, err := who.Try("POST", p+"/issues", `{"title":"a"}`)
					if err == nil && r.Status == 201 {
						r, err = who.Try("POST", p+"/issues/"+r.Text("uid")+"/comments", `{"text":"b"}`)
					}
					if err != nil || r.Status != 201 {
						t.Error(r.Status, err)
						return
					}
				}
			})
		}
		for n, cut := 0, 0; n < writers*writes*3; cut++ {
			l := listen(t, ada, fmt.Sprintf("%s/events?include=records&after=%d", p, m.after), nil)
			for range 37 + cut {
				e, ok := l.next(t)
				var got entry
				if err := json.Unmarshal([]byte(e.data), &got); !ok || err != nil || got.Sequence <= m.after {
					t.Fatalf("after %d came %v %v", m.after, e, err)
				}
				m.apply(got)
				m.after = got.Sequence
				if n++; n == writers*writes*3 {
					break
				}
			}
			_ = l.res.Body.Close()
		}
		writing.Wait()
		m.compare("at the end", mirrored...)
	})
}

// TestMyEvents follows all projects of a person: how far each is, new ones, and those that they are removed from.
func TestMyEvents(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		other := s.Beside()
		ada, bob := s.Account("ada"), s.Account("bob")
		tower := ada.Project("Tower")
		ada.Invite(tower, bob, "Collaborator")
		bob.Want(200, "GET", "/projects/"+tower, nil)
		l := listen(t, bob, "/me/events", nil)
		is := func(project, with string) {
			t.Helper()
			for e, ok := l.next(t); ; e, ok = l.next(t) {
				if !ok {
					t.Fatal("the stream ended")
				}
				if strings.Contains(e.data, `"project":"`+project+`","sequence":`+with) {
					return
				}
			}
		}
		is(tower, "")
		ada.At(other).Want(201, "POST", "/projects/"+tower+"/issues", `{"title":"a"}`)
		end := feedOf(t, ada.Do("GET", "/projects/"+tower+"/changes", nil), nil).NextAfter
		is(tower, fmt.Sprint(end))
		bridge := ada.Project("Bridge")
		ada.Invite(bridge, bob, "Collaborator")
		is(bridge, "")
		ada.At(other).Want(204, "DELETE", "/projects/"+tower+"/users/"+bob.UID, nil)
		is(tower, "null")
	})
}

// TestLinksOfOldStreams: what a stream tells after hours has links that work.
func TestLinksOfOldStreams(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		clock := apitest.NewClock()
		s := apitest.Start(t, engine, apitest.At(clock))
		ada := s.Account("ada")
		project := ada.Project("Tower")
		l := listen(t, ada, "/projects/"+project+"/events?include=records&kinds=attachments", nil)
		clock.Advance(5 * time.Hour)
		ada.Upload(project, "attachments", map[string]any{"content_type": "application/pdf", "name": "plan.pdf"}, "plan")
		e, _ := l.next(t)
		var got entry
		if err := json.Unmarshal([]byte(e.data), &got); err != nil {
			t.Fatal(err)
		}
		link, _ := got.Record["url"].(string)
		if r, err := s.Try("GET", strings.TrimPrefix(link, s.URL), nil, nil); err != nil || r.Status != 200 {
			t.Errorf("%s: %d %s %v", link, r.Status, r.Body, err)
		}
	})
}

// TestStreamsHaveABudget opens as many streams as there may be: one more is refused in JSON, requests are served as
// before, and a place is free again when its stream ends.
func TestStreamsHaveABudget(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine, apitest.WithStreams(8))
		ada := s.Account("ada")
		p := "/projects/" + ada.Project("Tower")
		open := []*listener{listen(t, ada, p+"/events", nil), listen(t, ada, p+"/events", nil)} // a quarter of an address
		r := ada.Do("GET", p+"/events", nil)
		if r.Status != 429 || r.Header.Get("Retry-After") == "" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("one more: %d %s", r.Status, r.Body)
		}
		ada.Want(201, "POST", p+"/issues", `{"title":"a"}`)
		_ = open[0].res.Body.Close()
		await.True(t, 20*time.Second, "a place is free again", func() bool {
			return ada.Do("GET", p+"/events", nil).Status == 200
		})
	})
}

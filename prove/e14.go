package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

var e14 = &experiment{
	id:      "E14",
	title:   "the processes that read photos and drawings and make packets are killed, stopped, and left without memory while they work",
	bar:     "every job ends, complete or with a sentence; whatever file is shown meanwhile is whole; the service answers all the time",
	control: "a maker that writes where the file is shown, killed in the middle",
	engines: bothEngines,
	run: func(t *trial) error {
		m, err := newMill(t)
		if err != nil {
			return err
		}
		if err := m.feed(t.pick(6, 40), t.pick(2, 10), t.pick(3, 12)); err != nil {
			return err
		}
		harms := t.pick(6, 50)
		stop := make(chan struct{})
		var looking sync.WaitGroup
		looking.Go(func() { m.watch(stop) })
		err = errors.Join(m.harm(harms), m.finish())
		close(stop)
		looking.Wait()
		if err != nil {
			return err
		}
		m.look()
		if err := m.site.verify(); err != nil {
			t.require(false, "doctor --verify --files: %v", err)
		}
		t.note("killed, stopped, without memory", "%d, %d, %d", m.done[0], m.done[1], m.done[2])
		t.note("photos, sets, packets", "%d, %d, %d", len(m.photos), len(m.sets), len(m.packets))
		t.note("ended complete, errored", "%d, %d", m.complete, m.errored)
		t.note("files looked at, not whole", "%s, %d", thousands(m.seen), m.torn)
		t.require(m.done[0]+m.done[1]+m.done[2] >= harms*4/5, "only %d of %d could be harmed", m.done[0]+m.done[1]+m.done[2], harms)
		t.require(m.complete > 0 && m.seen > 0, "nothing was made")
		return nil
	},
	runControl: func(t *trial) (string, error) {
		whole := drawings("A-101", "A-102")
		written := bytes.NewBuffer(nil)
		_, _ = written.Write(whole[:len(whole)/2]) // and then it was killed
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(written.Bytes()) }))
		t.atEnd(func() error { s.Close(); return nil })
		m := &mill{t: t, client: &client{base: s.URL, http: http.DefaultClient}}
		if m.fetch(s.URL); m.torn == 0 {
			return "", nil
		}
		return "shows half a file", nil
	},
}

// mill is a service with much to make.
type mill struct {
	t       *trial
	site    *site
	client  *client
	project string
	photos  []string
	sets    []*drawnSet
	packets []string
	done    [3]int // harms: killed, stopped, without memory

	complete, errored int

	mu         sync.Mutex
	looked     map[string]bool
	seen, torn int
}

func newMill(t *trial) (*mill, error) {
	s, err := newSite(t, released)
	if err != nil {
		return nil, err
	}
	if _, err := s.start(); err != nil {
		return nil, err
	}
	m := &mill{t: t, site: s, client: s.client(), looked: map[string]bool{}}
	m.project, err = m.client.newProject(t, "Mill")
	return m, err
}

// feed gives it work: photos, sets of drawings, and packets of a set that was read before.
func (m *mill) feed(photos, sets, packets int) error {
	t, c := m.t, m.client
	first, err := c.sendSet(t, m.project, drawings("G-001", "G-002", "G-003"))
	if err == nil {
		err = c.readSet(t, m.project, first)
	}
	if err != nil {
		return err
	}
	e := &estate{m.project[len("/projects/"):], map[string][]string{}}
	if err := e.learn(t, c, "sheets"); err != nil {
		return err
	}
	for i := range sets {
		numbers := []string{}
		for n := range t.pick(3, 8) {
			numbers = append(numbers, fmt.Sprintf("A-%d%02d", i+1, n+1))
		}
		s, err := c.sendSet(t, m.project, drawings(numbers...))
		if err != nil {
			return err
		}
		m.sets = append(m.sets, s)
	}
	for range packets {
		var made fields
		if err := c.must(t, http.MethodPost, m.project+"/sheets/packets", object{"sheet_uids": e.uids["sheets"]}, &made); err != nil {
			return err
		}
		m.packets = append(m.packets, m.project+"/sheets/packets/"+made.text("uid"))
	}
	for i := range photos {
		a, err := c.upload(t, m.project, "photos", object{"title": fmt.Sprint(i), "content_type": "image/png"}, picture(1200+i, 900))
		if err != nil {
			return err
		}
		var f fields
		if err := json.Unmarshal(a.body, &f); err != nil {
			return err
		}
		m.photos = append(m.photos, m.project+"/photos/"+f.text("uid"))
	}
	return nil
}

// harm harms the children of the server n times, or as often as there are some while there is work.
func (m *mill) harm(n int) error {
	random := m.t.random(14)
	for harmed := 0; harmed < n; {
		if m.idle() {
			return nil
		}
		time.Sleep(time.Duration(20+random.IntN(150)) * time.Millisecond)
		pids, err := children(m.site.server.Process.Pid)
		if err != nil {
			return err
		}
		if len(pids) == 0 {
			continue
		}
		how := 0
		switch {
		case harmed == n/2 || harmed > 0 && harmed%20 == 0:
			how = 1 // each takes as long as a task may
		case harmed%4 == 2:
			how = 2
		}
		if hurt(pids[random.IntN(len(pids))], how) {
			m.done[how]++
			harmed++
		}
		if err := m.t.Err(); err != nil {
			return err
		}
	}
	return nil
}

// idle tells whether all work has ended.
func (m *mill) idle() bool {
	ended, err := m.tally()
	return err == nil && ended == len(m.photos)+len(m.sets)+len(m.packets)
}

// tally counts what has ended, and how.
func (m *mill) tally() (ended int, err error) {
	complete, errored := 0, 0
	note := func(done, failed bool) {
		if done {
			complete++
		}
		if failed {
			errored++
		}
	}
	for _, path := range m.photos {
		var f fields
		if err := m.client.must(m.t, http.MethodGet, path, nil, &f); err != nil {
			return 0, err
		}
		note(f.text("thumbnail_url") != "", f.text("image_error") != "")
	}
	for _, s := range m.sets {
		if err := m.client.must(m.t, http.MethodGet, m.project+"/sheets/uploads/"+s.UID, nil, s); err != nil {
			return 0, err
		}
		note(s.Processing.Status == "complete", s.Processing.Status == "errored")
	}
	for _, path := range m.packets {
		var f fields
		if err := m.client.must(m.t, http.MethodGet, path, nil, &f); err != nil {
			return 0, err
		}
		note(f.text("status") == "complete", f.text("status") == "errored" && f.text("message") != "")
	}
	m.complete, m.errored = complete, errored
	return complete + errored, nil
}

// finish waits until all work has ended.
func (m *mill) finish() error {
	for {
		ended, err := m.tally()
		if err != nil || ended == len(m.photos)+len(m.sets)+len(m.packets) {
			return err
		}
		select {
		case <-m.t.Done():
			return fmt.Errorf("%d of %d jobs have not ended: %w", len(m.photos)+len(m.sets)+len(m.packets)-ended, len(m.photos)+len(m.sets)+len(m.packets), m.t.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// watch looks at every file that is shown, again and again.
func (m *mill) watch(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(50 * time.Millisecond):
			m.look()
		}
	}
}

// look fetches the files that are shown and were not looked at yet.
func (m *mill) look() {
	fieldsOf := func(record fields, names ...string) {
		for _, name := range names {
			if address := record.text(name); address != "" {
				m.fetch(address)
			}
		}
	}
	for _, list := range []string{"photos", "sheets"} {
		records, _, err := m.client.all(m.t, m.project+"/"+list)
		if err != nil {
			m.t.require(m.t.Err() != nil, "%s: %v", list, err)
			return
		}
		for _, raw := range records {
			var f fields
			if err := json.Unmarshal(raw, &f); err == nil {
				fieldsOf(f, "file_url", "thumbnail_url", "preview_url", "display_url")
			}
		}
	}
	for _, path := range m.packets {
		var f fields
		if err := m.client.must(m.t, http.MethodGet, path, nil, &f); err == nil {
			fieldsOf(f, "file_url")
		}
	}
}

// fetch looks whether a file is whole.
func (m *mill) fetch(address string) {
	m.mu.Lock()
	known := m.looked[address]
	if m.looked != nil {
		m.looked[address] = true
	}
	m.mu.Unlock()
	if known {
		return
	}
	a, err := m.client.plain(m.t, http.MethodGet, address, nil, "")
	whole := err == nil && a.status == http.StatusOK
	if whole {
		switch {
		case bytes.HasPrefix(a.body, []byte("%PDF")):
			whole = bytes.Contains(a.body[max(0, len(a.body)-64):], []byte("%%EOF"))
		case bytes.HasPrefix(a.body, []byte("\xff\xd8")):
			whole = bytes.HasSuffix(a.body, []byte("\xff\xd9"))
		default:
			whole = bytes.HasPrefix(a.body, []byte("\x89PNG"))
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen++
	if !whole {
		m.torn++
		if m.site != nil {
			m.t.require(m.t.Err() != nil, "%s is not whole: %v, %v", address, a, err)
		}
	}
}

package atomicity

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/prove/estate"
	"groundwork/prove/lab"
)

// E14 hurts the processes that read files and make packets, while they work.
var E14 = &lab.Experiment{
	ID:       "E14",
	Title:    "the processes that read photos and drawings and make packets are killed, stopped, and left without memory while they work",
	MustHold: "every job ends, complete or with a sentence; whatever file is shown meanwhile is whole; the service answers all the time",
	Control:  "a maker that writes where the file is shown, killed in the middle",
	Engines:  lab.BothEngines,
	Run: func(t *lab.Trial) error {
		m, err := newMill(t)
		if err != nil {
			return err
		}
		if err := m.feed(t.ShortOrFull(6, 40), t.ShortOrFull(2, 10), t.ShortOrFull(3, 12)); err != nil {
			return err
		}
		harms := t.ShortOrFull(6, 50)
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
		if err := m.site.Verify(); err != nil {
			t.Require(false, "doctor --verify --files: %v", err)
		}
		t.Note("killed, stopped, without memory", "%d, %d, %d", m.done[0], m.done[1], m.done[2])
		t.Note("photos, sets, packets", "%d, %d, %d", len(m.photos), len(m.sets), len(m.packets))
		t.Note("ended complete, errored", "%d, %d", m.complete, m.errored)
		t.Note("files looked at, not whole", "%s, %d", lab.Thousands(m.seen), m.torn)
		t.Require(m.done[0]+m.done[1]+m.done[2] >= harms*4/5, "only %d of %d could be harmed",
			m.done[0]+m.done[1]+m.done[2], harms)
		t.Require(m.complete > 0 && m.seen > 0, "nothing was made")
		return nil
	},
	RunControl: func(t *lab.Trial) (string, error) {
		whole := estate.Drawings("A-101", "A-102")
		written := bytes.NewBuffer(nil)
		_, _ = written.Write(whole[:len(whole)/2]) // and then it was killed
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(written.Bytes())
		}))
		t.AtEnd(func() error { s.Close(); return nil })
		m := &mill{t: t, client: &lab.Client{BaseURL: s.URL, HTTP: http.DefaultClient}}
		if m.fetch(s.URL); m.torn == 0 {
			return "", nil
		}
		return "shows half a file", nil
	},
}

// mill is a service with much to make.
type mill struct {
	t       *lab.Trial
	site    *lab.Site
	client  *lab.Client
	project string
	photos  []string
	sets    []*estate.DrawingSet
	packets []string
	done    [3]int // harms: killed, stopped, without memory

	complete, errored int

	mu         sync.Mutex
	looked     map[string]bool
	seen, torn int
}

func newMill(t *lab.Trial) (*mill, error) {
	s, err := lab.NewSite(t, lab.Released)
	if err != nil {
		return nil, err
	}
	if _, err := s.Start(); err != nil {
		return nil, err
	}
	m := &mill{t: t, site: s, client: s.NewClient(), looked: map[string]bool{}}
	m.project, err = m.client.NewProject(t, "Mill")
	return m, err
}

// feed gives it work: photos, sets of drawings, and packets of a set that was read before.
func (m *mill) feed(photos, sets, packets int) error {
	t, c := m.t, m.client
	first, err := estate.SendSet(t, c, m.project, estate.Drawings("G-001", "G-002", "G-003"))
	if err == nil {
		err = estate.AwaitSet(t, c, m.project, first)
	}
	if err != nil {
		return err
	}
	e := &estate.Estate{Project: m.project[len("/projects/"):], UIDs: map[string][]string{}}
	if err := e.ListUIDs(t, c, "sheets"); err != nil {
		return err
	}
	for i := range sets {
		numbers := []string{}
		for n := range t.ShortOrFull(3, 8) {
			numbers = append(numbers, fmt.Sprintf("A-%d%02d", i+1, n+1))
		}
		s, err := estate.SendSet(t, c, m.project, estate.Drawings(numbers...))
		if err != nil {
			return err
		}
		m.sets = append(m.sets, s)
	}
	for range packets {
		var made lab.Fields
		if err := c.MustDo(t, http.MethodPost, m.project+"/sheets/packets", lab.Object{"sheet_uids": e.UIDs["sheets"]},
			&made); err != nil {
			return err
		}
		m.packets = append(m.packets, m.project+"/sheets/packets/"+made.Text("uid"))
	}
	for i := range photos {
		a, err := c.Upload(t, m.project, "photos", lab.Object{"title": fmt.Sprint(i), "content_type": "image/png"},
			estate.Picture(1200+i, 900))
		if err != nil {
			return err
		}
		var f lab.Fields
		if err := json.Unmarshal(a.Body, &f); err != nil {
			return err
		}
		m.photos = append(m.photos, m.project+"/photos/"+f.Text("uid"))
	}
	return nil
}

// harm harms the children of the server n times, or as often as there are some while there is work.
func (m *mill) harm(n int) error {
	random := m.t.Random(14)
	for harmed := 0; harmed < n; {
		if m.idle() {
			return nil
		}
		time.Sleep(time.Duration(20+random.IntN(150)) * time.Millisecond)
		pids, err := lab.ChildProcesses(m.site.Server.Process.Pid)
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
		var f lab.Fields
		if err := m.client.MustDo(m.t, http.MethodGet, path, nil, &f); err != nil {
			return 0, err
		}
		note(f.Text("thumbnail_url") != "", f.Text("image_error") != "")
	}
	for _, s := range m.sets {
		if err := m.client.MustDo(m.t, http.MethodGet, m.project+"/sheets/uploads/"+s.UID, nil, s); err != nil {
			return 0, err
		}
		note(s.Processing.Status == "complete", s.Processing.Status == "errored")
	}
	for _, path := range m.packets {
		var f lab.Fields
		if err := m.client.MustDo(m.t, http.MethodGet, path, nil, &f); err != nil {
			return 0, err
		}
		note(f.Text("status") == "complete", f.Text("status") == "errored" && f.Text("message") != "")
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
			return fmt.Errorf("%d of %d jobs have not ended: %w", len(m.photos)+len(m.sets)+len(m.packets)-ended,
				len(m.photos)+len(m.sets)+len(m.packets), m.t.Err())
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
	fieldsOf := func(record lab.Fields, names ...string) {
		for _, name := range names {
			if address := record.Text(name); address != "" {
				m.fetch(address)
			}
		}
	}
	for _, list := range []string{"photos", "sheets"} {
		records, _, err := m.client.ListAll(m.t, m.project+"/"+list)
		if err != nil {
			m.t.Require(m.t.Err() != nil, "%s: %v", list, err)
			return
		}
		for _, raw := range records {
			var f lab.Fields
			if err := json.Unmarshal(raw, &f); err == nil {
				fieldsOf(f, "file_url", "thumbnail_url", "preview_url", "display_url")
			}
		}
	}
	for _, path := range m.packets {
		var f lab.Fields
		if err := m.client.MustDo(m.t, http.MethodGet, path, nil, &f); err == nil {
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
	a, err := m.client.DoWithoutKey(m.t, http.MethodGet, address, nil, "")
	whole := err == nil && a.Status == http.StatusOK
	if whole {
		switch {
		case bytes.HasPrefix(a.Body, []byte("%PDF")):
			whole = bytes.Contains(a.Body[max(0, len(a.Body)-64):], []byte("%%EOF"))
		case bytes.HasPrefix(a.Body, []byte("\xff\xd8")):
			whole = bytes.HasSuffix(a.Body, []byte("\xff\xd9"))
		default:
			whole = bytes.HasPrefix(a.Body, []byte("\x89PNG"))
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen++
	if !whole {
		m.torn++
		if m.site != nil {
			m.t.Require(m.t.Err() != nil, "%s is not whole: %v, %v", address, a, err)
		}
	}
}

// Package drawings tries the sixth promise with drawings that are PDFs by the letter and that no drawing program
// writes.
package drawings

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"groundwork/prove/estate"
	"groundwork/prove/lab"
)

const (
	// mostMemory is how much more the server may take than before.
	mostMemory = 150 << 20
	// mostTimes is how many times as long the neighbour's slowest requests may take. The short form shares its machine
	// with whatever else runs there, and judges three times as leniently.
	mostTimes = 3
	// leastTime is what the p99 without drawings counts as at least: below it a few wake-ups make the ratio.
	leastTime = 5 * time.Millisecond
	// burst is where a server of the control is ended.
	burst = 1500 << 20
	// shortFiles is how many of the files the short form tries.
	shortFiles = 5
	// lookEvery is how often it is asked how far a set is.
	lookEvery = 200 * time.Millisecond
)

// realDrawings is the variable that names a folder with more files to upload; none of them is ours.
const realDrawings = "GROUNDWORK_E41"

// E41 asks whether a drawing can take the service down.
var E41 = &lab.Experiment{
	ID:    "E41",
	Title: "a tenant uploads twenty kinds of drawings that no drawing program writes (giant and tiny type, text far off the page, matrices of nothing, 400,000 lines, 500,000 words, forms 2,000 deep, 10,000 pages, pages that contain themselves), while a neighbour works",
	MustHold: "every upload ends, published or refused with a sentence; the server takes at most 150 MB more than before; " +
		"the neighbour's p99 ≤ 3 × that without; times three times as long in the short form",
	Control: "a service that reads sets in its own process",
	Engines: lab.BothEngines,
	ByName:  true,
	Run: func(t *lab.Trial) error {
		files := hostile(t)
		if !t.Full {
			leaveSome(t, files, shortFiles)
		}
		if folder := os.Getenv(realDrawings); folder != "" {
			if err := add(files, folder); err != nil {
				return err
			}
		}
		f, err := newFlood(t, lab.Released)
		if err != nil {
			return err
		}
		idle := f.neighbour(time.After(time.Duration(t.ShortOrFull(5, 20)) * time.Second))
		before, err := lab.ResetPeakMemory(f.site.Server.Process.Pid)
		if err != nil {
			return err
		}
		over, loaded := make(chan time.Time), make(chan []time.Duration)
		go func() { loaded <- f.neighbour(over) }()
		failed := f.upload(files)
		close(over)
		took := <-loaded
		if failed != nil {
			return failed
		}
		peak, err := lab.ProcessMemory(f.site.Server.Process.Pid, "VmHWM")
		if err != nil {
			return err
		}
		was, is := max(lab.Quantile(idle, 0.99), leastTime), lab.Quantile(took, 0.99)
		t.Note("files, published, refused", "%d, %d, %d", len(files), f.published, f.refused)
		t.Note("the slowest", "%s: %s", f.slowest, lab.Seconds(f.longest))
		t.Note("memory, growth", "%s", lab.Megabytes(peak-before))
		t.Note("neighbour's p99 without, with", "%s, %s, of %d requests", lab.Millis(was), lab.Millis(is), len(took))
		t.Require(peak-before <= mostMemory, "the server took %s more", lab.Megabytes(peak-before))
		t.Require(is <= was*time.Duration(mostTimes*t.ShortOrFull(3, 1)), "the neighbour's p99 went from %s to %s",
			lab.Millis(was), lab.Millis(is))
		for _, w := range f.wrong {
			t.Require(false, "%s", w)
		}
		return f.site.Verify()
	},
	RunControl: func(t *lab.Trial) (string, error) {
		f, err := newFlood(t, lab.Planted, "GROUNDWORK_PLANT=drawings-in-service")
		if err != nil {
			return "", err
		}
		pid := f.site.Server.Process.Pid
		before, err := lab.ResetPeakMemory(pid)
		if err != nil {
			return "", err
		}
		const name = "a set whose edges are full"
		over := make(chan struct{})
		var peak int64
		var watch sync.WaitGroup
		watch.Go(func() {
			for {
				if now, err := lab.ProcessMemory(pid, "VmHWM"); err == nil {
					peak = now
				}
				if peak > burst {
					_ = f.site.Kill()
					return
				}
				select {
				case <-over:
					return
				case <-time.After(lookEvery):
				}
			}
		})
		err = f.upload(map[string][]byte{name: hostile(t)[name]})
		close(over)
		watch.Wait()
		if grown := peak - before; grown > mostMemory {
			return fmt.Sprintf("the server took %s more for one file", lab.Megabytes(grown)), nil
		}
		return "", err
	},
}

// leaveSome leaves n of the files, which the seed chooses.
func leaveSome(t *lab.Trial, files map[string][]byte, n int) {
	names := slices.Sorted(maps.Keys(files))
	t.Random(len(names)).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names[min(n, len(names)):] {
		delete(files, name)
	}
}

// flood is a tenant who uploads drawings, and a neighbour.
type flood struct {
	t               *lab.Trial
	site            *lab.Site
	client, other   *lab.Client
	project, beside string

	published, refused int
	slowest            string
	longest            time.Duration
	mu                 sync.Mutex
	wrong              []string
}

func newFlood(t *lab.Trial, tag string, env ...string) (*flood, error) {
	s, err := lab.NewSite(t, tag, env...)
	if err != nil {
		return nil, err
	}
	const neighbour = "ben@example.com"
	if _, err := s.Command(lab.Password+"\n", "account", "create", "--email", neighbour, "--name", "Ben Neighbour",
		"--password-stdin"); err != nil {
		return nil, err
	}
	key, err := s.NewKey(neighbour)
	if err != nil {
		return nil, err
	}
	if _, err := s.Start(); err != nil {
		return nil, err
	}
	f := &flood{t: t, site: s, client: s.NewClient(), other: s.NewClient()}
	f.other.Key = key
	if f.project, err = f.client.NewProject(t, "Quarry"); err != nil {
		return nil, err
	}
	f.beside, err = f.other.NewProject(t, "School")
	return f, err
}

// add brings the files of a folder.
func add(files map[string][]byte, folder string) error {
	found, err := filepath.Glob(filepath.Join(folder, "*.pdf"))
	for _, path := range found {
		content, failed := os.ReadFile(path)
		if failed != nil {
			return failed
		}
		files[filepath.Base(path)] = content
	}
	return err
}

// upload sends every file as a set of its own, one after the other, and waits for its end.
func (f *flood) upload(files map[string][]byte) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		began := time.Now()
		s, err := estate.SendSet(f.t, f.client, f.project, files[name])
		if err == nil {
			err = f.await(s)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if took := time.Since(began); took > f.longest {
			f.slowest, f.longest = name, took
		}
		switch {
		case s.Processing.Status == "complete":
			f.published++
		case s.HasError():
			f.refused++
		default:
			f.note("%s was given up without a word", name)
		}
	}
	return nil
}

// await waits until a set was read or given up, and asks less often than others do: a set of thousands of pages is a
// long answer.
func (f *flood) await(s *estate.DrawingSet) error {
	for s.Processing.Status != "complete" && s.Processing.Status != "errored" {
		select {
		case <-f.t.Done():
			return fmt.Errorf("the set is not read: %w", f.t.Err())
		case <-f.site.Ended:
			return fmt.Errorf("the server ended: %s", f.site.LogTail())
		case <-time.After(lookEvery):
		}
		if err := f.client.MustDo(f.t, http.MethodGet, f.project+"/sheets/uploads/"+s.UID, nil, s); err != nil {
			return err
		}
	}
	return nil
}

func (f *flood) note(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wrong = append(f.wrong, fmt.Sprintf(format, args...))
}

// neighbour lists, reads and writes as somebody in an office does, and tells how long each request took.
func (f *flood) neighbour(until <-chan time.Time) (took []time.Duration) {
	const pause = 30 * time.Millisecond
	last := ""
	for i := 0; ; i++ {
		select {
		case <-until:
			return took
		case <-f.t.Done():
			return took
		case <-f.site.Ended:
			return took
		case <-time.After(pause):
		}
		method, path, body := http.MethodGet, f.beside+"/issues?limit=20", []byte(nil)
		switch {
		case i%3 == 0:
			method, path, body = http.MethodPost, f.beside+"/issues", lab.Fields{"title": lab.QuotedJSON("Seepage")}.JSON()
		case i%3 == 1 && last != "":
			path = f.beside + "/issues/" + last
		}
		began := time.Now()
		a, err := f.other.Do(f.t, method, path, body)
		took = append(took, time.Since(began))
		if err != nil || !a.OK() {
			if f.t.Err() == nil {
				f.note("the neighbour's %s %s: %v, %v", method, path, a, err)
			}
			continue
		}
		if method == http.MethodPost {
			if _, uid, ok := strings.Cut(string(a.Body), `"uid":"`); ok && len(uid) > 36 {
				last = uid[:36]
			}
		}
	}
}

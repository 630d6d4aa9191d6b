package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	_ "modernc.org/sqlite" // examines the file from outside
)

const (
	smallDisk   = 320 // megabytes
	refusedSoon = time.Second
	resumedSoon = 2 * time.Second
)

var e4 = &experiment{
	id:      "E4",
	title:   "the disk of the database and of the files becomes full under 16 writers, during commits, uploads and while the log is copied back; then there is room again",
	bar:     "507 or 503 in JSON within 1 s, reads go on, nothing acknowledged is lost; writes resume within 2 s without a restart; doctor --verify --files, nothing left behind",
	control: "a disk with room enough",
	engines: []string{lite},
	run: func(t *trial) error {
		return withSmallDisk(t, func(q *squeeze) error {
			rounds := t.pick(4, 40)
			for i := range rounds {
				if err := q.round(i, i == rounds-1); err != nil {
					return fmt.Errorf("round %d: %w", i+1, err)
				}
			}
			t.note("times full", "%d", rounds)
			t.note("acknowledged writes", "%s", thousands(int(q.journal.acked.Load())))
			t.note("files uploaded, refused", "%s, %s", thousands(q.uploaded), thousands(q.unfiled))
			t.note("refused, 507 and 503", "%s, %s", thousands(q.statuses[http.StatusInsufficientStorage]), thousands(q.statuses[http.StatusServiceUnavailable]))
			t.note("refusal p50, max", "%s, %s", millis(quantile(q.refusals, 0.5)), millis(quantile(q.refusals, 1)))
			t.note("reads while full, max", "%s, %s", thousands(len(q.reads)), millis(quantile(q.reads, 1)))
			t.note("writes back after, max", "%s", millis(quantile(q.resumed, 1)))
			t.note("log when full, most", "%s", megabytes(q.log))
			t.note("lost, half-made, invented, torn", "%d, %d, %d, %d", q.found.lost+q.found.changed, q.found.half, q.found.invented, q.found.torn)
			t.require(q.uploaded > 0 && q.unfiled > 0, "%d files were uploaded and %d refused", q.uploaded, q.unfiled)
			t.require(quantile(q.refusals, 1) <= t.within(refusedSoon), "a refusal took %s", millis(quantile(q.refusals, 1)))
			t.require(len(q.reads) > 0 && quantile(q.reads, 1) <= t.within(refusedSoon), "a read took %s", millis(quantile(q.reads, 1)))
			t.require(quantile(q.resumed, 1) <= t.within(resumedSoon), "writes were back after %s", millis(quantile(q.resumed, 1)))
			t.require(q.found.bad() == 0, "%s", q.found.first)
			for _, text := range q.wrong {
				t.require(false, "%s", text)
			}
			return q.leave()
		})
	},
	runControl: func(t *trial) (caught string, err error) {
		err = withSmallDisk(t, func(q *squeeze) error {
			stop := q.load(0)
			err := q.await(func() bool { return q.journal.acked.Load() >= 1000 })
			stop()
			if refused := len(q.refusals); err == nil && refused == 0 {
				caught = fmt.Sprintf("refuses none of %s writes", thousands(int(q.journal.acked.Load())))
			}
			return err
		})
		return caught, err
	},
}

// squeeze is an installation on a small disk.
type squeeze struct {
	t       *trial
	site    *site
	client  *client
	journal *journal
	files   []string // what lies in the folder of a service that was stopped
	found   seen
	log     int64 // greatest size of the log while the disk was full
	isFull  bool

	mu       sync.Mutex
	statuses map[int]int
	refusals []time.Duration
	reads    []time.Duration // while the disk was full
	resumed  []time.Duration
	lastAck  time.Time
	wrong    []string
	uploaded int
	unfiled  int // files that the storage route refused
}

// withSmallDisk makes an installation whose folder is a small disk. Only the thread of fn, and what it starts, can see that.
func withSmallDisk(t *trial, fn func(*squeeze) error) error {
	return apart(func() error {
		if err := newSmallDisk(t, t.path("data"), smallDisk); err != nil {
			return err
		}
		s, err := newSite(t, released)
		if err != nil {
			return err
		}
		q := &squeeze{t: t, site: s, statuses: map[int]int{}}
		if q.files, err = filesIn(s.data); err != nil {
			return err
		}
		if _, err := s.start(); err != nil {
			return err
		}
		q.client = s.client()
		project, err := q.client.newProject(t, "Silo")
		if err != nil {
			return err
		}
		q.journal = newJournal(project)
		return fn(q)
	})
}

func filesIn(folder string) (out []string, err error) {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out, err
}

func (q *squeeze) ballast() string { return q.site.data + "/ballast" }

// round fills the disk under load, looks, and gives the room back. With kill the server is killed while the disk is full.
func (q *squeeze) round(i int, kill bool) error {
	random := q.t.random(4, i)
	stop := q.load(i)
	defer stop()
	before := q.journal.acked.Load()
	want := before + 100 + random.Int64N(400)
	if err := q.await(func() bool { return q.journal.acked.Load() >= want }); err != nil {
		return err
	}
	// With nothing left the next page of the log is refused; with a little the log is still written when it cannot be copied back.
	slack := pick(random, []int64{0, 0, 64 << 10, 1 << 20, 3 << 20})
	if err := fillDisk(q.ballast(), slack); err != nil {
		return err
	}
	q.set(func() { q.isFull = true })
	enough := q.refused() + 100
	err := q.await(func() bool {
		if info, err := os.Stat(q.site.data + "/groundwork.db-wal"); err == nil {
			q.log = max(q.log, info.Size())
		}
		return q.refused() >= enough
	})
	if err != nil {
		return fmt.Errorf("writes are not refused: %w", err)
	}
	if kill {
		if err := q.site.kill(); err != nil {
			return err
		}
		stop()
	}
	q.set(func() { q.isFull = false })
	room := time.Now()
	if err := os.Remove(q.ballast()); err != nil {
		return err
	}
	if kill {
		if _, err := q.site.start(); err != nil {
			return err
		}
		return q.check()
	}
	if err := q.await(func() bool { return q.acknowledged().After(room) }); err != nil {
		return fmt.Errorf("writes are not back: %w", err)
	}
	q.resumed = append(q.resumed, q.acknowledged().Sub(room))
	stop()
	left, err := filesIn(q.site.data + "/files/tmp")
	if err != nil {
		return err
	}
	q.t.require(len(left) == 0, "%d temporary files are left, such as %v", len(left), left[:min(len(left), 1)])
	return q.check()
}

// await waits until something is so.
func (q *squeeze) await(so func() bool) error {
	for end := time.Now().Add(time.Minute); !so(); time.Sleep(time.Millisecond) {
		if err := q.t.Err(); err != nil {
			return err
		}
		if time.Now().After(end) {
			return errors.New("not within a minute")
		}
	}
	return nil
}

func (q *squeeze) set(fn func()) {
	q.mu.Lock()
	fn()
	q.mu.Unlock()
}

func (q *squeeze) refused() (n int) {
	q.set(func() { n = len(q.refusals) })
	return n
}

// acknowledged is when a write last began that was acknowledged.
func (q *squeeze) acknowledged() (at time.Time) {
	q.set(func() { at = q.lastAck })
	return at
}

// load starts writers and readers; they end when what it gives is called.
func (q *squeeze) load(round int) (stop func()) {
	ctx, cancel := context.WithCancel(q.t)
	all := newWriters(q.t, q.journal, q.client, round)
	done := make(chan struct{})
	go func() {
		defer close(done)
		crew(writers+readers, func(i int) {
			for ctx.Err() == nil {
				if i < writers && !q.write(all[i]) || i >= writers && !q.read() {
					return
				}
			}
		})
	}()
	return func() {
		cancel()
		<-done
		q.client.http.Transport.(*http.Transport).CloseIdleConnections()
	}
}

// write makes one write; it is false when there was no answer.
func (q *squeeze) write(w *writer) bool {
	if w.random.IntN(8) == 0 {
		return q.upload(w)
	}
	o := w.next(nil)
	var body []byte
	if o.fields != nil {
		body = o.fields.bytes()
	}
	began := time.Now()
	a, err := q.client.do(context.WithoutCancel(q.t), o.method, q.journal.project+o.path, body)
	if err != nil {
		q.journal.unanswered(o)
		return false
	}
	q.judge(w, o, a, began)
	return true
}

// upload makes a document.
func (q *squeeze) upload(w *writer) bool {
	ctx := context.WithoutCancel(q.t)
	o, content := w.file()
	began := time.Now()
	f, a, err := q.client.begin(ctx, q.journal.project, "attachments", o.fields)
	if err != nil || f == nil {
		return err == nil && q.refusal(o, a, began, false)
	}
	began = time.Now()
	a, err = q.client.post(ctx, f, content)
	if err != nil || a.status != http.StatusSeeOther {
		if err == nil {
			q.set(func() { q.unfiled++ })
		}
		return err == nil && q.refusal(o, a, began, false)
	}
	began = time.Now()
	a, err = q.client.plain(ctx, http.MethodGet, f.Webhook, nil, "")
	if err != nil {
		q.journal.unanswered(o)
		return false
	}
	if a.status == http.StatusOK {
		a.status = http.StatusCreated
		q.set(func() { q.uploaded++ })
	}
	q.judge(w, o, a, began)
	return true
}

// judge takes the answer to a write.
func (q *squeeze) judge(w *writer, o *op, a *answer, began time.Time) {
	if !a.ok() {
		q.refusal(o, a, began, true)
		return
	}
	q.journal.answered(o, a.status, a.body)
	w.adopt(o)
	q.set(func() {
		if began.After(q.lastAck) {
			q.lastAck = began
		}
	})
}

// refusal takes an answer that is no success; an unknown outcome is one if the request could have had an effect that is seen.
func (q *squeeze) refusal(o *op, a *answer, began time.Time, effective bool) bool {
	took := time.Since(began)
	if a.status != http.StatusInsufficientStorage && a.status != http.StatusServiceUnavailable {
		q.set(func() { q.wrong = append(q.wrong, fmt.Sprintf("%s %s: %s", o.method, o.path, a)) })
		return true
	}
	if a.status == http.StatusServiceUnavailable && effective {
		q.journal.unanswered(o) // it may have been done
	}
	var told struct {
		Message string `json:"message"`
	}
	err := json.Unmarshal(a.body, &told)
	q.set(func() {
		q.statuses[a.status]++
		q.refusals = append(q.refusals, took)
		if err != nil || told.Message == "" || !strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
			q.wrong = append(q.wrong, fmt.Sprintf("a refusal that is not JSON: %s", a))
		}
	})
	time.Sleep(time.Millisecond)
	return true
}

// read reads a list; it is false when there was no answer.
func (q *squeeze) read() bool {
	began := time.Now()
	a, err := q.client.do(context.WithoutCancel(q.t), http.MethodGet, q.journal.project+"/issues?updated_after=1970-01-01T00:00:00Z", nil)
	if err != nil {
		return false
	}
	q.set(func() {
		if q.isFull {
			q.reads = append(q.reads, time.Since(began))
		}
		if !a.ok() {
			q.wrong = append(q.wrong, fmt.Sprintf("a read: %s", a))
		}
	})
	return true
}

func (q *squeeze) check() error {
	found, err := q.journal.check(q.t, q.client)
	q.found.add(found)
	return err
}

// leave examines what is stored, while the service runs and after it was stopped, and what lies around.
func (q *squeeze) leave() error {
	if err := q.site.verify(); err != nil {
		return err
	}
	if _, err := q.site.stop(); err != nil {
		return err
	}
	if err := q.site.verify(); err != nil {
		return err
	}
	files, err := filesIn(q.site.data)
	if err != nil {
		return err
	}
	q.t.require(slices.Equal(files, q.files), "the folder holds %v; before it held %v", files, q.files)
	db, err := sql.Open("sqlite", "file:"+q.site.data+"/groundwork.db?mode=ro")
	if err != nil {
		return err
	}
	var verdict string
	err = db.QueryRowContext(q.t, "PRAGMA integrity_check").Scan(&verdict)
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	q.t.require(verdict == "ok", "integrity_check: %s", verdict)
	return nil
}

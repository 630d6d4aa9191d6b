package durability

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

	"groundwork/prove/lab"
)

const (
	smallDisk   = 320 // megabytes
	refusedSoon = time.Second
	resumedSoon = 2 * time.Second
)

// E4 fills the disk under writers, and gives the room back.
var E4 = &lab.Experiment{
	ID:       "E4",
	Title:    "the disk of the database and of the files becomes full under 16 writers, during commits, uploads and while the log is copied back; then there is room again",
	MustHold: "507 or 503 in JSON within 1 s, reads go on, nothing acknowledged is lost; writes resume within 2 s without a restart; doctor --verify --files, nothing left behind; /readyz tells, and the log has a line for each time, not for each refusal",
	Control:  "a disk with room enough",
	Engines:  []string{lab.SQLite},
	Run: func(t *lab.Trial) error {
		return withSmallDisk(t, func(q *squeeze) error {
			rounds := t.ShortOrFull(4, 40)
			for i := range rounds {
				if err := q.round(i, i == rounds-1); err != nil {
					return fmt.Errorf("round %d: %w", i+1, err)
				}
			}
			t.Note("times full", "%d", rounds)
			t.Note("acknowledged writes", "%s", lab.Thousands(int(q.journal.acked.Load())))
			t.Note("files uploaded, refused", "%s, %s", lab.Thousands(q.uploaded), lab.Thousands(q.unfiled))
			t.Note("refused, 507 and 503", "%s, %s", lab.Thousands(q.statuses[http.StatusInsufficientStorage]),
				lab.Thousands(q.statuses[http.StatusServiceUnavailable]))
			t.Note("refusal p50, max", "%s, %s", lab.Millis(lab.Quantile(q.refusals, 0.5)),
				lab.Millis(lab.Quantile(q.refusals, 1)))
			t.Note("reads while full, max", "%s, %s", lab.Thousands(len(q.reads)), lab.Millis(lab.Quantile(q.reads, 1)))
			t.Note("writes back after, max", "%s", lab.Millis(lab.Quantile(q.resumed, 1)))
			t.Note("log when full, most", "%s", lab.Megabytes(q.log))
			t.Note("lost, half-made, invented, torn", "%d, %d, %d, %d", q.found.lost+q.found.changed, q.found.half,
				q.found.invented, q.found.torn)
			t.Require(q.uploaded > 0 && q.unfiled > 0, "%d files were uploaded and %d refused", q.uploaded, q.unfiled)
			t.RequireOnTime(lab.Quantile(q.refusals, 1) <= refusedSoon, "a refusal took %s",
				lab.Millis(lab.Quantile(q.refusals, 1)))
			t.Require(len(q.reads) > 0, "nothing was read while the disk was full")
			t.RequireOnTime(lab.Quantile(q.reads, 1) <= refusedSoon, "a read took %s",
				lab.Millis(lab.Quantile(q.reads, 1)))
			t.RequireOnTime(lab.Quantile(q.resumed, 1) <= resumedSoon, "writes were back after %s",
				lab.Millis(lab.Quantile(q.resumed, 1)))
			t.Require(q.found.bad() == 0, "%s", q.found.first)
			for _, text := range q.wrong {
				t.Require(false, "%s", text)
			}
			begun, others, err := q.lines()
			if err != nil {
				return err
			}
			t.Note("lines of the log: full, others", "%d, %d", begun, others)
			// The last round ends with a kill. A commit whose outcome is unknown is a 503 that has its own line.
			t.Require(begun >= rounds && begun <= 3*rounds, "the log says %d times that the disk is full", begun)
			t.Require(others <= 10*rounds, "the log has %d other lines", others)
			return q.leave()
		})
	},
	RunControl: func(t *lab.Trial) (caught string, err error) {
		err = withSmallDisk(t, func(q *squeeze) error {
			stop := q.load(0)
			err := q.await(func() bool { return q.journal.acked.Load() >= 1000 })
			stop()
			if refused := len(q.refusals); err == nil && refused == 0 {
				caught = fmt.Sprintf("refuses none of %s writes", lab.Thousands(int(q.journal.acked.Load())))
			}
			return err
		})
		return caught, err
	},
}

// squeeze is an installation on a small disk.
type squeeze struct {
	t       *lab.Trial
	site    *lab.Site
	client  *lab.Client
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

// withSmallDisk makes an installation whose folder is a small disk. Only the thread of fn, and what it starts, can see
// that.
func withSmallDisk(t *lab.Trial, fn func(*squeeze) error) error {
	return apart(func() error {
		if err := newSmallDisk(t, t.Path("data"), smallDisk); err != nil {
			return err
		}
		s, err := lab.NewSite(t, lab.Released)
		if err != nil {
			return err
		}
		q := &squeeze{t: t, site: s, statuses: map[int]int{}}
		if q.files, err = filesIn(s.DataFolder); err != nil {
			return err
		}
		if _, err := s.Start(); err != nil {
			return err
		}
		q.client = s.NewClient()
		project, err := q.client.NewProject(t, "Silo")
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

func (q *squeeze) ballast() string { return q.site.DataFolder + "/ballast" }

// round fills the disk under load, looks, and gives the room back. With kill the server is killed while the disk is
// full.
func (q *squeeze) round(i int, kill bool) error {
	random := q.t.Random(4, i)
	stop := q.load(i)
	defer stop()
	before := q.journal.acked.Load()
	want := before + 100 + random.Int64N(400)
	if err := q.await(func() bool { return q.journal.acked.Load() >= want }); err != nil {
		return err
	}
	// With nothing left the next page of the log is refused; with a little the log is still written when it cannot be
	// copied back.
	slack := lab.OneOf(random, []int64{0, 0, 64 << 10, 1 << 20, 3 << 20})
	if err := fillDisk(q.ballast(), slack); err != nil {
		return err
	}
	q.set(func() { q.isFull = true })
	enough := q.refused() + 100
	err := q.await(func() bool {
		if info, err := os.Stat(q.site.DataFolder + "/groundwork.db-wal"); err == nil {
			q.log = max(q.log, info.Size())
		}
		return q.refused() >= enough
	})
	if err != nil {
		return fmt.Errorf("writes are not refused: %w", err)
	}
	if err := q.ready(http.StatusServiceUnavailable); err != nil {
		return err
	}
	if kill {
		if err := q.site.Kill(); err != nil {
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
		if _, err := q.site.Start(); err != nil {
			return err
		}
		return q.check()
	}
	if err := q.await(func() bool { return q.acknowledged().After(room) }); err != nil {
		return fmt.Errorf("writes are not back: %w", err)
	}
	q.resumed = append(q.resumed, q.acknowledged().Sub(room))
	stop()
	if err := q.ready(http.StatusOK); err != nil {
		return err
	}
	left, err := filesIn(q.site.DataFolder + "/files/tmp")
	if err != nil {
		return err
	}
	q.t.Require(len(left) == 0, "%d temporary files are left, such as %v", len(left), left[:min(len(left), 1)])
	return q.check()
}

// ready waits until /readyz has a status.
func (q *squeeze) ready(status int) error {
	var last *lab.Answer
	err := q.await(func() bool {
		a, err := q.client.DoWithoutKey(q.t, http.MethodGet, q.site.BaseURL+"/readyz", nil, "")
		last = a
		return err == nil && a.Status == status
	})
	if err != nil {
		return fmt.Errorf("/readyz is not %d: %v: %w", status, last, err)
	}
	return nil
}

// lines counts what the log says of refusals: one line when the disk becomes full, one when there is room.
func (q *squeeze) lines() (begun, others int, err error) {
	text, err := os.ReadFile(q.site.Log.Name())
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.Contains(line, "trouble begins"):
			begun++
		case strings.Contains(line, "level=ERROR"), strings.Contains(line, "level=WARN"):
			others++
		}
	}
	return begun, others, err
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
		lab.Parallel(lab.Writers+readers, func(i int) {
			for ctx.Err() == nil {
				if i < lab.Writers && !q.write(all[i]) || i >= lab.Writers && !q.read() {
					return
				}
			}
		})
	}()
	return func() {
		cancel()
		<-done
		q.client.HTTP.Transport.(*http.Transport).CloseIdleConnections()
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
		body = o.fields.JSON()
	}
	began := time.Now()
	a, err := q.client.Do(context.WithoutCancel(q.t), o.method, q.journal.project+o.path, body)
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
	f, a, err := q.client.BeginUpload(ctx, q.journal.project, "attachments", o.fields)
	if err != nil || f == nil {
		return err == nil && q.refusal(o, a, began, false)
	}
	began = time.Now()
	a, err = q.client.PostFile(ctx, f, content)
	if err != nil || a.Status != http.StatusSeeOther {
		if err == nil {
			q.set(func() { q.unfiled++ })
		}
		return err == nil && q.refusal(o, a, began, false)
	}
	began = time.Now()
	a, err = q.client.DoWithoutKey(ctx, http.MethodGet, f.Webhook, nil, "")
	if err != nil {
		q.journal.unanswered(o)
		return false
	}
	if a.Status == http.StatusOK {
		a.Status = http.StatusCreated
		q.set(func() { q.uploaded++ })
	}
	q.judge(w, o, a, began)
	return true
}

// judge takes the answer to a write.
func (q *squeeze) judge(w *writer, o *op, a *lab.Answer, began time.Time) {
	if !a.OK() {
		q.refusal(o, a, began, true)
		return
	}
	q.journal.answered(o, a.Status, a.Body)
	w.adopt(o)
	q.set(func() {
		if began.After(q.lastAck) {
			q.lastAck = began
		}
	})
}

// refusal takes an answer that is no success; an unknown outcome is one if the request could have had an effect that is
// seen.
func (q *squeeze) refusal(o *op, a *lab.Answer, began time.Time, effective bool) bool {
	took := time.Since(began)
	if a.Status != http.StatusInsufficientStorage && a.Status != http.StatusServiceUnavailable {
		q.set(func() { q.wrong = append(q.wrong, fmt.Sprintf("%s %s: %s", o.method, o.path, a)) })
		return true
	}
	if a.Status == http.StatusServiceUnavailable && effective {
		q.journal.unanswered(o) // it may have been done
	}
	var told struct {
		Message string `json:"message"`
	}
	err := json.Unmarshal(a.Body, &told)
	q.set(func() {
		q.statuses[a.Status]++
		q.refusals = append(q.refusals, took)
		if err != nil || told.Message == "" || !strings.HasPrefix(a.Header.Get("Content-Type"), "application/json") {
			q.wrong = append(q.wrong, fmt.Sprintf("a refusal that is not JSON: %s", a))
		}
	})
	time.Sleep(time.Millisecond)
	return true
}

// read reads a list; it is false when there was no answer.
func (q *squeeze) read() bool {
	began := time.Now()
	a, err := q.client.Do(context.WithoutCancel(q.t), http.MethodGet,
		q.journal.project+"/issues?updated_after=1970-01-01T00:00:00Z", nil)
	if err != nil {
		return false
	}
	q.set(func() {
		if q.isFull {
			q.reads = append(q.reads, time.Since(began))
		}
		if !a.OK() {
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
	if err := q.site.Verify(); err != nil {
		return err
	}
	if _, err := q.site.Stop(); err != nil {
		return err
	}
	if err := q.site.Verify(); err != nil {
		return err
	}
	files, err := filesIn(q.site.DataFolder)
	if err != nil {
		return err
	}
	q.t.Require(slices.Equal(files, q.files), "the folder holds %v; before it held %v", files, q.files)
	db, err := sql.Open("sqlite", "file:"+q.site.DataFolder+"/groundwork.db?mode=ro")
	if err != nil {
		return err
	}
	var verdict string
	err = db.QueryRowContext(q.t, "PRAGMA integrity_check").Scan(&verdict)
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	q.t.Require(verdict == "ok", "integrity_check: %s", verdict)
	return nil
}

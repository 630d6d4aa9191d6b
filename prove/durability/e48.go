package durability

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/prove/lab"
)

// E48 loses the disk under writers, again and again, and restores what was shipped.
var E48 = &lab.Experiment{
	ID:       "E48",
	Title:    "kill -9 and a lost disk under 16 writers, while every change is shipped; what was shipped is restored and goes on, and restored to a moment in between",
	MustHold: "a state that existed, nothing acknowledged more than a second before the loss is missing, nothing of after the moment that was asked for",
	Control:  "one page in fifty is not shipped; a segment is lost at the place",
	Engines:  []string{lab.SQLite},
	Run: func(t *lab.Trial) error {
		d, err := newDisaster(t, lab.Released)
		if err != nil {
			return err
		}
		rounds := t.ShortOrFull(3, 50)
		for i := range rounds {
			if err := d.round(i); err != nil {
				return fmt.Errorf("round %d: %w", i+1, err)
			}
		}
		t.Note("kills and lost disks", "%d", rounds)
		t.Note("acknowledged writes", "%s", lab.Thousands(d.acked))
		t.Note("lost of them", "%s", lab.Thousands(d.lost))
		t.Note("the oldest that was lost, before the loss: p50, max", "%s, %s", lab.Millis(lab.Quantile(d.losses, 0.5)),
			lab.Millis(lab.Quantile(d.losses, 1)))
		t.Note("restored to a moment", "%d times", d.moments)
		t.Note("restore p50, max", "%s, %s", lab.Seconds(lab.Quantile(d.restores, 0.5)),
			lab.Seconds(lab.Quantile(d.restores, 1)))
		t.Note("from the start until changes are shipped: p50, max", "%s, %s", lab.Seconds(lab.Quantile(d.begins, 0.5)),
			lab.Seconds(lab.Quantile(d.begins, 1)))
		t.Require(d.acked > 300*rounds, "only %d acknowledged writes", d.acked)
		t.Require(d.moments > 0, "no moment was restored")
		t.RequireOnTime(lab.Quantile(d.losses, 1) <= time.Second, "a write is lost that was acknowledged %s before the disk was",
			lab.Millis(lab.Quantile(d.losses, 1)))
		return nil
	},
	RunControl: func(t *lab.Trial) (caught string, err error) {
		err = t.Inner("miss", func(t *lab.Trial) error {
			d, err := newDisaster(t, lab.Planted, "GROUNDWORK_PLANT=miss-frame")
			if err != nil {
				return err
			}
			if err := d.round(0); err != nil || len(t.Problems) > 0 {
				if err != nil {
					t.Problems = append(t.Problems, err.Error())
				}
				caught = "pages that were not shipped: " + lab.Clip([]byte(strings.Join(t.Problems, "; ")))
				t.Problems = nil
			}
			return nil
		})
		if err != nil || caught == "" {
			return "", err
		}
		other := ""
		err = t.Inner("segment", func(t *lab.Trial) error {
			d, err := newDisaster(t, lab.Released)
			if err != nil {
				return err
			}
			d.harm, d.told = d.loseSegment, "is not restored: the segment 2 is missing"
			if err := d.round(0); err != nil {
				return err
			}
			if lost := lab.Quantile(d.losses, 1); lost > time.Second {
				other = fmt.Sprintf("; with a segment lost, writes are that were acknowledged %s before", lab.Millis(lost))
			}
			return nil
		})
		if err != nil || other == "" {
			return "", err
		}
		return caught + other, nil
	},
}

// disaster is an installation whose disk is lost again and again.
type disaster struct {
	t        *lab.Trial
	site     *lab.Site
	client   *lab.Client
	place    string
	project  string
	titles   []string // of the issues that are there, in order of their numbers
	harm     func() error
	told     string // what a restore of what was harmed says while it ends with an error
	acked    int
	lost     int
	moments  int
	losses   []time.Duration // by round, how long before the loss the oldest write was acknowledged that is lost
	restores []time.Duration
	begins   []time.Duration
}

func newDisaster(t *lab.Trial, tag string, env ...string) (*disaster, error) {
	s, err := lab.NewSite(t, tag, env...)
	if err != nil {
		return nil, err
	}
	d := &disaster{t: t, site: s, client: s.NewClient(), place: t.Path("place"), harm: func() error { return nil }}
	// Backups on a schedule would only be in the way of what is tried here.
	s.ServerOptions = []string{"--backup-to", d.place, "--backup-continuous", "--backup-every", "24h"}
	return d, nil
}

// write is one create as its writer knows it.
type write struct {
	title       string
	number      int
	sent, acked time.Time // acked is zero where no answer came
}

// round starts the server, has writers work, kills it, loses its disk, and compares what is restored.
func (d *disaster) round(i int) error {
	const perProject = 3
	if _, err := d.site.Start(); err != nil {
		return err
	}
	began := time.Now()
	if i%perProject == 0 { // to list all of one takes longer each time
		var err error
		if d.project, err = d.client.NewProject(d.t, fmt.Sprintf("Tower %d", i/perProject)); err != nil {
			return err
		}
		d.titles = nil
	}
	if err := d.shipped(time.Now()); err != nil {
		return err
	}
	d.begins = append(d.begins, time.Since(began))
	writes, killed, err := d.load(i)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(d.site.DataFolder); err != nil {
		return err
	}
	if err := d.harm(); err != nil {
		return err
	}
	if err := d.toMoment(i, writes); err != nil {
		return err
	}
	began = time.Now()
	_, err = d.site.Command("", "restore", d.place)
	if err != nil && (d.told == "" || !strings.Contains(err.Error(), d.told)) {
		return err
	}
	d.restores = append(d.restores, time.Since(began))
	return d.compare(i, writes, killed)
}

var shippedGauge = regexp.MustCompile(`(?m)^groundwork_backup_shipped_seconds (\S+)$`)

// shipped waits until everything of before a moment is at the place.
func (d *disaster) shipped(at time.Time) error {
	ctx, cancel := context.WithTimeout(d.t, time.Minute)
	defer cancel()
	for {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, d.site.BaseURL+"/metrics", nil)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close() // it was read
		if err != nil {
			return err
		}
		if found := shippedGauge.FindSubmatch(body); found != nil {
			seconds, err := strconv.ParseFloat(string(found[1]), 64)
			if err == nil && seconds > float64(at.UnixMilli())/1000 {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("changes are not shipped: %s", d.site.LogTail())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// load has 16 writers create issues for a while, kills the server, and gives what they know.
func (d *disaster) load(round int) (all []write, killed time.Time, err error) {
	random := d.t.Random(round)
	// Long enough for writes that must not be lost, and some that may.
	target, least := int64(400+random.IntN(400)), time.Duration(1500+random.IntN(1500))*time.Millisecond
	var acked atomic.Int64
	ctx, stop := context.WithCancel(d.t)
	defer stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		all = d.creates(ctx, round, 0, &acked)
	}()
	for began := time.Now(); acked.Load() < target || time.Since(began) < least; {
		select {
		case <-done:
			return nil, killed, errors.New("the writers ended: " + d.site.LogTail())
		case <-time.After(time.Duration(random.IntN(20)) * time.Millisecond):
		}
	}
	killed = time.Now()
	err = d.site.Kill()
	stop()
	<-done
	d.acked += int(acked.Load())
	return all, killed, err
}

// creates has 16 writers create issues until ctx or the server ends, so many a second where that is not 0, and gives
// what they know.
func (d *disaster) creates(ctx context.Context, round, perSecond int, acked *atomic.Int64) (all []write) {
	var mu sync.Mutex
	began := time.Now()
	lab.Parallel(lab.Writers, func(w int) {
		for n := 0; ctx.Err() == nil; n++ {
			if perSecond > 0 {
				due := began.Add(time.Duration(n*lab.Writers+w) * time.Second / time.Duration(perSecond))
				if rest(ctx, time.Until(due)) != nil {
					return
				}
			}
			one := write{title: fmt.Sprintf("%d.%d.%d", round, w, n), sent: time.Now()}
			body := lab.Fields{"title": lab.QuotedJSON(one.title)}.JSON()
			a, err := d.client.Do(context.WithoutCancel(ctx), http.MethodPost, d.project+"/issues", body)
			if err == nil && a.OK() {
				var f struct {
					Number int `json:"number"`
				}
				if json.Unmarshal(a.Body, &f) == nil {
					one.acked, one.number = time.Now(), f.Number
					acked.Add(1)
				}
			}
			mu.Lock()
			all = append(all, one)
			mu.Unlock()
			if err != nil {
				return
			}
		}
	})
	return all
}

// list lists the titles of all issues, whose numbers have no gaps.
func (d *disaster) list() (titles []string, err error) {
	records, total, err := d.client.ListAll(d.t, d.project+"/issues")
	if err != nil {
		return nil, err
	}
	d.t.Require(total == len(records), "total_count is %d, and %d are listed", total, len(records))
	for i, raw := range records {
		var f struct {
			Title  string `json:"title"`
			Number int    `json:"number"`
		}
		if err := json.Unmarshal(raw, &f); err != nil {
			return nil, err
		}
		d.t.Require(f.Number == i+1, "the issue at place %d has the number %d", i+1, f.Number)
		titles = append(titles, f.Title)
	}
	return titles, nil
}

// isState holds that issues are those of a state that existed: all of the rounds before, then every one up to a number.
func (d *disaster) isState(titles []string, writes []write) {
	before := len(d.titles)
	d.t.Require(len(titles) >= before && slices.Equal(titles[:min(before, len(titles))], d.titles),
		"%d issues of the rounds before are not as they were", before)
	known := map[string]write{}
	for _, w := range writes {
		known[w.title] = w
	}
	for i := before; i < len(titles); i++ {
		w, is := known[titles[i]]
		d.t.Require(is, "nobody asked for %q", titles[i])
		d.t.Require(w.number == 0 || w.number == i+1, "%q has the number %d, acknowledged as %d", titles[i], i+1, w.number)
	}
	for _, w := range writes {
		d.t.Require(w.number == 0 || w.number > len(titles) || w.number <= before || titles[w.number-1] == w.title,
			"%q is missing, and later ones are there", w.title)
	}
}

// compare holds what was restored against what the writers know, and goes on with it.
func (d *disaster) compare(round int, writes []write, killed time.Time) error {
	if _, err := d.site.Start(); err != nil {
		return err
	}
	titles, err := d.list()
	if err != nil {
		return err
	}
	d.isState(titles, writes)
	oldest := time.Duration(0)
	for _, w := range writes {
		if w.number > len(titles) {
			d.lost++
			oldest = max(oldest, killed.Sub(w.acked))
		}
	}
	d.losses = append(d.losses, oldest)
	// Whatever the machine does beside it, this much is never lost.
	d.t.Require(oldest < 20*time.Second, "a write is lost that was acknowledged %s before the disk was", oldest)
	d.titles = titles
	if round%5 == 0 {
		if err := d.site.Verify(); err != nil {
			d.t.Require(false, "doctor --verify --files: %v", err)
		}
	}
	return d.site.Kill()
}

// toMoment restores a moment between the first and the last write, and looks that nothing of later is there.
func (d *disaster) toMoment(round int, writes []write) error {
	if round%5 != 1 {
		return nil
	}
	one := writes[d.t.Random(round, 1).IntN(len(writes))]
	at := one.sent.Truncate(time.Millisecond)
	if _, err := d.site.Command("", "restore", d.place, "--at", at.UTC().Format("2006-01-02T15:04:05.000Z")); err != nil {
		return err
	}
	if _, err := d.site.Start(); err != nil {
		return err
	}
	titles, err := d.list()
	if err != nil {
		return err
	}
	d.isState(titles, writes)
	there := map[string]bool{}
	for _, title := range titles {
		there[title] = true
	}
	missing := time.Duration(0)
	for _, w := range writes {
		d.t.Require(!there[w.title] || !w.sent.After(at.Add(time.Millisecond)), "%q was sent after the moment that was restored", w.title)
		if !there[w.title] && !w.acked.IsZero() && w.acked.Before(at) {
			missing = max(missing, at.Sub(w.acked))
		}
	}
	d.t.RequireOnTime(missing <= time.Second, "a write is missing that was acknowledged %s before the moment", missing)
	d.moments++
	if err := d.site.Kill(); err != nil {
		return err
	}
	return os.RemoveAll(d.site.DataFolder)
}

// loseSegment removes a segment from the middle of what was shipped.
func (d *disaster) loseSegment() error {
	var all []string
	err := filepath.WalkDir(filepath.Join(d.place, "segments"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			all = append(all, path)
		}
		return err
	})
	if err != nil || len(all) == 0 {
		return errors.Join(err, errors.New("there are no segments"))
	}
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.Contains(string(text[:min(len(text), 300)]), `"number":2,`) {
			return os.Remove(path)
		}
	}
	return errors.New("there is no second segment")
}

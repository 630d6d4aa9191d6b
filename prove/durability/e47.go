package durability

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"groundwork/prove/lab"
)

// E47 makes backups under a constant load, and restores each of them.
var E47 = &lab.Experiment{
	ID:       "E47",
	Title:    "backups under 500 writes a second, each restored into a new installation, every third one on the other engine",
	MustHold: "a state that existed, whole in all its tables; nothing is missing that was acknowledged before the backup began; the p99 of writes ≤ 1.5 × that without a backup",
	Control:  "a backup that sees each table at another moment",
	Engines:  lab.BothEngines,
	Run: func(t *lab.Trial) error {
		k, err := newKeeper(t, lab.Released)
		if err != nil {
			return err
		}
		rounds := t.ShortOrFull(2, 50)
		for i := range rounds {
			if err := k.round(i); err != nil {
				return fmt.Errorf("round %d: %w", i+1, err)
			}
		}
		beside, without := lab.Quantile(k.beside, 0.99), lab.Quantile(k.without, 0.99)
		t.Note("backups, each restored", "%d", rounds)
		t.Note("acknowledged writes", "%s, %.0f a second", lab.Thousands(k.acked), float64(k.acked)/k.wrote.Seconds())
		t.Note("p99 of writes without and beside a backup", "%s, %s (%.2f ×)", lab.Millis(without), lab.Millis(beside),
			float64(beside)/float64(without))
		t.Note("backup p50, max", "%s, %s", lab.Seconds(lab.Quantile(k.backups, 0.5)),
			lab.Seconds(lab.Quantile(k.backups, 1)))
		t.Note("restore p50, max", "%s, %s", lab.Seconds(lab.Quantile(k.restores, 0.5)),
			lab.Seconds(lab.Quantile(k.restores, 1)))
		t.Note("the last backup", "%s", k.said)
		t.Require(k.acked > 200*rounds, "only %d acknowledged writes", k.acked)
		t.RequireOnTime(float64(beside) <= 1.5*float64(without), "beside a backup the p99 of writes is %s, without %s",
			lab.Millis(beside), lab.Millis(without))
		return nil
	},
	RunControl: func(t *lab.Trial) (caught string, err error) {
		return caught, t.Inner("torn", func(t *lab.Trial) error {
			k, err := newKeeper(t, lab.Planted, "GROUNDWORK_PLANT=torn-snapshot")
			if err != nil {
				return err
			}
			for i := 0; i < 5 && len(t.Problems) == 0; i++ {
				if err := k.round(i); err != nil {
					t.Problems = append(t.Problems, err.Error())
				}
			}
			caught = lab.Clip([]byte(strings.Join(t.Problems, "; ")))
			t.Problems = nil
			return nil
		})
	},
}

// keeper is an installation of which backups are made.
type keeper struct {
	disaster
	wrote           time.Duration   // for how long there were writers
	beside, without []time.Duration // how long writes took while a backup was made, and while none was
	backups         []time.Duration
	said            string // of the last backup
}

func newKeeper(t *lab.Trial, tag string, env ...string) (*keeper, error) {
	s, err := lab.NewSite(t, tag, env...)
	if err != nil {
		return nil, err
	}
	if _, err := s.Start(); err != nil {
		return nil, err
	}
	return &keeper{disaster: disaster{t: t, site: s, client: s.NewClient(), place: t.Path("place")}}, nil
}

const (
	// perSecond is how many writes are asked for, by all writers together.
	perSecond = 500
	// projectRounds is after how many rounds there is a new project: to list all of one takes longer each time.
	projectRounds = 3
)

var sent = regexp.MustCompile(`\d+ of \d+ parts were new; .* sent`)

// round has writers work, makes a backup in between, and compares what is restored of it.
func (k *keeper) round(i int) error {
	if i%projectRounds == 0 {
		var err error
		if k.project, err = k.client.NewProject(k.t, fmt.Sprintf("Tower %d", i)); err != nil {
			return err
		}
		k.titles = nil
	}
	ctx, stop := context.WithCancel(k.t)
	defer stop()
	var writes []write
	var acked atomic.Int64
	done := make(chan struct{})
	began := time.Now()
	go func() {
		defer close(done)
		writes = k.creates(ctx, i, perSecond, &acked)
	}()
	quiet := time.Duration(k.t.ShortOrFull(1000, 2000)) * time.Millisecond
	if err := rest(ctx, quiet); err != nil {
		return err
	}
	from := time.Now()
	// On PostgreSQL the command makes it itself, so what is planted is planted there.
	out, made, err := k.site.CommandUntil(0, "backup", "--out", k.place)
	to := time.Now()
	if err == nil && !made {
		err = fmt.Errorf("groundwork backup: %s", lab.Clip([]byte(out)))
	}
	if err == nil {
		err = rest(ctx, quiet/4) // some writes that the backup cannot have
	}
	stop()
	<-done
	if err != nil {
		return err
	}
	k.wrote, k.acked = k.wrote+time.Since(began), k.acked+int(acked.Load())
	k.backups, k.said = append(k.backups, to.Sub(from)), sent.FindString(out)
	k.t.Require(k.said != "", "a backup says %q", lab.Clip([]byte(out)))
	for _, w := range writes {
		if w.acked.IsZero() {
			continue
		}
		switch {
		case w.sent.After(from) && w.acked.Before(to):
			k.beside = append(k.beside, w.acked.Sub(w.sent))
		case w.acked.Before(from) || w.sent.After(to):
			k.without = append(k.without, w.acked.Sub(w.sent))
		}
	}
	if err := k.restored(i, writes, from); err != nil {
		return err
	}
	titles, err := k.list() // what the next round finds
	k.titles = titles
	return err
}

// rest waits; an error is that of the context.
func rest(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// restored restores the backup into a new installation and holds that against what the writers know.
func (k *keeper) restored(i int, writes []write, from time.Time) error {
	return k.t.Inner(fmt.Sprintf("restored-%d", i), func(t *lab.Trial) error {
		if i%3 == 2 {
			other := slices.DeleteFunc(slices.Clone(lab.BothEngines), func(e string) bool { return e == t.Engine })
			t.Engine = other[0]
		}
		s, err := lab.NameSite(t, lab.Released)
		if err != nil {
			return err
		}
		s.Key = k.site.Key
		began := time.Now()
		if _, err := s.Command("", "restore", k.place); err != nil {
			return err
		}
		k.restores = append(k.restores, time.Since(began))
		if err := s.Verify(); err != nil {
			k.t.Require(false, "doctor --verify --files of what was restored: %v", err)
		}
		if _, err := s.Start(); err != nil {
			return err
		}
		copied := disaster{t: t, site: s, client: s.NewClient(), project: k.project, titles: k.titles}
		titles, err := copied.list()
		if err != nil {
			return err
		}
		copied.isState(titles, writes)
		for _, w := range writes {
			t.Require(w.number == 0 || w.number <= len(titles) || !w.acked.Before(from),
				"%q is missing, which was acknowledged %s before the backup began", w.title, from.Sub(w.acked))
		}
		// Whoever goes on with it gets the next number.
		if _, err := s.NewClient().NewProject(t, "Goes on"); err != nil {
			return err
		}
		k.t.Problems = append(k.t.Problems, t.Problems...)
		return s.Kill()
	})
}

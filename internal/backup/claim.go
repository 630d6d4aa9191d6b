package backup

import (
	"context"
	"io"
	"strings"
	"time"

	"groundwork/internal/blob"
)

const (
	making   = "a backup is being made" // what a claim says
	removing = "parts are being removed"

	// A claim is renewed often and is nobody's once it is old: its process has died.
	renewEvery  = 5 * time.Minute
	deadAfter   = time.Hour
	askAgain    = time.Second
	mostOfClaim = 1 << 10
)

// claim tells others at the place what is being done. Whoever makes a backup claims first and then waits until nobody
// removes parts; whoever removes parts claims first, and leaves it where a backup is being made. So of any two at least
// one sees the other, and no part is removed that a backup relies on.
type claim struct {
	place *Place
	says  string
	name  string
	stop  chan struct{}
	ended chan struct{}
}

func (p *Place) claim(ctx context.Context, says string) (*claim, error) {
	c := &claim{place: p, says: says, stop: make(chan struct{}), ended: make(chan struct{})}
	if err := c.renew(ctx); err != nil {
		return nil, failed(err)
	}
	go c.keep(context.WithoutCancel(ctx))
	return c, nil
}

func (c *claim) renew(ctx context.Context) error {
	name, old := blob.NewName(), c.name
	if _, err := c.place.claims.Put(ctx, name, strings.NewReader(c.says)); err != nil {
		return err
	}
	c.name = name
	if old == "" {
		return nil
	}
	return c.place.claims.Delete(ctx, old)
}

func (c *claim) keep(ctx context.Context) {
	defer close(c.ended)
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		select {
		case <-c.stop:
			_ = c.place.claims.Delete(ctx, c.name) // what stays is nobody's after a while
			return
		case <-tick.C:
			_ = c.renew(ctx) // or the next time: a claim lives for several
		}
	}
}

func (c *claim) release() {
	close(c.stop)
	<-c.ended
}

// others tells whether somebody else says something at the place. Ages are those of the place's own clock; claims of
// the dead are removed.
func (c *claim) others(ctx context.Context, says string) (bool, error) {
	var all []blob.Info
	var now time.Time
	err := c.place.claims.Each(ctx, func(i blob.Info) error {
		if i.Name == c.name {
			now = i.Modified
		}
		all = append(all, i)
		return nil
	})
	found := false
	for _, i := range all {
		if err != nil {
			return false, failed(err)
		}
		if i.Name == c.name {
			continue
		}
		if now.Sub(i.Modified) > deadAfter {
			err = c.place.claims.Delete(ctx, i.Name)
			continue
		}
		text, err := readAll(ctx, c.place.claims, i.Name, mostOfClaim)
		found = found || err == nil && string(text) == says // one that is gone by now says nothing
	}
	return found, failed(err)
}

// await waits until nobody else says something.
func (c *claim) await(ctx context.Context, says string) error {
	for {
		busy, err := c.others(ctx, says)
		if err != nil || !busy {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(askAgain):
		}
	}
}

// readAll reads an object of the place that is not longer than most.
func readAll(ctx context.Context, s blob.Store, name string, most int64) ([]byte, error) {
	o, err := s.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	if o.Size() > most {
		return nil, errDamaged
	}
	return io.ReadAll(o)
}

package backup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Keep says which backups are kept: of each of the last so many hours, days, weeks, months and years that have one, the
// newest. The newest of all is always kept. Of what was shipped without a break all is kept in the periods of the
// finest rule, so that any moment of them can be restored.
type Keep []kept

type kept struct {
	most   int
	unit   byte
	period func(time.Time) string
}

// units are those of rules, the finest first.
const units = "hdwmy"

var periods = map[byte]func(time.Time) string{
	'h': func(t time.Time) string { return t.Format("2006-01-02T15") },
	'd': func(t time.Time) string { return t.Format(time.DateOnly) },
	'w': func(t time.Time) string {
		year, week := t.ISOWeek()
		return fmt.Sprint(year, "/", week)
	},
	'm': func(t time.Time) string { return t.Format("2006-01") },
	'y': func(t time.Time) string { return t.Format("2006") },
}

// ParseKeep reads a rule such as 7d,4w,12m. An empty one keeps everything.
func ParseKeep(text string) (Keep, error) {
	var rule Keep
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			return nil, errKeep
		}
		n, err := strconv.Atoi(part[:len(part)-1])
		period := periods[part[len(part)-1]]
		if err != nil || n < 1 || period == nil {
			return nil, errKeep
		}
		rule = append(rule, kept{n, part[len(part)-1], period})
	}
	slices.SortStableFunc(rule, func(a, b kept) int {
		return cmp.Compare(strings.IndexByte(units, a.unit), strings.IndexByte(units, b.unit))
	})
	return rule, nil
}

var errKeep = errors.New("What is kept is said as 7d,4w,12m: numbers of hours (h), days (d), weeks (w), months (m) or years (y).")

// choose gives the backups that are not kept, or what was shipped and is not; all are given the oldest first.
func (k Keep) choose(all []Head, shipped bool) (gone []Head) {
	if len(k) == 0 || len(all) == 0 {
		return nil
	}
	stay := map[string]bool{all[len(all)-1].name: true}
	for i, rule := range k {
		seen := map[string]bool{}
		for _, h := range slices.Backward(all) {
			period := rule.period(h.Moment.UTC())
			if seen[period] {
				stay[h.name] = stay[h.name] || shipped && i == 0
				continue
			}
			if len(seen) == rule.most {
				break
			}
			seen[period], stay[h.name] = true, true
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(h Head) bool { return stay[h.name] })
}

// Removed is what Tidy removed.
type Removed struct {
	Backups, Parts int
	// Stretches is how many that were shipped without a break.
	Stretches int
	Bytes     int64
	// Later says why parts were left that no backup needs; the next time removes them.
	Later string
}

// Tidy removes the backups that are not kept, and then the parts that no backup needs. What a backup needs that is
// being made meanwhile stays.
func (p *Place) Tidy(ctx context.Context, k Keep) (done Removed, err error) {
	own, err := p.claim(ctx, removing)
	if err != nil {
		return done, err
	}
	defer own.release()
	busy, err := own.others(ctx, making)
	if err != nil {
		return done, err
	}
	if busy {
		done.Later = "a backup is being made"
		return done, nil
	}
	all, damaged, err := p.List(ctx)
	if err != nil {
		return done, err
	}
	for _, h := range k.choose(all, false) {
		if err := p.manifests.Delete(ctx, h.name); err != nil {
			return done, failed(err)
		}
		done.Backups++
		all = slices.DeleteFunc(all, func(o Head) bool { return o.name == h.name })
	}
	needed := map[string]bool{}
	for _, h := range all {
		parts, err := p.partsOf(ctx, h)
		if err != nil {
			done.Later = fmt.Sprintf("the manifest of the backup of %s cannot be read", Moment(h.Moment))
			return done, nil
		}
		for name := range parts {
			needed[name] = true
		}
	}
	if damaged > 0 {
		done.Later = "there are manifests that cannot be read"
		return done, nil
	}
	if err := p.tidyStretches(ctx, k, needed, &done); err != nil || done.Later != "" {
		return done, err
	}
	has, err := sizes(ctx, p.parts)
	if err != nil {
		return done, err
	}
	for _, name := range sortedKeys(has) {
		if needed[name] {
			continue
		}
		if err := p.parts.Delete(ctx, name); err != nil {
			return done, failed(err)
		}
		done.Parts++
		done.Bytes += has[name]
	}
	return done, nil
}

// tidyStretches removes the stretches that are not kept, each by its last moment, and notes the parts that the others
// need. Segments that belong to none were left by one whose base was not made.
func (p *Place) tidyStretches(ctx context.Context, k Keep, needed map[string]bool, done *Removed) error {
	all, damaged, err := p.Stretches(ctx)
	if err != nil {
		return err
	}
	heads := make([]Head, 0, len(all))
	for _, s := range all {
		heads = append(heads, Head{Moment: s.To, name: s.name})
	}
	for _, h := range k.choose(heads, true) {
		if err := p.stretches.Delete(ctx, h.name); err != nil {
			return failed(err)
		}
		done.Stretches++
		all = slices.DeleteFunc(all, func(s Stretch) bool { return s.name == h.name })
	}
	if damaged > 0 {
		done.Later = "there are manifests of stretches that cannot be read"
		return nil
	}
	segments := map[string]bool{}
	for i := range all {
		s := &all[i]
		parts, _, err := p.stretchParts(ctx, s)
		var files map[string]int64
		if err == nil {
			files, err = p.filesOf(ctx, s)
		}
		if err != nil {
			done.Later = fmt.Sprintf("the stretch from %s on cannot be read", Moment(s.From))
			return nil //nolint:nilerr // it is said
		}
		for _, some := range []map[string]int64{parts, files} {
			for name := range some {
				needed[name] = true
			}
		}
		s.eachName(func(name string) { segments[name] = true })
	}
	has, err := sizes(ctx, p.segments)
	if err != nil {
		return err
	}
	var over []string
	for _, name := range sortedKeys(has) {
		if !segments[name] {
			over = append(over, name)
			done.Bytes += has[name]
		}
	}
	return parallel(ctx, atOnce, over, func(ctx context.Context, name string) error {
		return failed(p.segments.Delete(ctx, name))
	})
}

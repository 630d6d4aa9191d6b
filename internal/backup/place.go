// Package backup owns copies of a whole installation at another place, a folder or a bucket: how the database and the
// files of one moment are cut into parts, which of them a place has already, how they are verified, encrypted, kept and
// restored on either engine. It refuses to know what a row or a file means. Make and Restore are its two entries.
package backup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"groundwork/internal/blob"
	"groundwork/internal/fault"
)

// Place is where backups lie. Every part has a name that follows from its content and from a secret of the
// installation, and is written once; a manifest names the parts of one backup. Several backups may be made, and parts
// removed, at the same time and from several machines: claims keep them from each other.
type Place struct {
	parts, manifests, claims, keys blob.Store
	// erased is what was erased since; stretches are the manifests of what is shipped without a break, segments what
	// follows them. They are nil at a place that was made before there were any, and is only read.
	erased, stretches, segments blob.Store
	// local is whether it is a folder.
	local bool
}

// Open gives the place at a folder's path, file:FOLDER, or s3://BUCKET/PREFIX?endpoint=URL. A folder is made only where
// fresh says so. No error repeats the URL: it may hold a secret.
func Open(ctx context.Context, at string, fresh bool, log *slog.Logger) (*Place, error) {
	if at == "" {
		return nil, errors.New("No place for backups is given: a folder, or s3://BUCKET/PREFIX?endpoint=URL.")
	}
	if err := CheckPlace(at); err != nil {
		return nil, err
	}
	in := func(sub string) string { return "file:" + filepath.Join(strings.TrimPrefix(at, "file:"), sub) }
	if strings.HasPrefix(at, "s3:") {
		in = func(sub string) string {
			u, err := url.Parse(at)
			if err != nil {
				return at
			}
			u.Path = path.Join("/", u.Path, sub)
			return u.String()
		}
	} else if _, err := os.Stat(strings.TrimPrefix(in("manifests"), "file:")); err != nil && !fresh {
		return nil, fmt.Errorf("There are no backups in %s.", strings.TrimPrefix(at, "file:"))
	}
	p := &Place{local: !strings.HasPrefix(at, "s3:")}
	for sub, store := range map[string]*blob.Store{
		"parts": &p.parts, "manifests": &p.manifests, "claims": &p.claims, "keys": &p.keys, "erased": &p.erased,
		"stretches": &p.stretches, "segments": &p.segments,
	} {
		var err error
		folder, local := strings.CutPrefix(in(sub), "file:")
		if later := sub == "erased" || sub == "stretches" || sub == "segments"; later && local && !fresh {
			if _, err := os.Stat(folder); err != nil {
				continue
			}
		}
		if *store, err = blob.Open(ctx, in(sub), log); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// CheckPlace says why a text names no place. It touches nothing, and repeats nothing of the text but what kind of place
// it asks for: the rest may hold a secret.
func CheckPlace(at string) error {
	if strings.HasPrefix(at, "s3:") {
		if err := blob.CheckURL(at); err != nil {
			return errors.New(strings.Replace(err.Error(), "The blob URL", "The URL of the place of backups", 1))
		}
		return nil
	}
	if scheme, _, is := strings.Cut(at, "://"); is && scheme != "file" && !strings.ContainsAny(scheme, `/\`) {
		return fmt.Errorf("Backups go to a folder, or to s3://BUCKET/PREFIX?endpoint=URL, and not to %s://.", scheme)
	}
	return nil
}

// Relative tells whether a place is a folder that depends on where the program is started.
func Relative(at string) bool {
	return !strings.HasPrefix(at, "s3:") && !filepath.IsAbs(strings.TrimPrefix(at, "file:"))
}

// Check writes, reads and removes a part; the error says what is wrong.
func (p *Place) Check(ctx context.Context) error { return failed(p.parts.Check(ctx)) }

// failed is what a person reads of an error of the place.
func failed(err error) error {
	switch {
	case err == nil:
		return nil
	case fault.Is(err, fault.Full):
		return errors.New("The place of the backups is full. What it has is whole; make room, and run the backup again: it goes on where it stopped.")
	case fault.Is(err, fault.Unavailable):
		return fmt.Errorf("The place of the backups does not answer: %w.", fault.Cause(err))
	}
	return err
}

// sizes are the objects of a store by name; none where the place has no such store.
func sizes(ctx context.Context, s blob.Store) (map[string]int64, error) {
	all := map[string]int64{}
	if s == nil {
		return all, nil
	}
	err := s.Each(ctx, func(i blob.Info) error {
		all[i.Name] = i.Size
		return nil
	})
	return all, failed(err)
}

// atOnce is how many parts are moved at the same time: a store answers each after a while.
const atOnce = 8

// putsAtOnce is how many parts are brought to the place at the same time. A disk is waited for after each, by others
// who write to it as well: one after another takes no longer, and they wait for one at most.
func (p *Place) putsAtOnce() int {
	if p.local {
		return 1
	}
	return atOnce
}

// parallel does something with each item, so many at a time, until one fails.
func parallel[T any](ctx context.Context, most int, items []T, do func(context.Context, T) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan T)
	var workers sync.WaitGroup
	for range min(most, len(items)) {
		workers.Go(func() {
			for item := range next {
				if err := do(ctx, item); err != nil {
					stop(err)
					return
				}
			}
		})
	}
	for _, item := range items {
		select {
		case next <- item:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}

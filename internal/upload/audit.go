package upload

import (
	"context"
	"fmt"
	"time"

	"groundwork/internal/blob"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Audit compares the files that records show, and those that came for uploads under way, with what lies in the store.
// It tells of each that is missing or has another size, with whole also of each whose bytes have another hash, and of
// each object that nothing shows and that is older than what a sweep leaves, but for those that are the installation's
// own.
func (d *Desk) Audit(ctx context.Context, s *store.Store, whole bool, tell func(finding string), own ...string) error {
	young := time.UnixMicro(s.Now() - keptAfter.Microseconds())
	lying := map[string]blob.Info{}
	// The store first: whatever is shown by then was there before, and what came since is young.
	err := d.Blobs.Each(ctx, func(i blob.Info) error {
		lying[i.Name] = i
		return nil
	})
	if err != nil {
		return err
	}
	err = s.Projects(ctx, func(p *store.Project) error {
		var files []File
		err := s.QueryIn(ctx, p, allFiles, []any{p.ID}, func(c *store.Cols) error {
			files = append(files, File{Object: c.Text(0), Name: c.Text(1), Size: c.Int(2), SHA256: c.Text(3)})
			return nil
		})
		for _, f := range files {
			if err != nil {
				return err
			}
			var wrong string
			if wrong, err = d.examine(ctx, f, lying, whole); wrong != "" {
				tell(fmt.Sprintf("the file %s of project %s, %q, %s", f.Object, p.UID, f.Name, wrong))
			}
			delete(lying, f.Object)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, name := range own {
		delete(lying, name)
	}
	for _, i := range lying {
		if i.Modified.Before(young) {
			tell(fmt.Sprintf("the object %s, of %d bytes from %s, belongs to no record", i.Name, i.Size,
				i.Modified.UTC().Format(time.DateOnly)))
		}
	}
	return nil
}

// examine says what is wrong with a file.
func (d *Desk) examine(ctx context.Context, f File, lying map[string]blob.Info, whole bool) (string, error) {
	i, listed := lying[f.Object]
	if listed && !whole {
		return size(i.Size, f.Size), nil
	}
	// What was not listed may have come since.
	o, err := d.Blobs.Open(ctx, f.Object)
	if fault.Is(err, fault.NotFound) {
		return "is missing in the store", nil
	}
	if err != nil {
		return "", err
	}
	defer o.Close()
	if wrong := size(o.Size(), f.Size); wrong != "" || !whole {
		return wrong, nil
	}
	_, hash, err := sum(o)
	if err == nil && hash != f.SHA256 {
		return "has other bytes than were stored: its hash is not the one of its record", nil
	}
	return "", err
}

func size(lies, shown int64) string {
	if lies == shown {
		return ""
	}
	return fmt.Sprintf("has %d bytes in the store instead of %d", lies, shown)
}

package blob

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"groundwork/internal/system"
)

// Small is an object that is held in memory.
type Small struct {
	Name    string
	Content []byte
}

// putsAtOnce is how many objects are put at the same time where each has to be waited for.
const putsAtOnce = 8

// PutAll puts objects, each as Put does, and gives an error for each, nil where it is kept. A folder whose disk can be
// waited for as a whole is waited for once for all of them: so do the others who write to that disk meanwhile, who
// would wait a little for each object otherwise.
func PutAll(ctx context.Context, s Store, all []Small) []error {
	errs := make([]error, len(all))
	if f, is := s.(*folder); is && system.SyncsDisk(f.root) {
		f.putAll(ctx, all, errs)
		return errs
	}
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(putsAtOnce, len(all)) {
		workers.Go(func() {
			for i := range next {
				_, errs[i] = s.Put(ctx, all[i].Name, bytes.NewReader(all[i].Content))
			}
		})
	}
	for i := range all {
		next <- i
	}
	close(next)
	workers.Wait()
	return errs
}

// putAll writes temporary files, waits for the disk, gives them their names, and waits for the disk. No name is there
// before the bytes that it names.
func (f *folder) putAll(ctx context.Context, all []Small, errs []error) {
	temps := make([]string, len(all))
	disk, err := system.OpenDisk(f.root)
	if err != nil {
		together(all, errs, func(int) error { return storing(err) })
		return
	}
	defer func() {
		for _, t := range temps {
			if t != "" {
				_ = os.Remove(t) // or Sweep does
			}
		}
		_ = disk.Close()
	}()
	together(all, errs, func(i int) (err error) {
		if err := ctx.Err(); err != nil {
			return err
		}
		temps[i], err = f.writeTemp(all[i])
		return err
	})
	if err := syncDisk(disk); err != nil {
		together(all, errs, func(int) error { return storing(err) })
	}
	together(all, errs, func(i int) error {
		shard := filepath.Join(f.root, all[i].Name[:shardChars])
		if err := os.Mkdir(shard, ownerOnly); err != nil && !errors.Is(err, fs.ErrExist) {
			return storing(err)
		}
		return linked(os.Link(temps[i], f.path(all[i].Name)))
	})
	if err := syncDisk(disk); err != nil {
		// Whether they survive is not known, so nobody may be told that they are there.
		together(all, errs, func(i int) error { return errors.Join(storing(err), os.Remove(f.path(all[i].Name))) })
	}
}

// together does something with each object for which nothing has failed yet.
func together(all []Small, errs []error, do func(i int) error) {
	for i := range all {
		if errs[i] == nil {
			errs[i] = do(i)
		}
	}
}

func syncDisk(disk *system.Disk) error {
	if plantedNoSync {
		return nil
	}
	return disk.Sync()
}

func (f *folder) writeTemp(o Small) (path string, err error) {
	if !validName(o.Name) {
		return "", errName(o.Name)
	}
	temp, err := os.CreateTemp(filepath.Join(f.root, unfinished), o.Name+"-*") // mode 0600
	if err != nil {
		return "", storing(err)
	}
	_, err = temp.Write(o.Content)
	if err = errors.Join(err, temp.Close()); err != nil {
		err = storing(err)
	}
	return temp.Name(), err
}

// linked is the fault of an object's name that could not be given.
func linked(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		return exists()
	}
	return storing(err)
}

package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/system"
)

// folder keeps each object as a file: ROOT/ab/abcd…, and what is still being written in ROOT/tmp, on the same file
// system.
type folder struct {
	root string
	// shards are the subfolders whose own entry is known to be durable. Another process may have made one and not yet
	// waited for the disk, so each process waits once itself.
	shards sync.Map
}

const (
	shardChars = 2
	unfinished = "tmp" // longer than a shard: the two never meet
	ownerOnly  = 0o700
)

func checkFolder(root string) error {
	if root == "" || strings.Contains(root, "\x00") {
		return errURL
	}
	return nil
}

func openFolder(root string) (Store, error) {
	if err := checkFolder(root); err != nil {
		return nil, err
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	f := &folder{root: root}
	if err := makeFolder(filepath.Join(root, unfinished)); err != nil {
		return nil, fmt.Errorf("The folder of the files cannot be made: %w.", err)
	}
	return f, nil
}

func (f *folder) path(name string) string { return filepath.Join(f.root, name[:shardChars], name) }

// Put writes a temporary file, waits for the disk, and gives the file its name by a hard link: unlike a rename, that
// never replaces anything. The name is durable when its folder is.
func (f *folder) Put(ctx context.Context, name string, r io.Reader) (int64, error) {
	if !validName(name) {
		return 0, errName(name)
	}
	temp, err := os.CreateTemp(filepath.Join(f.root, unfinished), name+"-*") // mode 0600
	if err != nil {
		return 0, storing(err)
	}
	// After a crash both names may stand; Sweep takes this one.
	defer os.Remove(temp.Name())
	size, err := fill(ctx, temp, r)
	if closed := temp.Close(); err == nil && closed != nil {
		err = storing(closed)
	}
	if err != nil {
		return 0, err
	}
	if err := f.publish(temp.Name(), name); err != nil {
		return 0, err
	}
	return size, nil
}

func (f *folder) publish(temp, name string) error {
	shard := filepath.Join(f.root, name[:shardChars])
	if _, known := f.shards.Load(shard); !known {
		if err := os.Mkdir(shard, ownerOnly); err != nil && !errors.Is(err, fs.ErrExist) {
			return storing(err)
		}
		if err := syncFolder(f.root); err != nil {
			return storing(err)
		}
		f.shards.Store(shard, true)
	}
	if err := os.Link(temp, f.path(name)); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return exists()
		}
		return storing(err)
	}
	if err := syncFolder(shard); err != nil {
		// Whether it survives is not known, so nobody may be told that it is there.
		return errors.Join(storing(err), os.Remove(f.path(name)))
	}
	return nil
}

// file is an open object. Being an *os.File lets net/http have the kernel copy it to a socket.
type file struct {
	*os.File
	size int64
}

func (f *file) Size() int64 { return f.size }

func (f *folder) Open(_ context.Context, name string) (Object, error) {
	if !validName(name) {
		return nil, missing()
	}
	opened, err := os.OpenFile(f.path(name), os.O_RDONLY|system.NoFollow, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing()
	}
	if err != nil {
		return nil, unavailable(err)
	}
	info, err := opened.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(unavailable(err), opened.Close())
	}
	return &file{opened, info.Size()}, nil
}

func (f *folder) Range(ctx context.Context, name string, offset, length int64) ([]byte, error) {
	o, err := f.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	if offset < 0 || length < 1 || offset+length > o.Size() {
		return nil, missing()
	}
	part := make([]byte, length)
	if _, err := o.(*file).ReadAt(part, offset); err != nil {
		return nil, unavailable(err)
	}
	return part, nil
}

func (f *folder) Delete(_ context.Context, name string) error {
	if !validName(name) {
		return errName(name)
	}
	err := os.Remove(f.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = syncFolder(filepath.Dir(f.path(name)))
	}
	if err != nil {
		return unavailable(err)
	}
	return nil
}

func (f *folder) Each(ctx context.Context, fn func(Info) error) error {
	shards, err := os.ReadDir(f.root)
	if err != nil {
		return unavailable(err)
	}
	for _, shard := range shards {
		if len(shard.Name()) != shardChars || !shard.IsDir() {
			continue
		}
		files, err := os.ReadDir(filepath.Join(f.root, shard.Name()))
		if err != nil {
			return unavailable(err)
		}
		for _, entry := range files {
			name := entry.Name()
			if !validName(name) || name[:shardChars] != shard.Name() || !entry.Type().IsRegular() {
				continue // put there by somebody else, such as a file manager
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			info, err := entry.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue // removed meanwhile
			}
			if err != nil {
				return unavailable(err)
			}
			if err := fn(Info{name, info.Size(), info.ModTime()}); err != nil {
				return err
			}
		}
	}
	return nil
}

// Link is empty: a folder serves nobody.
func (f *folder) Link(context.Context, string, Link) (string, error) { return "", nil }

func (f *folder) Sweep(ctx context.Context, before time.Time) error {
	entries, err := os.ReadDir(filepath.Join(f.root, unfinished))
	if err != nil {
		return unavailable(err)
	}
	var errs []error
	for _, entry := range entries {
		info, err := entry.Info()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || !info.ModTime().Before(before) || !info.Mode().IsRegular() {
			continue
		}
		// A write that stood still for so long finds its file gone, and fails.
		if err := os.Remove(filepath.Join(f.root, unfinished, entry.Name())); err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (f *folder) Check(ctx context.Context) error {
	if err := roundTrip(ctx, f); err != nil {
		return fmt.Errorf("files cannot be stored in %s: %w; check that this user may write there and that the file system has hard links", f.root, fault.Cause(err))
	}
	return nil
}

// storing is the fault of a write that the system refused.
func storing(err error) error {
	if system.IsFull(err) {
		return full(err)
	}
	return unavailable(err)
}

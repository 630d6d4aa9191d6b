package drawing

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"groundwork/internal/system"
)

// bench is the folder in which a process works. Others may work beside it: as long as the process lives, it holds the
// lock in it.
type bench struct {
	mu     sync.Mutex
	folder string
	lock   *os.File
}

const (
	benchLock   = "lock"
	unlockedFor = time.Minute
)

// open makes the folder when it is first needed.
func (b *bench) open(among string) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.folder != "" {
		return b.folder, nil
	}
	if err := os.MkdirAll(among, 0o700); err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp(among, "process-")
	if err != nil {
		return "", err
	}
	lock, err := holdBench(folder, os.O_CREATE)
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(folder))
	}
	b.folder, b.lock = folder, lock
	return folder, nil
}

func (b *bench) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.folder == "" {
		return nil
	}
	err := discard(b.folder, b.lock)
	b.folder, b.lock = "", nil
	return err
}

// holdBench takes the lock of a folder; the system gives it back when the process ends, however it ends.
func holdBench(folder string, flags int) (*os.File, error) {
	lock, err := os.OpenFile(filepath.Join(folder, benchLock), os.O_RDWR|flags, 0o600)
	if err != nil {
		return nil, err
	}
	if err := system.Lock(lock); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

// removeLeft removes the folders of processes that are gone. One that has no lock may just be made: it is left for a
// while.
func removeLeft(among string) error {
	entries, err := os.ReadDir(among)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		folder := filepath.Join(among, e.Name())
		lock, held := holdBench(folder, 0)
		if held == nil {
			err = errors.Join(err, discard(folder, lock))
			continue
		}
		if info, gone := e.Info(); errors.Is(held, os.ErrNotExist) && gone == nil &&
			time.Since(info.ModTime()) > unlockedFor {
			err = errors.Join(err, os.RemoveAll(folder))
		}
	}
	return err
}

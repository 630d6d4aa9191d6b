package blob

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"groundwork/internal/system"
)

// syncEvery is how much is written before the disk is asked to take it. One such piece is written while the one before
// goes to the disk, so no file, however large, holds more memory of the system than two of them, and the last wait is
// short.
const syncEvery = 32 << 20

const bufferSize = 256 << 10

var buffers = sync.Pool{New: func() any { return new([bufferSize]byte) }}

// fill copies r into the file and waits for the disk. An error of r is returned as it is.
func fill(ctx context.Context, to *os.File, r io.Reader) (size int64, err error) {
	buffer := buffers.Get().(*[bufferSize]byte)
	defer buffers.Put(buffer)
	// The system tells a file's fault to one sync only: none may be forgotten.
	var running chan error
	wait := func() error {
		if running == nil {
			return nil
		}
		err := <-running
		running = nil
		return err
	}
	defer func() { _ = wait() }() // where something else failed first
	for since := 0; ; {
		if err := ctx.Err(); err != nil {
			return size, err
		}
		n, readErr := r.Read(buffer[:])
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return size, storing(err)
			}
			size += int64(n)
			since += n
		}
		if errors.Is(readErr, io.EOF) {
			break
		}
		if readErr != nil {
			return size, readErr
		}
		if since >= syncEvery && !plantedNoSync {
			if err := wait(); err != nil {
				return size, storing(err)
			}
			running, since = make(chan error, 1), 0
			go func(done chan<- error) { done <- to.Sync() }(running)
		}
	}
	if err := wait(); err != nil {
		return size, storing(err)
	}
	if plantedNoSync {
		return size, nil
	}
	if err := to.Sync(); err != nil {
		return size, storing(err)
	}
	return size, nil
}

// makeFolder makes a folder and its parents; each is durable when it returns.
func makeFolder(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		return &fs.PathError{Op: "mkdir", Path: path, Err: syscall.ENOTDIR}
	}
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(path)
	if err := makeFolder(parent); err != nil {
		return err
	}
	if err := os.Mkdir(path, ownerOnly); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFolder(parent)
}

// syncFolder makes the names in a folder durable.
func syncFolder(path string) error {
	if plantedNoSync {
		return nil
	}
	return system.SyncFolder(path)
}

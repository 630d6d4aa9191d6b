package main

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

const (
	sharedMemory = "/dev/shm"
	// roomNeeded is free memory that the data of services under test surely fit into.
	roomNeeded = 4 << 30
)

// useMemory keeps the data of the services under test in memory where the system has a file system for that: each of
// thousands of commits waits for a disk otherwise. Tests that the power may fail at any moment are experiments, which
// use the disk. What it returns removes all of it. A TMPDIR that somebody chose stays.
func useMemory() (remove func() error, err error) {
	remove = func() error { return nil }
	if os.Getenv("TMPDIR") != "" {
		return remove, nil
	}
	var fs unix.Statfs_t
	err = unix.Statfs(sharedMemory, &fs)
	if err != nil || fs.Bavail*uint64(fs.Bsize) < roomNeeded || fs.Flags&unix.ST_NOEXEC != 0 {
		return remove, nil
	}
	onDisk := os.TempDir()
	folder, err := os.MkdirTemp(sharedMemory, "groundwork-test-")
	if err != nil {
		return remove, nil //nolint:nilerr // who may not write there uses the disk
	}
	remove = func() error { return os.RemoveAll(folder) }
	// As every folder for temporary files: the database's server runs as another user. What `go test` builds stays on
	// the disk: it is large.
	return remove, errors.Join(os.Chmod(folder, 0o777|os.ModeSticky), os.Setenv("TMPDIR", folder), os.Setenv("GOTMPDIR", onDisk))
}

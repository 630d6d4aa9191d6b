//go:build unix

package system

import (
	"errors"
	"os"
	"syscall"
)

// NoFollow has opening a file fail where its name is a symbolic link.
const NoFollow = syscall.O_NOFOLLOW

// The errors of listening and connecting, for errors.Is.
var (
	ErrAddressInUse   error = syscall.EADDRINUSE
	ErrAddressDenied  error = syscall.EACCES
	ErrAddressForeign error = syscall.EADDRNOTAVAIL
	ErrRefused        error = syscall.ECONNREFUSED
)

// KeepPrivate has whatever this process makes belong to its owner alone.
func KeepPrivate() { syscall.Umask(0o077) }

// Lock takes an open file for this process, at once or not at all: ErrLocked where somebody has it. The system gives it
// back when the file is closed or the process ends, however it ends.
func Lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// SyncFolder makes the names in a folder durable. Some network file systems refuse to be asked: there it is the
// server's matter.
func SyncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

// RoomAt is the room on the disk that a folder lies on.
func RoomAt(folder string) (Room, error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil {
		return Room{}, err
	}
	return Room{Free: disk.Bavail * uint64(disk.Bsize), Size: disk.Blocks * uint64(disk.Bsize)}, nil
}

// IsFull tells whether a write failed because there is no room for it.
func IsFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

package system

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// NoFollow is not known here: names of files are chosen by the service, in folders of its own.
const NoFollow = 0

// The errors of listening and connecting, for errors.Is.
var (
	ErrAddressInUse   error = windows.WSAEADDRINUSE
	ErrAddressDenied  error = windows.WSAEACCES
	ErrAddressForeign error = windows.WSAEADDRNOTAVAIL
	ErrRefused        error = windows.WSAECONNREFUSED
)

// KeepPrivate does nothing: files get the access list of their folder.
func KeepPrivate() {}

// Lock takes an open file for this process, at once or not at all: ErrLocked where somebody has it. The system gives it
// back when the file is closed or the process ends, however it ends.
func Lock(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	// The locked byte lies behind all content: who has no lock may still read and write.
	at := windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}

// SyncFolder does nothing: NTFS keeps names in its journal, and refuses to be asked about folders.
func SyncFolder(string) error { return nil }

// RoomAt is the room on the disk that a folder lies on.
func RoomAt(folder string) (r Room, err error) {
	name, err := windows.UTF16PtrFromString(folder)
	if err == nil {
		err = windows.GetDiskFreeSpaceEx(name, &r.Free, &r.Size, nil)
	}
	return r, err
}

// IsFull tells whether a write failed because there is no room for it.
func IsFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) ||
		errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}

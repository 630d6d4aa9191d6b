//go:build !linux

package system

import "errors"

// Disk is the file system that a folder lies on.
type Disk struct{}

// SyncsDisk tells whether the file system of a folder can be waited for as a whole: here none can.
func SyncsDisk(string) bool { return false }

// OpenDisk opens the file system that a folder lies on.
func OpenDisk(string) (*Disk, error) { return nil, errors.ErrUnsupported }

// Sync is not to be had here.
func (*Disk) Sync() error { return errors.ErrUnsupported }

// Close closes it.
func (*Disk) Close() error { return nil }

// GiveWay does nothing where the system has no processes that give way.
func GiveWay() {}

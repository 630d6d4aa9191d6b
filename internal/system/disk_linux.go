package system

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// Disk is the file system that a folder lies on.
type Disk struct{ folder *os.File }

// whole are the file systems that write everything and wait for the device when they are asked to. Others, such as
// those of programs in user space, pass nothing on.
var whole = []int64{unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC}

// SyncsDisk tells whether the file system of a folder can be waited for as a whole.
func SyncsDisk(folder string) bool {
	var disk unix.Statfs_t
	return unix.Statfs(folder, &disk) == nil && slices.Contains(whole, disk.Type)
}

// OpenDisk opens the file system that a folder lies on. It is open before anything is written whose failure Sync is to
// tell of.
func OpenDisk(folder string) (*Disk, error) {
	f, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	return &Disk{f}, nil
}

// Sync makes everything durable that was written to the file system before; it tells of what could not be written
// since it was opened (on kernels from 5.8 on).
func (d *Disk) Sync() error {
	if err := unix.Syncfs(int(d.folder.Fd())); err != nil {
		return &fs.PathError{Op: "syncfs", Path: d.folder.Name(), Err: err}
	}
	return nil
}

// Close closes it.
func (d *Disk) Close() error {
	if d == nil {
		return nil
	}
	return d.folder.Close()
}

// gentle is how nice a process is that gives way.
const gentle = 15

// GiveWay has this process, and those that it starts, give way to others at the processor. It is a wish: where the
// system refuses, nothing changes.
func GiveWay() {
	threads, _ := filepath.Glob("/proc/self/task/*")
	for _, t := range threads {
		if id, err := strconv.Atoi(filepath.Base(t)); err == nil {
			_ = unix.Setpriority(unix.PRIO_PROCESS, id, gentle)
			_ = unix.SchedSetAttr(id, &unix.SchedAttr{Policy: unix.SCHED_BATCH, Nice: gentle}, 0)
		}
	}
}

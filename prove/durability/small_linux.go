package durability

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"

	"groundwork/prove/lab"
)

// newSmallDisk puts an empty ext4 file system of some megabytes at folder. It must be called inside of apart, where it
// goes away by itself.
func newSmallDisk(t *lab.Trial, folder string, size int) error {
	r := &rig{folder: folder, below: t.Path("below")}
	if err := errors.Join(os.Mkdir(r.folder, 0o755), os.Mkdir(r.below, 0o755)); err != nil {
		return err
	}
	mkfs := exec.CommandContext(t, "mkfs.ext4", "-q", "-F", "-b", fmt.Sprint(block), "-J", "size=4", "-m", "0",
		r.below+"/"+diskName, fmt.Sprintf("%dM", size))
	if out, err := mkfs.CombinedOutput(); err != nil {
		return fmt.Errorf("mkfs.ext4: %w: %s", err, out)
	}
	return r.mount()
}

// fillDisk takes all room of the disk that file lies on but some bytes.
func fillDisk(file string, slack int64) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	size := int64(0)
	for step := int64(1 << 20); step >= block; {
		switch err := unix.Fallocate(int(f.Fd()), 0, size, step); {
		case errors.Is(err, unix.ENOSPC):
			step /= 2
		case err != nil:
			return os.NewSyscallError("fallocate", err)
		default:
			size += step
		}
	}
	return errors.Join(f.Truncate(max(0, size-slack)), f.Sync())
}

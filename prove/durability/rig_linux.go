package durability

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"groundwork/prove/lab"
)

// rig is a folder on a disk whose power can be cut: ext4 on a loop device on a file that a disk stands behind.
type rig struct {
	disk   *disk
	folder string // the ext4 file system
	below  string // where the disk is a file
	image  *os.File
	server *fuse.Server
	up     bool // the ext4 file system is mounted
}

// apart runs fn on a thread with mounts of its own, which nobody else sees, and has the processes that fn starts in a
// group that ends as a whole. However this program ends, the kernel ends those and removes the mounts.
func apart(fn func() error) error {
	if err := canMount(); err != nil {
		return err
	}
	result := make(chan error)
	go func() {
		runtime.LockOSThread() // and never back: the thread ends with fn
		result <- func() (err error) {
			err = unix.Unshare(unix.CLONE_NEWNS | unix.CLONE_NEWPID)
			if err == nil {
				err = unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
			}
			if err != nil {
				return lab.CannotRun(fmt.Sprintf("mounts of its own are refused here: %v", err))
			}
			// The first process is what the others live by. It waits for the end of its input, which is the end of this
			// program at the latest.
			first := exec.Command("cat")
			input, err := first.StdinPipe()
			if err != nil {
				return err
			}
			if err := first.Start(); err != nil {
				return err
			}
			defer func() { err = errors.Join(err, input.Close(), first.Wait()) }()
			return fn()
		}()
	}()
	return <-result
}

func canMount() error {
	if os.Getuid() != 0 {
		return lab.CannotRun("only root can mount")
	}
	if _, err := exec.LookPath("mkfs.ext4"); err != nil {
		return lab.CannotRun("mkfs.ext4 is missing; install it with: apt-get install e2fsprogs")
	}
	for _, device := range []string{"/dev/fuse", "/dev/loop-control"} {
		f, err := os.OpenFile(device, os.O_RDWR, 0)
		if err != nil {
			return lab.CannotRun(err.Error())
		}
		_ = f.Close() // it was only tried
	}
	return nil
}

// newRig makes an empty file system at folder. It must be called, as all of its methods, inside of apart.
func newRig(t *lab.Trial, folder string) (*rig, error) {
	r := &rig{folder: folder, below: t.Path("below")}
	image := t.Path("image")
	// Nothing may write in the background: what is lost shall be what the service wrote.
	mkfs := exec.CommandContext(t, "mkfs.ext4", "-q", "-F", "-b", fmt.Sprint(block), "-J", "size=8", "-m", "0",
		"-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard", image, "256M")
	if out, err := mkfs.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("mkfs.ext4: %w: %s", err, out)
	}
	err := errors.Join(os.Mkdir(r.folder, 0o755), os.Mkdir(r.below, 0o755))
	if err != nil {
		return nil, err
	}
	if r.image, err = os.OpenFile(image, os.O_RDWR, 0); err != nil {
		return nil, err
	}
	if r.disk, err = newDisk(r.image, t.Random(3)); err != nil {
		return nil, errors.Join(err, r.image.Close())
	}
	root := &diskFolder{file: &diskFile{disk: r.disk}}
	r.server, err = fs.Mount(r.below, root, &fs.Options{
		MountOptions: fuse.MountOptions{DirectMountStrict: true, FsName: "disk", Name: "prove", MaxWrite: 1 << 19},
	})
	if err != nil {
		return nil, errors.Join(lab.CannotRun(fmt.Sprintf("FUSE: %v", err)), r.image.Close())
	}
	if err := errors.Join(keepFuse(), r.mount()); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// keepFuse keeps what speaks to the kernel for the disk away from other programs: a disk is gone when nobody holds it
// any more, and whoever needs the disk in order to end must not be the last.
func keepFuse() error {
	const open = "/proc/self/fd"
	all, err := os.ReadDir(open)
	if err != nil {
		return err
	}
	for _, e := range all {
		if target, err := os.Readlink(open + "/" + e.Name()); err != nil || target != "/dev/fuse" {
			continue
		}
		n, err := strconv.Atoi(e.Name())
		if err != nil {
			return err
		}
		syscall.CloseOnExec(n)
	}
	return nil
}

// mount puts a loop device on the disk and mounts it; the device goes with the mount.
func (r *rig) mount() error {
	control, err := os.OpenFile("/dev/loop-control", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer control.Close()
	file, err := os.OpenFile(r.below+"/"+diskName, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	for {
		n, err := unix.IoctlRetInt(int(control.Fd()), unix.LOOP_CTL_GET_FREE)
		if err != nil {
			return fmt.Errorf("no free loop device: %w", err)
		}
		name := fmt.Sprintf("/dev/loop%d", n)
		device, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		err = unix.IoctlLoopConfigure(int(device.Fd()), &unix.LoopConfig{
			Fd: uint32(file.Fd()), Size: block, Info: unix.LoopInfo64{Flags: unix.LO_FLAGS_AUTOCLEAR},
		})
		if err == nil {
			err = unix.Mount(name, r.folder, "ext4", 0, "errors=remount-ro")
			r.up = err == nil
		}
		if err = errors.Join(err, device.Close()); errors.Is(err, unix.EBUSY) {
			continue // somebody else took it
		}
		if err != nil {
			return fmt.Errorf("mount the disk by %s: %w", name, err)
		}
		return nil
	}
}

// cut takes the power while the server works, at the n-th request to the disk or soon when there are fewer, and mounts
// what is left.
func (r *rig) cut(s *lab.Site, n int) error {
	r.disk.cutAfter(n)
	for began := time.Now(); !r.disk.isCut() && time.Since(began) < 200*time.Millisecond; {
		time.Sleep(100 * time.Microsecond)
	}
	r.disk.cutNow()
	err := s.Server.Process.Kill()
	r.disk.abandon()
	<-s.Ended
	return errors.Join(err, r.unmount(), r.disk.restore(), r.mount())
}

func (r *rig) unmount() error {
	if !r.up {
		return nil
	}
	r.up = false
	return os.NewSyscallError("unmount", unix.Unmount(r.folder, 0))
}

// close takes everything away. Whatever is busy goes when nobody uses it any more.
func (r *rig) close() error {
	r.disk.cutNow()
	r.disk.abandon()
	err := r.unmount()
	if err != nil {
		err = errors.Join(err, unix.Unmount(r.folder, unix.MNT_DETACH))
	}
	// The loop device lets go of the file a little later.
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		if again := r.server.Unmount(); again == nil || time.Since(began) > 5*time.Second {
			return errors.Join(err, again, r.image.Close())
		}
	}
}

// diskName is the only file in the folder below.
const diskName = "disk"

type diskFolder struct {
	fs.Inode
	file *diskFile
}

// OnAdd puts the disk into the folder.
func (f *diskFolder) OnAdd(ctx context.Context) {
	f.AddChild(diskName, f.NewPersistentInode(ctx, f.file, fs.StableAttr{Mode: syscall.S_IFREG}), false)
}

// diskFile is the disk as a file. The kernel keeps nothing of it in memory: every request arrives.
type diskFile struct {
	fs.Inode
	disk *disk
}

// Getattr tells the size.
func (f *diskFile) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Mode, out.Size = syscall.S_IFREG|0o600, uint64(f.disk.size)
	return 0
}

// Open lets everybody in.
func (f *diskFile) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, fuse.FOPEN_DIRECT_IO, 0
}

// Read reads what was written last.
func (f *diskFile) Read(_ context.Context, _ fs.FileHandle, into []byte, at int64) (fuse.ReadResult, syscall.Errno) {
	n, err := f.disk.read(into, at)
	return fuse.ReadResultData(into[:n]), fs.ToErrno(err)
}

// Write writes into the cache of the disk.
func (f *diskFile) Write(_ context.Context, _ fs.FileHandle, data []byte, at int64) (uint32, syscall.Errno) {
	return uint32(len(data)), fs.ToErrno(f.disk.write(data, at))
}

// Fsync is how a flush arrives.
func (f *diskFile) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	return fs.ToErrno(f.disk.flush())
}

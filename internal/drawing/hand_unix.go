//go:build unix

package drawing

import (
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// outbox is the service's end of what orders go through: a socket, which carries open files too.
type outbox struct{ *net.UnixConn }

// to is told which process has the other end.
func (*outbox) to(*os.Process) {}

// hand sends a text, and an open file with it unless there is none.
func (o *outbox) hand(text []byte, file *os.File) error {
	var beside []byte
	if file != nil {
		beside = unix.UnixRights(int(file.Fd()))
	}
	_, _, err := o.WriteMsgUnix(text, beside, nil)
	return err
}

// inbox reads what is sent to a child, and keeps the file that comes with it.
type inbox struct {
	socket int
	file   int // 0: none
}

// newInbox is the one of this process: orders come through its standard input.
func newInbox() inbox { return inbox{} }

// Read implements io.Reader.
func (b *inbox) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	beside := make([]byte, unix.CmsgSpace(4))
	for {
		n, m, _, _, err := unix.Recvmsg(b.socket, p, beside, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return 0, err
		}
		if m > 0 {
			if err := b.keep(beside[:m]); err != nil {
				return 0, err
			}
		}
		if n == 0 {
			return 0, io.EOF
		}
		return n, nil
	}
}

func (b *inbox) keep(beside []byte) error {
	all, err := unix.ParseSocketControlMessage(beside)
	if err != nil {
		return err
	}
	for i := range all {
		files, err := unix.ParseUnixRights(&all[i])
		if err != nil {
			return err
		}
		for _, f := range files {
			b.file = f
		}
	}
	return nil
}

// take gives the file that came with the last text; nil where none did.
func (b *inbox) take(name string) *os.File {
	f := b.file
	if b.file = 0; f == 0 {
		return nil
	}
	return os.NewFile(uintptr(f), name)
}

// pair makes the two ends of what orders go through: ours, and the one that a child gets.
func pair() (ours *outbox, theirs *os.File, err error) {
	syscall.ForkLock.RLock()
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(ends[0])
		unix.CloseOnExec(ends[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, err
	}
	mine := os.NewFile(uintptr(ends[0]), "orders")
	defer mine.Close()
	theirs = os.NewFile(uintptr(ends[1]), "orders")
	conn, err := net.FileConn(mine)
	if err != nil {
		return nil, nil, errors.Join(err, theirs.Close())
	}
	return &outbox{conn.(*net.UnixConn)}, theirs, nil
}

// lend has a child inherit one more file beside its input and outputs; lent is that file, in the child.
func lend(child *exec.Cmd, f *os.File) error {
	child.ExtraFiles = []*os.File{f}
	return nil
}

func lent(name string) *os.File { return os.NewFile(3, name) }

// endGroup ends a process that apart has put into a group of its own, and all that it started.
func endGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// discard removes a folder and gives its lock back, in this order: nobody else finds the folder without its lock.
func discard(folder string, lock *os.File) error {
	return errors.Join(os.RemoveAll(folder), lock.Close())
}

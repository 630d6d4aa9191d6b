package drawing

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"
)

// outbox is the service's end of what orders go through: a pipe. An open file is handed over by giving the child's
// process a handle of it, whose number follows the text.
type outbox struct {
	*os.File
	process *os.Process
}

// to is told which process has the other end.
func (o *outbox) to(p *os.Process) { o.process = p }

// handleBytes is how long the number of a handle is; all zero where there is no file.
const handleBytes = 8

// hand sends a text, and an open file with it unless there is none.
func (o *outbox) hand(text []byte, file *os.File) error {
	var theirs windows.Handle
	if file != nil {
		var failed error
		err := o.process.WithHandle(func(process uintptr) {
			failed = windows.DuplicateHandle(windows.CurrentProcess(), windows.Handle(file.Fd()),
				windows.Handle(process), &theirs, 0, false, windows.DUPLICATE_SAME_ACCESS)
		})
		if err = errors.Join(err, failed); err != nil {
			return fmt.Errorf("a file cannot be handed to a worker: %w", err)
		}
	}
	_, err := o.Write(binary.BigEndian.AppendUint64(append([]byte{}, text...), uint64(theirs)))
	return err
}

// inbox reads what is sent to a child.
type inbox struct{ from io.Reader }

// newInbox is the one of this process: orders come through its standard input.
func newInbox() inbox { return inbox{os.Stdin} }

// Read implements io.Reader.
func (b *inbox) Read(p []byte) (int, error) { return b.from.Read(p) }

// take gives the file that came with the last text; nil where none did.
func (b *inbox) take(name string) *os.File {
	var number [handleBytes]byte
	if _, err := io.ReadFull(b.from, number[:]); err != nil {
		return nil
	}
	handle := binary.BigEndian.Uint64(number[:])
	if handle == 0 {
		return nil
	}
	return os.NewFile(uintptr(handle), name)
}

// pair makes the two ends of what orders go through: ours, and the one that a child gets.
func pair() (ours *outbox, theirs *os.File, err error) {
	theirs, mine, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	return &outbox{File: mine}, theirs, nil
}

// lentMarker is set in the environment of a child to the number of the file that it was lent.
const lentMarker = "GROUNDWORK_DRAWING_LENT"

// lend has a child inherit one more file beside its input and outputs; lent is that file, in the child.
func lend(child *exec.Cmd, f *os.File) error {
	handle := windows.Handle(f.Fd())
	// What is inherited is also on the list of what this child inherits: no other one gets it meanwhile.
	err := windows.SetHandleInformation(handle, windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT)
	if err != nil {
		return err
	}
	child.SysProcAttr.AdditionalInheritedHandles = []syscall.Handle{syscall.Handle(handle)}
	child.Env = append(child.Env, lentMarker+"="+strconv.FormatUint(uint64(handle), 10))
	return nil
}

func lent(name string) *os.File {
	handle, err := strconv.ParseUint(os.Getenv(lentMarker), 10, 64)
	if err != nil {
		return nil
	}
	return os.NewFile(uintptr(handle), name)
}

// endGroup ends a launcher; the job that it has made ends what it started.
func endGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
		_ = p.Release()
	}
}

// discard gives a lock back and removes its folder: here nothing that is open can be removed.
func discard(folder string, lock *os.File) error {
	return errors.Join(lock.Close(), os.RemoveAll(folder))
}

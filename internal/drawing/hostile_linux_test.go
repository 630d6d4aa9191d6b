package drawing

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"groundwork/internal/fault"
)

// prey is what a hostile child goes for: files of the service and of others, and the service itself.
type prey struct {
	Parent                               int
	Database, Other, Data, Socket, Cache string
	Port                                 int
	Secret                               uintptr // where the service has a word in its memory
}

// misdeeds are what a child does that a file has taken over, with the rights of the child and nothing else. Each gives
// no error where it succeeds.
var misdeeds = map[string]func(t prey) error{
	"reads the database":        func(t prey) error { _, err := os.ReadFile(t.Database); return err },
	"writes the database":       func(t prey) error { return os.WriteFile(t.Database, []byte("x"), 0o600) },
	"reads a file of another":   func(t prey) error { _, err := os.ReadFile(t.Other); return err },
	"lists the data folder":     func(t prey) error { _, err := os.ReadDir(t.Data); return err },
	"sees that a file is there": func(t prey) error { _, err := os.Stat(t.Database); return err },
	"removes a file":            func(t prey) error { return os.Remove(filepath.Join(t.Data, "to-remove")) },
	"makes a file":              func(t prey) error { return os.WriteFile(filepath.Join(t.Data, "made"), nil, 0o600) },
	"makes a link":              func(t prey) error { return os.Symlink(t.Database, filepath.Join(t.Data, "link")) },
	"renames a file": func(t prey) error {
		return os.Rename(filepath.Join(t.Data, "to-rename"), filepath.Join(t.Data, "renamed"))
	},
	"poisons what was compiled":  func(t prey) error { return os.WriteFile(t.Cache, []byte("poison"), 0o600) },
	"reads our environment":      func(t prey) error { _, err := os.ReadFile(proc(t, "environ")); return err },
	"reads our map of memory":    func(t prey) error { _, err := os.ReadFile(proc(t, "maps")); return err },
	"lists our open files":       func(t prey) error { _, err := os.ReadDir(proc(t, "fd")); return err },
	"opens our memory to write":  func(t prey) error { return opens(proc(t, "mem"), os.O_RDWR) },
	"reads our memory":           func(t prey) error { return vm(unix.SYS_PROCESS_VM_READV, t) },
	"writes our memory":          func(t prey) error { return vm(unix.SYS_PROCESS_VM_WRITEV, t) },
	"signals us":                 func(t prey) error { return syscall.Kill(t.Parent, 0) },
	"signals one of our threads": func(t prey) error { return unix.Tgkill(t.Parent, t.Parent, 0) },
	"opens a handle on us":       func(t prey) error { return handle(unix.PidfdOpen(t.Parent, 0)) },
	"moves us to a processor": func(t prey) error {
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(t.Parent, &set); err != nil {
			return err
		}
		return unix.SchedSetaffinity(t.Parent, &set)
	},
	"makes us nicer":       func(t prey) error { return unix.Setpriority(unix.PRIO_PROCESS, t.Parent, 0) },
	"connects by TCP":      func(t prey) error { return dials("tcp", fmt.Sprintf("127.0.0.1:%d", t.Port)) },
	"talks to the control": func(t prey) error { return dials("unix", t.Socket) },
	"makes a UDP socket":   func(t prey) error { return handle(unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)) },
	"makes a pair": func(prey) error {
		_, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		return err
	},
	"starts a program": func(prey) error { _, err := syscall.ForkExec("/bin/true", []string{"true"}, nil); return err },
	"forks": func(prey) error {
		pid, _, failed := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
		if failed != 0 {
			return failed
		}
		if pid == 0 {
			_, _, _ = syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
		return nil
	},
	"outlives us": func(prey) error { return unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0) },
	"lifts its own limits": func(prey) error {
		var l unix.Rlimit
		return unix.Prlimit(0, unix.RLIMIT_FSIZE, nil, &l)
	},
	"makes a file in memory": func(prey) error { return handle(unix.MemfdCreate("x", 0)) },
}

func proc(t prey, name string) string { return fmt.Sprintf("/proc/%d/%s", t.Parent, name) }

func opens(path string, flags int) error {
	f, err := os.OpenFile(path, flags, 0)
	if err == nil {
		err = f.Close()
	}
	return err
}

func handle(fd int, err error) error {
	if err == nil {
		err = unix.Close(fd)
	}
	return err
}

func dials(network, address string) error {
	c, err := net.DialTimeout(network, address, 5*time.Second)
	if err == nil {
		err = c.Close()
	}
	return err
}

// vm reads or writes a word of the service's memory.
func vm(call uintptr, t prey) error {
	var word [8]byte
	if call == unix.SYS_PROCESS_VM_WRITEV {
		copy(word[:], "written!")
	}
	local := unix.Iovec{Base: &word[0], Len: 8}
	remote := struct{ base, length uintptr }{t.Secret, 8}
	_, _, failed := syscall.Syscall6(call, uintptr(t.Parent), uintptr(unsafe.Pointer(&local)), 1,
		uintptr(unsafe.Pointer(&remote)), 1, 0)
	if failed != 0 {
		return failed
	}
	return nil
}

// attempt does all misdeeds and gives the error of each, "" where it succeeded. The pair is the process's own and harms
// nobody, so it is only refused.
func attempt(t prey) map[string]string {
	out := map[string]string{}
	for name, do := range misdeeds {
		out[name] = ""
		if err := do(t); err != nil {
			out[name] = err.Error()
		}
	}
	return out
}

// aim makes a prey of this process and a folder of its own.
func aim(t *testing.T, secret *[8]byte) prey {
	t.Helper()
	data := t.TempDir()
	out := prey{
		Parent: os.Getpid(), Data: data, Database: filepath.Join(data, "db"), Other: filepath.Join(data, "other"),
		Socket: filepath.Join(data, "s"), Cache: filepath.Join(data, "compiled"),
		Secret: uintptr(unsafe.Pointer(secret)),
	}
	for _, path := range []string{
		out.Database, out.Other, out.Cache, filepath.Join(data, "to-remove"),
		filepath.Join(data, "to-rename"),
	} {
		// Everybody could read them: what refuses is not the mode of the file.
		if err := os.WriteFile(path, []byte("secret"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	control, err := net.Listen("unix", out.Socket)
	if err != nil {
		t.Fatal(err)
	}
	open, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { control.Close(); open.Close() })
	out.Port = open.Addr().(*net.TCPAddr).Port
	return out
}

// secretWord is what a hostile child would read or change in the memory of the service.
var secretWord = [8]byte{'s', 'e', 'c', 'r', 'e', 't'}

// A child that a file has taken over, started as every child is, can do nothing of it. The control: the same program,
// started as a child but without its walls, can do all of it.
func TestHostileChild(t *testing.T) {
	f := bring(t, open(t, Config{Children: 1}), []byte("hello"))
	var got map[string]string
	if _, err := f.do(t.Context(), "The file", "misdeeds", aim(t, &secretWord), &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != len(misdeeds) {
		t.Errorf("%d of %d misdeeds were tried", len(got), len(misdeeds))
	}
	for name, said := range got {
		if said == "" {
			t.Errorf("a hostile child %s", name)
		}
	}
	if !bytes.HasPrefix(secretWord[:], []byte("secret")) {
		t.Errorf("our memory was changed to %q", secretWord)
	}
	// The control runs in this process, with the same rights as the service.
	word := secretWord
	for name, said := range attempt(aim(t, &word)) {
		if said != "" {
			t.Errorf("the control could not: %s: %s", name, said)
		}
	}
}

// A child that opens nothing can still ask. It is given what was brought for it, and nothing else; and it learns no
// path.
func TestHostileChildAsks(t *testing.T) {
	w := open(t, Config{Children: 1})
	bring(t, w, []byte("of another"))
	f := bring(t, w, []byte("hello"))
	got, err := ask[[]string](t, f, "asks")
	if err != nil {
		t.Fatal(err)
	}
	for _, said := range got {
		if strings.Contains(said, f.folder) || strings.Contains(said, "/") {
			t.Errorf("a child is told a path: %q", said)
		}
	}
}

// A child that asks for what none needs is ended at once, and what it said is not repeated at length.
func TestHostileChildIsEnded(t *testing.T) {
	f := bring(t, open(t, Config{Children: 1}), []byte("hello"))
	all := map[string]says{
		"a long name":           {Wants: "1", Long: mostName, Times: 1},
		"a name of megabytes":   {Wants: "1", Long: 30 << 20, Times: 1},
		"two at once":           {Wants: inputName, Makes: "a.a", Times: 1},
		"nothing":               {Times: 1},
		"many results":          {Makes: "a.a", Times: mostMade + 1},
		"a file many times":     {Wants: inputName, Times: mostRequests + 1},
		"long walls once more":  {Walls: mostRequest, Times: 1},
		"short walls once more": {Walls: 1, Times: 1},
		"a long answer":         {Answers: mostSentence + 1, Times: 1},
	}
	for _, name := range []string{
		"../input", "..", "/etc/passwd", "made-1", "../../groundwork.db", "1/../input",
		"lock", "\x00",
	} {
		all["wants "+name] = says{Wants: name, Times: 1}
	}
	for _, name := range []string{"../a.a", "/tmp/a.a", "a", "input", "a.a/../../b.b"} {
		all["makes "+name] = says{Makes: name, Times: 1}
	}
	for name, s := range all {
		var got any
		_, err := f.do(t.Context(), "The file", "says", s, &got)
		if !errors.Is(err, errHostile) || !fault.Is(err, fault.Invalid) ||
			strings.Contains(err.Error(), "aaaaaaaaaaaaaaaa") || len(fault.Of(err).Message) > 200 {
			t.Errorf("a child that asks for %s is answered with %v; the service has the error %.200v", name, got, err)
		}
	}
	if got, err := ask[any](t, f, "tells"); !errors.Is(err, errHostile) {
		t.Errorf("a child that tells how far it is without end is answered with %v, %.200v", got, err)
	}
	works(t, f)
}

// A child's own files are its three pipes and its socket, and its walls are strict on this system.
func TestChildHoldsNothing(t *testing.T) {
	w := open(t, Config{Children: 1})
	f := bring(t, w, []byte("hello"))
	pid, err := ask[int](t, f, "pid")
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		if os.Geteuid() == 0 {
			t.Fatal(err)
		}
		t.Log("only the superuser sees the files of a child:", err)
	}
	for _, one := range files {
		to, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, one.Name()))
		if !strings.HasPrefix(to, "pipe:") && !strings.HasPrefix(to, "socket:") &&
			!strings.HasPrefix(to, "anon_inode:") {
			t.Errorf("the child holds %s as %s", to, one.Name())
		}
	}
	walls, err := w.Probe(t.Context())
	if err != nil || !walls.Strict() {
		t.Errorf("walls are %v, %v", walls, err)
	}
	t.Log(walls, walls.Missing)
}

// A new installation is probed before anything lies in its folder.
func TestProbeWithoutFolder(t *testing.T) {
	w, err := Open(Config{Folder: filepath.Join(t.TempDir(), "new", "drawing")})
	if err != nil {
		t.Fatal(err)
	}
	if walls, err := w.Probe(t.Context()); err != nil || !walls.Strict() {
		t.Errorf("walls are %v, %v", walls, err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// Threads without number, and writing without end, end the child.
func TestHostileChildIsBounded(t *testing.T) {
	w := open(t, Config{Children: 1, Within: 20 * time.Second})
	f := bring(t, w, []byte("hello"))
	for _, task := range []string{"threads", "fills"} {
		if _, err := ask[any](t, f, task); err == nil {
			t.Errorf("a child that %s went on", task)
		} else {
			t.Log(err)
		}
	}
	works(t, f)
}

// Without walls nothing is read, unless that was accepted.
func TestBareSystemIsRefused(t *testing.T) {
	bare := Walls{Missing: []string{"there is no Landlock"}}
	w := &Workshop{}
	if err := w.enough(&bare); !errors.Is(err, errBare) || !strings.Contains(err.Error(),
		"GROUNDWORK_DRAWING_SANDBOX") || !strings.Contains(err.Error(), "there is no Landlock") {
		t.Errorf("got %v", err)
	}
	if w.enough(&Walls{Landlock: 1}) == nil || w.enough(&Walls{Calls: true}) == nil {
		t.Error("one wall suffices")
	}
	if err := errors.Join(w.enough(&Walls{Calls: true, Landlock: 1}),
		w.enough(&Walls{Calls: true, Apart: true})); err != nil {
		t.Error(err)
	}
	w.config.Relaxed = true
	if err := w.enough(&bare); err != nil {
		t.Error(err)
	}
}

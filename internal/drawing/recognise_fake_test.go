package drawing

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fakes are recognisers that a picture has taken over, or that never were good. Each is this program under its name.
var fakes = map[string]func() int{
	// huge answers without end.
	"fake-huge": func() int {
		for i := 0; ; i++ {
			if _, err := fmt.Printf("5\t1\t1\t1\t%d\t1\t%d\t%d\t30\t12\t96\tENDLESS\n", i, i%500, i%700); err != nil {
				return 1
			}
		}
	},
	// odd answers what no recogniser says.
	"fake-odd": func() int {
		fmt.Print("level\tpage_num\n5\t1\t1\t1\t1\t1\t-10\t10\t50\t12\t96\tNEGATIVE\n5\t1\t1\t1\t1\t1\t10\t10\t-50\t-12\t96\tBACKWARDS\n" +
			"5\t1\t1\t1\t1\t1\t10\t10\t999999\t12\t96\tFARAWAY\n5\t1\t1\t1\t1\t1\t10\t10\t50\t12\tNaN\tNOSURE\n" +
			"5\t1\t1\t1\t1\t1\t10\t10\t50\t12\t5000\tTOOSURE\n5\t1\t1\t1\t1\t1\t10\t10\t50\t12\t1e309\tINFINITE\n" +
			"5\t1\t1\t1\t1\t1\t99999999999999999999\t10\t50\t12\t96\tLARGE\n5\t1\t\x00\xff\xfe\n\n\t\t\t\n" +
			"5\t1\t1\t1\t1\t1\t10\t10\t50\t12\t96\tEVIL\x1b[31m\x07WORD\n5\t1\t1\t1\t1\t1\t90\t10\t50\t12\t96\tGOOD\n" +
			"5\t1\t1\t1\t1\t1\t10\t60\t50\t12\t96\t" + strings.Repeat("LONG", 10_000) + "\n")
		return 0
	},
	"fake-line": func() int {
		_, _ = io.WriteString(os.Stdout, strings.Repeat("x", 2<<20))
		return 0
	},
	"fake-never": func() int {
		never := make(chan os.Signal, 1)
		signal.Notify(never, os.Interrupt) // the runtime ends a program that waits for nothing at all
		<-never
		return 0
	},
	"fake-spin": func() int {
		for turns := 0; ; turns++ {
		}
	},
	"fake-memory": func() int {
		for {
			hoard = append(hoard, touched(64<<20))
		}
	},
	"fake-exit": func() int { fmt.Fprintln(os.Stderr, "a last word"); return 1 },
	// hostile does what its first argument names, and says what came of it.
	"fake-hostile": func() int {
		var t prey
		if err := json.Unmarshal([]byte(os.Args[1]), &t); err != nil {
			return 2
		}
		done := attempt(t)
		for name, do := range programDeeds {
			done[name] = ""
			if err := do(t); err != nil {
				done[name] = err.Error()
			}
		}
		if err := json.NewEncoder(os.Stdout).Encode(done); err != nil {
			return 3
		}
		return 0
	},
}

// programDeeds are misdeeds of a program that may open files, beside those of a child that may not.
var programDeeds = map[string]func(t prey) error{
	"reads the users":            func(prey) error { _, err := os.ReadFile("/etc/passwd"); return err },
	"lists a folder of all":      func(prey) error { _, err := os.ReadDir("/etc"); return err },
	"writes where all may write": func(prey) error { return opens("/tmp/groundwork-hostile", os.O_CREATE|os.O_WRONLY) },
	"writes where it is":         func(prey) error { return opens("groundwork-hostile", os.O_CREATE|os.O_WRONLY) },
	"replaces itself":            func(prey) error { return opens(os.Args[0], os.O_WRONLY) },
	"reads its own description":  func(prey) error { _, err := os.ReadFile("/proc/self/status"); return err },
	"reads a device":             func(prey) error { return opens("/dev/zero", os.O_RDONLY) },
}

// fake is what this program does under the name of a fake recogniser.
func fake() (exit int, is bool) {
	do := fakes[filepath.Base(os.Args[0])]
	if do == nil {
		return 0, false
	}
	if slices.Contains(os.Args, "--list-langs") {
		fmt.Println("List of available languages (2):\neng\nosd")
		return 0, true
	}
	if os.Args[1] == "stdin" {
		if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
			return 9, true
		}
	}
	return do(), true
}

// fakePath makes this program a fake recogniser: where everybody may start it, as the real one may be.
func fakePath(t *testing.T, name string) string {
	t.Helper()
	folder, err := os.MkdirTemp("/tmp", "recogniser-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	path := filepath.Join(folder, name)
	out, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{out.Close(), os.Chmod(folder, 0o755), os.Chmod(path, 0o755)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return path
}

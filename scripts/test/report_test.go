package main

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// TestReport plays recorded events, one line each in the form "action package test [output]".
func TestReport(t *testing.T) {
	for _, c := range []struct {
		name    string
		events  string
		pairs   bool
		ci      bool
		passed  bool
		seconds float64
		want    []string
	}{
		{
			name: "all pass", events: "run p A\npass p A\nrun p B\npass p B\npass p -", passed: true,
			want: []string{"ok    p ", "2 passed, 0 failed, 0 skipped\n"},
		},
		{
			name: "a failure shows its output", events: "run p A\noutput p A a_test.go:3: wrong\nfail p A\nfail p -",
			want: []string{"FAIL p A\na_test.go:3: wrong\n", "FAIL  p ", "0 passed, 1 failed, 0 skipped\n"},
		},
		{
			name: "a pass keeps its output to itself", events: "run p A\noutput p A chatter\npass p A\npass p -",
			passed: true,
			want:   []string{"1 passed, 0 failed, 0 skipped\n", "!chatter"},
		},
		{
			name: "a package that fails by itself", events: "output p - panic: boom\nfail p -",
			want: []string{"panic: boom", "0 passed, 1 failed, 0 skipped\n"},
		},
		{
			name: "a test cut short", events: "run p A\noutput p A last words\nfail p -",
			want: []string{"CUT SHORT p A\nlast words", "0 passed, 1 failed, 0 skipped\n"},
		},
		{
			name: "a skip at home", events: "run p A\noutput p A no disk\nskip p A\npass p -", passed: true,
			want: []string{"SKIP p A\nno disk", "0 passed, 0 failed, 1 skipped\n"},
		},
		{
			name: "a skip in CI", events: "run p A\nskip p A\npass p -", ci: true,
			want: []string{"1 tests were skipped; in CI every test runs.\n", "0 passed, 0 failed, 1 skipped\n"},
		},
		{
			name: "both engines", events: "pass p A/sqlite\npass p A/postgres\npass p A\npass p -", pairs: true,
			passed: true,
			want:   []string{"On SQLite 1 tests, on PostgreSQL 1.\n"},
		},
		{
			name:   "one engine only",
			events: "pass p A/sqlite\npass p A/sqlite/x\npass p A/postgres\npass p A\npass p -", pairs: true,
			want: []string{
				"On SQLite 2 tests, on PostgreSQL 1.\n", "p A/sqlite/x ran on one engine only.\n", "!p A/sqlite ran",
			},
		},
		{
			name: "equal counts of different tests", events: "pass p A/sqlite\npass p B/postgres\npass p -",
			pairs: true,
			want: []string{
				"On SQLite 1 tests, on PostgreSQL 1.\n", "p A/sqlite ran on one", "p B/postgres ran on one",
			},
		},
		{
			name: "slow tests are listed", events: "run p A\npass p A\npass p -", passed: true, seconds: 7.25,
			want: []string{"The slowest:\n     7.2 s  p A\n"},
		},
		{
			name: "quick tests are not", events: "run p A\npass p A\npass p -", passed: true, seconds: 4,
			want: []string{"!The slowest"},
		},
		{name: "nothing", events: "skip p -", want: []string{"No test ran.\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			r := newReport(&out)
			r.pairs, r.refuseSkips = c.pairs, c.ci
			for line := range strings.SplitSeq(c.events, "\n") {
				f := strings.SplitN(line, " ", 4)
				e := event{Action: f[0], Package: f[1], Elapsed: c.seconds}
				if f[2] != "-" {
					e.Test = f[2]
				}
				if len(f) > 3 {
					e.Output = f[3] + "\n"
				}
				r.add(e)
			}
			if got := r.finish(); got != c.passed {
				t.Errorf("passed = %v, want %v", got, c.passed)
			}
			for _, want := range c.want {
				unwanted, negative := strings.CutPrefix(want, "!")
				if negative == strings.Contains(out.String(), unwanted) {
					t.Errorf("about %q:\n%s", want, &out)
				}
			}
		})
	}
}

func TestReadPrintsWhatIsNoEvent(t *testing.T) {
	var out strings.Builder
	r := newReport(&out)
	err := r.read(strings.NewReader(
		"go: downloading x\n{\"Action\":\"build-output\",\"ImportPath\":\"q\",\"Output\":\"syntax error\\n\"}\n" +
			"{\"Action\":\"build-fail\",\"ImportPath\":\"q\"}\n{\"Action\":\"fail\",\"Package\":\"q\"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if r.finish() {
		t.Error("a build failure passed")
	}
	for _, want := range []string{
		"go: downloading x\n", "q does not build\nsyntax error\n",
		"\n0 passed, 1 failed, 0 skipped\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

func TestSetUpSaysWhatIsMissing(t *testing.T) {
	if packages, err := lacking([]need{{program("go", "it builds"), []string{"golang"}}}); err != nil ||
		packages != nil {
		t.Errorf("go is there: %v, %v", err, packages)
	}
	packages, err := lacking([]need{
		{program("no-such-program", "a reason"), []string{"some-package", "another"}},
		{program("go", "it builds"), []string{"golang"}},
	})
	if err == nil || !strings.Contains(err.Error(),
		"no-such-program is missing (a reason); install it with: apt-get install no-such-program") {
		t.Errorf("error: %v", err)
	}
	if strings.Join(packages, " ") != "some-package another" {
		t.Errorf("packages: %v", packages)
	}
}

func TestNeeds(t *testing.T) {
	t.Chdir("../..")
	for args, want := range map[string]string{
		"./...":                     "chromium fonts-dejavu-core",
		"-browsers=without ./...":   "",
		"-browsers=only":            "chromium fonts-dejavu-core",
		"-run Docs ./internal/web":  "chromium fonts-dejavu-core",
		"-race ./internal/store":    "gcc libc6-dev",
		"./internal/web2 -run ./..": "",
	} {
		var got []string
		run, part, err := parted(strings.Fields(args))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range needs(run, part)[4:] {
			if n.packages[0] != "e2fsprogs" {
				got = append(got, n.packages...)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s needs %q, want %q", args, got, want)
		}
	}
}

func TestSetUpWaitsForTheLock(t *testing.T) {
	locked, broken := "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7", errors.New("exit status 100")
	for _, c := range []struct {
		name   string
		says   []string // the complaints of each run; "" is success
		within time.Duration
		runs   int
		passes bool
	}{
		{"free", []string{""}, time.Minute, 1, true},
		{"held for a while", []string{locked, locked, ""}, time.Minute, 3, true},
		{"held for too long", []string{locked, locked, ""}, -1, 1, false},
		{"another error", []string{"E: Unable to locate package", ""}, time.Minute, 1, false},
	} {
		runs := 0
		err := unlocked(c.within, 0, func() (string, error) {
			runs++
			if says := c.says[runs-1]; says != "" {
				return says, broken
			}
			return "", nil
		})
		if runs != c.runs || (err == nil) != c.passes {
			t.Errorf("%s: %d runs, %v", c.name, runs, err)
		}
	}
}

func TestHurry(t *testing.T) {
	listed := []string{"groundwork/internal/api", "groundwork/internal/web", "groundwork/internal/drawing/read"}
	for args, want := range map[string]string{
		"-quick ./...":                   "groundwork/internal/api",
		"-quick -count=1 ./internal/web": "-count=1 ./internal/web",
	} {
		got := hurry(strings.Fields(args), listed)
		if got[0] != "-skip" || !strings.Contains(got[1], "/postgres|") || strings.Join(got[2:], " ") != want {
			t.Errorf("%s: %q", args, got)
		}
	}
}

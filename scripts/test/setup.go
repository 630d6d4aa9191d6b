package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"groundwork/internal/pgtest"
)

// need is something that tests use and that is no part of this repository.
type need struct {
	check    func() error // says what is missing
	packages []string     // of Debian
}

// needs lists what a run of a part of the suite with these arguments of `go test` uses.
func needs(args []string, part string) []need {
	all := []need{
		{pgtest.Installed, []string{"postgresql"}},
		{program("curl", "the tests run the commands of the README"), []string{"curl", "ca-certificates"}},
		{program("qpdf", "the tests have it look at every PDF that is made"), []string{"qpdf"}},
		{
			program("tesseract", "the tests have it recognise scanned drawings"),
			[]string{"tesseract-ocr", "tesseract-ocr-eng"},
		},
	}
	if slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-race") }) {
		all = append(all, need{program("gcc", "the race detector is linked by it"), []string{"gcc", "libc6-dev"}})
	}
	// Elsewhere the power is simply not cut.
	if os.Getenv("CI") == "true" && os.Getuid() == 0 {
		all = append(all, need{
			program("mkfs.ext4", "make prove cuts the power of a disk with it"), []string{"e2fsprogs"},
		})
	}
	if slices.ContainsFunc(args, func(a string) bool {
		return a == "./..." && part != withoutBrowsers || strings.HasSuffix(a, browsing)
	}) {
		all = append(all, need{browser, []string{"chromium", "fonts-dejavu-core"}})
	}
	return all
}

// browser looks for one of the programs that the tests of pages can drive.
func browser() error {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if _, err := exec.LookPath(name); err == nil {
			return nil
		}
	}
	return errors.New("chromium is missing (the tests look at the pages in a browser); install it with: apt-get install chromium fonts-dejavu-core")
}

func program(name, why string) func() error {
	return func() error {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf("%s is missing (%s); install it with: apt-get install %s", name, why, name)
		}
		return nil
	}
}

// setUp installs what is missing where this may be done without asking: as root on a machine with apt-get. Elsewhere it
// says what to install.
func setUp(needs []need) error {
	packages, missing := lacking(needs)
	if missing == nil {
		return nil
	}
	if _, err := exec.LookPath("apt-get"); err != nil || os.Getuid() != 0 {
		return missing
	}
	fmt.Printf("Installing with apt-get: %s\n", strings.Join(packages, " "))
	for _, args := range [][]string{
		{"update", "-q"},
		append([]string{"install", "-q", "-y", "--no-install-recommends"}, packages...),
	} {
		err := unlocked(10*time.Minute, 5*time.Second, func() (string, error) { return aptGet(args...) })
		if err != nil {
			return fmt.Errorf("apt-get %s: %w", args[0], err)
		}
	}
	_, missing = lacking(needs)
	return missing
}

// aptGet runs apt-get for a person who looks on, and gives what it complained about.
func aptGet(args ...string) (string, error) {
	var complaints strings.Builder
	cmd := exec.Command("apt-get", args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C")
	cmd.Stdout, cmd.Stderr = os.Stdout, io.MultiWriter(os.Stderr, &complaints)
	err := cmd.Run()
	return complaints.String(), err
}

// unlocked runs apt-get again while another one holds its locks, as it does in the first minutes of a new machine.
func unlocked(within, pause time.Duration, aptGet func() (complaints string, err error)) error {
	for began := time.Now(); ; time.Sleep(pause) {
		complaints, err := aptGet()
		if err == nil || !strings.Contains(complaints, "Could not get lock") || time.Since(began) > within {
			return err
		}
		fmt.Println("Another apt-get is at work; waiting for it.")
	}
}

// lacking gives the packages that bring what is missing, and what that is as one error.
func lacking(needs []need) (packages []string, missing error) {
	var problems []error
	for _, n := range needs {
		if err := n.check(); err != nil {
			problems = append(problems, err)
			packages = append(packages, n.packages...)
		}
	}
	return packages, errors.Join(problems...)
}

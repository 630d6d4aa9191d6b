package pgtest

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// oldest is the first major version whose behaviour the service relies on.
const oldest = 15

const install = "apt-get install --no-install-recommends postgresql"

// Installed tells whether a PostgreSQL server that the tests can use is on this machine; the error says what to
// install.
func Installed() error {
	_, err := programs()
	return err
}

// programs gives the folder of the newest usable initdb and postgres: those on the PATH, or Debian's, which are not on
// it.
func programs() (string, error) {
	var folders []string
	if path, err := exec.LookPath("initdb"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			folders = append(folders, filepath.Dir(real))
		}
	}
	debian, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return "", err
	}
	folders = append(folders, debian...)

	best, newest, problems := "", 0, []error{}
	for _, folder := range slices.Compact(folders) {
		major, err := version(folder)
		switch {
		case err != nil:
			problems = append(problems, err)
		case major < oldest:
			problems = append(problems, fmt.Errorf("%s holds version %d", folder, major))
		case major > newest:
			best, newest = folder, major
		}
	}
	if best == "" {
		why := errors.Join(problems...)
		if why == nil {
			why = errors.New("initdb is neither on the PATH nor in /usr/lib/postgresql/*/bin")
		}
		return "", fmt.Errorf("the tests need a PostgreSQL server, version %d or newer; install it with: %s (%w)",
			oldest, install, why)
	}
	return best, nil
}

// version asks a folder's server for its major version: "postgres (PostgreSQL) 15.14 (Debian …)".
func version(folder string) (int, error) {
	for _, name := range []string{"initdb", "postgres"} {
		if _, err := exec.LookPath(filepath.Join(folder, name)); err != nil {
			return 0, err
		}
	}
	out, err := exec.Command(filepath.Join(folder, "postgres"), "--version").Output()
	if err != nil {
		return 0, err
	}
	return major(string(out))
}

// major reads the major version out of what a server says of itself; "16devel" and "17beta1" are 16 and 17.
func major(text string) (int, error) {
	_, after, _ := strings.Cut(text, ") ")
	end := strings.IndexFunc(after, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(after)
	}
	n, err := strconv.Atoi(after[:end])
	if err != nil {
		return 0, fmt.Errorf("no version in %q", text)
	}
	return n, nil
}

// Program is the path of a program that comes with the server, such as pg_dump.
func Program(t testing.TB, name string) string {
	t.Helper()
	folder, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, name)
}

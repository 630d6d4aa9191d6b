package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestEnvironmentIsReadAsSystemdDoes: what a file says that systemd reads for the service is the same for commands.
func TestEnvironmentIsReadAsSystemdDoes(t *testing.T) {
	for file, want := range map[string]string{
		"A=b":                              "A=b",
		"\n\n# no\n;no=1\nA=b\nC=d\n":      "A=b|C=d",
		"  A = b  \n\tC=\td\t":             "A=b|C=d",
		"A=":                               "A=",
		"A=b c  d ":                        "A=b c  d",
		"A=\"b c \"   ":                    "A=b c ",
		"A='b \\ $x \"c\" '\n":             "A=b \\ $x \"c\" ",
		`A="\"b\" \\ \$c \d` + "\"":        `A="b" \ $c \d`,
		`A=b\ \"c\\`:                       `A=b "c\`,
		"A=b\\\nc\nD=e":                    "A=bc|D=e",
		"A=\"b\\\nc\"":                     "A=bc",
		"A=\"b\nc\"\nD=e":                  "A=b\nc|D=e",
		"A=b\r\nC=\"d\"\r\n":               "A=b|C=d",
		"A=b # c":                          "A=b # c",
		"A=$(touch x) `y`":                 "A=$(touch x) `y`",
		"A=postgres://a:b=c@h/d?e=f&g=h#i": "A=postgres://a:b=c@h/d?e=f&g=h#i",
		"A='b''c'":                         "A=bc",
		"A=b\nA=c":                         "A=b|A=c",
		"A=b\\":                            "A=b",
		"":                                 "",
	} {
		all, err := parseEnvironment(file)
		var got []string
		for _, one := range all {
			got = append(got, one[0]+"="+one[1])
		}
		if err != nil || strings.Join(got, "|") != want {
			t.Errorf("%q: got %q, %v; want %q", file, got, err, want)
		}
	}
	for file, line := range map[string]int{
		"A=b\nC": 2, "A=b\n\nC D=e": 3, "A[1]=b": 1, "=b": 1, "A=\"b\nc\n\nd\"\nE": 5, "A=b\nC='d\nE=f\n": 2, "1A=b": 1,
		"export A=b": 1, "A=b\\\nc\nD": 3, "# b \\\nA=b": 1, "A=\x00": 1,
	} {
		if all, err := parseEnvironment(file); err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("wrong in line %d: ", line)) {
			t.Errorf("%q: got %q, %v; want line %d", file, all, err, line)
		}
	}
}

// TestCommandsTakeTheEnvironmentOfTheService runs commands that are told of the service's file.
func TestCommandsTakeTheEnvironmentOfTheService(t *testing.T) {
	p := newPlace(t)
	createAccount(t, p, "anna@example.com")
	path := filepath.Join(t.TempDir(), "env")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	variables := []string{envFile + "=" + path, "GROUNDWORK_DATA=/nowhere"}
	write("  GROUNDWORK_DATA = \"" + p[1] + "\"  \r\n")
	if r := with(t, variables, "account", "list"); r.exit != 0 || !strings.Contains(r.out, "anna@example.com") {
		t.Errorf("exit %d\n%s%s", r.exit, r.out, r.err)
	}
	write("GROUNDWORK_DATA=" + p[1] + "\nGROUNDWORK_SECRET='canary\n")
	for command, exit := range map[string]int{"account list": exitFailure, "mail bounce": exitAgain} {
		r := with(t, variables, strings.Fields(command)...)
		if r.exit != exit || r.out != "" || strings.Contains(r.err, "canary") ||
			!strings.Contains(r.err, "wrong in line 2: GROUNDWORK_SECRET has a quote that does not end") {
			t.Errorf("%s: exit %d\n%s%s", command, r.exit, r.out, r.err)
		}
	}
	// A file that is open already need not be one that can be opened.
	write("GROUNDWORK_DATA=" + p[1])
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "account", "list")
	cmd.Env, cmd.ExtraFiles = append(environment(t), envFile+"=/dev/fd/3"), []*os.File{f}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "anna@example.com") {
		t.Errorf("an open file: %v\n%s", err, out)
	}
	if r := with(t, []string{envFile + "=" + path + ".not"}, "account", "list"); r.exit != exitFailure ||
		!strings.Contains(r.err, "cannot be read") {
		t.Errorf("without the file: exit %d\n%s%s", r.exit, r.out, r.err)
	}
}

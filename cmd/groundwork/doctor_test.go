package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDoctor(t *testing.T) {
	places(t, func(t *testing.T, p place) {
		s := serve(t, p)
		for _, state := range []string{"running", "stopped"} {
			r := command(t, p, "", "doctor", "--verify")
			if r.exit != 0 || r.err != "" || strings.Count("\n"+r.out, "\nok  ") < 6 || strings.Contains(r.out, "BAD") {
				t.Errorf("%s: exit %d\n%s%s", state, r.exit, r.out, r.err)
			}
			for _, name := range []string{"configuration", "database", "clock", "disk"} {
				if !strings.Contains("\n"+r.out, "\nok  "+name) {
					t.Errorf("%s: no line about %s:\n%s", state, name, r.out)
				}
			}
			if state == "running" && s.stop(t) != 0 {
				t.Errorf("the server failed: %s", s.errs)
			}
		}
	})
}

func TestDoctorFindsWhatIsWrong(t *testing.T) {
	spoiled := newPlace(t)
	createAccount(t, spoiled, "anna@example.com")
	file := filepath.Join(spoiled.folder(), "groundwork.db")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := 2 * 8192; i < len(content); i++ {
		content[i] ^= 0x55
	}
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(file + "-wal"); err != nil {
		t.Fatal(err)
	}
	noFolder := place{"--data", file}
	for _, test := range []struct {
		name string
		p    place
		args []string
		bad  string
	}{
		{"no installation", newPlace(t), nil, "BAD database: there is no database"},
		{"a file for a folder", noFolder, nil, "BAD data folder"},
		{"a spoiled database", spoiled, nil, "BAD database"},
		{
			"a database server that is not there",
			append(newPlace(t), "--database-url", "postgres://anna:canary@127.0.0.1:1/none"), nil, "BAD database",
		},
		{"a mail server that is not there", append(newPlace(t), "--mail-url", "smtp://anna:canary@127.0.0.1:1",
			"--mail-from", "a@example.com"), nil, "BAD mail server: it does not take mail"},
		{
			"a mail server without a sender", append(newPlace(t), "--mail-url", "smtp://anna:canary@127.0.0.1:1"), nil,
			"BAD configuration: Mail needs a sender",
		},
		{
			"mail that cannot be signed", append(newPlace(t), "--mail-url", "smtp://anna:canary@127.0.0.1:1", "--mail-from",
				"a@example.com", "--mail-dkim-key", file), nil, "BAD configuration: Signing mail needs",
		},
		{"an open address", newPlace(t), []string{"--listen", "0.0.0.0:80"}, "BAD configuration: Keys must not travel"},
		{
			"no certificate", newPlace(t),
			[]string{"--tls-cert", "nowhere.pem", "--tls-key", "nowhere.key"},
			"BAD TLS files",
		},
		{"a bad URL", append(newPlace(t), "--blob-url", "x:y"), nil, "BAD configuration: The blob URL"},
	} {
		r := command(t, test.p, "", append([]string{"doctor"}, test.args...)...)
		if r.exit != exitFailure || !strings.Contains("\n"+r.out, "\n"+test.bad) ||
			strings.Contains(r.out+r.err, "canary") {
			t.Errorf("%s: exit %d, want a line with %q\n%s%s", test.name, r.exit, test.bad, r.out, r.err)
		}
		if _, sentence, _ := strings.Cut(test.bad, ": "); sentence != "" && strings.Count(r.out, sentence) != 1 {
			t.Errorf("%s: it is not said once\n%s", test.name, r.out)
		}
		for line := range strings.Lines(r.out) {
			if !strings.HasPrefix(line, "ok  ") && !strings.HasPrefix(line, "BAD ") && !strings.HasPrefix(line, "--  ") {
				t.Errorf("%s: a line is none of them: %q", test.name, line)
			}
		}
	}
}

// A store that the command line names is looked at, also where a running server answers for one of its own.
func TestDoctorLooksAtTheNamedStore(t *testing.T) {
	p := newPlace(t)
	serve(t, p)
	dead := append(p, "--blob-url", "s3://anna:canary@none/x?endpoint=http://127.0.0.1:1")
	r := command(t, dead, "", "doctor")
	if r.exit != exitFailure || !strings.Contains(r.out, "\nBAD file store that is named here") ||
		strings.Contains(r.out+r.err, "canary") {
		t.Errorf("a dead store: exit %d\n%s%s", r.exit, r.out, r.err)
	}
	if r := command(t, append(p, "--blob-url", "file:"+t.TempDir()), "", "doctor"); r.exit != 0 ||
		!strings.Contains(r.out, "\nok  file store that is named here") {
		t.Errorf("a good one: exit %d\n%s%s", r.exit, r.out, r.err)
	}
}

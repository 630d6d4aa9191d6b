package main

import (
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

const password = "velvet anchor on tuesday\n"

var (
	uidForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	keyForm = regexp.MustCompile(`^gwk_[0-9A-Za-z]{38}$`)
)

func createAccount(t *testing.T, p place, email string) string {
	t.Helper()
	uid := works(t, p, password, "account", "create", "--email", email, "--name", "Anna Maria Schmidt",
		"--password-stdin")
	if !uidForm.MatchString(uid) {
		t.Fatalf("account create printed %q", uid)
	}
	return uid
}

func createKey(t *testing.T, p place, email string, args ...string) string {
	t.Helper()
	key := works(t, p, "", append([]string{"key", "create", "--email", email}, args...)...)
	if !keyForm.MatchString(key) {
		t.Fatalf("key create printed %q", key)
	}
	return key
}

// TestCommands plays the same scene twice on each engine: once without a server, once while one runs.
func TestCommands(t *testing.T) {
	everywhere(t, func(t *testing.T, p place, _ *server) {
		createAccount(t, p, "Anna@example.com")
		fails(t, p, "exists already", password, "account", "create", "--email", "anna@EXAMPLE.com", "--name", "Anna",
			"--password-stdin")
		fails(t, p, "at least 12", "short\n", "account", "create", "--email", "b@example.com", "--name", "Bert",
			"--password-stdin")
		fails(t, p, "tried first", "password1234", "account", "create", "--email", "b@example.com", "--name", "Bert",
			"--password-stdin")
		fails(t, p, "one line", "velvet anchor\non tuesday\n", "account", "create", "--email", "b@example.com",
			"--name", "Bert", "--password-stdin")
		fails(t, p, "UTF-8", "velvet anchor \xff\n", "account", "create", "--email", "b@example.com", "--name", "Bert",
			"--password-stdin")
		fails(t, p, "one @", password, "account", "create", "--email", "bert", "--name", "Bert", "--password-stdin")
		fails(t, p, "A name is needed", password, "account", "create", "--email", "b@example.com", "--name", " ",
			"--password-stdin")
		fails(t, p, "no account", "", "key", "create", "--email", "b@example.com")
		fails(t, p, "TYPE/SECONDS=N", "", "key", "create", "--email", "anna@example.com", "--limit", "all")
		fails(t, p, "does not exist", "", "key", "revoke", "nonsense")

		first := createKey(t, p, "anna@example.com", "--name", "nightly sync")
		second := createKey(t, p, "ANNA@example.com", "--limit", "all/86400=1", "--limit", "write/60=5")
		table := works(t, p, "", "key", "list")
		lines := strings.Split(table, "\n")
		if len(lines) != 3 || !strings.HasPrefix(lines[0], "ID ") || !strings.Contains(lines[1], "nightly sync") ||
			!strings.Contains(lines[1], "default") ||
			!strings.Contains(lines[2], "all/86400=1 write/60=5") || strings.Contains(table, "gwk_") ||
			strings.Contains(table, "deactivated") {
			t.Errorf("key list printed\n%s", table)
		}
		id := strings.Fields(lines[1])[0]
		for _, given := range []string{id, second, second} {
			if said := works(t, p, "", "key", "revoke", given); !strings.HasSuffix(said, " is deactivated.") ||
				strings.Contains(said, "gwk_") {
				t.Errorf("key revoke printed %q", said)
			}
		}
		if table := works(t, p, "", "key", "list"); strings.Count(table, "deactivated") != 2 {
			t.Errorf("key list printed\n%s", table)
		}
		fails(t, p, "does not exist", "", "key", "revoke", first[:40]+"00")
	})
}

func TestKeyWorksAtOnceAndStopsWithinASecond(t *testing.T) {
	places(t, func(t *testing.T, p place) {
		s := serve(t, p)
		createAccount(t, p, "anna@example.com")
		key := createKey(t, p, "anna@example.com", "--limit", "all/1=1000")
		if status, body := s.get(t, key, "/rate_limits"); status != 200 || !strings.Contains(body, `"limit":1000`) {
			t.Errorf("got %d %s", status, body)
		}
		if status, body := s.get(t, "", "/rate_limits"); status != 401 {
			t.Errorf("without a key: %d %s", status, body)
		}
		works(t, p, "", "key", "revoke", key)
		if body := s.shuts(t, key); !strings.Contains(body, "deactivated") {
			t.Errorf("got %s", body)
		}
	})
}

// shuts waits until a key is refused, and gives what is said then.
func (s *server) shuts(t *testing.T, key string) (body string) {
	t.Helper()
	status, body := s.get(t, key, "/rate_limits")
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(5 * time.Second); status == 200 && time.Now().Before(end); <-tick.C {
		status, body = s.get(t, key, "/rate_limits")
	}
	if status != 403 {
		t.Errorf("got %d %s", status, body)
	}
	return body
}

func TestCommandsAtOnceWaitForEachOther(t *testing.T) {
	p := newPlace(t)
	createAccount(t, p, "anna@example.com")
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			if r := command(t, p, "", "key", "create", "--email", "anna@example.com"); r.exit != 0 {
				t.Errorf("exit %d: %s", r.exit, r.err)
			}
		})
	}
	work.Wait()
	if table := works(t, p, "", "key", "list"); strings.Count(table, "\n") != 4 {
		t.Errorf("key list printed\n%s", table)
	}
}

func TestCommandNeverRunsOnAnotherDatabase(t *testing.T) {
	p := newPlace(t)
	serve(t, p)
	other := append(p, "--database-url", "sqlite:"+p.folder()+"/other.db")
	fails(t, other, "uses the database", password, "account", "create", "--email", "a@example.com", "--name", "Anna",
		"--password-stdin")
	if _, err := os.Stat(p.folder() + "/other.db"); err == nil {
		t.Error("another database was made in a folder that a server owns")
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{
		{},
		{"nonsense"},
		{"serve", "--nonsense"},
		{"serve", "extra"},
		{"account"},
		{"account", "create", "--email", "a@b", "--password-stdin"},
		{"account", "create", "--name", "Anna", "--password-stdin"},
		{"key", "create"},
		{"key", "create", "--email", "a\xff@b"},
		{"key", "revoke"},
		{"app", "create", "--name", "x"},
		{"app", "create", "--redirect-uri", "https://x.example/"},
		{"app", "delete"},
		{"app", "list", "extra"},
		{"account", "list", "extra"},
		{"account", "disable"},
		{"account", "erase"},
		{"project"},
		{"project", "erase"},
		{"project", "hold", "uid"},
		{"project", "keep"},
		{"project", "release"},
		{"audit", "--last", "many"},
		{"account", "reset-password"},
		{"account", "reset-password", "a@b", "extra"},
		{"version", "--log-level", "loud"},
	} {
		p := newPlace(t)
		r := command(t, p, "", args...)
		if r.exit != exitUsage || r.out != "" || !strings.HasPrefix(r.err, "groundwork: ") ||
			!strings.Contains(r.err, "--help") {
			t.Errorf("%q: exit %d\n%s%s", args, r.exit, r.out, r.err)
		}
		if _, err := os.Stat(p.folder()); err == nil {
			t.Errorf("%q made a data folder", args)
		}
	}
	if r := command(t, newPlace(t), "", "--help"); r.exit != 0 || !strings.Contains(r.out, "key revoke") {
		t.Errorf("--help: exit %d\n%s%s", r.exit, r.out, r.err)
	}
}

func TestVersion(t *testing.T) {
	if said := works(t, newPlace(t), "",
		"version"); !regexp.MustCompile(`^groundwork \S+ \(commit \S+, go\S+ \w+/\w+\)$`).MatchString(said) {
		t.Errorf("version printed %q", said)
	}
}

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"groundwork/internal/await"
	"groundwork/internal/pgtest"
)

// The person who is erased in these tests.
const (
	trapAddress = "zephyrine.trapwell@example.com"
	trapName    = "Zephyrine Trapwell"
)

// traced tells whether an export of a project has something of the trap: archives are not compressed.
func traced(t *testing.T, p place, project string) bool {
	t.Helper()
	path := filepath.Join(t.TempDir(), "look.zip")
	works(t, p, "", "export", "--project", project, "--out", path)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(strings.ToLower(string(content)), "trapwell")
}

// without copies a place of backups that knows nothing of what was erased.
func without(t *testing.T, at string) string {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(at)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(copied, "erased")); err != nil {
		t.Fatal(err)
	}
	return copied
}

// What was erased is brought back neither by restoring an older backup, on either engine, nor by an older archive.
func TestForgetting(t *testing.T) {
	places(t, func(t *testing.T, p place) {
		folder := t.TempDir()
		at, archive := filepath.Join(folder, "place"), filepath.Join(folder, "old.zip")
		s := serve(t, p, "--backup-to", at, "--keep-deleted", "365d", "--keep-audit", "2y")
		createAccount(t, p, "anna@example.com")
		works(t, p, password, "account", "create", "--email", trapAddress, "--name", trapName, "--password-stdin")
		key := createKey(t, p, "anna@example.com", "--limit", "all/1=1000")
		hers := createKey(t, p, trapAddress, "--limit", "all/1=1000")
		tower, cellar := s.create(t, key, "/projects", `{"name":"Tower"}`), s.create(t, hers, "/projects", `{"name":"Cellar"}`)
		s.create(t, key, "/projects/"+tower+"/issues", `{"title":"Ask `+trapName+`"}`)
		s.create(t, key, "/projects/"+tower+"/users/invites",
			`{"email":"`+trapAddress+`","role_uid":"5e7a9c30-41d2-4c8b-8a67-d9f0b2e4c613"}`)
		if status, body := s.get(t, hers, "/projects/"+tower); status != 200 { // now the project knows her name
			t.Fatal(status, body)
		}
		works(t, p, "", "export", "--project", tower, "--out", archive)
		works(t, p, "", "backup", "--out", at)
		refusals(t, p, tower)

		if said := works(t, p, "", "account", "erase", trapAddress); !strings.Contains(said, "Nothing was changed") ||
			!strings.Contains(said, "row of accounts") || !traced(t, p, tower) {
			t.Errorf("without --yes: %s", said)
		}
		proof := works(t, p, "", "account", "erase", trapAddress, "--also", "the Zephyrtrap", "--yes")
		if !strings.Contains(proof, "found nothing") || !strings.Contains(proof, "1 further text") ||
			!strings.Contains(proof, "Replaced: 1 row of accounts") || strings.Contains(strings.ToLower(proof), "trapwell") {
			t.Errorf("the proof is %s", proof)
		}
		if traced(t, p, tower) {
			t.Error("an export has something of who was erased")
		}
		if said := works(t, p, "", "project", "erase", cellar, "--after", "0h"); !strings.Contains(said, "is erased") {
			t.Errorf("project erase printed %s", said)
		}
		erased := works(t, p, "", "erased")
		if strings.Count(erased, "\n") != 1 || !strings.Contains(erased, cellar) || strings.Contains(erased, "trapwell") {
			t.Errorf("erased printed %s", erased)
		}
		// The place is told at once, not with the next backup.
		await.Until(t, time.Minute, func() string {
			if listed := works(t, newPlace(t), "", "backup", "list", at); !strings.HasSuffix(strings.TrimSpace(listed), "2") {
				return "list printed " + listed
			}
			return ""
		})
		if s.stop(t) != 0 {
			t.Errorf("the server failed: %s", s.errs)
		}
		if said := works(t, newPlace(t), "", "backup", "verify", at); !strings.Contains(said, "Since then the project "+cellar+" was erased") ||
			!strings.Contains(said, "Since then the person") {
			t.Errorf("verify printed %s", said)
		}
		restored(t, p, at, erased, tower, cellar)
		imported(t, p, archive, tower)
	})
}

// refusals are what is said of what cannot be meant.
func refusals(t *testing.T, p place, tower string) {
	t.Helper()
	for _, wrong := range []struct {
		says string
		args []string
	}{
		{"There is no account", []string{"account", "erase", "nobody@example.com", "--yes"}},
		{"too short or too long", []string{"account", "erase", trapAddress, "--also", "Z."}},
		{"does not exist", []string{"project", "erase", "nothing"}},
		{"--after: \"soon\" is no length of time", []string{"project", "erase", tower, "--after", "soon"}},
		{"no length of time", []string{"project", "erase", tower, "--after=-1d"}},
		{"does not exist", []string{"project", "hold", "nothing", "--why", "x"}},
		{"A hold has a reason", []string{"project", "hold", tower, "--why", " "}},
		{"is not held", []string{"project", "release", tower}},
		{"is not to be erased", []string{"project", "keep", tower}},
		{"--last is a number", []string{"audit", "--last", "0"}},
	} {
		fails(t, p, wrong.says, "", wrong.args...)
	}
	works(t, p, "", "project", "hold", tower, "--why", "a law suit")
	fails(t, p, "is held: a law suit", "", "project", "erase", tower)
	fails(t, p, tower, "", "account", "erase", trapAddress, "--yes")
	line := regexp.MustCompile(tower + `  Tower +2 +20\d\d-\S+ +open  +since .*: a law suit\n`)
	if said := works(t, p, "", "project", "list"); !line.MatchString(said) {
		t.Errorf("project list printed %s", said)
	}
	works(t, p, "", "project", "release", tower)
	works(t, p, "", "project", "erase", tower)
	if said := works(t, p, "", "project", "list"); !strings.Contains(said, "closed, to be erased on") {
		t.Errorf("project list printed %s", said)
	}
	works(t, p, "", "project", "keep", tower)
	if said := works(t, p, "", "audit"); !strings.Contains(said, "a law suit") || strings.Count(said, "\n") != 4 {
		t.Errorf("audit printed %s", said)
	}
	fails(t, newPlace(t), "--keep-deleted must be a day", "", "serve", "--keep-deleted", "3h")
	fails(t, newPlace(t), "--keep-audit: \"old\" is no length", "", "serve", "--keep-audit", "old")
}

// restored restores the old backup, on the other engine: with what the place knows, with what the operator kept, and
// with neither, which shows that the others are what erases.
func restored(t *testing.T, p place, at, erased, tower, cellar string) {
	t.Helper()
	other := func() place {
		place := newPlace(t)
		if len(p) == 2 {
			return append(place, "--database-url", pgtest.Database(t))
		}
		return place
	}
	list := filepath.Join(t.TempDir(), "erased.jsonl")
	if err := os.WriteFile(list, []byte(erased+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from string
		more []string
		back bool
	}{
		{at, nil, false},
		{without(t, at), []string{"--erased", list}, false},
		{without(t, at), nil, true},
	} {
		into := other()
		said := works(t, into, "", append([]string{"restore", c.from}, c.more...)...)
		if again := strings.Contains(said, cellar+", which was erased on"); again == c.back ||
			strings.Contains(said, "account erase") == c.back {
			t.Errorf("restore %v printed %s", c.more, said)
		}
		accounts := works(t, into, "", "account", "list")
		if strings.Contains(accounts, "trapwell") != c.back || traced(t, into, tower) != c.back {
			t.Errorf("with %v there are %s", c.more, accounts)
		}
		if projects := works(t, into, "", "project", "list"); strings.Contains(projects, cellar) != c.back {
			t.Errorf("with %v there are %s", c.more, projects)
		}
		if r := command(t, into, "", "doctor", "--verify", "--files"); r.exit != 0 {
			t.Errorf("doctor of what was restored: %s%s", r.out, r.err)
		}
	}
	fails(t, newPlace(t), "Line 1 of the list", "", "restore", at, "--erased", writeFile(t, "Zephyrine"))
	fails(t, newPlace(t), "cannot be read", "", "restore", at, "--erased", filepath.Join(t.TempDir(), "none"))
}

// imported imports an archive from before the erasures.
func imported(t *testing.T, p place, archive, tower string) {
	t.Helper()
	works(t, p, "", "project", "erase", tower, "--after", "0d")
	fails(t, p, "was erased here, on", "", "import", archive)
	said := works(t, p, "", "import", "--although-erased", archive)
	if !strings.Contains(said, "Imported the project \"Tower\", "+tower) || !strings.Contains(said, "was erased here, and stays so") {
		t.Errorf("import printed %s", said)
	}
	if traced(t, p, tower) || strings.Contains(works(t, p, "", "account", "list"), "trapwell") {
		t.Error("the archive brought back who was erased")
	}
	if said := works(t, p, "", "audit"); !strings.Contains(said, "imported again") {
		t.Errorf("audit printed %s", said)
	}
	if r := command(t, p, "", "doctor", "--verify", "--files"); r.exit != 0 {
		t.Errorf("doctor of what was imported: %s%s", r.out, r.err)
	}
}

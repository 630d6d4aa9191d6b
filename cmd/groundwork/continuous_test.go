package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"groundwork/internal/await"
	"groundwork/internal/pgtest"
)

// shipped waits until every change is at the place of the backups, and what is there was restored and compared.
func (s *server) shipped(t *testing.T) {
	t.Helper()
	now := float64(time.Now().UnixMilli()) / 1000
	gauge := func(body, name string) float64 {
		found := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindStringSubmatch(body)
		if found == nil {
			return 0
		}
		value, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	await.Until(t, 2*time.Minute, func() string {
		_, body := s.get(t, "", "/metrics")
		if gauge(body, "groundwork_backup_shipped_seconds") > now && gauge(body, "groundwork_backup_compared_seconds") > 0 {
			return ""
		}
		return "not everything was shipped and compared"
	})
}

// Every change is at the place within a moment. When the disk is lost, any moment comes back, on either engine.
func TestContinuousBackup(t *testing.T) {
	at := filepath.Join(t.TempDir(), "place")
	fails(t, append(newPlace(t), "--database-url", pgtest.Database(t)), "PostgreSQL ships its log itself", "",
		"serve", "--backup-to", at, "--backup-continuous")
	fails(t, newPlace(t), "--backup-to PLACE", "", "serve", "--backup-continuous")
	p := newPlace(t)
	s := serve(t, p, "--backup-to", at, "--backup-continuous")
	createAccount(t, p, "anna@example.com")
	key := createKey(t, p, "anna@example.com", "--limit", "all/1=1000")
	project := s.create(t, key, "/projects", `{"name":"Tower"}`)
	s.create(t, key, "/projects/"+project+"/issues", `{"title":"first"}`)
	s.shipped(t)
	between := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	s.create(t, key, "/projects/"+project+"/issues", `{"title":"second"}`)
	s.shipped(t)
	if r := command(t, p, "", "doctor"); r.exit != 0 || !strings.Contains(r.out, "ok  continuous backup (everything up to 20") {
		t.Errorf("doctor says %s%s", r.out, r.err)
	}
	if err := s.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.Wait()
	if err := os.RemoveAll(p.folder()); err != nil {
		t.Fatal(err)
	}
	if said := works(t, newPlace(t), "", "backup", "list", at); !strings.Contains(said, "Any moment of these can be restored, too:\nFROM") {
		t.Errorf("list printed %s", said)
	}
	if said := works(t, newPlace(t), "", "backup", "verify", at); !strings.Contains(said, "What was shipped up to 20") ||
		strings.Count(said, "is whole") != 2 {
		t.Errorf("verify printed %s", said)
	}
	for _, test := range []struct {
		to     place
		args   []string
		second bool
	}{
		{newPlace(t), []string{"restore", at}, true},
		{append(newPlace(t), "--database-url", pgtest.Database(t)), []string{"restore", at, "--at", between}, false},
	} {
		if said := works(t, test.to, "", test.args...); !strings.HasPrefix(said, "Restored what was shipped up to 20") {
			t.Errorf("restore printed %s", said)
		}
		if r := command(t, test.to, "", "doctor", "--verify", "--files"); r.exit != 0 {
			t.Errorf("doctor of what was restored: %s%s", r.out, r.err)
		}
		_, body := serve(t, test.to).get(t, key, "/projects/"+project+"/issues")
		if !strings.Contains(body, "first") || strings.Contains(body, "second") != test.second {
			t.Errorf("issues %s", body)
		}
		left, _ := filepath.Glob(filepath.Join(test.to.folder(), "restore-*"))
		if len(left) > 0 {
			t.Errorf("left %v", left)
		}
	}
}

// A stop sends what is left: nothing is missing, and the next start goes on with a new stretch.
func TestContinuousBackupThatStops(t *testing.T) {
	at, p := filepath.Join(t.TempDir(), "place"), newPlace(t)
	for n := range 2 {
		s := serve(t, p, "--backup-to", at, "--backup-continuous")
		if n == 0 {
			createAccount(t, p, "anna@example.com")
		}
		s.shipped(t)
		createAccount(t, p, "anna"+strconv.Itoa(n)+"@example.com")
		if s.stop(t) != 0 {
			t.Errorf("the server failed: %s", s.errs)
		}
		other := newPlace(t)
		if r := command(t, other, "", "restore", at); r.exit != 0 {
			t.Fatalf("%s%s", r.out, r.err)
		}
		if said := works(t, other, "", "account", "list"); !strings.Contains(said, "anna"+strconv.Itoa(n)+"@") {
			t.Errorf("accounts %s", said)
		}
	}
	if said := works(t, newPlace(t), "", "backup", "list", at); strings.Count(said, "yes") != 2 {
		t.Errorf("list printed %s", said)
	}
}

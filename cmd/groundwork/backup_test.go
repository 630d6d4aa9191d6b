package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"groundwork/internal/await"
	"groundwork/internal/pgtest"
)

// cursor gives how far the change log of a project is for a caller; "" and the answer when it is refused.
func (s *server) cursor(t *testing.T, key, project, after string) (next, refused string) {
	t.Helper()
	status, body := s.get(t, key, "/projects/"+project+"/changes?limit=1000&after="+after)
	if status != 200 {
		return "", fmt.Sprint(status, " ", body)
	}
	var page struct {
		NextAfter int64 `json:"next_after"`
	}
	if err := json.Unmarshal([]byte(body), &page); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(page.NextAfter), ""
}

// A backup is made of a running server and restored on the other engine, with which everything goes on; whoever has
// seen what came after the backup is told to begin again, for ever.
func TestBackupAndRestore(t *testing.T) {
	places(t, func(t *testing.T, p place) {
		at := filepath.Join(t.TempDir(), "place")
		if len(p) == 2 { // a database server says itself what is wrong
			fails(t, p, "There is nothing to back up", "", "backup", "--out", at)
		}
		s := serve(t, p)
		createAccount(t, p, "anna@example.com")
		key := createKey(t, p, "anna@example.com", "--limit", "all/1=1000")
		project := s.create(t, key, "/projects", `{"name":"Tower"}`)
		s.create(t, key, "/projects/"+project+"/issues", `{"title":"before the backup"}`)
		known, _ := s.cursor(t, key, project, "0")
		said := works(t, p, "", "backup", "--out", at, "--keep", "7d,4w")
		if !strings.HasPrefix(said, "Backup of 20") || !strings.Contains(said, "0 backups and 0 parts that none needs were removed") {
			t.Errorf("backup printed %s", said)
		}
		for n := range 5 {
			s.create(t, key, "/projects/"+project+"/issues", fmt.Sprintf(`{"title":"lost %d"}`, n))
		}
		lost, _ := s.cursor(t, key, project, known)
		if s.stop(t) != 0 {
			t.Errorf("the server failed: %s", s.errs)
		}
		if listed := works(t, newPlace(t), "", "backup", "list", at); strings.Count(listed, "\n") != 1 {
			t.Errorf("list printed %s", listed)
		}
		if said := works(t, newPlace(t), "", "backup", "verify", at); !strings.Contains(said, "is whole") {
			t.Errorf("verify printed %s", said)
		}
		other := newPlace(t)
		if len(p) == 2 { // the other engine
			other = append(other, "--database-url", pgtest.Database(t))
		}
		if said := works(t, other, "", "restore", at); !strings.Contains(said, "all verified") {
			t.Errorf("restore printed %s", said)
		}
		fails(t, other, "not empty", "", "restore", at)
		if r := command(t, other, "", "doctor", "--verify", "--files"); r.exit != 0 {
			t.Errorf("doctor of what was restored: %s%s", r.out, r.err)
		}
		again := serve(t, other)
		if _, refused := again.cursor(t, key, project, lost); !strings.Contains(refused, "400") ||
			!strings.Contains(refused, "Begin again with 0") {
			t.Errorf("a number of what was taken back: %s", refused)
		}
		next, refused := again.cursor(t, key, project, known)
		if refused != "" || next == lost {
			t.Errorf("a number that the backup has: %s", refused)
		}
		for n := range 10 {
			again.create(t, key, "/projects/"+project+"/issues", fmt.Sprintf(`{"title":"after %d"}`, n))
		}
		if _, refused := again.cursor(t, key, project, lost); !strings.Contains(refused, "400") {
			t.Errorf("later it is taken again: %s", refused)
		}
		if _, refused := again.cursor(t, key, project, next); refused != "" {
			t.Errorf("a number from after the restore: %s", refused)
		}
		if _, body := again.get(t, key, "/projects/"+project+"/issues"); strings.Contains(body, "lost") ||
			!strings.Contains(body, "before the backup") || !strings.Contains(body, `"number":11`) {
			t.Errorf("issues %s", body)
		}
		await.Until(t, time.Minute, func() string { // words are indexed again
			if _, body := again.get(t, key, "/projects/"+project+"/issues?query=before"); strings.Contains(body, "before the backup") {
				return ""
			} else {
				return body
			}
		})
		if r := command(t, other, "", "doctor", "--verify", "--files"); r.exit != 0 {
			t.Errorf("doctor later: %s%s", r.out, r.err)
		}
	})
}

// A server makes backups of itself, restores and compares each, and says so.
func TestBackupsOnASchedule(t *testing.T) {
	places(t, func(t *testing.T, p place) {
		at := filepath.Join(t.TempDir(), "place")
		secret := filepath.Join(t.TempDir(), "passphrase")
		if err := os.WriteFile(secret, []byte("correct horse\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		fails(t, p, "every minute at most", "", "serve", "--backup-to", at, "--backup-every", "1s")
		fails(t, p, "7d,4w,12m", "", "serve", "--backup-to", at, "--backup-keep", "often")
		s := serve(t, p, "--backup-to", at, "--backup-keep", "7d", "--backup-passphrase-file", secret)
		checked := regexp.MustCompile(`(?m)^groundwork_backup_checked_seconds [1-9]`)
		await.Until(t, 2*time.Minute, func() string {
			if _, body := s.get(t, "", "/metrics"); checked.MatchString(body) {
				return ""
			}
			return "no backup was restored and compared"
		})
		if r := command(t, p, "", "doctor"); r.exit != 0 || !strings.Contains(r.out, "ok  backups (the last of 20") {
			t.Errorf("doctor says %s%s", r.out, r.err)
		}
		if r := with(t, []string{"GROUNDWORK_BACKUP_TO=" + at}, append([]string{"doctor"}, p...)...); !strings.Contains(r.out,
			"ok  place of the backups") {
			t.Errorf("doctor says %s%s", r.out, r.err)
		}
		if said := works(t, newPlace(t), "", "backup", "verify", at, "--passphrase-file", secret); !strings.Contains(said, "is whole") {
			t.Errorf("verify printed %s", said)
		}
		fails(t, newPlace(t), "The backup is encrypted: give --passphrase-file", "", "restore", at)
		if left, _ := filepath.Glob(filepath.Join(p.folder(), "backup-*")); len(left) > 0 {
			t.Errorf("left %v", left)
		}
	})
}

// Killed in the middle, again and again, a backup is made in the end, and what was killed counts for nothing.
func TestBackupsThatAreKilled(t *testing.T) {
	p := newPlace(t)
	s := serve(t, p, "--demo")
	s.readAll(t)
	if s.stop(t) != 0 {
		t.Errorf("the server failed: %s", s.errs)
	}
	at := filepath.Join(t.TempDir(), "place")
	killed := 0
	for n := range 8 {
		cmd := exec.Command(program, append([]string{"backup", "--out", at}, p...)...)
		cmd.Env = environment(t)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		parts := filepath.Join(at, "parts", "*", "*")
		await.True(t, time.Minute, "parts", func() bool {
			all, _ := filepath.Glob(parts)
			return len(all) > 2*n || len(ended) > 0
		})
		_ = cmd.Process.Kill()
		if <-ended != nil {
			killed++
		}
	}
	t.Logf("%d of 8 were killed", killed)
	works(t, p, "", "backup", "--out", at)
	if said := works(t, newPlace(t), "", "backup", "verify", at); !strings.Contains(said, "is whole") {
		t.Errorf("verify printed %s", said)
	}
	other := newPlace(t)
	works(t, other, "", "restore", at)
	if r := command(t, other, "", "doctor", "--verify", "--files"); r.exit != 0 {
		t.Errorf("doctor says %s%s", r.out, r.err)
	}
	if killed == 0 {
		t.Error("none was killed")
	}
}

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var printedKey = regexp.MustCompile(`gwk_[0-9A-Za-z]{38}`)

// totals are the numbers of records that the key sees: projects, and members, lists and issues of the first one.
func totals(t *testing.T, s *server, key string) string {
	t.Helper()
	count := regexp.MustCompile(`"total_count":(\d+),"next_page_url"`)
	_, projects := s.get(t, key, "/projects")
	uid := regexp.MustCompile(`[0-9a-f-]{36}`).FindString(projects)
	all := count.FindStringSubmatch(projects)[1]
	for _, list := range []string{"users", "issue_lists", "issues"} {
		status, body := s.get(t, key, "/projects/"+uid+"/"+list)
		if status != 200 {
			t.Fatalf("%s: %d %s", list, status, body)
		}
		all += " " + count.FindStringSubmatch(body)[1]
	}
	return all
}

func TestDemo(t *testing.T) {
	places(t, func(t *testing.T, p place) {
		first := serve(t, p, "--demo")
		first.readAll(t)
		first.readTo(t, "120 issues\n")
		line := regexp.MustCompile(`curl .*`).FindString(first.said)
		if out, err := exec.CommandContext(t.Context(), "sh", "-c", line).Output(); err != nil ||
			!strings.Contains(string(out), `"name":"Mill Creek Elementary School"`) {
			t.Errorf("%q printed %s, %v", line, out, err)
		}
		key := printedKey.FindString(first.said)
		if got := totals(t, first, key); got != "1 5 6 120" {
			t.Errorf("the demo has %s records", got)
		}
		kept := filepath.Join(p.folder(), "demo.key")
		if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("demo.key: %v, %v", info, err)
		}
		if exit := first.stop(t); exit != 0 {
			t.Errorf("exit %d\n%s", exit, first.errs)
		}

		again := serve(t, p, "--demo")
		again.readAll(t)
		if got := printedKey.FindString(again.said); got != key {
			t.Errorf("the second start printed the key %s, the first %s", got, key)
		}
		if got := totals(t, again, key); got != "1 5 6 120" {
			t.Errorf("after a second start the demo has %s records", got)
		}
		works(t, p, "", "key", "revoke", key)
		if exit := again.stop(t); exit != 0 {
			t.Errorf("exit %d\n%s", exit, again.errs)
		}

		third := serve(t, p, "--demo")
		third.readAll(t)
		fresh := printedKey.FindString(third.said)
		if got := totals(t, third, fresh); fresh == key || got != "1 5 6 120" {
			t.Errorf("after the key was deactivated: key %s, %s records", fresh, got)
		}
		if strings.Contains(first.errs.String()+again.errs.String(), "gwk_") {
			t.Error("a key shows in the log")
		}
	})
}

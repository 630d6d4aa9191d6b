package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"groundwork/internal/pgtest"
)

// TestOtherStoreIsRefused starts servers on one database that were told of different file stores.
func TestOtherStoreIsRefused(t *testing.T) {
	places(t, func(t *testing.T, p place) {
		old, lost, moved := filepath.Join(t.TempDir(), "old"), filepath.Join(t.TempDir(), "lost"), filepath.Join(t.TempDir(), "moved")
		at := func(folder string) place { return append(p[:len(p):len(p)], "--blob-url", "file:"+folder) }
		refused := func(folder string) {
			t.Helper()
			fails(t, at(folder), "The file store of this server is not the one", "", "serve", "--listen", "127.0.0.1:0")
		}
		again := func(folder string) {
			t.Helper()
			s := serve(t, at(folder))
			if status, _ := s.get(t, "", "/readyz"); status != 200 || s.stop(t) != 0 {
				t.Errorf("the server failed: %d %s", status, s.errs)
			}
		}
		again(old)
		again(old)
		refused(lost)
		fails(t, at(lost), "The file store of this server is not the one", "", "backup", "--out", t.TempDir())
		if r := command(t, at(lost), "", "doctor"); r.exit != exitFailure ||
			!strings.Contains(r.out, "\nBAD files are the installation's own: The file store of this server is not the one") {
			t.Errorf("doctor: exit %d\n%s%s", r.exit, r.out, r.err)
		}
		works(t, at(lost), "", "account", "list") // which needs no files

		// What is moved as a whole is the same store.
		if out, err := exec.Command("cp", "-r", old, moved).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		again(moved)

		// What is lost, and made anew on purpose.
		if r := command(t, at(lost), "", "doctor", "--accept-store", "--files"); r.exit != 0 {
			t.Errorf("accepting: exit %d\n%s%s", r.exit, r.out, r.err)
		}
		again(lost)
		refused(old)
	})
}

// TestOtherSecretIsRefused starts servers on one database with different secrets.
func TestOtherSecretIsRefused(t *testing.T) {
	p := append(newPlace(t), "--database-url", pgtest.Database(t))
	with := func(secret string) place {
		file := filepath.Join(t.TempDir(), "settings.toml")
		if err := os.WriteFile(file, []byte(`secret = "`+strings.Repeat(secret, 40)+`"`), 0o600); err != nil {
			t.Fatal(err)
		}
		return append(p[:len(p):len(p)], "--config", file)
	}
	one := serve(t, with("a"))
	for _, other := range []place{with("b"), p} {
		fails(t, other, "The secret of this server, GROUNDWORK_SECRET, is not the one", "", "serve", "--listen", "127.0.0.1:0")
	}
	serve(t, with("a"))
	if one.stop(t) != 0 {
		t.Errorf("the server failed: %s", one.errs)
	}
	if r := command(t, with("b"), "", "doctor", "--accept-secret"); r.exit != 0 {
		t.Errorf("accepting: exit %d\n%s%s", r.exit, r.out, r.err)
	}
	serve(t, with("b"))
}

package app

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/caddyserver/certmagic"

	"groundwork/internal/certificate"
	"groundwork/internal/web"
)

// TestCertificatesThatAreLacking: a domain without a certificate, or with one that cannot be read, hides neither the
// end of the others nor itself.
func TestCertificatesThatAreLacking(t *testing.T) {
	const good, none, broken = "a.example.com", "b.example.com", "c.example.com"
	for _, domains := range [][]string{{good, none, broken}, {broken, none, good}, {none, good, broken}, {good}} {
		folder := filepath.Join(t.TempDir(), "tls")
		s, err := certificate.Settings{Domains: domains, Agreed: true, Folder: folder, HTTP: "off"}.Settled(folder)
		if err != nil {
			t.Fatal(err)
		}
		at := func(domain string) string {
			key := (&certmagic.ACMEIssuer{CA: s.Directory}).IssuerKey()
			path := filepath.Join(folder, filepath.FromSlash(certmagic.StorageKeys.SiteCert(key, domain)))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			return path
		}
		writePair(t, at(good), at(good)+".key", good)
		if err := os.WriteFile(at(broken), []byte("nothing"), 0o600); err != nil {
			t.Fatal(err)
		}
		k, err := certificate.Open(t.Context(), s, "127.0.0.1:0", "off", discard())
		if err != nil {
			t.Fatal(err)
		}
		defer k.Close()
		now, ends := time.Now(), firstEnd(k)
		if left := ends.Sub(now); left < 0 || left > 366*24*time.Hour {
			t.Errorf("%v: the first ends on %v", domains, ends)
		}
		var a App
		a.keeper.Store(k)
		if n := a.certificatesFailing(); n != len(domains)-1 {
			t.Errorf("%v: %d fail", domains, n)
		}
		var levels []web.Level
		for i, line := range a.seenCertificate(now).Lines {
			if levels = append(levels, line.Level); line.Name != domains[i] {
				t.Errorf("%v: line %d is of %s", domains, i, line.Name)
			}
		}
		want := map[string]web.Level{good: web.Well, none: web.Bad, broken: web.Bad}
		if !slices.EqualFunc(domains, levels, func(d string, l web.Level) bool { return want[d] == l }) {
			t.Errorf("%v: the page judges %v", domains, levels)
		}
	}
}

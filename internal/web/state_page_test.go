package web_test

import (
	"strings"
	"testing"

	"groundwork/internal/apitest"
)

// TestOperatorSeesTheState asks for the page as an operator, as somebody else, and as nobody.
func TestOperatorSeesTheState(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		server := apitest.Start(t, engine)
		operator(t, server)
		ada := server.Account("ada", "Ada Lovelace")
		if got := signedIn(t, server, ada.Email).get("/operator/state"); got.Status != 403 {
			t.Errorf("somebody who is no operator: %d", got.Status)
		}
		if got := (&reader{t: t, server: server}).get("/operator/state"); got.Status != 303 {
			t.Errorf("nobody: %d", got.Status)
		}
		grace := signedIn(t, server, "grace@example.com")
		got := grace.get("/operator/state")
		page := string(got.Body)
		for _, want := range []string{
			"Health", "Load", "Background work", "Storage", "Backups", "Mail", "Certificate", "Versions",
			"No server makes any.", "groundwork serve --backup-to PLACE", "--mail-url", "Event streams", "Schema",
		} {
			if !strings.Contains(page, want) {
				t.Errorf("no %q in %s", want, page)
			}
		}
		if got.Status != 200 || got.Header.Get("Refresh") != "" || strings.Contains(page, "<script") {
			t.Errorf("%d %v", got.Status, got.Header)
		}
		if got := grace.get("/operator/state?every=30"); got.Header.Get("Refresh") != "30" {
			t.Errorf("anew: %v", got.Header)
		}
		if got := grace.get("/operator/state?every=0"); got.Header.Get("Refresh") != "" {
			t.Errorf("too often: %v", got.Header)
		}
	})
}

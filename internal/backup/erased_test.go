package backup_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"filippo.io/age"

	"groundwork/internal/backup"
	"groundwork/internal/redact"
)

// What was erased is told to who has the key, and that something was to everybody; what anybody may have written is not
// believed.
func TestErasedAtAPlace(t *testing.T) {
	identity := must(age.GenerateX25519Identity())(t)
	other := must(age.GenerateX25519Identity())(t)
	opens := func(i *age.X25519Identity) backup.Secret { return backup.Secret{Identity: redact.Secret(i.String())} }
	for name, c := range map[string]struct{ seals, opens, not backup.Secret }{
		"plain":      {backup.Secret{}, backup.Secret{}, backup.Secret{Passphrase: "seventeen purple anvils"}},
		"passphrase": {backup.Secret{Passphrase: "a"}, backup.Secret{Passphrase: "a"}, backup.Secret{}},
		"recipient":  {backup.Secret{Recipient: identity.Recipient().String()}, opens(identity), opens(other)},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			place := must(backup.Open(t.Context(), folder, true, nil))(t)
			first := backup.Erased{What: "person", UID: "u1", At: moments, By: "a test", Further: 1}
			later := first
			later.At, later.Further = moments.Add(time.Hour), 3
			all := []backup.Erased{first, {What: "project", UID: "p1", At: moments.Add(time.Minute), By: "a test"}}
			for range 2 { // the second time there is nothing new
				if err := place.NoteErased(t.Context(), all, c.seals); err != nil {
					t.Fatal(err)
				}
			}
			if err := place.NoteErased(t.Context(), []backup.Erased{later}, c.seals); err != nil {
				t.Fatal(err)
			}
			files := must(filepath.Glob(filepath.Join(folder, "erased", "*", "*")))(t)
			if len(files) == 0 {
				files = must(filepath.Glob(filepath.Join(folder, "erased", "*")))(t)
			}
			if len(files) != 3 {
				t.Errorf("the place has %v", files)
			}
			since := must(place.ErasedSince(t.Context()))(t)
			if since(moments.Add(-time.Second)) != 3 || since(moments) != 2 || since(moments.Add(time.Hour)) != 0 {
				t.Error("how much was erased since is told wrongly")
			}
			got, unread, err := place.Erased(t.Context(), c.opens)
			if err != nil || unread != 0 || len(got) != 2 || got[0] != all[1] || got[1] != later {
				t.Errorf("%+v, %d, %v", got, unread, err)
			}
			if got, unread, err := place.Erased(t.Context(), c.not); err != nil || unread != 3 || len(got) != 0 {
				t.Errorf("with another secret: %+v, %d, %v", got, unread, err)
			}
			if err := os.WriteFile(files[0], []byte("{}\nnothing"), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, unread, err := place.Erased(t.Context(), c.opens); err != nil || unread != 1 {
				t.Errorf("with a damaged line: %d, %v", unread, err)
			}
		})
	}
}

package auth

import (
	"strings"
	"testing"
	"time"

	"groundwork/internal/credential"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// What was begun with a credential stands as long as the credential does.
func TestRevalidate(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		who := r.account(t, "ada@example.com")
		key := r.key(t, who.Email)
		byKey, err := r.Key(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		secret, err := r.beginNow(t.Context(), who.UID, Visit{})
		if err != nil {
			t.Fatal(err)
		}
		bySession, err := r.Session(t.Context(), secret)
		if err != nil {
			t.Fatal(err)
		}
		write := func(sql string, args ...any) {
			t.Helper()
			if err := r.store.Write(t.Context(), func(tx *store.Tx) error {
				return tx.Exec(sql, args...)
			}); err != nil {
				t.Fatal(err)
			}
		}
		write(`INSERT INTO grants (uid, application, account, scopes, code_expires_at, created_at)
VALUES ('g', 'p', $1, '', 0, 0)`, who.UID)
		for _, c := range []struct {
			origin string
			revoke func()
		}{
			{byKey.Origin, func() {
				if _, err := r.RevokeKey(t.Context(), key); err != nil {
					t.Fatal(err)
				}
			}},
			{"grants/g", func() { write(`UPDATE grants SET revoked_at = 1 WHERE uid = 'g'`) }},
			{bySession.Origin, func() { r.clock.Add(SessionLife.Microseconds()) }},
		} {
			if got, err := r.Revalidate(t.Context(), c.origin); err != nil || got.UID != who.UID {
				t.Errorf("%s: %v %v", c.origin, got, err)
			}
			c.revoke()
			_, err := r.Revalidate(t.Context(), c.origin)
			refused(t, err, fault.Forbidden, "no longer good")
		}
		for _, origin := range []string{"", "keys", "keys/x", "accounts/" + who.UID, byKey.Origin + "' OR '1'='1"} {
			_, err := r.Revalidate(t.Context(), origin)
			refused(t, err, fault.Forbidden, "no longer good")
		}
		other := r.account(t, "bob@example.com")
		c, err := r.Key(t.Context(), r.key(t, other.Email))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.DisableAccount(t.Context(), other.UID, true); err != nil {
			t.Fatal(err)
		}
		_, err = r.Revalidate(t.Context(), c.Origin)
		refused(t, err, fault.Forbidden, "no longer good")
	})
}

// A mark opens what it was made for, until when it was made for, and nothing else.
func TestSeal(t *testing.T) {
	r := open(t, "sqlite:"+t.TempDir()+"/test.db")
	until := time.Unix(1_800_000_000, 0)
	mark := string(r.Seal("project", until).Append(nil, []byte("thing")))
	if len(mark) != 22 || strings.Trim(mark, credential.Base62+"-_") != "" {
		t.Errorf("the mark %q needs escapes", mark)
	}
	if !r.Seal("project", until).Opens("thing", mark) {
		t.Error("it does not open what it was made for")
	}
	for what, opens := range map[string]bool{
		"another thing":   r.Seal("project", until).Opens("thinh", mark),
		"another project": r.Seal("projekt", until).Opens("thing", mark),
		"another end":     r.Seal("project", until.Add(time.Second)).Opens("thing", mark),
		"a shorter mark":  r.Seal("project", until).Opens("thing", mark[:21]),
		"none":            r.Seal("project", until).Opens("thing", ""),
	} {
		if opens {
			t.Errorf("%s: it opens", what)
		}
	}
}

// A derived secret is always the same for its name, of the form of all secrets, and not guessed from another.
func TestDerive(t *testing.T) {
	r := open(t, "sqlite:"+t.TempDir()+"/test.db")
	one, hash := r.Derive(credential.KindUpload, "name")
	again, _ := r.Derive(credential.KindUpload, "name")
	other, _ := r.Derive(credential.KindUpload, "nam")
	key, _ := r.Derive(credential.KindKey, "name")
	if one != again || one == other || one[3:] == key[3:] || hash != credential.Hash(one) ||
		!credential.ValidSecret(credential.KindUpload, one) {
		t.Errorf("%s %s %s %s", one, again, other, key)
	}
}

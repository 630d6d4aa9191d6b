package auth

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"groundwork/internal/credential"
	"groundwork/internal/fault"
)

func TestKey(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		account := r.account(t, "Anna@Example.com")
		secret := r.key(t, "anna@example.COM")
		got, err := r.Key(t.Context(), secret)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Account, account) || !reflect.DeepEqual(got.Limits, credential.DefaultLimits()) || got.ID == "" {
			t.Errorf("got %+v of %+v, want the account %+v", got, got.Account, account)
		}
		own := r.key(t, "anna@example.com", credential.Limit{Type: credential.LimitAll, Interval: 86_400, Limit: 1}, credential.Limit{Type: credential.LimitWrite, Interval: 60, Limit: 5})
		limited, err := r.Key(t.Context(), own)
		if err != nil || !reflect.DeepEqual(limited.Limits, []credential.Limit{{
			Type:     credential.LimitAll,
			Interval: 86_400, Limit: 1,
		}, {Type: credential.LimitWrite, Interval: 60, Limit: 5}}) ||
			limited.ID == got.ID {
			t.Errorf("own limits: got %+v, %v", limited, err)
		}
	})
}

func TestDefaultLimitsCanBeSet(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		r.account(t, "anna@example.com")
		secret := r.key(t, "anna@example.com")
		set := []credential.Limit{{Type: credential.LimitAll, Interval: 10, Limit: 7}}
		got, err := open(t, r.url, WithLimits(set)).Key(t.Context(), secret)
		if err != nil || !reflect.DeepEqual(got.Limits, set) {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

func TestKeyRefusals(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		account := r.account(t, "anna@example.com")
		secret := r.key(t, "anna@example.com")

		stranger, _ := credential.NewSecret(credential.KindKey)
		for _, bad := range []string{
			stranger, "", "garbage", secret[:41], secret + "x", strings.ToLower(secret),
			"\x00",
		} {
			_, err := r.Key(t.Context(), bad)
			refused(t, err, fault.Forbidden, "not known")
		}

		if _, err := r.RevokeKey(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		_, err := r.Key(t.Context(), secret)
		refused(t, err, fault.Forbidden, "deactivated")

		second := r.key(t, "anna@example.com")
		if err := r.DisableAccount(t.Context(), account.UID, true); err != nil {
			t.Fatal(err)
		}
		_, err = r.Key(t.Context(), second)
		refused(t, err, fault.Forbidden, "disabled")
		if err := r.DisableAccount(t.Context(), account.UID, false); err != nil {
			t.Fatal(err)
		}
		if _, err = r.Key(t.Context(), second); err != nil {
			t.Errorf("the key of an account that was let in again: %v", err)
		}
	})
}

func TestKeyCostsNoQueryAndUnknownKeysNoMemory(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		r.account(t, "anna@example.com")
		good, revoked := r.key(t, "anna@example.com"), r.key(t, "anna@example.com")
		if _, err := r.RevokeKey(t.Context(), revoked); err != nil {
			t.Fatal(err)
		}
		_, _ = r.Key(t.Context(), good)
		_, _ = r.Key(t.Context(), revoked)

		before := r.statements.Load()
		mistyped := []byte(good)
		mistyped[20] ^= 1
		for range 10 {
			_, _ = r.Key(t.Context(), good)
			_, _ = r.Key(t.Context(), revoked)
			_, _ = r.Key(t.Context(), string(mistyped))
		}
		if n := r.statements.Load() - before; n != 0 {
			t.Errorf("known and mistyped keys cost %d statements", n)
		}
		for range 20 {
			stranger, _ := credential.NewSecret(credential.KindKey)
			_, _ = r.Key(t.Context(), stranger)
		}
		if n := r.statements.Load() - before; n != 20 {
			t.Errorf("20 unknown keys cost %d statements", n)
		}
		if n := r.memory.Load().size.Load(); n > 2 {
			t.Errorf("%d keys are remembered; two exist", n)
		}
	})
}

func TestKeys(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		r.account(t, "Anna@example.com")
		first := r.key(t, "anna@example.com")
		r.clock.Add(1)
		second := r.key(t, "anna@example.com", credential.Limit{Type: credential.LimitAll, Interval: 1, Limit: 2})
		keys, err := r.Keys(t.Context(), "", 100)
		if err != nil || len(keys) != 2 {
			t.Fatalf("got %v, %v", keys, err)
		}
		if k := keys[0]; k.Email != "Anna@example.com" || k.Name != "test" || k.Limits != nil ||
			k.CreatedAt != r.clock.Load()-1 || k.LastUsedAt != nil || k.RevokedAt != nil {
			t.Errorf("got %+v", k)
		}
		if !reflect.DeepEqual(keys[1].Limits, []credential.Limit{{Type: credential.LimitAll, Interval: 1, Limit: 2}}) {
			t.Errorf("got %+v", keys[1])
		}

		revokedAt := r.clock.Add(int64(time.Hour / time.Microsecond))
		if uid, err := r.RevokeKey(t.Context(), second); err != nil || uid != keys[1].UID {
			t.Errorf("revoke by key: %q, %v", uid, err)
		}
		if uid, err := r.RevokeKey(t.Context(), keys[0].UID); err != nil || uid != keys[0].UID {
			t.Errorf("revoke by uid: %q, %v", uid, err)
		}
		r.clock.Add(1)
		if _, err := r.RevokeKey(t.Context(), first); err != nil {
			t.Errorf("revoke again: %v", err)
		}
		keys, err = r.Keys(t.Context(), "", 100)
		if err != nil || *keys[0].RevokedAt != revokedAt || *keys[1].RevokedAt != revokedAt {
			t.Errorf("got %v, %v", keys, err)
		}
	})
}

func TestKeyWritesRefuseNonsense(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		r.account(t, "anna@example.com")
		stranger, _ := credential.NewSecret(credential.KindKey)
		for _, unknown := range []string{
			"", "0b6c1f5e-6d0a-4a52-9f5e-2f1b7c3d8a41", stranger, "gwk_typo", "\x00",
			"\xff",
		} {
			_, err := r.RevokeKey(t.Context(), unknown)
			refused(t, err, fault.NotFound, "does not exist")
			if strings.HasPrefix(unknown, "gw") && strings.Contains(err.Error(), unknown) {
				t.Errorf("a key shows in a message: %v", err)
			}
		}
		for _, unknown := range []string{"", "bert@example.com", "anna@example.com ", "\x00", "\xff"} {
			_, err := r.CreateKey(t.Context(), unknown, "", nil)
			refused(t, err, fault.NotFound, "no account")
		}
		for _, name := range []string{"a\nb", "\x00", "\xff", strings.Repeat("n", 256)} {
			_, err := r.CreateKey(t.Context(), "anna@example.com", name, nil)
			refused(t, err, fault.Invalid, "name")
		}
		_, err := r.CreateKey(t.Context(), "anna@example.com", "", []credential.Limit{{Type: "read", Interval: 1, Limit: 1}})
		refused(t, err, fault.Invalid, "limit")
		if keys, err := r.Keys(t.Context(), "", 100); err != nil || len(keys) != 0 {
			t.Errorf("got %v, %v", keys, err)
		}
	})
}

func TestLastUsedIsNotedOnceAMinute(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		r.account(t, "anna@example.com")
		secret := r.key(t, "anna@example.com")
		began := r.clock.Load()
		steps := []struct{ at, want time.Duration }{
			{0, 0},
			{59 * time.Second, 0},
			{time.Minute, time.Minute},
			{90 * time.Second, time.Minute},
			{3 * time.Minute, 3 * time.Minute},
		}
		for _, step := range steps {
			r.clock.Store(began + step.at.Microseconds())
			if _, err := r.Key(t.Context(), secret); err != nil {
				t.Fatal(err)
			}
			if err := r.flushUses(t.Context()); err != nil {
				t.Fatal(err)
			}
			r.forget() // what is noted must not depend on memory
			keys, err := r.Keys(t.Context(), "", 100)
			if err != nil || keys[0].LastUsedAt == nil || *keys[0].LastUsedAt != began+step.want.Microseconds() {
				t.Errorf("after a use at %v: got %+v, %v; want %v", step.at, keys, err, step.want)
			}
		}
	})
}

func TestUsesThatCannotBeWrittenAreKept(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		r.account(t, "anna@example.com")
		if _, err := r.Key(t.Context(), r.key(t, "anna@example.com")); err != nil {
			t.Fatal(err)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		if err := r.flushUses(ended); err == nil {
			t.Fatal("a write succeeded after its context ended")
		}
		if err := r.flushUses(t.Context()); err != nil {
			t.Fatal(err)
		}
		if keys, err := r.Keys(t.Context(), "", 100); err != nil || keys[0].LastUsedAt == nil {
			t.Errorf("the use is lost: %+v, %v", keys, err)
		}
	})
}

package oauth_test

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/credential"
	"groundwork/internal/grant"
	"groundwork/internal/store"
)

// tokens redeems a fresh code of the application.
func (r *rig) tokens() answer {
	r.t.Helper()
	a := r.token(r.credentials() + "&grant_type=authorization_code&code=" +
		r.code("response_type=code&client_id="+r.app.UID))
	if a.status != 200 {
		r.t.Fatalf("%+v", a)
	}
	return a
}

func (r *rig) refresh(token string) answer {
	r.t.Helper()
	return r.token("grant_type=refresh_token&refresh_token=" + token)
}

// rows counts the tokens that are kept.
func (r *rig) rows(where string) (n int64) {
	r.t.Helper()
	err := r.server.App.Store.Query(r.t.Context(), `SELECT count(*) FROM tokens WHERE `+where, nil,
		func(c *store.Cols) error {
			n = c.Int(0)
			return nil
		})
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

// TestRefreshIsCounted: renewing is a write of the application for the person, in the windows in which its other
// requests are counted.
func TestRefreshIsCounted(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		r := newRig(t, engine, grant.NewApplication{}, apitest.At(apitest.NewClock()), apitest.StandardLimits())
		a := r.tokens()
		const inASecond = 40
		for i := range inASecond {
			next := r.refresh(a.Refresh)
			if next.status != 200 {
				t.Fatalf("renewal %d: %+v", i+1, next)
			}
			a = next
		}
		full := r.refresh(a.Refresh)
		if after, _ := strconv.Atoi(full.header.Get("Retry-After")); full.status != 429 ||
			full.Error != "temporarily_unavailable" || full.ErrorDescription == "" || after != 1 || full.Access != "" {
			t.Errorf("renewal %d in a second: %+v", inASecond+1, full)
		}
		if status, body := r.me(a.Access); status != 429 {
			t.Errorf("what renewals used up is there for requests: %d %s", status, body)
		}
	})
}

// TestIntrospectionIsCounted: what an application asks in its own name is counted in a window of its own, whatever the
// token is worth, and takes nothing from the people whose tokens it asks about.
func TestIntrospectionIsCounted(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		r := newRig(t, engine, grant.NewApplication{}, apitest.At(apitest.NewClock()), apitest.StandardLimits())
		a := r.tokens()
		for i := range 40 {
			token := a.Access
			if i%2 == 1 {
				token = "unknown"
			}
			if got := r.send("/oauth/introspect", r.credentials()+"&token="+token); got.status != 200 {
				t.Fatalf("question %d: %+v", i+1, got)
			}
		}
		full := r.send("/oauth/introspect", r.credentials()+"&token="+a.Access)
		if full.status != 429 || full.Error != "temporarily_unavailable" || full.header.Get("Retry-After") != "1" {
			t.Errorf("question 41 in a second: %+v", full)
		}
		if status, body := r.me(a.Access); status != 200 {
			t.Errorf("the person pays for it: %d %s", status, body)
		}
	})
}

// TestGraceGivesFew: a refresh token that was used gives a few pairs more within its ten seconds, and a family has few
// that can be used. It does not end by that.
func TestGraceGivesFew(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		clock := apitest.NewClock()
		r := newRig(t, engine, grant.NewApplication{}, apitest.At(clock))
		first := r.tokens()
		pairs := []answer{}
		for range 20 {
			switch a := r.refresh(first.Refresh); {
			case a.status == 200:
				pairs = append(pairs, a)
			case a.status != 400 || a.Error != "invalid_grant":
				t.Fatalf("%+v", a)
			}
		}
		if len(pairs) != 5 {
			t.Fatalf("one refresh token gave %d pairs", len(pairs))
		}
		for _, a := range pairs {
			if status, _ := r.me(a.Access); status != 200 {
				t.Errorf("a pair is worth nothing: %d", status)
			}
		}
		// Nor do more come of it when many ask at the same moment.
		second, free := r.tokens(), func(*credential.Credential) error { return nil }
		var got atomic.Int64
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				_, err := r.server.App.Auth.Refresh(t.Context(), second.Refresh, "", 0, free)
				var worthless grant.BadGrant
				if err == nil {
					got.Add(1)
				} else if !errors.As(err, &worthless) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if got.Load() != 5 {
			t.Errorf("one refresh token gave %d pairs at the same moment", got.Load())
		}
		// Each of them can do the same: the family must not grow like a tree.
		for _, a := range pairs {
			for range 5 {
				r.refresh(a.Refresh)
			}
		}
		if live := r.rows(`refresh = 1 AND replaced_at IS NULL`); live > 10+5 {
			t.Errorf("%d refresh tokens of a family, and 5 of another, can be used", live)
		}
	})
}

// TestUsedTokensAreDropped: however long an application renews its tokens, few are kept; the first one, used again,
// still ends the family, as does any that came between, and revoking by an old one ends it too.
func TestUsedTokensAreDropped(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		clock := apitest.NewClock()
		r := newRig(t, engine, grant.NewApplication{}, apitest.At(clock))
		for name, end := range map[string]func(old answer){
			"used again": func(old answer) {
				if a := r.refresh(old.Refresh); a.status != 400 || a.Error != "invalid_grant" {
					t.Errorf("%+v", a)
				}
			},
			"revoked": func(old answer) { r.send("/oauth/revoke", r.credentials()+"&token="+old.Refresh) },
		} {
			all := []answer{r.tokens()}
			for range 150 {
				clock.Advance(11 * time.Second)
				a := r.refresh(all[len(all)-1].Refresh)
				if a.status != 200 {
					t.Fatalf("%s: renewal %d: %+v", name, len(all), a)
				}
				all = append(all, a)
			}
			newest := all[len(all)-1]
			if refresh, access := r.rows(`refresh = 1`), r.rows(`refresh = 0`); refresh > 2*2 || access > 2*100 {
				t.Errorf("%s: after 150 renewals %d refresh tokens and %d access tokens are kept", name, refresh,
					access)
			}
			if status, _ := r.me(all[len(all)-20].Access); status != 200 {
				t.Errorf("%s: an access token that is good for two days ended with the twentieth after it: %d", name,
					status)
			}
			clock.Advance(11 * time.Second)
			end(all[75])
			if status, _ := r.me(newest.Access); status != 401 {
				t.Errorf("an old refresh token was %s, and the access token is answered %d", name, status)
			}
			if a := r.refresh(newest.Refresh); a.status != 400 || a.Error != "invalid_grant" {
				t.Errorf("an old refresh token was %s, and the newest gives %+v", name, a)
			}
		}
		if err := r.server.App.Auth.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if left := r.rows(`1 = 1`); left != 0 {
			t.Errorf("%d tokens of families that ended are kept", left)
		}
	})
}

// TestRefreshTokensOfBefore have no mark. They renew their family, which has one from then on, and end it when they are
// used again.
func TestRefreshTokensOfBefore(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		clock := apitest.NewClock()
		r := newRig(t, engine, grant.NewApplication{}, apitest.At(clock))
		old := r.tokens()
		err := r.server.App.Store.Write(t.Context(), func(tx *store.Tx) error {
			return errors.Join(tx.Exec(`UPDATE tokens SET marked = 0`), tx.Exec(`UPDATE grants SET mark = NULL`))
		})
		if err != nil {
			t.Fatal(err)
		}
		next := old
		for i := range 3 {
			if next = r.refresh(next.Refresh); next.status != 200 {
				t.Fatalf("renewal %d: %+v", i+1, next)
			}
			clock.Advance(11 * time.Second)
		}
		if kept := r.rows(`refresh = 1`); kept != 3 {
			t.Errorf("%d refresh tokens are kept: the one of before, the last that was used, and the newest would do",
				kept)
		}
		if a := r.refresh(old.Refresh); a.Error != "invalid_grant" {
			t.Errorf("%+v", a)
		}
		if status, _ := r.me(next.Access); status != 401 {
			t.Errorf("a refresh token of before was used again, and the access token is answered %d", status)
		}
	})
}

package apitest_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/credential"
)

// mint makes a key with the key that a person uses.
func mint(p *apitest.Person, name string) *apitest.Person {
	return p.As(p.Want(201, "POST", "/me/keys", map[string]any{"name": name, "password": apitest.Password}).Text("key"))
}

// TestMintedKeysShareTheirWindows: however many keys an account makes, they have the windows of one; and those that a
// limited key makes have that key's.
func TestMintedKeysShareTheirWindows(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine, apitest.At(apitest.NewClock()), apitest.StandardLimits())
		ada, bob := s.Account("ada"), s.Account("bob")
		keys := []*apitest.Person{ada}
		for i := range 4 {
			keys = append(keys, mint(keys[i], fmt.Sprint("key ", i)))
		}
		// The clock stands still: 40 requests of this second, four of which made the keys.
		for i := range 36 {
			keys[i%len(keys)].Want(200, "GET", "/me", nil)
		}
		for i, k := range keys {
			r := k.Do("GET", "/me", nil)
			if r.Status != 429 || r.Text("rate_limit.limit") != "40" ||
				!strings.Contains(r.Text("message"), "This account's API keys") {
				t.Errorf("key %d of one account: %d %s", i, r.Status, r.Body)
			}
		}
		bob.Want(200, "GET", "/me", nil)

		slow := bob.As(s.Key(bob.Email, credential.Limit{Type: "all", Interval: 86_400, Limit: 5}))
		faster := mint(slow, "faster?")
		fastest := mint(faster, "fastest?")
		slow.Want(200, "GET", "/me", nil)
		faster.Want(200, "GET", "/me", nil)
		left := fastest.Want(200, "GET", "/rate_limits", nil)
		if left.Text("data.0.limit") != "5" || left.Text("data.0.remaining") != "0" {
			t.Errorf("the limits of a key that a key made which a limited key made: %s", left.Body)
		}
		for name, k := range map[string]*apitest.Person{"the first": slow, "the second": faster, "the third": fastest} {
			r := k.Do("GET", "/me", nil)
			if r.Status != 429 || r.Text("rate_limit.limit") != "5" || r.Text("rate_limit.remaining") != "0" ||
				!strings.Contains(r.Text("message"), "This API key (") {
				t.Errorf("%s of a chain: %d %s", name, r.Status, r.Body)
			}
		}
		// The first key goes; its windows stay those of the others.
		uid, err := s.App.Auth.RevokeKey(t.Context(), slow.Key)
		if err != nil {
			t.Fatal(err)
		}
		if r := fastest.Do("GET", "/me", nil); r.Status != 429 || !strings.Contains(r.Text("message"), uid) {
			t.Errorf("after the first key was deactivated: %d %s", r.Status, r.Body)
		}
		bob.Want(200, "GET", "/me", nil)
	})
}

// TestBatchPartsAreCharged: a limited key in a part of somebody else's batch is counted, each time.
func TestBatchPartsAreCharged(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine, apitest.At(apitest.NewClock()))
		ada, bob := s.Account("ada"), s.Account("bob")
		slow := s.Key(bob.Email, credential.Limit{Type: "all", Interval: 86_400, Limit: 2}, credential.Limit{
			Type: "write", Interval: 60, Limit: 1,
		})
		with := []map[string]string{
			{"name": "Authorization", "value": "Basic " + base64.StdEncoding.EncodeToString([]byte(slow+":"))},
		}
		var parts []map[string]any
		for range 4 {
			parts = append(parts, map[string]any{"method": "GET", "path": "/me", "headers": with}, map[string]any{
				"method": "GET", "path": "/me",
			})
		}
		r := ada.Want(200, "POST", "/batch", parts)
		var got []string
		for i := range parts {
			got = append(got, r.Text(fmt.Sprintf("data.%d.status_code", i)))
		}
		if want := "200 200 200 200 429 200 429 200"; strings.Join(got, " ") != want {
			t.Errorf("the parts are answered with %v, want %s", got, want)
		}
		if body := r.Text("data.4.body"); !strings.Contains(body,
			`"rate_limit":{"request_type":"all","interval":86400,"limit":2,"remaining":0`) {
			t.Errorf("the fifth part: %s", body)
		}
		// Its own batch counts once, whatever is in it.
		quick := bob.As(s.Key(bob.Email, credential.Limit{Type: "all", Interval: 86_400, Limit: 2}))
		r = quick.Want(200, "POST", "/batch", []map[string]any{
			{"method": "GET", "path": "/me"}, {"method": "GET", "path": "/me"}, {"method": "GET", "path": "/me"},
		})
		if r.Text("data.2.status_code") != "200" {
			t.Errorf("a part of a key's own batch: %s", r.Body)
		}
		quick.Want(200, "GET", "/me", nil)
		quick.Want(429, "GET", "/me", nil)
	})
}

// TestKeysAndApplicationsAreBounded: an account has so many keys and applications, and is told.
func TestKeysAndApplicationsAreBounded(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		clock := apitest.NewClock()
		s := apitest.Start(t, engine, apitest.At(clock))
		ada := s.Account("ada")
		for _, c := range []struct {
			path string
			body map[string]any
			have int
		}{
			{"/me/keys", map[string]any{"name": "one more", "password": apitest.Password}, 1},
			{"/me/applications", map[string]any{
				"name": "one more", "redirect_uris": []string{"https://app.example/"}, "password": apitest.Password,
			}, 0},
		} {
			for range 50 - c.have {
				clock.Advance(time.Minute) // the right password is not taken any number of times in a row
				ada.Want(201, "POST", c.path, c.body)
			}
			clock.Advance(time.Minute)
			r := ada.Want(409, "POST", c.path, c.body)
			if !strings.Contains(r.Text("message"), "as many as it may have") {
				t.Errorf("%s: %s", c.path, r.Body)
			}
		}
		// The operator may go on, and one that goes makes room.
		clock.Advance(time.Hour)
		s.Key(ada.Email)
		all := ada.Want(200, "GET", "/me/keys?limit=3", nil)
		ada.Want(409, "POST", "/me/keys", map[string]any{"name": "one more", "password": apitest.Password})
		ada.Want(204, "DELETE", "/me/keys/"+all.Text("data.1.uid"), nil)
		ada.Want(204, "DELETE", "/me/keys/"+all.Text("data.2.uid"), nil)
		ada.Want(201, "POST", "/me/keys", map[string]any{"name": "one more", "password": apitest.Password})
	})
}

package resource

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/credential"
	"groundwork/internal/identity"
	"groundwork/internal/store"
)

// FuzzCursor checks that a cursor that is taken is exactly one that would be given.
func FuzzCursor(f *testing.F) {
	for _, s := range []string{
		"", "AAYK2mUvYAAAAAAAAAAAAQ", "AAYK2mUvYAAAAAAAAAAAAA", "_wYK2mUvYAAAAAAAAAAAAQ",
		"AAYK2mUvYAAAAAAAAAAAAQ==", "AAYK\n2mUvYAAAAAAAAAAAAQ", "AAYK2mUvYAD_AAAAAAAAAQ",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, cursor string) {
		var w Window
		if !w.resume(cursor) {
			return
		}
		if again := cursorOf(w.Bound, w.From); w.Bound <= 0 || w.From == 0 || again != cursor {
			t.Fatalf("%q is %+v, given as %q", cursor, w, again)
		}
	})
}

// FuzzWalkCursor checks the same of the cursor of a walk, which is of the kinds that were asked for.
func FuzzWalkCursor(f *testing.F) {
	for _, s := range []string{
		"", "AAAAAAAAAAAFAAAAAA", "AAAAAAAAAAAHAAAAAQ", "gAAAAAAAAAAFAAAAAA", "AAAAAAAAAAAFAAAAAB", "AAAA\nAAAAAAAFAAAAAA",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, cursor string) {
		kinds := []*entry{{number: 5}, {number: 14}}
		w := &walker{view: &view{kinds: kinds}}
		if !w.resume(cursor) {
			return
		}
		if again := w.cursor(); w.seq < 0 || !slices.Contains(kinds, w.at) || again != cursor {
			t.Fatalf("%q is sequence %d, %v, ordinal %d, given as %q", cursor, w.seq, w.at, w.from, again)
		}
	})
}

// FuzzWindow asks for a window with whatever query, then for what next_page_url names: nothing is lost on the way, and
// the window has moved.
func FuzzWindow(f *testing.F) {
	for _, s := range []string{
		"", "limit=2&skip=4", "limit=0", "limit=51", "limit=-1", "skip=99999999999999999999",
		"updated_after=2026-03-01T10:00:00Z&limit=3", "updated_after=2026-03-01T10:00:00+02:00&x=%2B",
		"updated_after=2026-03-01T10:00:00Z&cursor=AAYK2mUvYAAAAAAAAAAAAQ", "status=open,closed&status=x&a=%zz&limit=1",
		"limit=%31&skip=0001", "limit=1;skip=2", "limit=1&limit=2",
	} {
		f.Add(s, uint16(100), uint16(1))
	}
	type seen struct {
		Window Window
		Query  url.Values
	}
	var total, shown int
	var last seen
	var next []byte
	look := func(c *api.Call) (err error) {
		last = seen{Query: c.Query().RawValues()}
		if last.Window, err = ReadWindow(c); err != nil {
			return err
		}
		next = last.Window.Next(c, total, shown, true, 1_700_000_000_000_000, 7)
		return c.Send(200, next)
	}
	const base = "https://build.example.com"
	edge, err := api.New(api.Config{
		Base: base, Ready: func(context.Context) error { return nil },
		Authenticate: func(context.Context, string) (*credential.Credential, error) {
			return nil, errors.New("nobody is asked")
		},
		Enter: func(context.Context, *identity.Account, string) (auth.Scope, error) {
			return auth.Scope{}, errors.New("nobody enters")
		},
	}, []api.Route{{
		Method: "GET", Pattern: "/things/{thing}", Access: api.Public, Do: look, Summary: "List things", Tag: "things",
		Out: api.Schema{"type": "object"}, Status: 200,
	}})
	if err != nil {
		f.Fatal(err)
	}
	ask := func(target string) int {
		w := httptest.NewRecorder()
		edge.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		return w.Code
	}
	f.Fuzz(func(t *testing.T, query string, ofTotal, ofShown uint16) {
		target := "/things/a%2Fb?" + query
		if _, err := url.ParseRequestURI(target); err != nil ||
			strings.ContainsFunc(query, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
			return // net/http refuses it before us
		}
		total, shown = int(ofTotal), int(ofShown)%MostRows+1
		if status := ask(target); status == 400 {
			return
		} else if status != 200 {
			t.Fatalf("%q is answered with %d", query, status)
		}
		first := last
		if first.Window.Limit < 0 || first.Window.Limit > MostRows || first.Window.Skip < 0 {
			t.Fatalf("%q is %+v", query, first.Window)
		}
		var link *string
		if err := json.Unmarshal(next, &link); err != nil {
			t.Fatalf("%q: next_page_url is %s: %v", query, next, err)
		}
		if link == nil {
			if w := first.Window; w.Limit > 0 && (w.After != store.Always || w.Skip+w.Limit < total) {
				t.Fatalf("%q: nothing follows %+v of %d", query, w, total)
			}
			return
		}
		path, ok := strings.CutPrefix(*link, base)
		if !ok || !strings.HasPrefix(path, "/things/a%2Fb?") {
			t.Fatalf("%q leads to %s", query, *link)
		}
		if status := ask(path); status != 200 {
			t.Fatalf("%q leads to %s, which is answered with %d", query, path, status)
		}
		want := first.Window
		if want.Skip += want.Limit; want.After != store.Always {
			want.Skip, want.Bound, want.From = first.Window.Skip+shown, 1_700_000_000_000_000, 7
		}
		want.Skip = min(want.Skip, 1<<31-1) // farther than any list
		if last.Window != want {
			t.Fatalf("%q is %+v, and leads to %+v, want %+v", query, first.Window, last.Window, want)
		}
		for _, q := range []url.Values{first.Query, last.Query} {
			for _, own := range []string{"limit", "skip", "cursor"} {
				q.Del(own)
			}
		}
		if first.Query.Encode() != last.Query.Encode() {
			t.Fatalf("%q loses %v on the way to %v", query, first.Query, last.Query)
		}
	})
}

// FuzzNatural checks that digits are taken, all of them, and nothing else.
func FuzzNatural(f *testing.F) {
	for _, s := range []string{"0", "50", "007", "2147483648", "-1", "+1", "", "1e3", "１"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, ok := natural(text)
		if plain := text != "" && strings.Trim(text, "0123456789") == ""; ok != plain || n < 0 || n > 1<<31-1 {
			t.Fatalf("%q is %d, %t", text, n, ok)
		}
	})
}

func cursorOf(bound, from int64) string {
	b := []byte{
		byte(bound >> 56), byte(bound >> 48), byte(bound >> 40), byte(bound >> 32), byte(bound >> 24),
		byte(bound >> 16), byte(bound >> 8), byte(bound),
		byte(from >> 56), byte(from >> 48), byte(from >> 40), byte(from >> 32), byte(from >> 24), byte(from >> 16),
		byte(from >> 8), byte(from),
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

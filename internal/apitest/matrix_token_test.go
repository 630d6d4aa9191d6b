package apitest_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"groundwork/internal/api"
	"groundwork/internal/apitest"
	"groundwork/internal/credential"
	"groundwork/internal/grant"
)

// tokenRow is a line of testdata/tokens.txt.
type tokenRow struct {
	method, pattern string
	want            []string // "=" or a status, by the order of tokenScopes
}

var tokenScopes = []credential.Scopes{credential.AllScopes, credential.WriteProjects, credential.ReadProfile}

func readTokens(t *testing.T) (rows []tokenRow) {
	t.Helper()
	text, err := os.ReadFile("../../testdata/tokens.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		route, cells, _ := strings.Cut(line, "|")
		f := strings.Fields(route)
		r := tokenRow{f[0], f[1], strings.Fields(cells)}
		if len(r.want) != len(tokenScopes) {
			t.Fatalf("%q has %d cells", line, len(r.want))
		}
		rows = append(rows, r)
	}
	return rows
}

func (r tokenRow) matches(route api.Route) bool {
	begin, open := strings.CutSuffix(r.pattern, "…")
	return (r.method == "*" || r.method == route.Method) && (route.Pattern == r.pattern ||
		open && strings.HasPrefix(route.Pattern, begin))
}

// TestTokenRights tries every route with tokens of each scope, and compares with what the same account gets with its
// key.
func TestTokenRights(t *testing.T) {
	t.Parallel()
	rows := readTokens(t)
	apitest.Engines(t, func(t *testing.T, engine string) {
		w := newWorld(t, engine)
		var tokens []string
		for _, scopes := range tokenScopes {
			got, err := w.server.App.Auth.AllowNow(t.Context(), grant.Ask{
				Application: w.application().UID, Account: w.overseer.UID, Scopes: scopes,
			})
			if err != nil {
				t.Fatal(err)
			}
			tokens = append(tokens, "Bearer "+got.Access)
		}
		tried := 0
		for _, route := range w.server.Edge.Routes() {
			if route.Access != api.Caller && route.Access != api.Member {
				continue
			}
			var row *tokenRow
			for i := range rows {
				if rows[i].matches(route) && (row == nil || len(rows[i].pattern) > len(row.pattern)) {
					row = &rows[i]
				}
			}
			if row == nil {
				t.Errorf("%s %s: write a line into testdata/tokens.txt", route.Method, route.Pattern)
				continue
			}
			path := wildcard.ReplaceAllStringFunc(route.Pattern, func(name string) string {
				if name == "{project}" {
					return w.here
				}
				return nowhere
			})
			body := ""
			if route.In != nil {
				body = "{}"
			}
			key := w.send(w.server.URL, basic(w.overseer.Key), route.Method, path, body)
			for i, token := range tokens {
				tried++
				got := w.send(w.server.URL, token, route.Method, path, body)
				if want := row.want[i]; want == "=" && got.status != key.status ||
					want != "=" && (fmt.Sprint(got.status) != want || strings.Contains(got.body, hereMark)) {
					t.Errorf("%s %s with %s: %d, want %s (a key gets %d): %s", route.Method, route.Pattern,
						tokenScopes[i], got.status, want, key.status, got.body)
				}
			}
		}
		if tried < 60 {
			t.Errorf("only %d requests were tried", tried)
		}
		// What a batch holds is held to the same.
		text := `[{"method":"GET","path":"/me"},{"method":"GET","path":"/projects/` + w.here +
			`"},{"method":"GET","path":"/me/keys"}]`
		for i, want := range []string{"200 200 403", "403 200 403", "200 403 403"} {
			got := w.send(w.server.URL, tokens[i], "POST", "/batch", text)
			var said []string
			for part := range strings.SplitSeq(got.body, `"status_code":`) {
				if len(part) > 3 && part[0] >= '1' && part[0] <= '5' {
					said = append(said, part[:3])
				}
			}
			if strings.Join(said, " ") != want {
				t.Errorf("a batch with %s: %q, want %s", tokenScopes[i], said, want)
			}
		}
	})
}

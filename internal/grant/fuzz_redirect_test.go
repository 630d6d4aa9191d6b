package grant

import (
	"slices"
	"strings"
	"testing"
)

// FuzzRedirect holds that only what is registered is ever gone to: byte by byte, the port of a loopback address
// excepted.
func FuzzRedirect(f *testing.F) {
	for _, s := range []string{
		"https://a.example/x", "https://a.example/x/", "http://127.0.0.1:9/cb",
		"http://127.0.0.1/cb", "http://[::1]:7/cb", "http://127.0.0.1:9/cb?x", "com.example:/b", "javascript:x",
		"http://127.0.0.1:9@evil/cb", "https://a.example\\x",
	} {
		f.Add(s)
	}
	app := &Application{Redirects: []string{"https://a.example/x", "http://127.0.0.1:1/cb", "http://[::1]/cb"}}
	f.Fuzz(func(t *testing.T, asked string) {
		to, ok := app.Redirect(asked)
		if !ok {
			return
		}
		host, port, _ := strings.Cut(strings.TrimPrefix(to, "http://127.0.0.1"), "/")
		loopback := strings.HasPrefix(to, "http://127.0.0.1") && port == "cb" && strings.Trim(host,
			":0123456789") == "" ||
			strings.HasPrefix(to, "http://[::1]") && strings.HasSuffix(to, "/cb") &&
				strings.Trim(strings.TrimSuffix(strings.TrimPrefix(to, "http://[::1]"), "/cb"), ":0123456789") == ""
		if to != asked || !slices.Contains(app.Redirects, to) && !loopback {
			t.Fatalf("%q leads to %q", asked, to)
		}
		if problem := redirectProblem(to); problem != "" {
			t.Fatalf("%q: %s", to, problem)
		}
	})
}

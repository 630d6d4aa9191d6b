package web

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzLocal holds that a wish where to go next never leaves this service, as browsers read addresses: they drop tabs
// and line breaks, and take \ for /.
func FuzzLocal(f *testing.F) {
	for _, s := range []string{
		"", "/", "/account", "//evil", "/\\evil", "/\t/evil", "https://evil", "/a?b=c#d",
		"/./\\evil", "/%2f/evil", "/a//b", "/é", "/\u2028x", "/\u00a0",
	} {
		f.Add(s)
	}
	base, err := url.Parse("https://here.example/sign-in")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, next string) {
		to := local(next)
		if to != next && to != "/app/" {
			t.Fatalf("%q leads to %q", next, to)
		}
		seen := strings.NewReplacer("\t", "", "\r", "", "\n", "", "\\", "/").Replace(to)
		if !strings.HasPrefix(seen, "/") || strings.HasPrefix(seen, "//") || seen != to {
			t.Fatalf("%q leads to %q, which browsers read as %q", next, to, seen)
		}
		if u, err := base.Parse(to); err == nil && (u.Host != base.Host || u.Scheme != base.Scheme) {
			t.Fatalf("%q leads to %s", next, u)
		}
	})
}

// FuzzAgent holds that what a browser says of itself becomes one of a few words of ours.
func FuzzAgent(f *testing.F) {
	for _, s := range []string{
		"", "Mozilla/5.0 (X11; Linux x86_64) Chrome/1 Safari/1", "Mozilla/5.0 (iPhone) Safari/1",
		"<script>", "\xff Edg Android",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := agent(text); got == "" || len(got) > 30 || !utf8.ValidString(got) ||
			strings.ContainsAny(got, "<>&\"'") {
			t.Fatalf("%q is %q", text, got)
		}
	})
}

package view

import (
	"net/url"
	"strings"
	"testing"
	"unicode"
)

// FuzzQueryProblem: what is accepted reads as a query string in which nothing is lost, and a refusal is a sentence.
func FuzzQueryProblem(f *testing.F) {
	for _, seed := range []string{
		"", "status=open&assigned_to=7b1c", "q=door%20104&deleted=false", "room=100%", "a=1;b=2", "a=%zz", "a=1\n", "a=\x7f",
		"a=\u0085", "?a=1", "=", "&&", "a=ü&b=%C3%BC", "a+b=c+d", "a=\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		problem := queryProblem(query)
		if problem != "" {
			if !strings.HasPrefix(problem, "It must") || !strings.HasSuffix(problem, ".") {
				t.Errorf("%q is refused with %q", query, problem)
			}
			return
		}
		if strings.ContainsFunc(query, unicode.IsControl) || strings.Contains(query, ";") {
			t.Errorf("%q is accepted", query)
		}
		for part := range strings.SplitSeq(query, "&") {
			name, value, _ := strings.Cut(part, "=")
			for _, text := range []string{name, value} {
				if _, err := url.QueryUnescape(text); err != nil {
					t.Errorf("%q is accepted: %v", query, err)
				}
			}
		}
	})
}

func TestQueryProblem(t *testing.T) {
	for query, want := range map[string]string{
		"":                                "",
		"status=open&assigned_to=7b1c":    "",
		"q=door%20104":                    "",
		"q=T%C3%BCr&room=T\u00fcr":        "",
		"room=100%":                       "hexadecimal",
		"room=%4":                         "hexadecimal",
		"a=1;b=2":                         "%3B",
		"room=1\n2":                       "control",
		"room=\u0085":                     "control",
		strings.Repeat("a=1&", 1023) + "": "",
	} {
		got := queryProblem(query)
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
}

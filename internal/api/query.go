package api

import (
	"net/url"
	"slices"
	"strings"
)

// Query is the parameters of a request's query, in the order sent. Nothing is refused: a malformed escape stays as it is.
type Query struct{ pairs []pair }

type pair struct{ name, value string }

// Get gives the first value of a parameter, or "".
func (q Query) Get(name string) string {
	for _, p := range q.pairs {
		if p.name == name {
			return p.value
		}
	}
	return ""
}

// Has tells whether a parameter was sent, even if empty.
func (q Query) Has(name string) bool {
	return slices.ContainsFunc(q.pairs, func(p pair) bool { return p.name == name })
}

// Names lists the parameters, each once, sorted.
func (q Query) Names() []string {
	names := make([]string, len(q.pairs))
	for i, p := range q.pairs {
		names[i] = p.name
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// RawValues gives all parameters with all their values, for building another URL. The caller may change it.
func (q Query) RawValues() url.Values {
	values := make(url.Values, len(q.pairs))
	for _, p := range q.pairs {
		values.Add(p.name, p.value)
	}
	return values
}

func parseQuery(raw string) Query {
	var q Query
	for raw != "" {
		var part string
		part, raw, _ = strings.Cut(raw, "&")
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		q.pairs = append(q.pairs, pair{clean(unescape(name)), clean(unescape(value))})
	}
	return q
}

// unescape decodes plus signs and percent escapes, and leaves what is no escape.
func unescape(s string) string {
	if !strings.ContainsAny(s, "%+") {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+':
			out = append(out, ' ')
		case s[i] == '%' && i+2 < len(s) && hex(s[i+1]) >= 0 && hex(s[i+2]) >= 0:
			out = append(out, byte(hex(s[i+1])<<4|hex(s[i+2])))
			i += 2
		default:
			out = append(out, s[i])
		}
	}
	return string(out)
}

func hex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	default:
		return -1
	}
}

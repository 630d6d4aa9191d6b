package api

import (
	"net/url"
	"slices"
	"strings"
)

// Query is the parameters of a request's query, in the order sent. Nothing is refused: a malformed escape stays as it
// is.
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

// With writes the parameters as a query again, sorted by name, with other values for some: name, value, name, value.
// One with the value "" is left out.
func (q Query) With(changes ...string) string {
	pairs := make([]pair, 0, 8)
	for _, p := range q.pairs {
		kept := true
		for i := 0; i < len(changes); i += 2 {
			kept = kept && changes[i] != p.name
		}
		if kept {
			pairs = append(pairs, p)
		}
	}
	for i := 0; i < len(changes); i += 2 {
		if changes[i+1] != "" {
			pairs = append(pairs, pair{changes[i], changes[i+1]})
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return strings.Compare(a.name, b.name) })
	out := make([]byte, 0, 64)
	for i, p := range pairs {
		if i > 0 {
			out = append(out, '&')
		}
		out = append(out, url.QueryEscape(p.name)...)
		out = append(out, '=')
		out = append(out, url.QueryEscape(p.value)...)
	}
	return string(out)
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

package api

import (
	"slices"
	"strconv"
	"strings"

	"groundwork/internal/fault"
)

// usual are the headers that nearly every client sends, so that they need not be taken apart.
var usual = []string{
	"*/*", "application/json", "application/vnd.plangrid+json; version=1", "application/vnd.groundwork+json; version=1",
}

// majors are the MAJOR versions that are served, ascending.
type majors []int

func (m majors) String() string {
	texts := make([]string, len(m))
	for i, n := range m {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ", ")
}

// choose gives the version of the first media range of the Accept headers, which may be repeated or joined by commas,
// that admits JSON of a supported version: fault.NotAcceptable when none does. Without any, and where a range names no
// version, it is the oldest.
func (m majors) choose(accept []string) (major int, err error) {
	if len(accept) == 0 || len(accept) == 1 && m[0] == 1 && slices.Contains(usual, accept[0]) {
		return m[0], nil
	}
	given, wrong := false, ""
	for _, header := range accept {
		for header != "" {
			var one string
			one, header = cutUnquoted(header, ',')
			one = strings.Trim(one, " \t")
			if one == "" {
				continue
			}
			given = true
			major, version := m.admits(one)
			if major > 0 {
				return major, nil
			}
			if version != "" {
				wrong = version
			}
		}
	}
	switch {
	case !given:
		return m[0], nil
	case wrong != "":
		return 0, fault.New(fault.NotAcceptable,
			"Version %s of the API is not supported. Supported MAJOR versions: %s.", clip(wrong), m)
	default:
		return 0, fault.New(fault.NotAcceptable,
			"The Accept header admits no answer that can be given. Send application/json, or application/vnd.groundwork+json; version=%d.", m[len(m)-1])
	}
}

// admits judges one media range; version is the one it asks for when that is why it was refused.
func (m majors) admits(one string) (major int, version string) {
	kind, params := cutUnquoted(one, ';')
	if !isJSON(strings.TrimRight(kind, " \t")) {
		return 0, ""
	}
	major = m[0]
	for params != "" {
		var param string
		param, params = cutUnquoted(params, ';')
		name, value, _ := strings.Cut(param, "=")
		name = strings.Trim(name, " \t")
		value = strings.Trim(strings.Trim(value, " \t"), `"`)
		switch {
		case strings.EqualFold(name, "version"):
			if major = m.named(value); major == 0 {
				return 0, "'" + value + "'"
			}
		case strings.EqualFold(name, "q") && isZero(value):
			return 0, ""
		}
	}
	return major, ""
}

// isJSON tells whether a media range covers JSON: any vendor's name is taken.
func isJSON(kind string) bool {
	const vendor, suffix = "application/vnd.", "+json"
	switch {
	case kind == "*/*", strings.EqualFold(kind, "application/*"), strings.EqualFold(kind, "application/json"):
		return true
	case len(kind) <= len(vendor)+len(suffix):
		return false
	default:
		return strings.EqualFold(kind[:len(vendor)], vendor) && strings.EqualFold(kind[len(kind)-len(suffix):], suffix)
	}
}

// named reads MAJOR, MAJOR.MINOR or MAJOR.MINOR.PATCH; only MAJOR matters. It is 0 for what is not served.
func (m majors) named(version string) int {
	text, rest, more := strings.Cut(version, ".")
	i := slices.IndexFunc(m, func(n int) bool { return strconv.Itoa(n) == text })
	if i < 0 {
		return 0
	}
	for range 2 {
		if !more {
			return m[i]
		}
		var part string
		if part, rest, more = strings.Cut(rest, "."); !isDigits(part) {
			return 0
		}
	}
	if more {
		return 0
	}
	return m[i]
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// isZero tells whether a quality is 0, 0. or 0.000.
func isZero(q string) bool { return strings.HasPrefix(q, "0") && strings.Trim(q, "0.") == "" }

// cutUnquoted cuts at the first separator that is not inside a quoted string.
func cutUnquoted(s string, separator byte) (before, after string) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quoted:
			i++
		case s[i] == '"':
			quoted = !quoted
		case s[i] == separator && !quoted:
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

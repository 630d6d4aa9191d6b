package api

import (
	"slices"
	"strings"

	"groundwork/internal/fault"
)

// supported is the MAJOR version that is served.
const supported = "1"

// usual are the headers that nearly every client sends, so that they need not be taken apart.
var usual = []string{"*/*", "application/json", "application/vnd.plangrid+json; version=1", "application/vnd.groundwork+json; version=1"}

// acceptable tells whether one of the media ranges of the Accept headers, which may be repeated or joined by commas, admits JSON of a supported
// version: fault.NotAcceptable otherwise. Without any, everything is accepted.
func acceptable(accept []string) error {
	if len(accept) == 1 && slices.Contains(usual, accept[0]) {
		return nil
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
			ok, version := admits(one)
			if ok {
				return nil
			}
			if version != "" {
				wrong = version
			}
		}
	}
	switch {
	case !given:
		return nil
	case wrong != "":
		return fault.New(fault.NotAcceptable, "Version %s of the API is not supported. Supported MAJOR versions: %s.", clip(wrong), supported)
	default:
		return fault.New(fault.NotAcceptable, "The Accept header admits no answer that can be given. Send application/json, or application/vnd.groundwork+json; version=%s.", supported)
	}
}

// admits judges one media range; version is the one it asks for when that is why it was refused.
func admits(one string) (ok bool, version string) {
	kind, params := cutUnquoted(one, ';')
	if !isJSON(strings.TrimRight(kind, " \t")) {
		return false, ""
	}
	for params != "" {
		var param string
		param, params = cutUnquoted(params, ';')
		name, value, _ := strings.Cut(param, "=")
		name = strings.Trim(name, " \t")
		value = strings.Trim(strings.Trim(value, " \t"), `"`)
		switch {
		case strings.EqualFold(name, "version"):
			if !isSupported(value) {
				return false, "'" + value + "'"
			}
		case strings.EqualFold(name, "q") && isZero(value):
			return false, ""
		}
	}
	return true, ""
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

// isSupported reads MAJOR, MAJOR.MINOR or MAJOR.MINOR.PATCH; only MAJOR matters.
func isSupported(version string) bool {
	major, rest, more := strings.Cut(version, ".")
	if major != supported {
		return false
	}
	for range 2 {
		if !more {
			return true
		}
		var part string
		if part, rest, more = strings.Cut(rest, "."); !isDigits(part) {
			return false
		}
	}
	return !more
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

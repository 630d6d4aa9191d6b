package resource

import (
	"slices"
	"strings"

	"groundwork/internal/api"
	"groundwork/internal/auth"
)

// route is a route of the kind; tail follows the kind's path.
func (k *Kind[T]) route(method, tail string, right auth.Right, do func(*api.Call) error) api.Route {
	pattern := "/projects/{project}"
	if !k.Self {
		pattern += "/" + k.Path
		if tail != "" {
			pattern += "/" + tail
		}
	}
	if looks := method != "GET" && tail != ""; !looks &&
		slices.Contains([]auth.Level{right.Admin, right.Power, right.Collaborator}, auth.Own) {
		// It would be as good as any.
		panic("resource: " + method + " " + pattern +
			" is for own records, but only a route that writes one record looks whose it is")
	}
	return api.Route{
		Method: method, Pattern: pattern, Access: api.Member, Right: right, Do: do, Tag: k.title(),
		Guarded: method == "PATCH" || method == "PUT" || method == "DELETE", Keyed: method == "PATCH" ||
			method == "PUT" || method == "POST",
	}
}

// title is the family's name for people: "issue lists".
func (k *Kind[T]) title() string {
	plural := strings.ReplaceAll(k.Plural, "_", " ")
	if first, _, _ := strings.Cut(k.Name, " "); strings.ToUpper(first) == first {
		return first + plural[len(first):] // an abbreviation
	}
	return plural
}

// one is a record of the kind for people: "an issue list".
func (k *Kind[T]) one() string { return article(k.Name) + lower(k.Name) }

func article(name string) string {
	if strings.ContainsRune("AEIO", rune(name[0])) || strings.HasPrefix(name, "RFI") {
		return "an "
	}
	return "a "
}

// lower writes a name as inside a sentence: an abbreviation stays as it is.
func lower(name string) string {
	first, rest, _ := strings.Cut(name, " ")
	if strings.ToUpper(first) == first {
		return strings.TrimSuffix(first+" "+strings.ToLower(rest), " ")
	}
	return strings.ToLower(name)
}

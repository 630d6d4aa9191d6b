package api

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"groundwork/internal/store"
)

// node is a place in the tree of path segments.
type node struct {
	literals map[string]*node
	wild     *node
	rest     *node       // where a wildcard for the rest of the path leads
	ends     []*endpoint // one per method
	allow    string      // the methods, as the header Allow names them
}

// add puts an endpoint at its place: an error when the place is taken, or when it is there with other names for its
// wildcards.
func (n *node) add(end *endpoint) error {
	segments, _ := split(end.Pattern)
	for _, s := range segments {
		if takesRest(s) {
			if n.rest == nil {
				n.rest = new(node)
			}
			n = n.rest
			continue
		}
		if s[0] == '{' {
			if n.wild == nil {
				n.wild = new(node)
			}
			n = n.wild
			continue
		}
		if n.literals == nil {
			n.literals = map[string]*node{}
		}
		if n.literals[s] == nil {
			n.literals[s] = new(node)
		}
		n = n.literals[s]
	}
	for _, other := range n.ends {
		if other.Method == end.Method {
			return fmt.Errorf("api: route %s %s is there twice", end.Method, end.Pattern)
		}
		if other.Pattern != end.Pattern {
			return fmt.Errorf("api: routes %s and %s are the same path with other names for its wildcards",
				other.Pattern, end.Pattern)
		}
	}
	n.ends = append(n.ends, end)
	allow := []string{"OPTIONS"}
	for _, e := range n.ends {
		allow = append(allow, e.Method)
		if e.Method == "GET" {
			allow = append(allow, "HEAD")
		}
	}
	slices.Sort(allow)
	n.allow = strings.Join(allow, ", ")
	return nil
}

// match finds the place of a path and fills in the values of its wildcards, decoded. A literal wins over a wildcard,
// and the choice stands: there is no way back to the wildcard. Only where that leads nowhere, the nearest wildcard for
// the rest of the path takes it. Empty and dot segments, and a slash at the end, lead nowhere at all, but for the slash
// right before such a wildcard.
func (n *node) match(u *url.URL, values *[mostParams]string) *node {
	// RawPath is empty when the path's segments are what was sent, decoded; otherwise it keeps what was sent, so that
	// an encoded slash is no separator.
	path, raw := u.Path, u.RawPath != ""
	if raw {
		path = u.RawPath
	}
	if path == "" || path[0] != '/' {
		return nil
	}
	found := 0
	var catch catchAll
	for more := path != "/"; more; {
		if n.rest != nil {
			catch = catchAll{place: n.rest, path: path, found: found}
		}
		var s string
		path = path[1:]
		if i := strings.IndexByte(path, '/'); i >= 0 {
			s, path = path[:i], path[i:]
		} else {
			s, more = path, false
		}
		if raw {
			decoded, err := url.PathUnescape(s)
			if err != nil {
				return nil
			}
			s = decoded
		}
		if s == "" && !more && catch.path == "/" { // the place itself, as a folder
			values[catch.found] = ""
			return catch.place
		}
		if s == "" || s == "." || s == ".." {
			return nil
		}
		if next := n.literals[s]; next != nil {
			n = next
			continue
		}
		if n = n.wild; n == nil {
			return catch.match(raw, values)
		}
		values[found] = store.FoldUID(clean(s))
		found++
	}
	if len(n.ends) == 0 {
		return catch.match(raw, values)
	}
	return n
}

// catchAll is a wildcard for the rest of the path that a match has come by.
type catchAll struct {
	place *node
	path  string // what is left of the path, from its slash on
	found int    // how many wildcards lie before
}

// match gives the place, and the rest of the path as the value of its wildcard. Nowhere leads what would lead nowhere
// otherwise, and a segment that holds an encoded slash: whoever looks for a file by the rest would be led elsewhere.
func (c catchAll) match(raw bool, values *[mostParams]string) *node {
	if c.place == nil {
		return nil
	}
	segments, whole := split(c.path)
	if !whole {
		return nil
	}
	for i, s := range segments {
		if raw {
			decoded, err := url.PathUnescape(s)
			if err != nil || strings.Contains(decoded, "/") {
				return nil
			}
			segments[i], s = decoded, decoded
		}
		if s == "." || s == ".." {
			return nil
		}
	}
	values[c.found] = clean(strings.Join(segments, "/"))
	return c.place
}

// end gives the endpoint of a method; HEAD is GET.
func (n *node) end(method string) *endpoint {
	if method == "HEAD" {
		method = "GET"
	}
	for _, e := range n.ends {
		if e.Method == method {
			return e
		}
	}
	return nil
}

package api

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// node is a place in the tree of path segments.
type node struct {
	literals map[string]*node
	wild     *node
	ends     []*endpoint // one per method
	allow    string      // the methods, as the header Allow names them
}

// add puts an endpoint at its place: an error when the place is taken, or when it is there with other names for its wildcards.
func (n *node) add(end *endpoint) error {
	segments, _ := split(end.Pattern)
	for _, s := range segments {
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
			return fmt.Errorf("api: routes %s and %s are the same path with other names for its wildcards", other.Pattern, end.Pattern)
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

// match finds the place of a path and fills in the values of its wildcards, decoded. A literal wins over a wildcard, and the choice stands:
// there is no way back to the wildcard. Empty and dot segments, and a slash at the end, lead nowhere.
func (n *node) match(u *url.URL, values *[mostParams]string) *node {
	// RawPath is empty when the path's segments are what was sent, decoded; otherwise it keeps what was sent, so that an encoded slash is no separator.
	path, raw := u.Path, u.RawPath != ""
	if raw {
		path = u.RawPath
	}
	if path == "" || path[0] != '/' {
		return nil
	}
	found := 0
	for more := path != "/"; more; {
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
		if s == "" || s == "." || s == ".." {
			return nil
		}
		if next := n.literals[s]; next != nil {
			n = next
			continue
		}
		if n = n.wild; n == nil {
			return nil
		}
		values[found] = clean(s)
		found++
	}
	if len(n.ends) == 0 {
		return nil
	}
	return n
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

// clean makes text from outside fit for every database: what is not UTF-8, and NUL, which one engine refuses, become U+FFFD.
// No uid holds that, so such a text names nothing.
func clean(s string) string {
	if strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

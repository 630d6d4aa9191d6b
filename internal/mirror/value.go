package mirror

import (
	"bytes"
	"encoding/json"
	"net/url"
	"reflect"
	"regexp"
	"strings"
)

// isNothing tells whether a raw value is absent or null.
func isNothing(raw []byte) bool { return len(raw) == 0 || strings.TrimSpace(string(raw)) == "null" }

// text is a raw value that is text; "" where it is none.
func text(raw json.RawMessage) (s string) {
	_ = json.Unmarshal(raw, &s) // then it is none
	return s
}

// sameValue compares two raw values of a field. Links to files are signed anew, and are the same where only that
// differs.
func sameValue(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, y := text(a), text(b)
	if strings.HasPrefix(x, "http") {
		return identityOf(x) == identityOf(y)
	}
	return reflect.DeepEqual(decoded(a), decoded(b)) // escapes may differ
}

// decoded is a raw value, with numbers as they are written.
func decoded(raw json.RawMessage) (v any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// objectInPath is how links of another installation end: with the name of the object.
var objectInPath = regexp.MustCompile(`/files/([a-z2-7]{32})$`)

// identityOf is what a link leads to, without what is signed anew: another installation's own name of the object, or
// the address without its query.
func identityOf(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return link
	}
	if name := objectInPath.FindStringSubmatch(u.Path); name != nil {
		return name[1]
	}
	if i := strings.Index(u.Path, "/tiles/"); i >= 0 { // signed in the path
		return u.Host + u.Path[:i]
	}
	return u.Host + u.Path
}

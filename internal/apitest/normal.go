package apitest

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// labels turns what differs from run to run into what does not: a uid into its name or number, a moment into its
// number. Numbers count distinct values in order of first appearance, so equal values stay recognisably equal.
type labels struct {
	clock   *Clock
	uids    map[string]string // lower case → label
	short   map[string]string // the uids of RFI statuses
	tags    map[string]string
	secrets map[string]string
	times   map[int64]int
	keys    [][2]string // secret, label
	// others are values of further sorts, in order of appearance.
	others map[string][]string
}

func newLabels(clock *Clock) *labels {
	return &labels{
		clock: clock, uids: map[string]string{}, short: map[string]string{}, tags: map[string]string{},
		secrets: map[string]string{}, times: map[int64]int{}, others: map[string][]string{},
	}
}

const uidForm = `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`

var (
	uidPattern    = regexp.MustCompile(uidForm)
	wholeUID      = regexp.MustCompile(`^` + uidForm + `$`)
	shortPattern  = regexp.MustCompile(`\b[0-9a-f]{8}\b`)
	secretPattern = regexp.MustCompile(`\bgw[a-tv-z]_[0-9A-Za-z]{38}\b`)
	cursorPattern = regexp.MustCompile(`\bcursor=[^&"\\\s]+`)
	// What a form, a link and a completion are known by differs from run to run.
	policyPattern = regexp.MustCompile(`"eyJleHBpcmF0aW9u[A-Za-z0-9+/=]+"`)
	markPattern   = regexp.MustCompile(`"[A-Za-z0-9+/]{43}="`)
	linkPattern   = regexp.MustCompile(`/files/[a-z2-7]{32}\?expires=\d+&signature=[\w-]{22}`)
	tilesPattern  = regexp.MustCompile(`/tiles/[a-z2-7.]{32,65}/\d+\.[\w-]{22}/[0-9a-f]{32}`)
	tokenPattern  = regexp.MustCompile(`gwu_[0-9A-Za-z]{38}`)
	// Colons and the plus of an offset may be percent-encoded, as they are in next_page_url.
	timePattern = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d(?::|%3A)\d\d(?::|%3A)\d\d(\.\d+)?(?:\+|%2B)00(?::|%3A)00`)
)

// keep leaves the uids in a text as they are: the client chose them, or the contract names them.
func (l *labels) keep(text string) {
	for _, uid := range uidPattern.FindAllString(text, -1) {
		l.uids[strings.ToLower(uid)] = uid
	}
}

// name gives a captured value a name to be shown by. Only values that cannot be mistaken for others are shown so.
func (l *labels) name(value, name string) {
	if wholeUID.MatchString(value) {
		l.uids[strings.ToLower(value)] = "{" + name + "}"
	}
	if len(value) == 8 && shortPattern.MatchString(value) {
		l.short[value] = "{" + name + "}"
	}
	if secretPattern.MatchString(value) {
		l.secrets[secretPattern.FindString(value)] = "{" + name + "}"
	}
	if strings.HasSuffix(value, `"`) {
		l.tags[value] = "{" + name + "}"
	}
}

// hide makes sure that a key is never shown, neither plain nor as Basic credentials carry it.
func (l *labels) hide(person, key string) {
	l.keys = append(l.keys, [2]string{key, "{key:" + person + "}"}, [2]string{basic(key), "{basic:" + person + "}"})
}

// basic is the key as the credentials of HTTP Basic authentication.
func basic(key string) string { return base64.StdEncoding.EncodeToString([]byte(key + ":")) }

// text replaces everything in a text that differs from run to run.
func (l *labels) text(s string) string {
	for _, k := range l.keys {
		s = strings.ReplaceAll(s, k[0], k[1])
	}
	s = strings.ReplaceAll(s, Base, "{base}")
	s = secretPattern.ReplaceAllStringFunc(s, l.secret)
	s = cursorPattern.ReplaceAllString(s, "cursor=<cursor>")
	s = policyPattern.ReplaceAllString(s, `"<policy>"`)
	s = markPattern.ReplaceAllString(s, `"<signature>"`)
	s = linkPattern.ReplaceAllStringFunc(s, func(link string) string {
		return "/files/" + l.number("file", link[:len("/files/")+32]) + "?<signed>"
	})
	s = tilesPattern.ReplaceAllStringFunc(s, func(link string) string { return "/tiles/" + l.number("tiles", link) })
	s = tokenPattern.ReplaceAllStringFunc(s, func(token string) string { return l.number("token", token) })
	s = uidPattern.ReplaceAllStringFunc(s, l.uid)
	s = shortPattern.ReplaceAllStringFunc(s, func(uid string) string { return cmp.Or(l.short[uid], uid) })
	return timePattern.ReplaceAllStringFunc(s, l.time)
}

// number labels a value of a sort by the order of first appearance.
func (l *labels) number(sort, value string) string {
	for i, known := range l.others[sort] {
		if known == value {
			return fmt.Sprintf("<%s:%d>", sort, i+1)
		}
	}
	l.others[sort] = append(l.others[sort], value)
	return fmt.Sprintf("<%s:%d>", sort, len(l.others[sort]))
}

// secret labels what was given out; what a request named before has its name.
func (l *labels) secret(text string) string {
	label, known := l.secrets[text]
	if !known {
		label = fmt.Sprintf("<secret:%d>", len(l.secrets)+1)
		l.secrets[text] = label
	}
	return label
}

func (l *labels) uid(uid string) string {
	key := strings.ToLower(uid)
	label, known := l.uids[key]
	if !known {
		n := 1
		for _, other := range l.uids {
			if strings.HasPrefix(other, "<uid:") {
				n++
			}
		}
		label = fmt.Sprintf("<uid:%d>", n)
		l.uids[key] = label
	}
	return label
}

// ahead is how far a project's clock may run before the service's: it moves a microsecond with each write.
const ahead = time.Second / 2

// time labels a moment that the service's clock has shown; others are the client's and stay.
func (l *labels) time(text string) string {
	plain, err := url.PathUnescape(text)
	if err != nil {
		return text
	}
	at, err := time.Parse(time.RFC3339Nano, plain)
	if err != nil || at.Before(Epoch) || at.After(l.clock.Now().Add(ahead)) {
		return text
	}
	n, known := l.times[at.UnixMicro()]
	if !known {
		n = len(l.times) + 1
		l.times[at.UnixMicro()] = n
	}
	switch fraction := timePattern.FindStringSubmatch(text)[1]; len(fraction) {
	case len(".000000"):
		return fmt.Sprintf("<time:%d>", n)
	case 0:
		return fmt.Sprintf("<time:%d whole>", n)
	default:
		return fmt.Sprintf("<time:%d %d digits>", n, len(fraction)-1)
	}
}

// header labels the value of a response header; sent is what the request said under the same name.
func (l *labels) header(name, value, sent string) string {
	switch name {
	case "X-Request-Id":
		if value == sent {
			return value
		}
		return "<id>"
	case "Etag":
		label, known := l.tags[value]
		if !known {
			label = fmt.Sprintf("<etag:%d>", len(l.tags)+1)
			l.tags[value] = label
		}
		return label
	default:
		return l.text(value)
	}
}

package resource

import (
	"bytes"
	"reflect"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/store"
)

// filler copies stored documents into a response and fills their holes on the way.
type filler struct {
	*gallery
	states      *states
	plural      string // as paths have it
	collections []string
	ending      ending
	version     int
	upgrade     func([]byte) []byte
	seal        *auth.Seal // of the project's links; nil where the kind shows none
	tiles       *auth.Seal // of its tiles
	stamps      stamps
}

// gallery is what documents of a project are filled with again and again, ready to be copied. It is kept with the project until its team
// changes.
type gallery struct {
	root   []byte // …/projects/UID, escaped for JSON
	team   *auth.Team
	people [][]byte // the reference to each member, by ordinal - 1
	uids   [][]byte // the uid of each member, quoted
}

// galleryKey is the key of the memo.
type galleryKey struct{ base string }

func hang(base, project string, team *auth.Team) *gallery {
	quoted, _ := jsontext.AppendQuote(nil, base+"/projects/"+project) // both are valid UTF-8
	g := &gallery{root: quoted[1 : len(quoted)-1], team: team}
	for ordinal := uint32(1); team.Person(ordinal) != nil; ordinal++ {
		m := team.Person(ordinal)
		uid := appendText(nil, m.UID)
		g.uids = append(g.uids, uid)
		one := append([]byte(`{"uid":`), uid...)
		one = append(one, `,"url":"`...)
		one = append(one, g.root...)
		one = append(one, "/users/"...)
		one = append(one, m.UID...)
		one = append(one, `","email":`...)
		one = appendText(one, m.Email)
		g.people = append(g.people, append(one, '}'))
	}
	return g
}

// nobody fills the records of projects themselves, which show no people and refer to nothing.
var nobody = &gallery{team: auth.TeamOf()}

// filler makes the filler of the kind for a project.
func (k *Kind[T]) filler(c *api.Call, p *store.Project) (*filler, error) {
	g, err := galleryOf(c, p)
	if err != nil {
		return nil, err
	}
	f := k.with(g)
	if k.plan.linked {
		f.seal = c.Auth.Seal(p.UID, c.LinksUntil())
	}
	if k.plan.tiled {
		f.tiles = c.Auth.Seal(p.UID, c.TilesUntil())
	}
	f.states, err = statesOf(c, p, k.plan.states)
	return f, err
}

func galleryOf(c *api.Call, p *store.Project) (*gallery, error) {
	g, err := p.Memo(galleryKey{c.Base}, func() (any, error) {
		team, err := c.Auth.Team(c.Context(), p)
		if err != nil {
			return nil, err
		}
		return hang(c.Base, p.UID, team), nil
	}, auth.KindMember)
	if err != nil {
		return nil, err
	}
	return g.(*gallery), nil
}

func (k *Kind[T]) with(g *gallery) *filler {
	return &filler{gallery: g, plural: k.Path, collections: k.collections, ending: k.ending, version: k.Version, upgrade: k.upgraded}
}

// lines appends the records of a page, separated by commas.
func (f *filler) lines(buf []byte, page *store.Page) []byte {
	for i := range page.Rows {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = f.append(buf, &page.Rows[i])
	}
	return buf
}

// append appends the record with its holes filled.
func (f *filler) append(buf []byte, l *store.Line) []byte {
	doc := l.Doc
	if l.Version < f.version {
		doc = f.upgrade(doc)
	}
	var rest []byte
	if len(l.Tally) == 0 && bytes.HasSuffix(doc, f.ending.stored) {
		doc, rest = doc[:len(doc)-len(f.ending.stored)], f.ending.empty
	}
	at := 0
	for begin, end := nextHole(doc, 0); end > 0; begin, end = nextHole(doc, at) {
		buf = append(buf, doc[at:begin]...)
		buf = f.hole(buf, doc[begin+holeLetter], doc[begin+holeValue:end-1], l, doc)
		at = end
	}
	buf = append(buf, doc[at:]...)
	return append(buf, rest...)
}

// ending is how a kind's documents end with collections: as stored, and as shown while all of them are empty. It is so with most records,
// and then they are filled at once.
type ending struct{ stored, empty []byte }

func (k *Kind[T]) endsWith() ending {
	n := len(k.plan.fields)
	for n > 0 && k.plan.fields[n-1].typ == reflect.TypeFor[Coll]() {
		n--
	}
	if n == len(k.plan.fields) {
		return ending{}
	}
	doc, err := json.Marshal(k.fresh(), json.Deterministic(true))
	if err != nil {
		panic("resource: a new record of " + k.Plural + ": " + err.Error())
	}
	stored := doc[bytes.LastIndex(doc, []byte(`,"`+k.plan.fields[n].name+`":`)):]
	return ending{stored, (&filler{}).append(nil, &store.Line{Doc: stored})}
}

// Where a hole has its letter and its value: {"~p":1}.
const (
	holeLetter = 3
	holeValue  = 6
)

// nextHole finds the next hole of a stored document; end is 0 when there is none.
func nextHole(doc []byte, from int) (begin, end int) {
	for i := from; ; i++ {
		next := bytes.IndexByte(doc[i:], '~')
		if next < 0 {
			return 0, 0
		}
		if i += next; i >= 2 && doc[i-1] == '"' && doc[i-2] == '{' {
			begin = i - 2
			break
		}
	}
	end = begin + holeValue + 1
	if doc[end-1] == '"' {
		return begin, end + bytes.IndexByte(doc[end:], '}') + 1
	}
	for doc[end] != '}' { // a number: shorter than a call
		end++
	}
	return begin, end + 1
}

func (f *filler) hole(buf []byte, letter byte, value []byte, l *store.Line, whole []byte) []byte {
	switch letter {
	case 't':
		return f.stamps.append(buf, l.Clock)
	case 'i':
		return strconv.AppendUint(buf, uint64(l.ID.Ordinal()), 10)
	case 'p':
		return appendOf(buf, f.people, number(value))
	case 'u':
		return appendOf(buf, f.uids, number(value))
	case 's':
		return appendOf(buf, f.states.shown, number(value))
	case 'm':
		return f.member(buf, Member(number(value)), l.ID.Ordinal())
	case 'r':
		path := value[1 : len(value)-1]
		buf = append(buf, `{"uid":"`...)
		buf = append(buf, path[bytes.IndexByte(path, '/')+1:]...)
		buf = append(buf, `","url":"`...)
		buf = append(buf, f.root...)
		if path[0] != '/' { // else it is the project itself
			buf = append(buf, '/')
			buf = append(buf, path...)
		}
		return append(buf, `"}`...)
	case 'f':
		return f.link(buf, value[1:len(value)-1])
	case 'z':
		buf = append(append(buf, '"'), f.root...)
		return append(appendTiles(buf, f.tiles, value[1:len(value)-1]), '"')
	case 'n':
		return f.collection(buf, int(number(value)), l, whole)
	default:
		return append(buf, "null"...)
	}
}

// link shows where an object can be fetched, and until when.
func (f *filler) link(buf, object []byte) []byte {
	buf = append(buf, '"')
	buf = append(buf, f.root...)
	buf = append(buf, "/files/"...)
	buf = append(buf, object...)
	buf = append(buf, "?expires="...)
	buf = strconv.AppendInt(buf, f.seal.Until, 10)
	buf = append(buf, "&signature="...)
	return append(f.seal.Append(buf, object), '"')
}

// appendOf appends what a wall shows at an ordinal; null where there is nothing.
func appendOf(buf []byte, wall [][]byte, ordinal uint32) []byte {
	if ordinal == 0 || int(ordinal) > len(wall) {
		return append(buf, "null"...)
	}
	return append(buf, wall[ordinal-1]...)
}

func (f *filler) member(buf []byte, field Member, ordinal uint32) []byte {
	m := f.team.Person(ordinal)
	if m == nil {
		return append(buf, "null"...)
	}
	var text *string
	switch field {
	case MemberEmail:
		text = &m.Email
	case MemberFirstName:
		text = m.FirstName
	case MemberLastName:
		text = m.LastName
	case MemberLanguage:
		text = m.Language
	case MemberCompany:
		text = m.Company
	case MemberTitle:
		text = m.Title
	}
	if text == nil {
		return append(buf, "null"...)
	}
	return appendText(buf, *text)
}

// collection shows a count from the row's tally; every document begins with its uid.
func (f *filler) collection(buf []byte, slot int, l *store.Line, whole []byte) []byte {
	n := count(l.Tally, slot)
	if n == 0 {
		return append(buf, `{"total_count":0,"url":null}`...)
	}
	buf = append(buf, `{"total_count":`...)
	buf = strconv.AppendUint(buf, uint64(n), 10)
	if slot >= len(f.collections) {
		return append(buf, `,"url":null}`...)
	}
	uid := whole[len(`{"uid":"`):]
	buf = append(buf, `,"url":"`...)
	buf = append(buf, f.root...)
	buf = append(buf, '/')
	buf = append(buf, f.plural...)
	buf = append(buf, '/')
	buf = append(buf, uid[:bytes.IndexByte(uid, '"')]...)
	buf = append(buf, '/')
	buf = append(buf, f.collections[slot]...)
	return append(buf, `"}`...)
}

func number(digits []byte) uint32 {
	var n uint32
	for _, d := range digits {
		n = n*10 + uint32(d-'0')
	}
	return n
}

// count reads a slot of a tally such as "2 0 1".
func count(tally []byte, slot int) uint32 {
	if len(tally) == 0 { // as of most records
		return 0
	}
	for ; slot > 0; slot-- {
		i := bytes.IndexByte(tally, ' ')
		if i < 0 {
			return 0
		}
		tally = tally[i+1:]
	}
	if i := bytes.IndexByte(tally, ' '); i >= 0 {
		tally = tally[:i]
	}
	return number(tally)
}

func appendText(buf []byte, text string) []byte {
	buf, _ = jsontext.AppendQuote(buf, text) // the text was valid UTF-8 when it was stored
	return buf
}

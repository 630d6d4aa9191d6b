package document

import (
	"bytes"
	"strconv"

	"groundwork/internal/auth"
	"groundwork/internal/store"
)

// Expander copies stored documents into a response and expands their placeholders on the way.
type Expander struct {
	*Rendered
	States      *States
	Path        string // of the kind's records, below the project's
	Collections []string
	Ending      Ending
	Version     int
	Upgrade     func([]byte) []byte
	Links       *auth.Seal    // of links to files; nil where the documents show none
	Daily       *auth.Seal    // of what is signed for a day; nil where they show none
	Declared    []Placeholder // of the noun's own types
	stamps      stamps
}

// Schema is a JSON schema, as the API description shows it.
type Schema = map[string]any

// Placeholder describes a placeholder type that a noun declares for itself, beside those of this package.
type Placeholder struct {
	// Letter is the letter of the stored form. Those of this package are f, i, n, p, r, s, t and u.
	Letter byte
	// Daily says that what is shown changes once a day, as an address does that is signed for a day.
	Daily bool
	// Schema describes what is shown.
	Schema Schema
	// Holds tells of a stored value that comes from elsewhere whether one of the type can have it.
	Holds func(value []byte) bool
	// Remade gives the object in the file store that the value names and that can be made again; nil where it names
	// none.
	Remade func(value []byte) string
	// Shown gives the value, a number or a quoted text, by which a field shows what another server shows in it; false
	// where there is none. It is nil where that cannot be told.
	Shown func(field string, shown []byte) (value string, ok bool)
	// Expand appends what is shown for the stored value, which is a number or a quoted text.
	Expand func(buf []byte, e *Expander, value []byte, l *store.Line) []byte
}

// Declared is a placeholder type of a noun. Its values marshal themselves with MarshalNumber or MarshalText.
type Declared interface{ Placeholder() Placeholder }

// Lines appends the records of a page, separated by commas.
func (f *Expander) Lines(buf []byte, page *store.Page) []byte {
	for i := range page.Rows {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = f.Append(buf, &page.Rows[i])
	}
	return buf
}

// Append appends the record with its placeholders expanded.
func (f *Expander) Append(buf []byte, l *store.Line) []byte {
	doc := l.Doc
	if l.Version < f.Version {
		doc = f.Upgrade(doc)
	}
	var rest []byte
	if len(l.Tally) == 0 && bytes.HasSuffix(doc, f.Ending.stored) {
		doc, rest = doc[:len(doc)-len(f.Ending.stored)], f.Ending.empty
	}
	at := 0
	for begin, end := nextPlaceholder(doc, 0); end > 0; begin, end = nextPlaceholder(doc, at) {
		buf = append(buf, doc[at:begin]...)
		buf = f.expand(buf, doc[begin+letterAt], doc[begin+valueAt:end-1], l, doc)
		at = end
	}
	buf = append(buf, doc[at:]...)
	return append(buf, rest...)
}

// Ending is how a kind's documents end with collections: as stored, and as shown while all of them are empty. It is so
// with most records, and then they are expanded at once.
type Ending struct{ stored, empty []byte }

// Where a placeholder has its letter and its value: {"~p":1}.
const (
	letterAt = 3
	valueAt  = 6
)

// nextPlaceholder finds the next placeholder of a stored document; end is 0 when there is none.
func nextPlaceholder(doc []byte, from int) (begin, end int) {
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
	end = begin + valueAt + 1
	if doc[end-1] == '"' {
		return begin, end + bytes.IndexByte(doc[end:], '}') + 1
	}
	for doc[end] != '}' { // a number: shorter than a call
		end++
	}
	return begin, end + 1
}

func (f *Expander) expand(buf []byte, letter byte, value []byte, l *store.Line, whole []byte) []byte {
	switch letter {
	case 't':
		return f.stamps.append(buf, l.Clock)
	case 'i':
		return strconv.AppendUint(buf, uint64(l.ID.Ordinal()), 10)
	case 'p':
		return AppendAt(buf, f.People, number(value))
	case 'u':
		return AppendAt(buf, f.UIDs, number(value))
	case 's':
		return AppendAt(buf, f.States.Shown, number(value))
	case 'r':
		path := value[1 : len(value)-1]
		buf = append(buf, `{"uid":"`...)
		buf = append(buf, path[bytes.IndexByte(path, '/')+1:]...)
		buf = append(buf, `","url":"`...)
		buf = append(buf, f.Root...)
		if path[0] != '/' { // else it is the project itself
			buf = append(buf, '/')
			buf = append(buf, path...)
		}
		return append(buf, `"}`...)
	case 'f':
		return f.link(buf, value[1:len(value)-1])
	case 'n':
		return f.collection(buf, int(number(value)), l, whole)
	default:
		for i := range f.Declared {
			if f.Declared[i].Letter == letter {
				return f.Declared[i].Expand(buf, f, value, l)
			}
		}
		return append(buf, "null"...)
	}
}

// link shows where an object can be fetched, and until when.
func (f *Expander) link(buf, object []byte) []byte {
	buf = append(buf, '"')
	buf = append(buf, f.Root...)
	buf = append(buf, "/files/"...)
	buf = append(buf, object...)
	buf = append(buf, "?expires="...)
	buf = strconv.AppendInt(buf, f.Links.Until, 10)
	buf = append(buf, "&signature="...)
	return append(f.Links.Append(buf, object), '"')
}

// collection shows a count from the row's tally; every document begins with its uid.
func (f *Expander) collection(buf []byte, slot int, l *store.Line, whole []byte) []byte {
	n := Counter(l.Tally, slot)
	if n == 0 {
		return append(buf, `{"total_count":0,"url":null}`...)
	}
	buf = append(buf, `{"total_count":`...)
	buf = strconv.AppendUint(buf, uint64(n), 10)
	if slot >= len(f.Collections) {
		return append(buf, `,"url":null}`...)
	}
	uid := whole[len(`{"uid":"`):]
	buf = append(buf, `,"url":"`...)
	buf = append(buf, f.Root...)
	buf = append(buf, '/')
	buf = append(buf, f.Path...)
	buf = append(buf, '/')
	buf = append(buf, uid[:bytes.IndexByte(uid, '"')]...)
	buf = append(buf, '/')
	buf = append(buf, f.Collections[slot]...)
	return append(buf, `"}`...)
}

// Bare appends a stored value whose placeholders show nothing but uids.
func (f *Expander) Bare(buf, doc []byte) []byte {
	at := 0
	for begin, end := nextPlaceholder(doc, 0); end > 0; begin, end = nextPlaceholder(doc, at) {
		buf = append(buf, doc[at:begin]...)
		switch value := doc[begin+valueAt : end-1]; doc[begin+letterAt] {
		case 'p', 'u':
			buf = AppendAt(buf, f.UIDs, number(value))
		case 's':
			buf = AppendAt(buf, f.States.UIDs, number(value))
		case 'r':
			buf = append(append(buf, '"'), value[bytes.IndexByte(value, '/')+1:]...)
		default:
			buf = append(buf, "null"...)
		}
		at = end
	}
	return append(buf, doc[at:]...)
}

// UIDIn is the uid of a stored document: every one begins with it.
func UIDIn(doc []byte) string {
	uid := doc[len(`{"uid":"`):]
	return string(uid[:bytes.IndexByte(uid, '"')])
}

package resource

import (
	"bytes"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/api"
	"groundwork/internal/document"
	"groundwork/internal/store"
)

// operations are the words of the feed. A change of what is shown with a record, such as a count, is not one of the
// record and has no word.
var operations = map[store.Op]string{
	store.Created: "create", store.Updated: "update", store.Deleted: "delete", store.Restored: "restore",
	store.Linked: "link", store.Unlinked: "unlink",
}

// line is a line of the log that is kept beyond its reading. What it shows is the same for all who see it, and made
// once.
type line struct {
	store.Entry
	kind *entry

	mu    sync.Mutex
	shown [2][]byte // without its record, and with it
}

// keep copies what an entry points at.
func keep(kind *entry, ch *store.Entry) *line {
	l := &line{Entry: *ch, kind: kind}
	l.Diff = bytes.Clone(ch.Diff)
	l.Now.Tally, l.Now.Doc = bytes.Clone(ch.Now.Tally), bytes.Clone(ch.Now.Doc)
	return l
}

// size is how many bytes of the database a line holds.
func (l *line) size() int { return len(l.Diff) + len(l.Now.Tally) + len(l.Now.Doc) }

// render gives the line as an entry of the feed, for a caller who sees its record. Memory must stand for the clock of
// the project at which it was read.
func (l *line) render(c *api.Call, records bool) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	form := 0
	if records {
		form = 1
	}
	if l.shown[form] != nil {
		return l.shown[form], nil
	}
	project := c.Scope.Project()
	people, err := renderedOf(c, project)
	if err != nil {
		return nil, err
	}
	word := operations[l.Op]
	if word == "" {
		word = touched
	}
	buf := appendHead(nil, l.Seq, l.kind, l.UID, word)
	buf = document.AppendAt(append(buf, `,"actor":`...), people.People, l.Actor)
	buf = document.AppendStamp(append(buf, `,"time":`...), l.Clock)
	buf = appendNames(append(buf, `,"fields":`...), l.Diff)
	if records {
		f, err := l.kind.shower(c, project)
		if err != nil {
			return nil, err
		}
		buf = appendRecord(buf, f, &l.Now)
	}
	l.shown[form] = append(buf, '}')
	return l.shown[form], nil
}

// appendHead begins an entry.
func appendHead(buf []byte, seq int64, kind *entry, uid, word string) []byte {
	buf = strconv.AppendInt(append(buf, `{"sequence":`...), seq, 10)
	buf = append(append(buf, `,"kind":"`...), kind.plural...)
	buf = document.AppendText(append(buf, `","uid":`...), uid)
	return append(append(append(buf, `,"operation":"`...), word...), '"')
}

// appendRecord appends the record of an entry and its tag, which is good for If-Match.
func appendRecord(buf []byte, f *document.Expander, l *store.Line) []byte {
	buf = strconv.AppendInt(append(buf, `,"etag":"\"`...), l.Clock, 36)
	return f.Append(append(buf, `.w\"","record":`...), l)
}

// appendHidden appends the entry of a record that the caller saw and sees no longer: nothing of it but its uid.
func appendHidden(buf []byte, seq int64, kind *entry, uid string, clock int64) []byte {
	buf = appendHead(buf, seq, kind, uid, hidden)
	buf = document.AppendStamp(append(buf, `,"actor":null,"time":`...), clock)
	return append(buf, `,"fields":[],"etag":null,"record":null}`...)
}

// appendPresent appends the entry of a record that is not shown for a change of its own.
func appendPresent(buf []byte, seq int64, kind *entry, word string, f *document.Expander, l *store.Line) []byte {
	buf = appendHead(buf, seq, kind, document.UIDIn(l.Doc), word)
	buf = document.AppendStamp(append(buf, `,"actor":null,"time":`...), l.Clock)
	return append(appendRecord(append(buf, `,"fields":[]`...), f, l), '}')
}

// shower is the expander with which GET shows a record of the kind.
func (k *Kind[T]) shower(c *api.Call, p *store.Project) (*document.Expander, error) {
	if k.Self {
		return k.expanderOver(document.Nobody), nil
	}
	return k.expander(c, p)
}

// appendNames appends the names of a stored object's members as an array.
func appendNames(buf, object []byte) []byte {
	buf = append(buf, '[')
	dec := jsontext.NewDecoder(bytes.NewBuffer(object))
	_, err := dec.ReadToken() // the brace; there is no object where nothing differed
	for n := 0; err == nil && dec.PeekKind() == '"'; n++ {
		if n > 0 {
			buf = append(buf, ',')
		}
		var name jsontext.Token
		if name, err = dec.ReadToken(); err == nil {
			buf = document.AppendText(buf, name.String())
			err = dec.SkipValue()
		}
	}
	return append(buf, ']')
}

package resource

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// change is a line of a history: one field that changed.
type change struct {
	UID       string          `json:"uid"`
	Field     string          `json:"field"`
	OldValue  jsontext.Value  `json:"old_value"`
	NewValue  jsontext.Value  `json:"new_value"`
	UpdatedAt document.Stamp  `json:"updated_at"`
	UpdatedBy document.Person `json:"updated_by"`
}

// History is the route that lists what changed on a record, newest first: a line for each field. Values are as the
// record shows them, but people, states and links are uids. Fields in without have no line: they follow from others, or
// were shown to fewer people than read the history now.
func History[T any](k *Kind[T], right auth.Right, without ...string) api.Route {
	if k.mounted(); !store.Historied(k.Number) {
		panic("resource: the changes of " + k.Plural + " are not indexed")
	}
	r := k.route("GET", "{uid}/history", right, func(c *api.Call) error { return k.history(c, without) })
	r.Summary, r.Status, r.Query = "List the changes of "+k.one(), 200, WindowParams()
	name := k.component() + "Change"
	one, parts := document.SchemaOf[change]("One field that changed.")
	parts[name+"Log"] = one
	parts[name+"LogPage"] = PageSchema(document.SchemaRef(name + "Log"))
	r.Out, r.Components = document.SchemaRef(name+"LogPage"), parts
	return r
}

func (k *Kind[T]) history(c *api.Call, without []string) error {
	w, err := ReadWindow(c)
	if err != nil {
		return err
	}
	p := c.Scope.Project()
	if had, err := k.notModified(c, p); had || err != nil {
		return err
	}
	page, ok, err := c.Store.Get(c.Context(), p, k.Number, k.uid(c))
	if err != nil {
		return err
	}
	defer page.Release()
	if !ok {
		return fault.Missing(k.Name, k.uid(c))
	}
	f, err := k.expander(c, p)
	if err != nil {
		return err
	}
	read := &past{call: c, project: p.UID, seq: page.Seq, after: w.After, bound: page.Clock, without: without}
	read.from, read.to = w.Skip, w.Skip+w.Limit
	if w.From > 0 {
		read.from = int(min(w.From, 1<<31))
		read.to = read.from + w.Limit
	}
	if w.After != store.Always && w.Bound > 0 {
		// Nothing is ever added below the bound, so a position there is the number of lines before it.
		read.bound = min(read.bound, w.Bound)
	}
	if err := c.Store.Changes(c.Context(), p, page.Rows[0].ID, mostPast, read.take); err != nil {
		return err
	}
	if read.err != nil {
		return read.err
	}
	c.SetHeader("X-Clock", document.StampText(page.Clock))
	if c.Fresh(k.entityTag(c, page.Seq)) {
		return nil
	}
	to := min(read.from, read.below) + len(read.lines)
	next := w.Next(c, read.total, len(read.lines), to < read.below, read.bound, int64(to))
	return SendList(c, read.total, next, func(buf []byte) []byte { return appendChanges(buf, f, read.lines) })
}

const (
	// mostPast is how many changes of a record its history goes back, and mostPastRead how many bytes of old and new
	// values: what is older is in the change log only.
	mostPast     = 10_000
	mostPastRead = 16 << 20
)

// past reads the lines of a history, newest first, and keeps those of a window.
type past struct {
	call     *api.Call
	project  string
	seq      int64 // what was changed since the page was stamped comes with the next look
	after    int64 // the clock from which on there are lines
	bound    int64 // the clock up to which lines have a position
	from, to int   // the window
	without  []string

	total, below int // lines in all, and up to the bound
	bytes, kept  int // that were read, and that the lines of the window have
	lines        []change
	err          error
}

// take reads a change: a line for each field, but for some. It says whether older ones are wanted.
func (r *past) take(one store.Change) bool {
	if one.Seq > r.seq {
		return true
	}
	if one.Clock <= r.after {
		return false
	}
	if r.bytes += len(one.Diff); r.bytes > mostPastRead && r.bytes > len(one.Diff) {
		return false
	}
	r.call.Read(len(one.Diff))
	r.err = r.spread(one)
	return r.err == nil
}

func (r *past) spread(one store.Change) error {
	dec := jsontext.NewDecoder(bytes.NewReader(one.Diff))
	if _, err := dec.ReadToken(); err != nil {
		return fault.Of(err)
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return fault.Of(err)
		}
		field := name.String()
		told, at := !slices.Contains(r.without, field), r.below
		if told {
			r.total++
		}
		if told && one.Clock <= r.bound {
			r.below++
		}
		if at == r.below || at < r.from || at >= r.to {
			if err := dec.SkipValue(); err != nil {
				return fault.Of(err)
			}
			continue
		}
		var values [2]jsontext.Value
		if err := json.UnmarshalDecode(dec, &values); err != nil {
			return fault.Of(err)
		}
		r.kept += len(values[0]) + len(values[1])
		if err := r.call.Hold(r.kept); err != nil {
			return err
		}
		r.lines = append(r.lines, change{
			uuid.NewSHA1(uuid.NameSpaceOID, []byte(r.project+" "+strconv.FormatInt(one.Seq, 10)+" "+field)).String(),
			field,
			values[0], values[1], document.Stamp(one.Clock), document.Person(one.Actor),
		})
	}
	return nil
}

func appendChanges(buf []byte, f *document.Expander, lines []change) []byte {
	for i, l := range lines {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(buf, `{"uid":"`...)
		buf = append(buf, l.UID...)
		buf = append(buf, `","field":`...)
		buf = document.AppendText(buf, l.Field)
		buf = append(buf, `,"old_value":`...)
		buf = f.Bare(buf, l.OldValue)
		buf = append(buf, `,"new_value":`...)
		buf = f.Bare(buf, l.NewValue)
		buf = append(buf, `,"updated_at":`...)
		buf = document.AppendStamp(buf, int64(l.UpdatedAt))
		buf = append(buf, `,"updated_by":`...)
		buf = document.AppendAt(buf, f.People, uint32(l.UpdatedBy))
		buf = append(buf, '}')
	}
	return buf
}

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
	changes, err := c.Store.Changes(c.Context(), p, page.Rows[0].ID)
	if err != nil {
		return err
	}
	// What was changed since the page was stamped comes with the next look.
	changes = slices.DeleteFunc(changes, func(one store.Change) bool {
		return one.Seq > page.Seq || one.Clock <= w.After
	})
	lines, err := spread(p.UID, changes, without)
	if err != nil {
		return err
	}
	c.SetHeader("X-Clock", document.StampText(page.Clock))
	if c.Fresh(k.entityTag(c, page.Seq)) {
		return nil
	}
	total, bound := len(lines), page.Clock
	if w.After != store.Always && w.Bound > 0 {
		// Nothing is ever added below the bound, so a position there is the number of lines before it.
		bound = min(bound, w.Bound)
		lines = slices.DeleteFunc(lines, func(l change) bool { return int64(l.UpdatedAt) > bound })
	}
	from := w.Skip
	if w.From > 0 {
		from = int(min(w.From, int64(len(lines))))
	}
	from = min(from, len(lines))
	to := min(from+w.Limit, len(lines))
	next := w.Next(c, total, to-from, to < len(lines), bound, int64(to))
	return SendList(c, total, next, func(buf []byte) []byte { return appendChanges(buf, f, lines[from:to]) })
}

// spread gives a line for each field of each change, but for some.
func spread(project string, changes []store.Change, without []string) ([]change, error) {
	var lines []change
	for _, one := range changes {
		dec := jsontext.NewDecoder(bytes.NewReader(one.Diff))
		if _, err := dec.ReadToken(); err != nil {
			return nil, fault.Of(err)
		}
		for dec.PeekKind() == '"' {
			name, err := dec.ReadToken()
			if err != nil {
				return nil, fault.Of(err)
			}
			field := name.String()
			var values [2]jsontext.Value
			if err := json.UnmarshalDecode(dec, &values); err != nil {
				return nil, fault.Of(err)
			}
			if slices.Contains(without, field) {
				continue
			}
			lines = append(lines, change{
				uuid.NewSHA1(uuid.NameSpaceOID, []byte(project+" "+strconv.FormatInt(one.Seq, 10)+" "+field)).String(),
				field,
				values[0], values[1], document.Stamp(one.Clock), document.Person(one.Actor),
			})
		}
	}
	return lines, nil
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

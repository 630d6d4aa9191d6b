package resource

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// view is how one caller sees the change log: what they asked for, and what they may see.
type view struct {
	c       *api.Call
	all     *Catalog
	project *store.Project
	records bool     // each entry carries its record
	kinds   []*entry // those that were asked for, in that order; all where nil
	seen    map[store.Kind][][]string
	joined  int64 // when the caller came to the team; 0 as long as nobody has asked
}

var afterParam = api.Param{
	Name: "after", Summary: "Only changes after this sequence number.", Schema: api.Schema{
		"type": "integer", "minimum": 0, "default": 0,
	},
}

// viewParams are the query parameters of all that shows the log.
func (c *Catalog) viewParams() []api.Param {
	return []api.Param{
		{
			Name:    "include",
			Summary: "records: each entry also carries the record as it is now, and what is only shown with a record is told too.",
			Schema:  api.Schema{"type": "string", "enum": []any{"records"}},
		},
		{
			Name: "kinds", Summary: "Only records of these kinds, separated by commas.", Schema: api.Schema{
				"type": "string", "description": "One or more of " + strings.Join(c.plurals(), ", ") + ".",
			},
		},
	}
}

func (c *Catalog) plurals() []string {
	var out []string
	for i := range c.entries {
		out = append(out, c.entries[i].plural)
	}
	return out
}

// readView reads include and kinds, and notes what is wrong with them.
func readView(c *api.Call, all *Catalog, problems map[string]string) *view {
	v := &view{c: c, all: all, project: c.Scope.Project(), seen: map[store.Kind][][]string{}}
	q := c.Query()
	if q.Has("include") {
		if v.records = q.Get("include") == "records"; !v.records {
			problems["include"] = "It must be records, or be left out."
		}
	}
	if !q.Has("kinds") {
		return v
	}
	for plural := range strings.SplitSeq(q.Get("kinds"), ",") {
		e := all.entry(strings.TrimSpace(plural))
		if e == nil {
			problems["kinds"] = "It must be one or more of " + strings.Join(all.plurals(), ", ") + ", separated by commas."
			return v
		}
		if !slices.Contains(v.kinds, e) {
			v.kinds = append(v.kinds, e)
		}
	}
	return v
}

// readAfter reads a sequence number, and notes what is wrong with it.
func readAfter(text, name string, problems map[string]string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || text[0] == '+' {
		problems[name] = "It must be 0 or a sequence number that the change log gave."
	}
	return n
}

// readmit asks anew whether the caller may read the log; same is false where their role is another than before.
func (v *view) readmit() (same bool, err error) {
	role := v.c.Scope.Role()
	if err := v.c.Readmit(); err != nil {
		return false, err
	}
	if same = v.c.Scope.Role() == role; !same {
		clear(v.seen)
	}
	return same, nil
}

// asked tells whether a kind was asked for.
func (v *view) asked(kind *entry) bool { return v.kinds == nil || slices.Contains(v.kinds, kind) }

// groups are the terms of which the caller must find one of every group on a record of the kind.
func (v *view) groups(kind *entry) [][]string {
	groups, known := v.seen[kind.number]
	if !known {
		groups = kind.visibleTo(v.c.Scope)
		v.seen[kind.number] = groups
	}
	return groups
}

// The words for what is told with records alone: what is shown with a record changed; a record that the caller saw is
// no longer for them; a record as a walk finds it.
const (
	touched = "touch"
	hidden  = "hide"
	latest  = "latest"
)

// shows tells what a line is to the caller: its kind, and the word for it; "" where it is none of theirs.
func (v *view) shows(ch *store.Entry) (*entry, string) {
	kind := v.all.numbered(ch.Record.Kind())
	if kind == nil || !v.asked(kind) {
		return kind, ""
	}
	word := operations[ch.Op]
	if word == "" && v.records {
		word = touched
	}
	groups := v.groups(kind)
	if word == "" || visible(ch.Terms, groups) {
		return kind, word
	}
	if v.records && ch.Was != nil && visible(*ch.Was, groups) {
		return kind, hidden
	}
	return kind, ""
}

// isOwn tells whether a line is of the caller's own team record, which may change what they see with records.
func (v *view) isOwn(ch *store.Entry) bool {
	return v.records && ch.Record.Kind() == auth.KindMember && ch.UID == v.c.Scope.Account().UID
}

// wasHere tells whether the caller was on the team at a moment: who came later never saw what was hidden before.
func (v *view) wasHere(clock int64) (bool, error) {
	if v.joined == 0 {
		page, ok, err := v.c.Store.Get(v.c.Context(), v.project, auth.KindMember, v.c.Scope.Account().UID)
		if err != nil {
			return false, err
		}
		defer page.Release()
		var member struct {
			CreatedAt document.Stamp `json:"created_at"`
		}
		if !ok {
			return false, nil
		}
		if err := json.Unmarshal(page.Rows[0].Doc, &member); err != nil {
			return false, fault.Of(err)
		}
		v.joined = int64(member.CreatedAt)
	}
	return v.joined <= clock, nil
}

// each gives the entries that a line is to the caller, as JSON; what it gives is valid until the next. A change of the
// caller's own role is preceded by what they now see, and no longer see, by it.
func (v *view) each(l *line, show func(entry []byte)) error {
	_, word := v.shows(&l.Entry)
	if v.isOwn(&l.Entry) {
		if err := v.turned(l, show); err != nil {
			return err
		}
	}
	switch word {
	case "":
		return nil
	case hidden:
		here, err := v.wasHere(l.Clock)
		if here && err == nil {
			show(appendHidden(nil, l.Seq, l.kind, l.UID, l.Clock))
		}
		return err
	}
	text, err := l.render(v.c, v.records)
	if err == nil {
		show(text)
	}
	return err
}

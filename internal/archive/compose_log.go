package archive

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// measure learns when records were made and changed, and gives each a moment of its own: that is what a project's clock
// promises.
func (c *composer) measure(ctx context.Context) error {
	var all []*mark
	for i := range c.kinds {
		k := &c.kinds[i]
		err := c.each(ctx, k, func(id store.ID, shown map[string]jsontext.Value, row *store.Row) error {
			m := &mark{id: id, here: row != nil}
			if row != nil {
				m.clock = row.Clock
			}
			if shown == nil {
				if err := json.Unmarshal(row.Doc, &shown); err != nil {
					return damaged(k.Plural, row.UID, err)
				}
				delete(shown, "updated_at") // a placeholder
			}
			m.read(shown)
			c.marks[id] = m
			all = append(all, m)
			return nil
		})
		if err != nil {
			return err
		}
	}
	slices.SortFunc(all, func(a, b *mark) int {
		if a.clock == b.clock && a.here != b.here {
			if a.here {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.clock, b.clock), cmp.Compare(a.id, b.id))
	})
	for _, m := range all {
		m.clock = max(m.clock, c.clock+1)
		c.clock = m.clock
		c.remember(m)
	}
	slices.SortStableFunc(c.log, func(a, b logged) int {
		return cmp.Or(cmp.Compare(a.clock, b.clock), cmp.Compare(a.id, b.id))
	})
	return nil
}

// read reads what a record says of its times and authors.
func (m *mark) read(shown map[string]jsontext.Value) {
	moment := func(name string) int64 {
		var text string
		if json.Unmarshal(shown[name], &text) != nil {
			return 0
		}
		micros, ok := document.ParseMoment(text)
		if !ok {
			return 0
		}
		return micros
	}
	who := func(name string) string {
		var p struct {
			UID string `json:"uid"`
		}
		if json.Unmarshal(shown[name], &p) != nil {
			return ""
		}
		return p.UID
	}
	m.created, m.createdBy, m.updatedBy = moment("created_at"), who("created_by"), who("updated_by")
	m.clock = max(m.clock, moment("updated_at"), m.created)
	m.deleted = string(shown["deleted"]) == "true"
}

// remember makes the log of a record: what the server tells of it, its making and its last change.
func (c *composer) remember(m *mark) {
	k := c.byNumber[m.id.Kind()]
	uid, _ := c.uid(m.id.Kind(), m.id.Ordinal())
	made := min(m.created, m.clock)
	if made <= 0 {
		made = m.clock
	}
	c.log = append(c.log, logged{m.id, made, store.Created, m.createdBy, nil})
	last := made
	for _, step := range c.from.Past(k.Plural, c.theirs(k, uid)) {
		if step.At <= last || step.At > m.clock {
			continue
		}
		c.log = append(c.log, logged{m.id, step.At, store.Updated, step.By, &step})
		last = step.At
	}
	if last == m.clock {
		return
	}
	op := store.Updated
	if m.deleted {
		op = store.Deleted
	}
	c.log = append(c.log, logged{m.id, m.clock, op, cmp.Or(m.updatedBy, m.createdBy), nil})
}

func (c *composer) changes(context.Context) error {
	err := c.w.begin(changesEntry)
	for i, l := range c.log {
		if err != nil {
			break
		}
		path, problem := c.path(l.id)
		if problem != nil {
			return problem
		}
		one := struct {
			Sequence int64          `json:"sequence"`
			Record   string         `json:"record"`
			At       string         `json:"at"`
			Did      string         `json:"did"`
			By       *string        `json:"by"`
			Fields   jsontext.Value `json:"fields"`
			Was      *string        `json:"terms_before"`
		}{int64(i + 1), path, moment(l.clock), ops[l.op], nil, c.fields(l), nil}
		if by := c.local[l.by]; by != "" && c.ordinals[auth.KindMember][by] != 0 {
			one.By = &by
		}
		err = c.w.value(one)
	}
	return errors.Join(err, c.w.end(true))
}

// fields are the old and new values of a step, as archives have them.
func (c *composer) fields(l logged) jsontext.Value {
	if l.step == nil {
		return jsontext.Value("null")
	}
	k := c.byNumber[l.id.Kind()]
	all := map[string][2]jsontext.Value{}
	for name, pair := range l.step.Fields {
		var out [2]jsontext.Value
		for i, value := range pair {
			out[i] = c.past(k, name, value)
		}
		all[name] = out
	}
	text, err := json.Marshal(all, json.Deterministic(true))
	if err != nil {
		return jsontext.Value("null")
	}
	return text
}

// past is a value of a history, where people, states and records are told by their uids.
func (c *composer) past(k *resource.Declared, field string, value jsontext.Value) jsontext.Value {
	var uid string
	var uids []string
	named := func(name, text string) jsontext.Value {
		return append(document.AppendText(append(append([]byte(`{"~`), name...), `":`...), text), '}')
	}
	person := func(uid string) jsontext.Value {
		if here := c.local[uid]; c.ordinals[auth.KindMember][here] != 0 {
			return named(namePerson, here)
		}
		return nil
	}
	switch {
	case slices.Contains(k.Links, field) && json.Unmarshal(value, &uid) == nil && uid != "":
		if c.ordinals[c.byPlural[field].Number][uid] == 0 {
			return jsontext.Value("null")
		}
		return named(nameReference, field+"/"+uid)
	case k.IsState(field) && json.Unmarshal(value, &uid) == nil:
		if c.ordinals[c.byPlural[k.States].Number][uid] == 0 {
			return jsontext.Value("null")
		}
		return named(nameState, uid)
	case k.IsPeople(field) && json.Unmarshal(value, &uids) == nil:
		all := jsontext.Value{'['}
		for _, uid := range uids {
			if one := person(uid); one != nil {
				if len(all) > 1 {
					all = append(all, ',')
				}
				all = append(all, one...)
			}
		}
		return append(all, ']')
	}
	if strings.Contains(string(value), `{"~`) {
		return jsontext.Value("null") // a text cannot look so: somebody wants it to be more
	}
	return value
}

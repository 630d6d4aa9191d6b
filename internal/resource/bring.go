package resource

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"maps"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Brought is a record that another service had, as a body of this API: it comes again when its file is read again.
type Brought struct {
	UID string
	// Number is the one that it had there and keeps; 0 gives it the next.
	Number uint32
	// Body is by the names that a create reads. null clears a field.
	Body map[string]jsontext.Value
	// Said is what the file says of a field where that is not what the body has, such as the name of what it refers to.
	Said map[string]jsontext.Value
	// Also are other uids by which the record would be looked for.
	Also []string
}

// said is what the file says of a field.
func (b *Brought) said(name string) string {
	if said, other := b.Said[name]; other {
		return Hashed(said)
	}
	return Hashed(b.Body[name])
}

// Outcome is what became of a record that was brought.
type Outcome struct {
	Did Did
	// Kept are the fields that changed there, and that somebody has changed here too: they stay as they are here.
	Kept []string
}

// Did says what was done.
type Did uint8

const (
	// Same is where nothing changed there since it was brought.
	Same Did = iota
	// Made is where it is new here.
	Made
	// Changed is where the file says something else now.
	Changed
	// Gone is where it was deleted here, and stays so.
	Gone
)

// Origin is what is kept with a record that was brought, and never shown: of each field, by the name in the body, the
// hashes of what the file said and of what was stored for it. So a later file changes what nobody here has changed.
// Also are the other uids by which the record is looked for.
type Origin struct {
	Brought map[string][2]string `json:"brought"`
	Also    []string             `json:"also"`
}

// OriginOf reads what is kept with a record; false where it was not brought.
func OriginOf(row *store.Row) (o Origin, brought bool) {
	if len(row.Private) == 0 || json.Unmarshal(row.Private, &o) != nil || o.Brought == nil {
		return o, false
	}
	return o, true
}

// Bring makes a record of a kind, or changes it where it was brought before and its file says something else now. It
// goes the way of a create or an update: the body is read by the kind's plan, Check is asked, and the log has a line.
// What is refused is fault.Invalid, and nothing was written then. Rights are for the caller to ask.
func (c *Catalog) Bring(tx *Tx, plural string, b Brought) (Outcome, error) {
	tx.kinds = c
	return c.kind(plural).bring(tx, b)
}

func (k *Kind[T]) bring(tx *Tx, b Brought) (out Outcome, err error) {
	row, there, err := tx.Get(k.Number, b.UID)
	switch {
	case err != nil:
		return out, err
	case !there:
		return Outcome{Did: Made}, k.bringNew(tx, b)
	case row.Deleted:
		return Outcome{Did: Gone}, nil
	}
	return k.bringAgain(tx, &row, b)
}

// Refuses says what is wrong with a body that would be brought, as far as the project need not be asked:
// fault.Invalid.
func (c *Catalog) Refuses(plural string, body map[string]jsontext.Value) error {
	_, err := c.mustEntry(plural).plan.Parse(sorted(body), document.Reading{Create: true})
	return err
}

func (k *Kind[T]) bringNew(tx *Tx, b Brought) error {
	in, err := k.plan.Parse(sorted(b.Body), document.Reading{Create: true})
	if err != nil {
		return err
	}
	v := k.newDocument()
	tx.in = in
	if err := in.Apply(tx, v); err != nil {
		return refusedReference(err)
	}
	if b.Number != 0 {
		k.plan.SetNumber(reflect.ValueOf(v).Elem(), b.Number)
	}
	k.setSlots(v)
	stored, err := k.parts(v)
	if err != nil {
		return err
	}
	kept := Origin{map[string][2]string{}, b.Also}
	for name := range b.Body {
		kept.Brought[name] = [2]string{b.said(name), Hashed(stored[k.plan.Written(name)])}
	}
	private, err := json.Marshal(kept, json.Deterministic(true))
	if err == nil {
		_, err = k.InsertWith(tx, b.UID, v, private)
	}
	return err
}

// bringAgain changes what the file says otherwise than the last time, and what nobody has changed here since.
func (k *Kind[T]) bringAgain(tx *Tx, row *store.Row, b Brought) (out Outcome, err error) {
	kept, brought := OriginOf(row)
	if !brought {
		return out, fault.New(fault.Invalid, "%s %s is here, and did not come from a file.", k.Name, row.UID)
	}
	old, err := k.load(*row)
	if err != nil {
		return out, err
	}
	stored, err := k.parts(old)
	if err != nil {
		return out, err
	}
	begins, err := k.parts(k.newDocument())
	if err != nil {
		return out, err
	}
	fresh := map[string]jsontext.Value{}
	for name, said := range b.Body {
		was, known := kept.Brought[name]
		if !known { // nobody has changed what is as in a new record
			was[1] = Hashed(begins[k.plan.Written(name)])
		}
		switch {
		case known && was[0] == b.said(name):
		case was[1] != Hashed(stored[k.plan.Written(name)]):
			out.Kept = append(out.Kept, name)
		default:
			fresh[name] = said
		}
	}
	slices.Sort(out.Kept)
	also := len(b.Also) > 0 && !slices.Equal(b.Also, kept.Also)
	if len(fresh) == 0 && !also {
		return out, nil
	}
	changed := *old
	if len(fresh) > 0 {
		in, err := k.plan.Parse(sorted(fresh), document.Reading{Own: row.UID})
		if err != nil {
			return out, err
		}
		tx.in = in
		if err := in.Apply(tx, &changed); err != nil {
			return out, refusedReference(err)
		}
	}
	diff, err := k.plan.Diff(reflect.ValueOf(old).Elem(), reflect.ValueOf(&changed).Elem())
	if err != nil {
		return out, err
	}
	if stored, err = k.parts(&changed); err != nil {
		return out, err
	}
	for name := range fresh {
		kept.Brought[name] = [2]string{b.said(name), Hashed(stored[k.plan.Written(name)])}
	}
	if also {
		kept.Also = b.Also
	}
	if row.Private, err = json.Marshal(kept, json.Deterministic(true)); err != nil {
		return out, err
	}
	if diff == nil { // only what is kept with it changes
		return out, tx.Show(row)
	}
	out.Did = Changed
	return out, k.Save(tx, row, old, &changed, store.Updated)
}

// parts are the members of a record as it is stored.
func (k *Kind[T]) parts(v *T) (all map[string]jsontext.Value, err error) {
	doc, err := k.plan.Write(nil, reflect.ValueOf(v).Elem())
	if err == nil {
		err = json.Unmarshal(doc, &all)
	}
	return all, err
}

// refusedReference makes of a reference to what is not there what is wrong with a body.
func refusedReference(err error) error {
	if fault.Is(err, fault.NotFound) {
		return fault.New(fault.Invalid, "%s", fault.Of(err).Error())
	}
	return err
}

// Hashed is what is kept of what a file said, or of what was stored for it.
func Hashed(value jsontext.Value) string {
	sum := sha256.Sum256(value)
	return hex.EncodeToString(sum[:8])
}

// sorted gives the members of a body in an order that does not change.
func sorted(body map[string]jsontext.Value) iter.Seq2[string, jsontext.Value] {
	return func(yield func(string, jsontext.Value) bool) {
		for _, name := range slices.Sorted(maps.Keys(body)) {
			if !yield(name, body[name]) {
				return
			}
		}
	}
}

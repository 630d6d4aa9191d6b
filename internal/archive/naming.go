package archive

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// Stored documents name people, states and collections by numbers. In an archive they have their uids and names:
// {"~p":3} is {"~person":"…"} there. Both ways lead back to the same bytes.

// The names that placeholders have in archives.
const (
	namePerson     = "person"
	namePersonUID  = "person_uid"
	nameState      = "state"
	nameReference  = "reference"
	nameFile       = "file"
	nameCollection = "collection"
	nameUpdated    = "updated_at"
	nameNumber     = "number"
)

// register knows the uids of all records of a project, by kind and ordinal.
type register struct {
	kinds    []resource.Declared
	byNumber map[store.Kind]*resource.Declared
	byPlural map[string]*resource.Declared
	uids     map[store.Kind][]string
	ordinals map[store.Kind]map[string]uint32
	project  string
	// remade are the objects that documents name and that are made again.
	remade map[string]bool
}

func newRegister(all *resource.Catalog, project string) *register {
	r := &register{
		kinds: all.Kinds(), byNumber: map[store.Kind]*resource.Declared{}, byPlural: map[string]*resource.Declared{},
		uids: map[store.Kind][]string{}, ordinals: map[store.Kind]map[string]uint32{}, project: project,
		remade: map[string]bool{},
	}
	for i := range r.kinds {
		k := &r.kinds[i]
		r.byNumber[k.Number], r.byPlural[k.Plural] = k, k
		r.ordinals[k.Number] = map[string]uint32{}
	}
	return r
}

// add adds the next record of a kind; false where the kind has the uid already.
func (r *register) add(kind store.Kind, uid string) bool {
	if r.ordinals[kind][uid] != 0 {
		return false
	}
	r.uids[kind] = append(r.uids[kind], uid)
	r.ordinals[kind][uid] = uint32(len(r.uids[kind]))
	return true
}

// uid is the uid of a record at an ordinal.
func (r *register) uid(kind store.Kind, ordinal uint32) (string, bool) {
	if ordinal == 0 || int(ordinal) > len(r.uids[kind]) {
		return "", false
	}
	return r.uids[kind][ordinal-1], true
}

// path names a record: "issues/UID".
func (r *register) path(id store.ID) (string, error) {
	k := r.byNumber[id.Kind()]
	uid, ok := r.uid(id.Kind(), id.Ordinal())
	if k == nil || !ok {
		return "", fmt.Errorf("there is no record %d", id)
	}
	return k.Plural + "/" + uid, nil
}

// find is path backwards, in a project of any number.
func (r *register) find(path string, project int64) (store.ID, error) {
	plural, uid := document.Ref(path).Split()
	k := r.byPlural[plural]
	if k == nil || r.ordinals[k.Number][uid] == 0 {
		return 0, fmt.Errorf("it names %s, which is not in the archive", shorten(path))
	}
	return store.MakeID(project, k.Number, r.ordinals[k.Number][uid]), nil
}

// outward writes a document, or a part of one, as archives have it.
func (r *register) outward(k *resource.Declared, ordinal uint32, clock int64, doc []byte) ([]byte, error) {
	named := func(buf []byte, name string) []byte { return append(append(append(buf, `{"~`...), name...), `":`...) }
	member := func(buf []byte, name string, kind store.Kind, value []byte) ([]byte, error) {
		n, _ := strconv.ParseUint(string(value), 10, 32)
		uid, ok := r.uid(kind, uint32(n))
		if !ok {
			return nil, fmt.Errorf("it names a %s that the project does not have", name)
		}
		return append(document.AppendText(named(buf, name), uid), '}'), nil
	}
	into := make([]byte, 0, 2*len(doc))
	return document.Replace(into, doc, func(buf []byte, letter byte, value []byte) ([]byte, error) {
		switch letter {
		case 'p':
			return member(buf, namePerson, auth.KindMember, value)
		case 'u':
			return member(buf, namePersonUID, auth.KindMember, value)
		case 's':
			if states := r.byPlural[k.States]; states != nil {
				return member(buf, nameState, states.Number, value)
			}
			return nil, errors.New("it has a state, which its kind has not")
		case 'n':
			slot, _ := strconv.Atoi(string(value))
			if slot >= len(k.Collections) {
				return nil, errors.New("it has a collection that its kind has not")
			}
			return append(document.AppendText(named(buf, nameCollection), k.Collections[slot]), '}'), nil
		case 't':
			return append(document.AppendStamp(named(buf, nameUpdated), clock), '}'), nil
		case 'i':
			return append(strconv.AppendUint(named(buf, nameNumber), uint64(ordinal), 10), '}'), nil
		case 'r':
			return append(append(named(buf, nameReference), value...), '}'), nil
		case 'f':
			return append(append(named(buf, nameFile), value...), '}'), nil
		default:
			r.note(k, letter, value)
			return append(append(named(buf, string(letter)), value...), '}'), nil
		}
	})
}

// note notes the object that a placeholder of a noun names.
func (r *register) note(k *resource.Declared, letter byte, value []byte) {
	for _, p := range k.Placeholders {
		if p.Letter == letter && p.Remade != nil {
			r.remade[p.Remade(value)] = true
		}
	}
}

// inward is outward backwards, for what comes from elsewhere.
func (r *register) inward(k *resource.Declared, ordinal uint32, clock int64, doc []byte) ([]byte, error) {
	into := make([]byte, 0, len(doc))
	return document.ReplaceNamed(into, doc, func(buf []byte, name string, value []byte) ([]byte, error) {
		text := string(bytes.Trim(value, `"`))
		quoted := len(value) > 0 && value[0] == '"'
		number := func(letter string, n uint64) ([]byte, error) {
			placeholder, err := document.MarshalNumber(letter, n)
			return append(buf, placeholder...), err
		}
		switch name {
		case namePerson, namePersonUID:
			if n := r.ordinals[auth.KindMember][text]; n != 0 && quoted {
				return number(map[string]string{namePerson: "p", namePersonUID: "u"}[name], uint64(n))
			}
			return nil, fmt.Errorf("it names the person %s, who is not on the team", shorten(text))
		case nameState:
			if states := r.byPlural[k.States]; states != nil && quoted && r.ordinals[states.Number][text] != 0 {
				return number("s", uint64(r.ordinals[states.Number][text]))
			}
			return nil, fmt.Errorf("it names the state %s, which is none of its kind", shorten(text))
		case nameCollection:
			for slot, c := range k.Collections {
				if c == text && quoted {
					return number("n", uint64(slot))
				}
			}
			return nil, fmt.Errorf("it names the collection %s, which its kind has not", shorten(text))
		case nameUpdated:
			if quoted && text == moment(clock) {
				return number("t", 0)
			}
			return nil, errors.New("it has another time than its line")
		case nameNumber:
			if string(value) == strconv.FormatUint(uint64(ordinal), 10) {
				return number("i", 0)
			}
			return nil, errors.New("it has another number than its place")
		case nameReference:
			if err := r.refers(text); err != nil {
				return nil, err
			}
			return append(append(append(buf, `{"~r":`...), value...), '}'), nil
		case nameFile:
			if !quoted || !k.Linked || !objectName.MatchString(text) {
				return nil, fmt.Errorf("it names the file %s, which is none", shorten(text))
			}
			return append(append(append(buf, `{"~f":`...), value...), '}'), nil
		default:
			return r.own(buf, k, name, value)
		}
	})
}

// refers holds that a reference leads to a record of the archive, or to the project itself.
func (r *register) refers(path string) error {
	if path == "/"+r.project {
		return nil
	}
	_, err := r.find(path, 0)
	return err
}

// own takes a placeholder of a noun's own type.
func (r *register) own(buf []byte, k *resource.Declared, name string, value []byte) ([]byte, error) {
	for _, p := range k.Placeholders {
		if name == string(p.Letter) && p.Holds != nil && p.Holds(value) {
			r.note(k, p.Letter, value)
			return append(append(append(append(append(buf, `{"~`...), name...), `":`...), value...), '}'), nil
		}
	}
	return nil, fmt.Errorf("it has a placeholder %s, which its kind has not", shorten(name))
}

// shorten bounds what a message repeats of an archive.
func shorten(text string) string {
	const most = 80
	if len(text) > most {
		text = text[:most] + "…"
	}
	return strconv.QuoteToASCII(text)
}

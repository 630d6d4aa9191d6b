package document

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// assign puts a parsed value into a field or behind its pointer; nil clears.
func assign(_ References, f *Field, dst reflect.Value, value any) error {
	switch {
	case value == nil:
		clearField(dst)
	case dst.Kind() == reflect.Pointer:
		p := reflect.New(f.Type.Elem())
		p.Elem().Set(reflect.ValueOf(value).Convert(f.Type.Elem()))
		dst.Set(p)
	default:
		dst.Set(reflect.ValueOf(value).Convert(f.Type))
	}
	return nil
}

func parseText(f *Field, raw jsontext.Value) (any, string) {
	if raw.Kind() != '"' {
		return nil, "It must be text."
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, "It must be text."
	}
	switch {
	case strings.IndexByte(s, 0) >= 0:
		return nil, "It must not contain the NUL character."
	case f.max > 0 && len(s) > f.max && utf8.RuneCountInString(s) > f.max:
		return nil, fmt.Sprintf("It may have at most %d characters.", f.max)
	case f.solid && strings.TrimSpace(s) == "":
		return nil, "It must not be blank."
	case f.One != nil && !slices.Contains(f.One, s):
		return nil, "It must be one of " + strings.Join(f.One, ", ") + "."
	}
	return s, ""
}

// parseUUID reads the uid that a client chose for a new record.
func parseUUID(f *Field, raw jsontext.Value) (any, string) {
	s, problem := parseText(f, raw)
	if problem == "" && store.IsUUID(s.(string)) {
		return store.FoldUID(s.(string)), ""
	}
	return nil, "It must be a UUID such as 3f1c9e52-7d0b-4f7e-9a53-0c8d1b6a2e47."
}

func parseBool(_ *Field, raw jsontext.Value) (any, string) {
	switch string(raw) {
	case "true":
		return true, ""
	case "false":
		return false, ""
	default:
		return nil, "It must be true or false."
	}
}

func parseInt(_ *Field, raw jsontext.Value) (any, string) {
	if n, ok := parseInteger(string(raw)); ok && raw.Kind() == '0' {
		return n, ""
	}
	return nil, "It must be a whole number of at most 64 bits."
}

func parseAmount(_ *Field, raw jsontext.Value) (any, string) {
	if m, ok := parseMoney(string(raw)); ok && raw.Kind() == '0' {
		return m, ""
	}
	return nil, "It must be a number with at most two decimals and 13 digits before them."
}

func parseTime(f *Field, raw jsontext.Value) (any, string) {
	s, problem := parseText(f, raw)
	if problem == "" {
		if micros, ok := ParseMoment(s.(string)); ok {
			return Time(micros), ""
		}
	}
	return nil, "It must be a time such as 2026-03-31T16:00:00Z."
}

func parseDay(f *Field, raw jsontext.Value) (any, string) {
	s, problem := parseText(f, raw)
	if problem == "" {
		if d, ok := parseDate(s.(string)); ok {
			return d, ""
		}
	}
	return nil, "It must be a date such as 2026-03-31."
}

// mostUIDs is how many people one field may name. Each is shown with uid, address and URL, in up to three fields of a
// record: a list of fifty records with a thousand each would have 25 MB.
const mostUIDs = 100

// parseUIDs reads an array of uids, or text in which commas separate them.
func parseUIDs(_ *Field, raw jsontext.Value) (any, string) {
	var uids []string
	switch raw.Kind() {
	case '[':
		var given []*string
		if err := json.Unmarshal(raw, &given); err != nil || slices.Contains(given, nil) {
			return nil, "It must be an array of user uids."
		}
		for _, uid := range given {
			uids = append(uids, store.FoldUID(*uid))
		}
	case '"':
		var joined string
		if err := json.Unmarshal(raw, &joined); err != nil {
			return nil, "It must be an array of user uids."
		}
		for uid := range strings.SplitSeq(joined, ",") {
			if uid = strings.TrimSpace(uid); uid != "" {
				uids = append(uids, store.FoldUID(uid))
			}
		}
	default:
		return nil, "It must be an array of user uids."
	}
	if len(uids) > mostUIDs {
		return nil, fmt.Sprintf("It may name at most %d people.", mostUIDs)
	}
	return uids, ""
}

// setRef points a field at a record of the project: fault.NotFound for an unknown one, fault.Invalid for a deleted one
// that it did not refer to before.
func setRef(refs References, f *Field, dst reflect.Value, value any) error {
	if value == nil {
		dst.SetString("")
		return nil
	}
	uid := store.FoldUID(value.(string))
	if dst.Interface().(Ref).UID() == uid && uid != "" {
		return nil
	}
	name, deleted, err := refs.Refer(f.Ref, uid)
	if err != nil {
		return err
	}
	if deleted {
		return fault.Field(f.accepts[0], "%s %s is deleted. Restore it first.", name, uid)
	}
	dst.SetString(f.Ref + "/" + uid)
	return nil
}

// setPeople names members of the team: fault.NotFound for an unknown one, fault.Invalid for a removed one who was not
// named before.
func setPeople(refs References, f *Field, dst reflect.Value, value any) error {
	uids, _ := value.([]string)
	had := dst.Convert(reflect.TypeFor[[]Person]()).Interface().([]Person)
	people := make([]Person, 0, len(uids))
	for _, uid := range uids {
		p, removed, err := refs.Person(uid)
		if err != nil {
			return err
		}
		if removed && !slices.Contains(had, p) {
			return fault.Field(f.accepts[0], "User %s was removed from the project.", uid)
		}
		if !slices.Contains(people, p) {
			people = append(people, p)
		}
	}
	dst.Set(reflect.ValueOf(people).Convert(f.Type))
	return nil
}

// setState puts a record in the state of a uid: fault.NotFound for an unknown one.
func setState(refs References, f *Field, dst reflect.Value, value any) error {
	state, err := refs.State(f.Ref, value.(string))
	if err == nil {
		dst.SetUint(uint64(state))
	}
	return err
}

// parseNumber reads a JSON number.
func parseNumber(_ *Field, raw jsontext.Value) (any, string) {
	n, err := strconv.ParseFloat(strings.TrimSpace(string(raw)), 64)
	if raw.Kind() != '0' || err != nil {
		return nil, "It must be a number."
	}
	return n, ""
}

// clearField makes a field blank: a list is empty, as it is when it is read from where it is stored.
func clearField(v reflect.Value) {
	if v.Kind() == reflect.Slice {
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		return
	}
	v.SetZero()
}

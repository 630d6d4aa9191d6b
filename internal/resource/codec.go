package resource

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/fault"
)

// codec reads a field from a body in two steps: parse outside of the transaction, where a problem is told as a sentence; set inside,
// where references are looked up.
type codec struct {
	parse func(f *field, raw jsontext.Value) (value any, problem string)
	set   func(tx *Tx, f *field, dst reflect.Value, value any) error
	deep  bool // it is read field by field: see nested.go
}

var (
	refType    = reflect.TypeFor[Ref]()
	fileType   = reflect.TypeFor[File]()
	tilesType  = reflect.TypeFor[Tiles]()
	textType   = reflect.TypeFor[string]()
	boolType   = reflect.TypeFor[bool]()
	intType    = reflect.TypeFor[int64]()
	timeType   = reflect.TypeFor[Time]()
	dateType   = reflect.TypeFor[Date]()
	moneyType  = reflect.TypeFor[Money]()
	peopleType = reflect.TypeFor[People]()
	orNullType = reflect.TypeFor[PeopleOrNull]()
)

func codecOf(f *field) codec {
	t := f.typ
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t {
	case textType:
		return codec{parse: parseText, set: assign}
	case boolType:
		return codec{parse: parseBool, set: assign}
	case intType:
		return codec{parse: parseInt, set: assign}
	case timeType:
		return codec{parse: parseTime, set: assign}
	case dateType:
		return codec{parse: parseDay, set: assign}
	case moneyType:
		return codec{parse: parseAmount, set: assign}
	case refType, stateType:
		if f.ref == "" {
			panic(fmt.Sprintf("resource: %s does not say which kind it refers to", f.name))
		}
		if t == stateType {
			return codec{parse: parseText, set: setState}
		}
		return codec{parse: parseText, set: setRef}
	case peopleType, orNullType:
		return codec{parse: parseUIDs, set: setPeople}
	case reflect.TypeFor[float64]():
		return codec{parse: parseNumber, set: assign}
	default:
		switch {
		case f.typ.Kind() == reflect.Struct:
			return codec{set: merge, deep: true}
		case nests(t):
			return codec{set: assign, deep: true}
		}
		panic(fmt.Sprintf("resource: %s cannot be written: no codec for %s", f.name, f.typ))
	}
}

// assign puts a parsed value into a field or behind its pointer; nil clears.
func assign(_ *Tx, f *field, dst reflect.Value, value any) error {
	switch {
	case value == nil:
		clearField(dst)
	case dst.Kind() == reflect.Pointer:
		p := reflect.New(f.typ.Elem())
		p.Elem().Set(reflect.ValueOf(value).Convert(f.typ.Elem()))
		dst.Set(p)
	default:
		dst.Set(reflect.ValueOf(value).Convert(f.typ))
	}
	return nil
}

func parseText(f *field, raw jsontext.Value) (any, string) {
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
	case f.one != nil && !slices.Contains(f.one, s):
		return nil, "It must be one of " + strings.Join(f.one, ", ") + "."
	}
	return s, ""
}

func parseBool(_ *field, raw jsontext.Value) (any, string) {
	switch string(raw) {
	case "true":
		return true, ""
	case "false":
		return false, ""
	default:
		return nil, "It must be true or false."
	}
}

func parseInt(_ *field, raw jsontext.Value) (any, string) {
	if n, ok := parseInteger(string(raw)); ok && raw.Kind() == '0' {
		return n, ""
	}
	return nil, "It must be a whole number of at most 64 bits."
}

func parseAmount(_ *field, raw jsontext.Value) (any, string) {
	if m, ok := parseMoney(string(raw)); ok && raw.Kind() == '0' {
		return m, ""
	}
	return nil, "It must be a number with at most two decimals and 13 digits before them."
}

func parseTime(f *field, raw jsontext.Value) (any, string) {
	s, problem := parseText(f, raw)
	if problem == "" {
		if micros, ok := ParseMoment(s.(string)); ok {
			return Time(micros), ""
		}
	}
	return nil, "It must be a time such as 2026-03-31T16:00:00Z."
}

func parseDay(f *field, raw jsontext.Value) (any, string) {
	s, problem := parseText(f, raw)
	if problem == "" {
		if d, ok := parseDate(s.(string)); ok {
			return d, ""
		}
	}
	return nil, "It must be a date such as 2026-03-31."
}

// mostUIDs is how many people one field may name.
const mostUIDs = 1000

// parseUIDs reads an array of uids, or text in which commas separate them.
func parseUIDs(_ *field, raw jsontext.Value) (any, string) {
	var uids []string
	switch raw.Kind() {
	case '[':
		var given []*string
		if err := json.Unmarshal(raw, &given); err != nil || slices.Contains(given, nil) {
			return nil, "It must be an array of user uids."
		}
		for _, uid := range given {
			uids = append(uids, *uid)
		}
	case '"':
		var joined string
		if err := json.Unmarshal(raw, &joined); err != nil {
			return nil, "It must be an array of user uids."
		}
		for uid := range strings.SplitSeq(joined, ",") {
			if uid = strings.TrimSpace(uid); uid != "" {
				uids = append(uids, uid)
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

// setRef points a field at a record of the project: fault.NotFound for an unknown one, fault.Invalid for a deleted one that it did not
// refer to before.
func setRef(tx *Tx, f *field, dst reflect.Value, value any) error {
	if value == nil {
		dst.SetString("")
		return nil
	}
	uid := value.(string)
	if dst.Interface().(Ref).UID() == uid && uid != "" {
		return nil
	}
	deleted, err := tx.refer(f.ref, uid)
	if err != nil {
		return err
	}
	if deleted {
		_, name := named(f.ref)
		return fault.Field(f.accepts[0], "%s %s is deleted. Restore it first.", name, uid)
	}
	dst.SetString(f.ref + "/" + uid)
	return nil
}

// setPeople names members of the team: fault.NotFound for an unknown one, fault.Invalid for a removed one who was not named before.
func setPeople(tx *Tx, f *field, dst reflect.Value, value any) error {
	uids, _ := value.([]string)
	had := dst.Convert(reflect.TypeFor[[]Person]()).Interface().([]Person)
	people := make([]Person, 0, len(uids))
	for _, uid := range uids {
		p, removed, err := tx.person(uid)
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
	dst.Set(reflect.ValueOf(people).Convert(f.typ))
	return nil
}

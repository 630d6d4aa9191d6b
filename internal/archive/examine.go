package archive

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/identity"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// arrival is an archive that was examined: it agrees with itself, and can be brought in.
type arrival struct {
	*opened
	*register
	name       string // of the project
	now        int64
	clock, seq int64
	jumps      bool
	people     []identity.Arrival
	// local are the uids that people have here, where they are others.
	local   map[string]string
	clocks  map[store.ID]int64 // of records, in a project of number 0
	tallies map[store.ID]string
	files   []fileLine
	objects map[string]bool // of files
	names   map[string]bool // what texts name that could be objects
	links   int64
	log     int64
	bytes   int64
}

// The bounds of where a project stands. Its log goes on from there, and must not run out. Its clock never goes back,
// and the clock of no machine is a day ahead.
const (
	mostSequence = store.MostSeq / 2
	mostAhead    = int64(24 * time.Hour / time.Microsecond)
)

// anyUID is what a uid may look like: it becomes a part of addresses.
var anyUID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// isUID tells whether a uid can be found under the address that it becomes a part of.
func isUID(uid string) bool { return anyUID.MatchString(uid) && store.FoldUID(uid) == uid }

// examine reads everything but the files, and holds that it agrees with itself.
func examine(o *opened, site Site) (*arrival, error) {
	if !isUID(o.Project) {
		return nil, refused("its project has no uid")
	}
	a := &arrival{
		opened: o, register: newRegister(site.Kinds, o.Project), now: site.Store.Now(), local: map[string]string{},
		clocks: map[store.ID]int64{}, tallies: map[store.ID]string{}, objects: map[string]bool{},
		names: map[string]bool{},
	}
	for _, step := range []func() error{
		a.readProject, a.readPeople, a.readUIDs, a.readFiles, a.readRecords, a.readLinks, a.readChanges, a.checkCounts,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (a *arrival) readProject() error {
	if _, there := a.known[projectEntry]; !there {
		return refused("it has no %s", projectEntry)
	}
	text, err := readWhole(a.entries[projectEntry], mostProject)
	if err != nil {
		return err
	}
	var p projectLine
	if err := parse(projectEntry, 1, text, &p); err != nil {
		return err
	}
	clock, ok := parseMoment(p.Clock)
	if !ok || p.UID != a.Project || p.Clock != a.Moment || p.Sequence != a.Sequence || p.Sequence < 1 {
		return refused("its manifest and its project do not agree")
	}
	if p.Sequence > mostSequence {
		return refused("its log is at change %d; %d is the most", p.Sequence, int64(mostSequence))
	}
	if clock > a.now+mostAhead {
		return refused("its moment, %s, is yet to come", p.Clock)
	}
	a.clock, a.seq = clock, p.Sequence
	return nil
}

func (a *arrival) readPeople() error {
	addresses := map[string]bool{}
	return a.each(peopleEntry, func(n int, line []byte) error {
		var p personLine
		if err := parse(peopleEntry, n, line, &p); err != nil {
			return err
		}
		if g := a.gone[p.UID]; g != nil {
			p.Shown = g.Shown
		}
		key := identity.EmailKey(p.Email)
		if !isUID(p.UID) || addresses[key] {
			return bad(peopleEntry, n, errors.New("it has no uid, or an address that another has"))
		}
		addresses[key] = true
		a.people = append(a.people, identity.Arrival{UID: p.UID, Shown: p.Shown, Founder: n == identity.Founder})
		return nil
	})
}

// readUIDs learns which records there are.
func (a *arrival) readUIDs() error {
	for i := range a.kinds {
		k := &a.kinds[i]
		path := recordsFolder + k.Plural + lines
		err := a.each(path, func(n int, line []byte) error {
			var r struct {
				Record struct {
					UID string `json:"uid"`
				} `json:"record"`
			}
			if json.Unmarshal(line, &r) != nil {
				return bad(path, n, errLine)
			}
			uid := r.Record.UID
			if !isUID(uid) || k.Self && (n > 1 || uid != a.Project) || !a.add(k.Number, uid) {
				return bad(path, n, errors.New("its uid cannot be taken, or is another's"))
			}
			return nil
		})
		if err != nil {
			return err
		}
		if k.Self && len(a.uids[k.Number]) != 1 {
			return refused("it has no record of the project itself")
		}
	}
	team := a.uids[auth.KindMember]
	isOf := func(uid string, p identity.Arrival) bool { return uid == p.UID }
	if len(team) == 0 || !slices.EqualFunc(team, a.people, isOf) {
		return refused("its people are not those of its team")
	}
	return a.knownEntries()
}

// knownEntries holds that nothing is there that would be passed over.
func (a *arrival) knownEntries() error {
	for _, e := range a.Entries {
		if plural, is := cut(e.Path, recordsFolder, lines); is && a.byPlural[plural] == nil {
			return refused("it has %s, which this release does not know: a later one imports it", shorten(plural))
		}
	}
	return nil
}

// cut takes the middle out of a text.
func cut(text, begin, end string) (string, bool) {
	if len(text) < len(begin)+len(end) || text[:len(begin)] != begin || text[len(text)-len(end):] != end {
		return "", false
	}
	return text[len(begin) : len(text)-len(end)], true
}

// eachRecord gives the records of a kind as they are stored, in a project.
func (a *arrival) eachRecord(k *resource.Declared, project int64, each func(n int, row store.Row) error) error {
	path := recordsFolder + k.Plural + lines
	return a.each(path, func(n int, line []byte) error {
		row, err := a.record(k, uint32(n), line)
		if err != nil {
			return bad(path, n, err)
		}
		row.ID = store.MakeID(project, k.Number, uint32(n))
		return each(n, row)
	})
}

func (a *arrival) record(k *resource.Declared, ordinal uint32, line []byte) (row store.Row, err error) {
	var r struct {
		UpdatedAt string         `json:"updated_at"`
		Version   int            `json:"version"`
		Private   *string        `json:"private"`
		Record    jsontext.Value `json:"record"`
	}
	if json.Unmarshal(line, &r, json.RejectUnknownMembers(true)) != nil {
		return row, errLine
	}
	clock, ok := parseMoment(r.UpdatedAt)
	if !ok || clock > a.clock || r.Record.Kind() != '{' {
		return row, errLine
	}
	row = store.Row{Clock: clock, Version: r.Version}
	if row.Doc, err = a.inward(k, ordinal, clock, r.Record); err != nil {
		return row, err
	}
	if err := k.Admit(&row); err != nil {
		return row, err
	}
	uid, _ := a.uid(k.Number, ordinal)
	if row.UID != uid {
		return row, errLine
	}
	switch {
	case k.Number == auth.KindMember && r.Private != nil:
		return row, errors.New("it keeps something, which people do not")
	case k.Number == auth.KindMember:
		row.Private = a.people[ordinal-1].Keep()
		err = a.settle(k, &row)
	case r.Private != nil:
		row.Private = []byte(*r.Private)
		row.Wiped = row.Deleted && *r.Private == resource.WipedMark
	}
	if err == nil && !store.Storable(string(row.Doc)+string(row.Private)+row.Terms) {
		err = errLine
	}
	return row, err
}

// settle gives a team record the uid that its account has here.
func (a *arrival) settle(k *resource.Declared, row *store.Row) error {
	uid, other := a.local[row.UID]
	if !other {
		return nil
	}
	begin := len(`{"uid":"` + row.UID + `"`)
	row.Doc = append(append([]byte(`{"uid":`), document.AppendText(nil, uid)...), row.Doc[begin:]...)
	return k.Admit(row)
}

// readRecords examines the records, and counts what they show.
func (a *arrival) readRecords() error {
	taken := map[int64]bool{}
	attached := map[document.Ref][]string{}
	for i := range a.kinds {
		k := &a.kinds[i]
		err := a.eachRecord(k, 0, func(n int, row store.Row) error {
			if taken[row.Clock] {
				return bad(recordsFolder+k.Plural+lines, n, errors.New("another record has its time"))
			}
			taken[row.Clock] = true
			a.clocks[row.ID] = row.Clock
			if a.seek(row.Doc); k.Self {
				a.name = nameIn(row.Doc)
			}
			a.seek(row.Private)
			to, err := k.AttachedTo(row)
			switch {
			case err != nil:
				return err
			case to != "":
				attached[to] = append(attached[to], k.Plural)
			case k.Attaches:
				return bad(recordsFolder+k.Plural+lines, n, errors.New("it is attached to nothing"))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for to, plurals := range attached {
		if string(to) == "/"+a.Project {
			continue // the project itself, which shows no counts
		}
		id, err := a.find(string(to), 0)
		if err != nil {
			return refused("%w", err)
		}
		for _, plural := range plurals {
			if !a.counted(id, plural, false) {
				return refused("%s are attached to %s, which shows none", plural, shorten(string(to)))
			}
		}
	}
	for _, f := range a.files {
		if f.MadeAgain != a.remade[f.Object] {
			return refused("the file %s is not as the records say", f.Object)
		}
	}
	return nil
}

// nameIn is the name that a document has; "" where it has none.
func nameIn(doc []byte) string {
	var named struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(doc, &named) != nil {
		return ""
	}
	return named.Name
}

// counted counts one record more in a collection of another; false where that has none of the name.
func (a *arrival) counted(id store.ID, collection string, linked bool) bool {
	k := a.byNumber[id.Kind()]
	slot := slices.Index(k.Collections, collection)
	if slot < 0 || slices.Contains(k.Links, collection) != linked {
		return false
	}
	a.tallies[id] = document.AddToCounter(a.tallies[id], slot, 1)
	return true
}

// escaped is a letter or digit as JSON may write it as well.
var escaped = regexp.MustCompile(`\\u00[0-9a-fA-F]{2}`)

// seek notes what could be names of objects in a text of JSON, or in one that is a name itself.
func (a *arrival) seek(text []byte) {
	text = escaped.ReplaceAllFunc(text, func(found []byte) []byte {
		c, _ := strconv.ParseUint(string(found[len(`\u`):]), 16, 8)
		if !inName(byte(c)) {
			return found
		}
		return []byte{byte(c)}
	})
	for i := 0; i+objectLength <= len(text); {
		n := 0
		for i+n < len(text) && n <= objectLength && inName(text[i+n]) {
			n++
		}
		if n == objectLength {
			a.names[string(text[i:i+n])] = true
		}
		i += n + 1
	}
}

const objectLength = 32

func inName(c byte) bool { return c >= 'a' && c <= 'z' || c >= '2' && c <= '7' }

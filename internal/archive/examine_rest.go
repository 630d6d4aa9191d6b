package archive

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/auth"
	"groundwork/internal/identity"
	"groundwork/internal/store"
)

// mostWhy is how long the reason may be for which a file is missing. An operator reads it.
const mostWhy = 200

func (a *arrival) readFiles() error {
	before := ""
	lost := map[string]bool{}
	for _, m := range a.Missing {
		if !objectName.MatchString(m.Object) || len(m.Why) > mostWhy || !identity.Printable(m.Why) {
			return refused("its manifest does not say which file is missing, and why")
		}
		lost[m.Object] = true
	}
	paths := map[string]bool{}
	err := a.each(filesEntry, func(n int, line []byte) error {
		var f fileLine
		if err := parse(filesEntry, n, line, &f); err != nil {
			return err
		}
		_, timed := parseMoment(f.CreatedAt)
		if !objectName.MatchString(f.Object) || f.Object <= before || !timed || f.Bytes < 0 ||
			!store.Storable(f.Type) || !store.Storable(f.Name) {
			return bad(filesEntry, n, errLine)
		}
		before = f.Object
		if f.Record != nil {
			if _, err := a.find(*f.Record, 0); err != nil {
				return bad(filesEntry, n, err)
			}
		}
		if (f.Path == nil) != (f.MadeAgain || lost[f.Object]) || f.MadeAgain && lost[f.Object] {
			return bad(filesEntry, n, errors.New("it does not say where the file is, and why not"))
		}
		if f.Path != nil {
			e, there := a.known[*f.Path]
			if *f.Path != pathOf(f.Object, f.Type) || !there || e.Bytes != f.Bytes || e.SHA256 != f.SHA256 {
				return bad(filesEntry, n, errors.New("the file is not as the manifest says"))
			}
			paths[*f.Path] = true
			a.bytes += f.Bytes
		}
		a.objects[f.Object] = true
		a.files = append(a.files, f)
		return nil
	})
	for _, e := range a.Entries {
		if _, is := cut(e.Path, filesFolder, ""); is && !paths[e.Path] && err == nil {
			err = refused("the file %s belongs to nothing", shorten(e.Path))
		}
	}
	return err
}

// eachLink gives the links, in a project.
func (a *arrival) eachLink(project int64,
	each func(n int, owner store.ID, slot uint8, place int64, target store.ID) error,
) error {
	return a.each(linksEntry, func(n int, line []byte) error {
		var l linkLine
		if err := parse(linksEntry, n, line, &l); err != nil {
			return err
		}
		owner, err := a.find(l.Owner, project)
		if err != nil {
			return bad(linksEntry, n, err)
		}
		target, err := a.find(l.Target, project)
		if err != nil {
			return bad(linksEntry, n, err)
		}
		place, ok := parseMoment(l.LinkedAt)
		slot := -1
		for i, c := range a.byNumber[owner.Kind()].Collections {
			if c == l.Collection {
				slot = i
			}
		}
		if !ok || slot < 0 || a.byNumber[target.Kind()].Plural != l.Collection {
			return bad(linksEntry, n, errLine)
		}
		return each(n, owner, uint8(slot), place, target)
	})
}

func (a *arrival) readLinks() error {
	type at struct {
		owner store.ID
		slot  uint8
		place int64
	}
	type pair struct {
		owner, target store.ID
		slot          uint8
	}
	var before at
	seen := map[pair]bool{}
	return a.eachLink(0, func(n int, owner store.ID, slot uint8, place int64, target store.ID) error {
		now := at{owner, slot, place}
		in := cmp.Or(cmp.Compare(before.owner, owner), cmp.Compare(before.slot, slot), cmp.Compare(before.place, place))
		if n > 1 && in >= 0 || seen[pair{owner, target, slot}] || place > a.clock {
			return bad(linksEntry, n, errors.New("it is not in order, or there twice"))
		}
		before, seen[pair{owner, target, slot}] = now, true
		if !a.counted(owner, a.byNumber[owner.Kind()].Collections[slot], true) {
			return bad(linksEntry, n, errLine)
		}
		a.links++
		return nil
	})
}

// eachChange gives the log, in a project.
func (a *arrival) eachChange(project int64, each func(n int, c store.Logged) error) error {
	return a.each(changesEntry, func(n int, line []byte) error {
		var l struct {
			Sequence int64          `json:"sequence"`
			Record   string         `json:"record"`
			At       string         `json:"at"`
			Did      string         `json:"did"`
			By       *string        `json:"by"`
			Fields   jsontext.Value `json:"fields"`
			Was      *string        `json:"terms_before"`
		}
		if err := parse(changesEntry, n, line, &l); err != nil {
			return err
		}
		id, err := a.find(l.Record, project)
		if err != nil {
			return bad(changesEntry, n, err)
		}
		c := store.Logged{Seq: l.Sequence, Record: id, Was: l.Was}
		var timed, did bool
		c.Clock, timed = parseMoment(l.At)
		c.Op, did = opOf(l.Did)
		if l.By != nil {
			if c.Actor = a.ordinals[auth.KindMember][*l.By]; c.Actor == 0 {
				return bad(changesEntry, n, fmt.Errorf("it is by %s, who is not on the team", shorten(*l.By)))
			}
		}
		if !timed || !did || l.Was != nil && !store.Storable(*l.Was) {
			return bad(changesEntry, n, errLine)
		}
		if l.Fields.Kind() != 'n' {
			var fields map[string][]jsontext.Value
			if json.Unmarshal(l.Fields, &fields) != nil {
				return bad(changesEntry, n, errLine)
			}
			for _, pair := range fields {
				if len(pair) != 2 {
					return bad(changesEntry, n, errLine)
				}
			}
			if c.Diff, err = a.inward(a.byNumber[id.Kind()], id.Ordinal(), c.Clock, l.Fields); err != nil {
				return bad(changesEntry, n, err)
			}
			if !store.Storable(string(c.Diff)) {
				return bad(changesEntry, n, errLine)
			}
		}
		return each(n, c)
	})
}

// readChanges holds that the log tells of exactly these records, in the order of its numbers.
func (a *arrival) readChanges() error {
	var last, newest int64
	greatest := make(map[store.ID]int64, len(a.clocks))
	err := a.eachChange(0, func(n int, c store.Logged) error {
		if jumped := c.Seq != last+1; jumped {
			if c.Seq <= last || c.Seq%store.Jump != 0 || !a.byNumber[c.Record.Kind()].Self {
				return bad(changesEntry, n, fmt.Errorf("change %d follows change %d", c.Seq, last))
			}
			a.jumps = true
		}
		last = c.Seq
		greatest[c.Record] = max(greatest[c.Record], c.Clock)
		a.log++
		return nil
	})
	if err != nil {
		return err
	}
	for id, clock := range a.clocks {
		if greatest[id] != clock {
			path, _ := a.path(id)
			return refused("%s and its changes do not agree", path)
		}
		newest = max(newest, clock)
	}
	if last != a.seq || newest != a.clock {
		return refused("its project and its changes do not agree")
	}
	return nil
}

// checkCounts holds that entries have as many lines as the manifest says.
func (a *arrival) checkCounts() error {
	said := map[string]int64{}
	for _, c := range a.Counts {
		said[c.Path] = c.Lines
	}
	has := map[string]int64{
		peopleEntry: int64(len(a.people)), linksEntry: a.links, changesEntry: a.log, filesEntry: int64(len(a.files)),
	}
	for i := range a.kinds {
		if n := len(a.uids[a.kinds[i].Number]); n > 0 {
			has[recordsFolder+a.kinds[i].Plural+lines] = int64(n)
		}
	}
	for path, n := range has {
		if said[path] != n {
			return refused("%s has %d lines, and the manifest says %d", path, n, said[path])
		}
	}
	return nil
}

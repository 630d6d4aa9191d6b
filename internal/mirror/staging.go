package mirror

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"groundwork/internal/follow"
	"groundwork/internal/journal"
	"groundwork/internal/resource"
)

// staging is the folder of a project that is mirrored: what the server showed, and how far it was read.
//
//	records.jsonl, records.state    entries of records, as they came, and the position in the log or in the lists
//	sides.jsonl, sides.state        collections, histories and files
//	files/                          files that were fetched and not yet brought in
type staging struct {
	folder  string
	at      position
	records *journal.Journal
	sides   *journal.Journal
	kinds   []resource.Declared

	index map[string]*spot    // of records, by "plural/uid"
	order map[string][]string // uids by plural, in the order of creation
	side  map[string]*aside   // by key
	dirty bool
}

// position is how far a project was read.
type position struct {
	Log follow.Position `json:"log"`
	// Plain says that the server has no change log: lists are read.
	Plain bool  `json:"plain"`
	Lists lists `json:"lists"`
}

// spot is where the newest entry of a record stands.
type spot struct {
	at     int64
	length int
	first  place
}

// place orders the records of a kind by their making.
type place struct{ round, n int }

// aside is something that was read of a record beside it.
type aside struct {
	Key string `json:"key"`
	// At is the updated_at that the record had then.
	At string `json:"at"`
	// Targets are the uids of a collection.
	Targets []string `json:"targets"`
	// Past are the lines of a history.
	Past []past `json:"past"`
	// File is what a link led to; Why is why it led to nothing.
	File *fetched `json:"file"`
	Why  string   `json:"why"`
}

// past is a line of a history.
type past struct {
	Field     string          `json:"field"`
	OldValue  json.RawMessage `json:"old_value"`
	NewValue  json.RawMessage `json:"new_value"`
	UpdatedAt string          `json:"updated_at"`
	UpdatedBy json.RawMessage `json:"updated_by"`
}

// fetched is a file that was fetched. Brought says that it was brought in, and is no longer in the folder.
type fetched struct {
	Object  string `json:"object"`
	Type    string `json:"type"`
	Name    string `json:"name"`
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"`
	Brought bool   `json:"brought"`
}

// kept is a line of records.jsonl.
type kept struct {
	follow.Entry
	Round int `json:"round"`
}

func openStaging(folder string, kinds []resource.Declared) (*staging, error) {
	s := &staging{
		folder: folder, kinds: kinds, index: map[string]*spot{}, order: map[string][]string{},
		side: map[string]*aside{},
	}
	if err := os.MkdirAll(filepath.Join(folder, "files"), 0o700); err != nil {
		return nil, fmt.Errorf("What is gathered cannot be kept: %w.", err)
	}
	var err error
	if s.records, err = journal.Open(folder, "records", &s.at); err != nil {
		return nil, err
	}
	if s.sides, err = journal.Open(folder, "sides", &struct{}{}); err != nil {
		return nil, errors.Join(err, s.records.Close())
	}
	err = s.records.Each(func(at int64, line []byte) error {
		var k kept
		if json.Unmarshal(line, &k) != nil {
			return damagedFolder(folder)
		}
		s.note(&k, at, len(line))
		return nil
	})
	if err == nil {
		err = s.sides.Each(func(_ int64, line []byte) error {
			a := new(aside)
			if json.Unmarshal(line, a) != nil {
				return damagedFolder(folder)
			}
			s.side[a.Key] = a
			return nil
		})
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func damagedFolder(folder string) error {
	return fmt.Errorf("What was gathered in %s is damaged. Remove that folder to begin again.", folder)
}

func (s *staging) close() error { return errors.Join(s.records.Close(), s.sides.Close()) }

// note learns of an entry.
func (s *staging) note(k *kept, at int64, length int) {
	name := k.Kind + "/" + k.UID
	switch was := s.index[name]; {
	case k.Operation == follow.BeginAgain:
		s.index, s.order = map[string]*spot{}, map[string][]string{}
	case k.Operation == follow.Hide:
		delete(s.index, name)
	case was != nil:
		was.at, was.length = at, length
	default:
		s.order[k.Kind] = append(s.order[k.Kind], k.UID)
		s.index[name] = &spot{at, length, place{k.Round, len(s.order[k.Kind])}}
	}
}

// keep adds a page of entries, and the position after it.
func (s *staging) keep(entries []follow.Entry, next position) error {
	if len(s.index)+len(entries) > mostRecords {
		return fmt.Errorf("The server shows more than %d records of the project, which is more than can be mirrored.", mostRecords)
	}
	for _, e := range entries {
		k := &kept{e, s.at.Lists.Round}
		line, err := json.Marshal(k)
		if err != nil {
			return err
		}
		at, err := s.records.Append(line)
		if err != nil {
			return err
		}
		s.note(k, at, len(line))
		s.dirty = true
	}
	s.at = next
	return s.records.Commit(next)
}

// read gives the newest entry of a record; false where the server does not show it.
func (s *staging) read(plural, uid string) (record map[string]json.RawMessage, ok bool, err error) {
	at := s.index[plural+"/"+uid]
	if at == nil {
		return nil, false, nil
	}
	line, err := s.records.Read(at.at, at.length)
	if err != nil {
		return nil, false, err
	}
	var k kept
	if json.Unmarshal(line, &k) != nil || json.Unmarshal(k.Record, &record) != nil || record == nil {
		return nil, false, damagedFolder(s.folder)
	}
	return record, true, nil
}

// add keeps what was read beside records.
func (s *staging) add(all ...*aside) error {
	for _, a := range all {
		line, err := json.Marshal(a)
		if err != nil {
			return err
		}
		if _, err := s.sides.Append(line); err != nil {
			return err
		}
		s.side[a.Key] = a
	}
	return s.sides.Commit(struct{}{})
}

// uids are those of a kind's records that the server shows, in order of creation.
func (s *staging) uids(k *resource.Declared) []string {
	var all []string
	seen := map[string]bool{}
	for _, uid := range s.order[k.Plural] {
		if s.index[k.Plural+"/"+uid] != nil && !seen[uid] {
			seen[uid] = true
			all = append(all, uid)
		}
	}
	if s.at.Plain && k.Newest {
		s.oldestFirst(k, all)
	}
	return all
}

// lists is how far the lists of a server without a change log were read. Rounds follow each other until one brings
// nothing: a list is read by the addresses that the server gives, with updated_after, and what changes meanwhile comes
// with the next round.
type lists struct {
	Round int `json:"round"`
	// Done are the kinds that were read in this round; Next is the next page of the one that is being read.
	Done []string `json:"done"`
	Next string   `json:"next"`
	// Since is from when on each kind is read in this round, and Clock from when on in the next.
	Since map[string]string `json:"since"`
	Clock map[string]string `json:"clock"`
	// Total is how many records the server says that each kind has, and Refused what it says instead.
	Total   map[string]int64  `json:"total"`
	Refused map[string]string `json:"refused"`
	// Moved says that this round has brought something.
	Moved bool `json:"moved"`
}

// path is where a file lies that was fetched.
func (s *staging) path(object string) string { return filepath.Join(s.folder, "files", object) }

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

var e40 = &experiment{
	id:      "E40",
	title:   "every kind of secret through the whole service, right and wrong, in the right place and in others; then a search of the log at level debug, of all refusals, and of the whole database",
	bar:     "no secret is found anywhere",
	control: "what is no secret: the address of an account in the database, its uid in the log, and the name of a parameter in a refusal",
	engines: bothEngines,
	run: func(t *trial) error {
		s, err := newSpill(t)
		if err != nil {
			return err
		}
		found := 0
		for _, place := range slices.Sorted(maps.Keys(s.places)) {
			for name, secret := range s.secrets {
				if bytes.Contains(s.places[place], []byte(secret)) {
					found++
					t.require(false, "%s is in %s: %s", name, place, around(s.places[place], secret))
				}
			}
			t.note(place, "%s bytes", thousands(len(s.places[place])))
			t.require(len(s.places[place]) > 0, "%s is empty", place)
		}
		t.note("secrets", "%d", len(s.secrets))
		t.note("found", "%d", found)
		return nil
	},
	runControl: func(t *trial) (string, error) {
		s, err := newSpill(t)
		if err != nil {
			return "", err
		}
		for place, known := range map[string]string{placeDatabase: ada, placeLog: s.uid, placeRefusals: "grant_type"} {
			if !bytes.Contains(s.places[place], []byte(known)) {
				return "", nil
			}
		}
		return "all three were found", nil
	},
}

func around(text []byte, secret string) string {
	at := bytes.Index(text, []byte(secret))
	return strings.ToValidUTF8(string(text[max(0, at-60):at]), "?") + "…"
}

// The places that are searched.
const (
	placeLog      = "the log"
	placeDatabase = "the database"
	placeRefusals = "refusals"
)

// spill is a service through which secrets went, and everything that it left behind.
type spill struct {
	*heist
	uid     string
	secrets map[string]string
	places  map[string][]byte
}

func newSpill(t *trial) (*spill, error) {
	box, err := newMailbox(t)
	if err != nil {
		return nil, err
	}
	site, err := newSite(t, released)
	if err != nil {
		return nil, err
	}
	site.level, site.options = "debug", []string{"--mail-url", "smtp://" + box.address, "--mail-from", "Groundwork <groundwork@example.com>"}
	s := &spill{heist: &heist{site: site, back: "https://sync.example.com/callback"}, secrets: map[string]string{}, places: map[string][]byte{}}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	if err := errors.Join(s.use(), s.people(box), s.misuse()); err != nil {
		return nil, err
	}
	if _, err := s.stop(); err != nil {
		return nil, err
	}
	if s.places[placeLog], err = os.ReadFile(s.log.Name()); err != nil {
		return nil, err
	}
	s.places[placeDatabase], err = s.dump()
	return s, err
}

// dump is everything that the installation stores.
func (s *spill) dump() ([]byte, error) {
	var all bytes.Buffer
	err := filepath.WalkDir(s.data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	})
	if err != nil || s.t.engine != postgres {
		return all.Bytes(), err
	}
	conn, err := pgx.Connect(s.t, s.place[slices.Index(s.place, "--database-url")+1])
	if err != nil {
		return nil, err
	}
	defer conn.Close(s.t)
	rows, err := conn.Query(s.t, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
	if err != nil {
		return nil, err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	for _, table := range tables {
		rows, err := conn.Query(s.t, fmt.Sprintf("SELECT t::text FROM %s t", pgx.Identifier{table}.Sanitize()))
		if err != nil {
			return nil, err
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return nil, err
		}
		all.WriteString(strings.Join(lines, "\n"))
	}
	return all.Bytes(), nil
}

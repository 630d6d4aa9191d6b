package tenancy

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

	"groundwork/prove/lab"
	"groundwork/prove/oauth"
)

// E40 sends secrets through the whole service, and looks for them where none may be.
var E40 = &lab.Experiment{
	ID:       "E40",
	Title:    "every kind of secret through the whole service, right and wrong, in the right place and in others; then a search of the log at level debug, of all refusals, and of the whole database",
	MustHold: "no secret is found anywhere",
	Control:  "what is no secret: the address of an account in the database, its uid in the log, and the name of a parameter in a refusal",
	Engines:  lab.BothEngines,
	Run: func(t *lab.Trial) error {
		s, err := newSpill(t)
		if err != nil {
			return err
		}
		found := 0
		for _, place := range slices.Sorted(maps.Keys(s.places)) {
			for name, secret := range s.secrets {
				if bytes.Contains(s.places[place], []byte(secret)) {
					found++
					t.Require(false, "%s is in %s: %s", name, place, around(s.places[place], secret))
				}
			}
			t.Note(place, "%s bytes", lab.Thousands(len(s.places[place])))
			t.Require(len(s.places[place]) > 0, "%s is empty", place)
		}
		t.Note("secrets", "%d", len(s.secrets))
		t.Note("found", "%d", found)
		return nil
	},
	RunControl: func(t *lab.Trial) (string, error) {
		s, err := newSpill(t)
		if err != nil {
			return "", err
		}
		for place, known := range map[string]string{
			placeDatabase: lab.AdaEmail, placeLog: s.uid, placeRefusals: "grant_type",
		} {
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
	*oauth.Provider
	uid     string
	secrets map[string]string
	places  map[string][]byte
}

func newSpill(t *lab.Trial) (*spill, error) {
	box, err := lab.NewMailbox(t)
	if err != nil {
		return nil, err
	}
	site, err := lab.NewSite(t, lab.Released)
	if err != nil {
		return nil, err
	}
	site.LogLevel, site.ServerOptions = "debug", []string{
		"--mail-url", "smtp://" + box.Address, "--mail-from", "Groundwork <groundwork@example.com>",
	}
	s := &spill{
		Provider: &oauth.Provider{Site: site, RedirectURI: "https://sync.example.com/callback"},
		secrets:  map[string]string{}, places: map[string][]byte{},
	}
	if err := s.Prepare(); err != nil {
		return nil, err
	}
	if err := errors.Join(s.use(), s.people(box), s.misuse()); err != nil {
		return nil, err
	}
	if _, err := s.Stop(); err != nil {
		return nil, err
	}
	if s.places[placeLog], err = os.ReadFile(s.Log.Name()); err != nil {
		return nil, err
	}
	s.places[placeDatabase], err = s.dump()
	return s, err
}

// dump is everything that the installation stores.
func (s *spill) dump() ([]byte, error) {
	var all bytes.Buffer
	err := filepath.WalkDir(s.DataFolder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	})
	if err != nil || s.Trial.Engine != lab.PostgreSQL {
		return all.Bytes(), err
	}
	conn, err := pgx.Connect(s.Trial, s.Location[slices.Index(s.Location, "--database-url")+1])
	if err != nil {
		return nil, err
	}
	defer conn.Close(s.Trial)
	rows, err := conn.Query(s.Trial, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
	if err != nil {
		return nil, err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	for _, table := range tables {
		rows, err := conn.Query(s.Trial, fmt.Sprintf("SELECT t::text FROM %s t", pgx.Identifier{table}.Sanitize()))
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

// Package follow owns the copy that follows a project of another server along: its changes as lines, and its files,
// each once, whatever is killed. It refuses to know what records say: whoever reads the lines does. Run is its entry
// point, and Source reads the pages for others.
package follow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"

	"groundwork/internal/client"
)

// Entry is one entry of a change log with its record.
type Entry struct {
	Sequence  int64           `json:"sequence"`
	Kind      string          `json:"kind"`
	UID       string          `json:"uid"`
	Operation string          `json:"operation"`
	Actor     json.RawMessage `json:"actor"`
	Time      *string         `json:"time"`
	Fields    []string        `json:"fields"`
	Record    json.RawMessage `json:"record"`
}

// The operations that say something of the copy itself.
const (
	// Hide says that the reader no longer sees a record.
	Hide = "hide"
	// BeginAgain says that the server was restored from a backup: what was read before may never have been, and all
	// records follow anew.
	BeginAgain = "begin_again"
)

// Position is how far a project was read.
type Position struct {
	// Begun says that all records were asked for.
	Begun bool `json:"begun"`
	// Walk is the next page of them; "" where none is left.
	Walk string `json:"walk"`
	// After is the last change that was read.
	After int64 `json:"after"`
}

// ErrNoLog says that a server has no change log with records.
var ErrNoLog = errors.New("the server has no change log")

// Source reads a project of a server by its change log.
type Source struct {
	Client  *client.Client
	Project string
	// Wait has an answer with nothing in it wait for the next change.
	Wait bool
}

// pageSize is how many entries are asked for at once: records may have a megabyte.
const pageSize = 200

// The forms of what becomes names of folders and files.
var (
	kindForm = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
	uidForm  = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
)

// IsUID tells whether a text has the form of a uid.
func IsUID(text string) bool { return uidForm.MatchString(text) }

// Path is the path of the project.
func (s *Source) Path() string { return "/projects/" + s.Project }

// Next reads the entries after a position, and gives the position after them: more says that others are there already.
// ErrNoLog where the server has none.
func (s *Source) Next(ctx context.Context, at Position) (entries []Entry, next Position, more bool, err error) {
	target := s.target(at)
	var headers []string
	if s.Wait && at.Begun && at.Walk == "" {
		headers = []string{"Prefer", "wait=30"}
	}
	text, _, err := s.Client.Get(ctx, target, headers...)
	if err != nil {
		if begin := s.beginsAgain(err, at); begin {
			return []Entry{{Kind: "projects", UID: s.Project, Operation: BeginAgain, Fields: []string{}}}, Position{}, true, nil
		}
		if client.IsRefused(err, http.StatusNotFound) && !at.Begun {
			err = s.whyNot(ctx, err)
		}
		return nil, at, false, err
	}
	return s.read(text, at)
}

func (s *Source) target(at Position) string {
	log := s.Path() + "/changes?include=records&limit=" + strconv.Itoa(pageSize)
	switch {
	case !at.Begun:
		return log + "&latest=true"
	case at.Walk != "":
		return at.Walk
	default:
		return log + "&after=" + strconv.FormatInt(at.After, 10)
	}
}

// beginsAgain tells whether a refusal says that the position is of what was taken back.
func (s *Source) beginsAgain(err error, at Position) bool {
	if !at.Begun {
		return false
	}
	var r *client.Refusal
	if !errors.As(err, &r) {
		return false
	}
	return r.Status == http.StatusGone ||
		r.Status == http.StatusBadRequest && (r.Fields["after"] != "" || r.Fields["cursor"] != "")
}

// whyNot tells a project that is not there from a log that is not.
func (s *Source) whyNot(ctx context.Context, refused error) error {
	if _, _, err := s.Client.Get(ctx, s.Path()); err != nil {
		return refused
	}
	return ErrNoLog
}

func (s *Source) read(text []byte, at Position) (entries []Entry, next Position, more bool, err error) {
	var page struct {
		Data      []Entry `json:"data"`
		NextAfter int64   `json:"next_after"`
		NextPage  *string `json:"next_page_url"`
	}
	if json.Unmarshal(text, &page) != nil {
		return nil, at, false, errors.New("The server's change log has not the form of one.")
	}
	for i := range page.Data {
		if e := &page.Data[i]; !kindForm.MatchString(e.Kind) || !uidForm.MatchString(e.UID) ||
			e.Operation != Hide && !isObject(e.Record) {
			return nil, at, false, fmt.Errorf("The server's change log has an entry without kind, uid or record, at %d.", e.Sequence)
		}
	}
	next = Position{Begun: true, After: page.NextAfter}
	walking := !at.Begun || at.Walk != ""
	more = walking || page.NextPage != nil
	switch {
	case walking && page.NextPage != nil:
		if next.Walk = *page.NextPage; next.Walk == at.Walk {
			return nil, at, false, errors.New("The server names a page of its records again and again.")
		}
		if _, err := s.Client.Resolve(next.Walk); err != nil {
			return nil, at, false, err
		}
	case walking:
	case page.NextAfter < at.After, page.NextAfter == at.After && len(page.Data)+len(deref(page.NextPage)) > 0:
		return nil, at, false, fmt.Errorf("The server's change log does not go on after %d.", at.After)
	}
	return page.Data, next, more, nil
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func isObject(text json.RawMessage) bool { return len(text) > 0 && text[0] == '{' }

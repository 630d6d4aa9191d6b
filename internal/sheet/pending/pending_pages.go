// Package pending owns sets of drawings on their way, as they are stored until they are published: version uploads,
// their files, and the pages that were read. It refuses to know requests and how a page is read; Find and Pages read
// what is there.
package pending

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Set is a set of drawings on its way: a version upload. From its completion on there is a version set with its uid.
type Set struct {
	UID, Name string
	Publish   bool
	Person    uint32
	State     int64
	Err       string
	Files     []File
}

// The states of a version upload, as they are stored.
const (
	StateComing    = iota // its files come
	StateReading          // its files are being read
	StateRead             // it can be published
	StatePublished        // it is
	StateFailed           // nothing in it can be read
)

// File is a file of a version upload, at its place from 1.
type File struct {
	Place     int64
	UID, Name string
	Object    string
	Pages     int64 // 0 before it was opened
	State     int64
	Err       string
	Arrived   bool
}

// The states of a file, as they are stored.
const (
	FileWaiting = iota
	FileRead
	FileFailed
)

// Page is a page of a file, which becomes a sheet at publication.
type Page struct {
	File, Page int64
	Err        string
	Made       *Made  // nil where it cannot be read
	Found      *Found // nil until all pages were read
	Given      Given
}

// Made is what was made of a page: its objects, and how large it is.
type Made struct {
	Width     float64 `json:"width"`
	Height    float64 `json:"height"`
	PDF       string  `json:"pdf"`
	Thumbnail string  `json:"thumbnail"`
	Text      string  `json:"text"` // "" where there is none
	// TitleBlock is a picture of where the page says what it is; "" where nobody was to look at it.
	TitleBlock string `json:"title_block"`
	// Label is what the file calls the page, Bookmarks what it lists under it.
	Label     string   `json:"label"`
	Bookmarks []string `json:"bookmarks"`
}

// Found is what a page says of itself: its number, title, date, discipline and scale, and what it refers to. Name is
// the number where it is sure, and otherwise what its file makes its name.
type Found struct {
	Name       string      `json:"name"`
	Number     string      `json:"number"`
	Title      string      `json:"title"`
	Date       string      `json:"date"`
	Discipline string      `json:"discipline"`
	Scale      float64     `json:"scale"`      // 0 where the page does not say it
	Confidence float64     `json:"confidence"` // of the number
	Titled     float64     `json:"titled"`     // how sure the title is; 0 where an earlier release read it
	References []Reference `json:"references"`
	// Waits says that the set was published without the page, until somebody says what it is called.
	Waits bool `json:"waits"`
}

// SureNumber is from which confidence on a number is published without a person who confirms it. Of the numbers below
// it, on real drawings, about as many are wrong as right.
const SureNumber = 0.6

// Reference is a place on a page that names a sheet; from 0 to 1, from the top left corner.
type Reference struct {
	Name, Text     string
	X0, Y0, X1, Y1 float64
}

// Given is what somebody said instead; what is nil was left as it is.
type Given struct {
	Name        *string   `json:"name"`
	Description *string   `json:"description"`
	Tags        *[]string `json:"tags"`
	Discipline  *string   `json:"discipline"`
	Date        *string   `json:"date"`
	Skip        *bool     `json:"skip"`
}

// SetFiles is the kind of the uploads that bring the files of sets.
const SetFiles = "sheets/files"

// Every statement about sets on their way, once for both engines.
const (
	InsertSet    = "INSERT INTO version_uploads (project, uid, name, publish, person, state, touched_at) VALUES ($1, $2, $3, $4, $5, 0, $6)"
	selectSet    = "SELECT uid, name, publish, person, state, error FROM version_uploads WHERE project = $1 AND uid = $2"
	TouchSet     = "UPDATE version_uploads SET touched_at = $3 WHERE project = $1 AND uid = $2"
	SetState     = "UPDATE version_uploads SET state = $3, error = $4 WHERE project = $1 AND uid = $2"
	BeginReading = "UPDATE version_uploads SET state = 1, person = $3 WHERE project = $1 AND uid = $2"
	SetsInState  = "SELECT uid FROM version_uploads WHERE project = $1 AND state = $2 ORDER BY uid"
	LeftSets     = "SELECT uid FROM version_uploads WHERE project = $1 AND state = 0 AND touched_at < $2 LIMIT 1"
	DropSets     = "DELETE FROM version_uploads WHERE project = $1 AND state = 0 AND touched_at < $2 RETURNING uid"

	InsertFile   = "INSERT INTO version_files (project, upload, place, uid) VALUES ($1, $2, $3, $4)"
	NameFile     = "UPDATE version_files SET name = $4 WHERE project = $1 AND upload = $2 AND uid = $3"
	FillFile     = "UPDATE version_files SET name = $4, object = $5 WHERE project = $1 AND upload = $2 AND place = $3"
	CountPages   = "UPDATE version_files SET pages = $4 WHERE project = $1 AND upload = $2 AND place = $3"
	SetFileState = "UPDATE version_files SET state = $4, error = $5 WHERE project = $1 AND upload = $2 AND place = $3"
	// A file has arrived when its upload was completed, or taken.
	selectFiles = "SELECT f.place, f.uid, f.name, f.object, f.pages, f.state, f.error, u.completed FROM version_files f " +
		"LEFT JOIN uploads u ON u.project = f.project AND u.kind = '" + SetFiles +
		"' AND u.uid = f.uid WHERE f.project = $1 AND f.upload = $2 ORDER BY f.place"
	SetOfFile = "SELECT upload FROM version_files WHERE project = $1 AND uid = $2"
	DropFiles = "DELETE FROM version_files WHERE project = $1 AND upload = $2"

	InsertPage = "INSERT INTO version_pages (project, upload, file, page, error, made, words) VALUES ($1, $2, $3, $4, $5, $6, $7)"
	FindPage   = "SELECT file, page, error, made, found, given FROM version_pages WHERE project = $1 AND upload = $2 AND file = $3 AND page = $4"
	EachPage   = "SELECT file, page, error, made, found, given FROM version_pages WHERE project = $1 AND upload = $2 ORDER BY file, page"
	wordsOf    = "SELECT words FROM version_pages WHERE project = $1 AND upload = $2 AND file = $3 AND page = $4"
	SetFound   = "UPDATE version_pages SET found = $5 WHERE project = $1 AND upload = $2 AND file = $3 AND page = $4"
	SetMade    = "UPDATE version_pages SET made = $5 WHERE project = $1 AND upload = $2 AND file = $3 AND page = $4"
	SetGiven   = "UPDATE version_pages SET given = $5 WHERE project = $1 AND upload = $2 AND file = $3 AND page = $4"
	DropWords  = "UPDATE version_pages SET words = NULL WHERE project = $1 AND upload = $2"
)

// Query is how a transaction or the store reads.
type Query func(sql string, args []any, each func(*store.Cols) error) error

// Outside reads rows of a project outside of a transaction.
func Outside(ctx context.Context, s *store.Store, p *store.Project) Query {
	return func(sql string, args []any, each func(*store.Cols) error) error {
		return s.QueryIn(ctx, p, sql, args, each)
	}
}

// Find reads a version upload and its files: fault.NotFound where there is none.
func Find(ask Query, p *store.Project, uid string) (*Set, error) {
	var v *Set
	if storable(uid) {
		err := ask(selectSet, []any{p.ID, uid}, func(c *store.Cols) error {
			v = &Set{
				UID: c.Text(0), Name: c.Text(1), Publish: c.Int(2) != 0, Person: uint32(c.Int(3)),
				State: c.Int(4), Err: c.Text(5),
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if v == nil {
		return nil, fault.Missing("Version upload", uid)
	}
	return v, ask(selectFiles, []any{p.ID, uid}, func(c *store.Cols) error {
		v.Files = append(v.Files, File{
			Place: c.Int(0), UID: c.Text(1), Name: c.Text(2), Object: c.Text(3), Pages: c.Int(4), State: c.Int(5),
			Err:     c.Text(6),
			Arrived: v.State != StateComing || c.Int(7) != 0,
		})
		return nil
	})
}

// Pages reads the pages that were read so far, with one of the statements above.
func Pages(ask Query, sql string, args ...any) (pages []Page, err error) {
	err = ask(sql, args, func(c *store.Cols) error {
		p := Page{File: c.Int(0), Page: c.Int(1), Err: c.Text(2)}
		pages = append(pages, p)
		last := &pages[len(pages)-1]
		for i, into := range map[int]any{3: &last.Made, 4: &last.Found, 5: &last.Given} {
			if !c.Null(i) {
				if err := json.Unmarshal(c.Bytes(i), into); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return pages, err
}

// Holds tells whether a column of version_pages can have a text.
func Holds(column, text string) bool {
	into := map[string]any{"made": new(Made), "found": new(Found), "given": new(Given)}[column]
	return into == nil || json.Unmarshal([]byte(text), into) == nil
}

// Words reads the words of one page: those of all pages of a set together may be more than a process should hold.
func Words(ask Query, project int64, set string, p *Page) (words string, err error) {
	err = ask(wordsOf, []any{project, set, p.File, p.Page}, func(c *store.Cols) error {
		words = c.Text(0)
		return nil
	})
	return words, err
}

// storable tells whether the engines take a text that came with a path.
func storable(uid string) bool {
	for i := range len(uid) {
		if uid[i] < ' ' || uid[i] > '~' {
			return false
		}
	}
	return true
}

// Name is what the page is called: as somebody said, or as it says itself. It is "" before it was read.
func (p *Page) Name() string {
	switch {
	case p.Given.Name != nil:
		return *p.Given.Name
	case p.Found != nil:
		return p.Found.Name
	default:
		return ""
	}
}

// Sure tells whether the page may be published under its name: somebody gave it, or it is a number that is sure, or no
// number at all.
func (p *Page) Sure() bool {
	return p.Given.Name != nil || p.Found == nil || p.Found.Number == "" || p.Found.Confidence >= SureNumber
}

// Nameless tells whether the page has only the name that its file makes.
func (p *Page) Nameless() bool { return p.Given.Name == nil && p.Found != nil && p.Found.Number == "" }

// Description is what was given, or else the title that was read.
func (p *Page) Description() *string {
	if p.Given.Description != nil || p.Found == nil || p.Found.Title == "" {
		return p.Given.Description
	}
	return &p.Found.Title
}

// Discipline is what was given, or else what was read; nil where there is none.
func (p *Page) Discipline() *string {
	word := p.Given.Discipline
	if word == nil && p.Found != nil {
		word = &p.Found.Discipline
	}
	if word == nil || *word == "" {
		return nil
	}
	return word
}

// Date is what was given, or else what was read, like 2026-03-14; "" where there is none.
func (p *Page) Date() string {
	switch {
	case p.Given.Date != nil:
		return *p.Given.Date
	case p.Found != nil:
		return p.Found.Date
	default:
		return ""
	}
}

// Skipped tells whether the page shall not become a sheet.
func (p *Page) Skipped() bool { return p.Given.Skip != nil && *p.Given.Skip }

// OrNil is a text as it is stored where it can be blank.
func OrNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// File finds a file by its uid; nil where there is none.
func (v *Set) File(uid string) *File {
	for i := range v.Files {
		if v.Files[i].UID == uid {
			return &v.Files[i]
		}
	}
	return nil
}

// Missing says which files have not arrived; "" when all have.
func (v *Set) Missing() string {
	const most = 10
	var names []string
	left := 0
	for _, f := range v.Files {
		switch {
		case f.Arrived:
			continue
		case len(names) == most:
			left++
		case f.Name != "":
			names = append(names, fmt.Sprintf("file %d (%s)", f.Place, f.Name))
		default:
			names = append(names, fmt.Sprintf("file %d", f.Place))
		}
	}
	if len(names) == 0 {
		return ""
	}
	if left > 0 {
		names = append(names, fmt.Sprintf("%d more", left))
	}
	return strings.Join(names, ", ")
}

// PagesBefore counts the pages of the files before one.
func (v *Set) PagesBefore(place int64) (n int) {
	for _, f := range v.Files[:place-1] {
		if f.State == FileRead {
			n += int(f.Pages)
		}
	}
	return n
}

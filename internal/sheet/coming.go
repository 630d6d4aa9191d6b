package sheet

import (
	"context"

	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// coming is a set of drawings on its way: a version upload. From its completion on there is a version set with its uid.
type coming struct {
	UID, Name string
	publish   bool
	person    uint32
	state     int64
	err       string
	files     []comingFile
}

// The states of a version upload, as they are stored.
const (
	stateComing    = iota // its files come
	stateReading          // its files are being read
	stateRead             // it can be published
	statePublished        // it is
	stateFailed           // nothing in it can be read
)

// comingFile is a file of a version upload, at its place from 1.
type comingFile struct {
	place     int64
	uid, name string
	object    string
	pages     int64 // 0 before it was opened
	state     int64
	err       string
	arrived   bool
}

// The states of a file, as they are stored.
const (
	fileWaiting = iota
	fileRead
	fileFailed
)

// comingPage is a page of a file, which becomes a sheet at publication.
type comingPage struct {
	file, page int64
	err        string
	made       *made // nil where it cannot be read
	words      string
	found      *found // nil until all pages were read
	given      given
}

// made is what was made of a page: its objects, and how large it is.
type made struct {
	Width     float64 `json:"width"`
	Height    float64 `json:"height"`
	PDF       string  `json:"pdf"`
	Thumbnail string  `json:"thumbnail"`
	Text      string  `json:"text"` // "" where there is none
}

// found is what a page says of itself: its number or, where it has none, what its file makes its name, its title and date, and what it refers to.
type found struct {
	Name       string      `json:"name"`
	Title      string      `json:"title"`
	Date       string      `json:"date"`
	Confidence float64     `json:"confidence"`
	References []Reference `json:"references"`
}

// given is what somebody said instead; what is nil was left as it is.
type given struct {
	Name        *string   `json:"name"`
	Description *string   `json:"description"`
	Tags        *[]string `json:"tags"`
	Skip        *bool     `json:"skip"`
}

// Every statement about sets on their way, once for both engines.
const (
	insertComing = "INSERT INTO version_uploads (project, uid, name, publish, person, state, touched_at) VALUES ($1, $2, $3, $4, $5, 0, $6)"
	findComing   = "SELECT uid, name, publish, person, state, error FROM version_uploads WHERE project = $1 AND uid = $2"
	touchComing  = "UPDATE version_uploads SET touched_at = $3 WHERE project = $1 AND uid = $2"
	setComing    = "UPDATE version_uploads SET state = $3, error = $4 WHERE project = $1 AND uid = $2"
	beginReading = "UPDATE version_uploads SET state = 1, person = $3 WHERE project = $1 AND uid = $2"
	leftComing   = "SELECT uid FROM version_uploads WHERE project = $1 AND state = 0 AND touched_at < $2 LIMIT 1"
	dropComing   = "DELETE FROM version_uploads WHERE project = $1 AND state = 0 AND touched_at < $2 RETURNING uid"

	insertComingFile = "INSERT INTO version_files (project, upload, place, uid) VALUES ($1, $2, $3, $4)"
	nameComingFile   = "UPDATE version_files SET name = $4 WHERE project = $1 AND upload = $2 AND uid = $3"
	fillComingFile   = "UPDATE version_files SET name = $4, object = $5 WHERE project = $1 AND upload = $2 AND place = $3"
	countComingFile  = "UPDATE version_files SET pages = $4 WHERE project = $1 AND upload = $2 AND place = $3"
	setComingFile    = "UPDATE version_files SET state = $4, error = $5 WHERE project = $1 AND upload = $2 AND place = $3"
	// A file has arrived when its upload was completed, or taken.
	comingFiles = "SELECT f.place, f.uid, f.name, f.object, f.pages, f.state, f.error, u.completed FROM version_files f " +
		"LEFT JOIN uploads u ON u.project = f.project AND u.uid = f.uid WHERE f.project = $1 AND f.upload = $2 ORDER BY f.place"
	setOfFile       = "SELECT upload FROM version_files WHERE project = $1 AND uid = $2"
	dropComingFiles = "DELETE FROM version_files WHERE project = $1 AND upload = $2"

	insertPage = "INSERT INTO version_pages (project, upload, file, page, error, made, words) VALUES ($1, $2, $3, $4, $5, $6, $7)"
	findPage   = "SELECT file, page, error, made, '', found, given FROM version_pages WHERE project = $1 AND upload = $2 AND file = $3 AND page = $4"
	eachPage   = "SELECT file, page, error, made, '', found, given FROM version_pages WHERE project = $1 AND upload = $2 ORDER BY file, page"
	wholePages = "SELECT file, page, error, made, words, found, given FROM version_pages WHERE project = $1 AND upload = $2 ORDER BY file, page"
	setFound   = "UPDATE version_pages SET found = $5 WHERE project = $1 AND upload = $2 AND file = $3 AND page = $4"
	setGiven   = "UPDATE version_pages SET given = $5 WHERE project = $1 AND upload = $2 AND file = $3 AND page = $4"
	dropWords  = "UPDATE version_pages SET words = NULL WHERE project = $1 AND upload = $2"
)

// asking is how a transaction or the store reads.
type asking func(sql string, args []any, each func(*store.Cols) error) error

// outside reads rows of a project outside of a transaction.
func outside(ctx context.Context, s *store.Store, p *store.Project) asking {
	return func(sql string, args []any, each func(*store.Cols) error) error {
		return s.QueryIn(ctx, p, sql, args, each)
	}
}

// called is outside for a call.
func called(c *api.Call) asking { return outside(c.Context(), c.Store, c.Scope.Project()) }

// findSet reads a version upload and its files: fault.NotFound where there is none.
func findSet(ask asking, p *store.Project, uid string) (*coming, error) {
	var v *coming
	if storable(uid) {
		err := ask(findComing, []any{p.ID, uid}, func(c *store.Cols) error {
			v = &coming{UID: c.Text(0), Name: c.Text(1), publish: c.Int(2) != 0, person: uint32(c.Int(3)), state: c.Int(4), err: c.Text(5)}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if v == nil {
		return nil, fault.Missing("Version upload", uid)
	}
	return v, ask(comingFiles, []any{p.ID, uid}, func(c *store.Cols) error {
		v.files = append(v.files, comingFile{
			place: c.Int(0), uid: c.Text(1), name: c.Text(2), object: c.Text(3), pages: c.Int(4), state: c.Int(5), err: c.Text(6),
			arrived: v.state != stateComing || c.Int(7) != 0,
		})
		return nil
	})
}

// pagesOf reads the pages that were read so far, with one of the statements above.
func pagesOf(ask asking, sql string, args ...any) (pages []comingPage, err error) {
	err = ask(sql, args, func(c *store.Cols) error {
		p := comingPage{file: c.Int(0), page: c.Int(1), err: c.Text(2), words: c.Text(4)}
		pages = append(pages, p)
		last := &pages[len(pages)-1]
		for i, into := range map[int]any{3: &last.made, 5: &last.found, 6: &last.given} {
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

// storable tells whether the engines take a text that came with a path.
func storable(uid string) bool {
	for i := range len(uid) {
		if uid[i] < ' ' || uid[i] > '~' {
			return false
		}
	}
	return true
}

// name is what the page is called: as somebody said, or as it says itself. It is "" before it was read.
func (p *comingPage) name() string {
	switch {
	case p.given.Name != nil:
		return *p.given.Name
	case p.found != nil:
		return p.found.Name
	default:
		return ""
	}
}

func (p *comingPage) description() *string {
	if p.given.Description != nil || p.found == nil || p.found.Title == "" {
		return p.given.Description
	}
	return &p.found.Title
}

func (p *comingPage) skipped() bool { return p.given.Skip != nil && *p.given.Skip }

// orNil is a text as it is stored where it can be blank.
func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

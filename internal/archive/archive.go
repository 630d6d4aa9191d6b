// Package archive owns the archive of a project: one file with everything of it, for people and for programs, and how
// it becomes a project of another installation. It refuses to know any kind of record by name, requests, and how
// anything was made: what there is, the catalogue and the families say. Export and Import are its entry points.
package archive

import (
	"context"
	_ "embed"
	"regexp"
	"strings"

	"groundwork/internal/blob"
	"groundwork/internal/document"
	"groundwork/internal/family"
	"groundwork/internal/identity"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// Site is the installation of which a project is exported, or into which one is imported.
type Site struct {
	Store  *store.Store
	Blobs  blob.Store
	Kinds  *resource.Catalog
	People *identity.Directory
	// Sides are the side tables that archives have.
	Sides []family.Side
	// Gone says of a project that was erased here when and by whom, as a part of a sentence; "" of others.
	Gone func(ctx context.Context, project string) (string, error)
	// Although takes a project that was erased here.
	Although bool
	// Forgotten says of somebody who was erased here what is shown instead of what an archive shows, and how its lines
	// are rid of them; nil of others.
	Forgotten func(ctx context.Context, uid string, shown identity.Shown) (*Forgotten, error)
	// Arrive leaves, in the transaction that brings a project, the work that it waits for.
	Arrive func(*store.Tx) error
}

// Forgotten is somebody who was erased here, and stays so.
type Forgotten struct {
	Shown identity.Shown
	// Replace gives a text without anything of them.
	Replace func(text string) string
}

// What a manifest calls the format, and the newest version of it that this release knows.
const (
	formatName    = "groundwork-project-archive"
	formatVersion = 1
)

// The entries of an archive. A kind's records are under records/, the pages for people under pages/, side tables under
// tables/, files under files/. The manifest is the last entry.
const (
	readmeEntry   = "README.txt"
	indexEntry    = "index.html"
	schemaEntry   = "schema.json"
	projectEntry  = "project.json"
	peopleEntry   = "people.jsonl"
	linksEntry    = "links.jsonl"
	changesEntry  = "changes.jsonl"
	filesEntry    = "files.jsonl"
	manifestEntry = "manifest.json"

	recordsFolder = "records/"
	tablesFolder  = "tables/"
	pagesFolder   = "pages/"
	filesFolder   = "files/"
	lines         = ".jsonl"
)

//go:embed readme.txt
var readme []byte

//go:embed schema.json
var schema []byte

// manifest says what an archive has. Nothing in it tells when, where or by which release it was made: the same project
// is the same archive.
type manifest struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Project string `json:"project"`
	// Moment is the project's clock: nothing in the archive is later.
	Moment   string  `json:"moment"`
	Sequence int64   `json:"sequence"`
	Counts   []count `json:"counts"`
	LeftOut  string  `json:"left_out"`
	// Missing are files that the installation did not have whole.
	Missing []missing `json:"missing"`
	Entries []entry   `json:"entries"`
}

// leftOut is what an archive does not have and the importing side makes again.
const leftOut = "Tiles of drawings, which are made again from the drawings; words of searches; keys, sessions and passwords; files that were made to be downloaded once."

// leftOutPersonal is what one for a member of the team lacks.
const leftOutPersonal = " Marks that others drew for themselves: of each it says that it was there, as of one that was deleted long ago."

// count is how many lines an entry has.
type count struct {
	Path  string `json:"path"`
	Lines int64  `json:"lines"`
}

// missing is a file that an archive lacks, and why.
type missing struct {
	Object string `json:"object"`
	Why    string `json:"why"`
}

// entry is one entry of an archive.
type entry struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// projectLine is project.json.
type projectLine struct {
	UID      string `json:"uid"`
	Clock    string `json:"clock"`
	Sequence int64  `json:"sequence"`
}

// personLine is a line of people.jsonl: a member of the team, as the project shows them.
type personLine struct {
	UID string `json:"uid"`
	identity.Shown
}

// linkLine is a line of links.jsonl.
type linkLine struct {
	Owner      string `json:"owner"`
	Collection string `json:"collection"`
	Target     string `json:"target"`
	LinkedAt   string `json:"linked_at"`
}

// fileLine is a line of files.jsonl. Path is null where the archive does not have the file: it is missing, or it is
// made again.
type fileLine struct {
	Object    string  `json:"object"`
	Record    *string `json:"record"`
	Type      string  `json:"type"`
	Name      string  `json:"name"`
	Bytes     int64   `json:"bytes"`
	SHA256    string  `json:"sha256"`
	CreatedAt string  `json:"created_at"`
	Path      *string `json:"path"`
	MadeAgain bool    `json:"made_again"`
}

// ops are what changes did, as the log of an archive calls it.
var ops = map[store.Op]string{
	store.Created: "created", store.Updated: "updated", store.Deleted: "deleted", store.Restored: "restored",
	store.Linked: "linked", store.Unlinked: "unlinked", store.Shown: "shown",
}

func opOf(name string) (store.Op, bool) {
	for op, called := range ops {
		if called == name {
			return op, true
		}
	}
	return 0, false
}

// objectName is the form of names in the file store.
var objectName = regexp.MustCompile(`^[a-z2-7]{32}$`)

// endings are those of files in an archive, by their types, so that a browser opens them.
var endings = map[string]string{
	"application/pdf": ".pdf", "image/jpeg": ".jpg", "image/png": ".png", "image/gif": ".gif", "image/webp": ".webp",
	"text/plain": ".txt", "text/csv": ".csv",
}

// pathOf is where a file lies in an archive.
func pathOf(object, kind string) string {
	kind, _, _ = strings.Cut(kind, ";")
	ending := endings[strings.ToLower(strings.TrimSpace(kind))]
	if ending == "" {
		ending = ".bin"
	}
	return filesFolder + object + ending
}

// moment is a time of the ledger as archives have it, to the microsecond.
func moment(micros int64) string { return document.StampText(micros) }

// parseMoment is moment backwards; nothing else is taken.
func parseMoment(text string) (int64, bool) {
	micros, ok := document.ParseMoment(text)
	return micros, ok && moment(micros) == text
}

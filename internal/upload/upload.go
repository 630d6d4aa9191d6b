// Package upload owns how files come in and go out: the temporary record of the two-step upload, the signed form, the
// storage route that takes the file, completion, the download by signed link, and the table of files that records show.
// It refuses to know what a file becomes: a noun says what it wants uploaded and makes the record, and package blob
// keeps the bytes.
package upload

import (
	"mime"
	"strings"
	"time"

	"groundwork/internal/api"
	"groundwork/internal/blob"
	"groundwork/internal/credential"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Desk takes files in and hands them out.
type Desk struct {
	Blobs blob.Store
	// Most is the largest file in bytes.
	Most int64
	// Quota is how many bytes of files a project may have; 0 is no bound.
	Quota int64
}

const (
	formValid = time.Hour      // how long a form can be posted
	keptAfter = 24 * time.Hour // how long an upload is kept after that
)

// Upload is a file on its way in, and what is to become of it.
type Upload struct {
	// UID is what the record will have.
	UID string
	// Kind is what it becomes, by the plural in its path; with a part of it after a slash where completions are of
	// parts: "sheets/files".
	Kind string
	// Type is the content type as declared, Name the file's.
	Type, Name string
	// Detail is JSON of the noun's own.
	Detail []byte
	// Object is where the file lies once it came whole; empty before.
	Object string
	Size   int64
	SHA256 string

	account       string // the Payer of who began it, whose share of the streams it takes
	credential    string
	most, expires int64
	state         int64
}

// The states of an upload, as they are stored.
const (
	open  = iota // its form takes a file
	taken        // a record has its file
	held         // it is completed, and waits with others for the record that they become
)

func (u *Upload) completed() bool { return u.state != open }

// Begin writes the temporary record of an upload of the caller, who gives Kind, Type, Name and Detail, and gives its
// uid. Offer answers with its form. A UID that the client chose must be free: fault.Conflict when an upload of the kind
// has it. Only who began that upload may send its request again while it is open, and has its form renewed.
func (d *Desk) Begin(tx *store.Tx, c *api.Call, u Upload) (string, error) {
	if u.UID == "" {
		u.UID = store.NewUID()
		return d.Renew(tx, c, u)
	}
	had, err := findUpload(tx.Query, uploadByUID, tx.Project().ID, u.Kind, u.UID)
	if err != nil {
		return "", err
	}
	if had != nil && (had.completed() || had.account != c.Credential.Account.UID) {
		return "", fault.Taken(u.UID, "")
	}
	return d.Renew(tx, c, u)
}

// Renew is Begin for an upload whose uid the service made. Where no record has its file yet, the upload begins again
// with the caller as its beginner: its form is renewed, and it is not completed.
func (d *Desk) Renew(tx *store.Tx, c *api.Call, u Upload) (string, error) {
	_, hash := u.token(c, tx.Project())
	return u.UID, tx.Exec(insertUpload, tx.Project().ID, u.UID, hash, u.Kind, c.Credential.Account.UID,
		c.Credential.Origin,
		u.Type, u.Name, u.Detail, d.Most, tx.Now()+formValid.Microseconds())
}

// token is what completes the upload, and its hash. It follows from project, kind and uid, so that no other upload has
// it.
func (u *Upload) token(c *api.Call, p *store.Project) (token, hash string) {
	return c.Auth.Derive(credential.KindUpload, p.UID+" "+u.Kind+" "+u.UID)
}

// Offer answers with the file upload object of an upload of a kind in the caller's project: 201.
func (d *Desk) Offer(c *api.Call, kind, uid string) error {
	p := c.Scope.Project()
	u, err := findUpload(reading(c, p), uploadByUID, p.ID, kind, uid)
	if err != nil {
		return err
	}
	if u == nil {
		return fault.Missing("Upload", uid)
	}
	return c.SendJSON(201, u.offer(c, p))
}

// readUpload reads the columns of wholeUpload.
func readUpload(c *store.Cols) *Upload {
	return &Upload{
		UID: c.Text(0), Kind: c.Text(1), credential: c.Text(2), Type: c.Text(3), Name: c.Text(4), Detail: c.Bytes(5),
		most: c.Int(6), expires: c.Int(7), Object: c.Text(8), Size: c.Int(9), SHA256: c.Text(10), state: c.Int(11),
		account: c.Text(12),
	}
}

// mostType is how long a content type may be.
const mostType = 255

// ValidType tells whether a text is a content type such as application/pdf.
func ValidType(text string) bool {
	if len(text) > mostType || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
		return false
	}
	kind, _, err := mime.ParseMediaType(text)
	return err == nil && strings.Count(kind, "/") == 1
}

// Routes is where files are sent to and fetched from.
func (d *Desk) Routes() []api.Route {
	return []api.Route{d.storageRoute(), d.fileRoute()}
}

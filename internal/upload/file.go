package upload

import (
	"context"
	"mime"
	"slices"
	"strconv"
	"strings"
	"time"

	"groundwork/internal/api"
	"groundwork/internal/blob"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// File is an object that a record shows.
type File struct {
	// Object is its name in the store.
	Object string
	// Type is its content type, Name what it is saved under.
	Type, Name string
	Size       int64
	SHA256     string
}

// AddFile notes that a record of the transaction's project shows a file.
func AddFile(tx *store.Tx, record store.ID, f File) error {
	return tx.Exec(insertFile, f.Object, tx.Project().ID, record, f.Type, f.Name, f.Size, f.SHA256, tx.Now())
}

// DropFile notes that nothing of the transaction's project shows a file any more. Its object is for the caller to
// remove, once that is committed.
func DropFile(tx *store.Tx, object string) error { return tx.Exec(deleteFile, tx.Project().ID, object) }

// HasFile tells whether the transaction's project shows a file.
func HasFile(tx *store.Tx, object string) (found bool, err error) {
	err = tx.Query(findFile, []any{tx.Project().ID, object}, func(*store.Cols) error {
		found = true
		return nil
	})
	return found, err
}

// Link is where an object of the caller's project can be fetched for a while, without credentials.
func Link(c *api.Call, object string) string {
	p := c.Scope.Project()
	seal := c.Auth.Links(p, c.LinksUntil())
	mark := seal.Append(nil, []byte(object))
	return c.Base + "/projects/" + p.UID + "/files/" + object + "?expires=" + strconv.FormatInt(seal.Until,
		10) + "&signature=" + string(mark)
}

// Rename changes the name that a file of the transaction's project is saved under.
func Rename(tx *store.Tx, object, name string) error {
	return tx.Exec(renameFile, tx.Project().ID, object, name)
}

// Give lets another record of the transaction's project show a file, and saves it under another name.
func Give(tx *store.Tx, object string, to store.ID, name string) error {
	return tx.Exec(giveFile, tx.Project().ID, object, to, name)
}

// Named gives the records of the transaction's project that show a file of this name, the newest first.
func Named(tx *store.Tx, name string) (records []store.ID, err error) {
	err = tx.Query(namedFiles, []any{tx.Project().ID, name}, func(c *store.Cols) error {
		records = append(records, store.ID(c.Int(0)))
		return nil
	})
	return records, err
}

// Hashes gives the SHA-256 of the files that records of some kinds show, but for some records.
func Hashes(ctx context.Context, s *store.Store, p *store.Project, but map[store.ID]bool,
	kinds ...store.Kind,
) (map[string]bool, error) {
	all := map[string]bool{}
	err := s.QueryIn(ctx, p, hashes, []any{p.ID}, func(c *store.Cols) error {
		if id := store.ID(c.Int(0)); slices.Contains(kinds, id.Kind()) && !but[id] {
			all[c.Text(1)] = true
		}
		return nil
	})
	return all, err
}

func (d *Desk) fileRoute() api.Route {
	return api.Route{
		Method: "GET", Pattern: "/projects/{project}/files/{object}", Access: api.Public, Do: d.give,
		Summary: "Download a file by the link that a record shows. The link needs no credentials and ends.",
		Tag:     "files", Extension: true,
		Query: []api.Param{
			{
				Name: "expires", Summary: "When the link ends, in seconds since 1970.",
				Schema: api.Schema{"type": "integer"}, Required: true,
			},
			{
				Name: "signature", Summary: "What makes the link good.", Schema: api.Schema{"type": "string"},
				Required: true,
			},
		},
		Gives: "*/*", Status: 200, Also: []int{206, 302, 304}, Errors: []int{403, 404, 412, 416},
	}
}

// give hands out a file to whoever has a link to it that was not altered and has not ended.
func (d *Desk) give(c *api.Call) error {
	p, err := c.Store.Project(c.Context(), c.Param("project"))
	if err != nil {
		return err
	}
	object, q := c.Param("object"), c.Query()
	seconds, err := strconv.ParseInt(q.Get("expires"), 10, 64)
	until := time.Unix(seconds, 0)
	good := false
	if err == nil {
		if good, err = c.Auth.Opens(c.Context(), p, until, object, q.Get("signature")); err != nil {
			return err
		}
	}
	if !good {
		return fault.New(fault.Forbidden,
			"The link to this file is not valid, or ended when somebody left the project. Get the record again: it shows a good one.")
	}
	if !c.Began().Before(until) {
		return fault.New(fault.Forbidden,
			"The link to this file has expired. Get the record again: it shows a new one.")
	}
	f, at, err := d.find(c, p, object)
	if err != nil {
		return err
	}
	if f == nil {
		return fault.Missing("File", object)
	}
	kind, inline := shownAs(f.Type)
	how := disposition(f.Name, inline)
	link, err := d.Blobs.Link(c.Context(), object, blob.Link{Type: kind, Disposition: how, Until: until})
	if err != nil {
		return err
	}
	if link != "" {
		return c.Found(link)
	}
	o, err := d.open(c, object)
	if err != nil {
		return err
	}
	defer o.Close()
	return c.SendFile(api.File{
		Content: o, Project: p.UID, Type: kind, Disposition: how, Tag: f.SHA256,
		Modified: time.UnixMicro(at), MaxAge: until.Sub(c.Began()),
	})
}

// open opens the object of a file that a record shows: that it is not there is the service's fault.
func (d *Desk) open(c *api.Call, object string) (blob.Object, error) {
	o, err := d.Blobs.Open(c.Context(), object)
	if fault.Is(err, fault.NotFound) {
		err = &fault.Error{
			Kind:    fault.Internal,
			Message: "The file is missing in the store of this service. The team has been notified.", Cause: err,
		}
	}
	return o, err
}

// shown are the types that a browser may show; nothing in them can run there.
var shown = map[string]bool{
	"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "application/pdf": true,
}

// shownAs gives the type that a file is served as, and whether a browser may show it. What a browser could run is
// served as bytes.
func shownAs(declared string) (kind string, inline bool) {
	kind, params, err := mime.ParseMediaType(declared)
	if err != nil {
		return "application/octet-stream", false
	}
	family, form, _ := strings.Cut(kind, "/")
	switch {
	case shown[kind]:
		return kind, true
	case family == "text" && (form == "plain" || form == "csv"):
		return mime.FormatMediaType(kind, map[string]string{"charset": charset(params["charset"])}), false
	case family == "image" || family == "audio" || family == "video" || family == "font" || family == "application":
		if form == "xml" || strings.HasSuffix(form, "+xml") || strings.Contains(form, "html") ||
			strings.Contains(form, "script") {
			return "application/octet-stream", false
		}
		return kind, false
	default:
		return "application/octet-stream", false
	}
}

// charset keeps UTF-7 and other disguises out.
func charset(given string) string {
	switch given = strings.ToLower(given); given {
	case "iso-8859-1", "windows-1252", "us-ascii":
		return given
	default:
		return "utf-8"
	}
}

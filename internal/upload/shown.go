package upload

import (
	"strings"
	"time"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Shown is how records of a kind show their files to people who are signed in: by the record and by what is in the
// file, at the address of this service, with the rights of the caller each time. The links in records change every hour
// and are for other programs.
type Shown struct {
	// Kind is the plural of the records, Name that of one for people.
	Kind, Name string
	// Objects gives the names of a record's objects by what they are, such as thumbnail; "" of one that it does not
	// have.
	Objects func(c *api.Call, uid string) (map[string]string, error)
}

const (
	// leastHash is how much of a content hash an address must have: as much as addresses of tiles show.
	leastHash = 32
	// keptFor is how long a browser keeps what never changes under its address.
	keptFor = 365 * 24 * time.Hour
)

// ShownRoute is the route of such files.
func (d *Desk) ShownRoute(s Shown) api.Route {
	return api.Route{
		Method: "GET", Pattern: "/projects/{project}/" + s.Kind + "/{uid}/files/{which}/{hash}", Access: api.Member,
		Right: auth.Everyone, Do: func(c *api.Call) error { return d.show(c, s) },
		Summary: "Get a file that " + s.Name + " shows, by what is in it. Under one address the content never changes.",
		Tag:     s.Kind, Extension: true,
		Gives: "*/*", Status: 200, Also: []int{206, 304}, Errors: []int{404, 412, 416},
	}
}

func (d *Desk) show(c *api.Call, s Shown) error {
	objects, err := s.Objects(c, c.Param("uid"))
	if err != nil {
		return err
	}
	which, hash, p := c.Param("which"), c.Param("hash"), c.Scope.Project()
	object := objects[which]
	if object == "" {
		return fault.New(fault.NotFound, "%s %s has no %s.", s.Name, c.Param("uid"), clipped(which))
	}
	f, at, err := d.find(c, p, object)
	if err != nil {
		return err
	}
	if f == nil || !f.is(hash) {
		return fault.New(fault.NotFound,
			"The %s of %s %s is another by now. Get the record again: it shows which.", which, lower(s.Name), c.Param("uid"))
	}
	o, err := d.open(c, object)
	if err != nil {
		return err
	}
	defer o.Close()
	kind, inline := shownAs(f.Type)
	// A browser must not show one account what another has fetched.
	c.SetHeader("Vary", "Authorization, Cookie")
	return c.SendFile(api.File{
		Content: o, Project: p.UID, Type: kind, Disposition: disposition(f.Name, inline), Tag: f.SHA256,
		Modified: time.UnixMicro(at), MaxAge: keptFor, Unchanging: true,
	})
}

// is tells whether an address means this file: by its content hash or the beginning of it, or by the name that stands
// in the link to it.
func (f *File) is(hash string) bool {
	return len(hash) >= leastHash && strings.HasPrefix(f.SHA256, strings.ToLower(hash)) || hash == f.Object
}

func lower(name string) string { return strings.ToLower(name[:1]) + name[1:] }

func clipped(text string) string {
	const most = 40
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// find finds a file of a project by its object; nil where there is none. at is when it came.
func (d *Desk) find(c *api.Call, p *store.Project, object string) (f *File, at int64, err error) {
	err = c.Store.QueryIn(c.Context(), p, findFile, []any{p.ID, object}, func(cols *store.Cols) error {
		f, at = &File{object, cols.Text(0), cols.Text(1), cols.Int(2), cols.Text(3)}, cols.Int(4)
		return nil
	})
	return f, at, err
}

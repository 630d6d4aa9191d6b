package upload

import (
	"strings"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/credential"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Intake is what a noun says of the files that it takes.
type Intake struct {
	// Kind is the plural in paths, Name what one is for people.
	Kind, Name string
	// Right is what it takes to begin an upload; who began it must still have it when it is completed.
	Right auth.Right
	// Begin reads the body that begins an upload, and answers with Offer.
	Begin func(c *api.Call, d *Desk) error
	// Make makes the record of an upload whose file came, under its uid, and gives the record's id. c.Scope is that of
	// who began it. Where it is nil, the file waits until Take gives it to a record.
	Make func(c *api.Call, tx *store.Tx, u *Upload) (store.ID, error)
	// Show answers with the record.
	Show func(c *api.Call, uid string) error
	// In describes the body of Begin, Out the record.
	In, Out    api.Schema
	Components map[string]api.Schema
	Extension  bool
}

// Intake gives the routes that begin an upload and make it permanent. Whoever has the token may complete it; to repeat
// that gives the record again.
func (d *Desk) Intake(in Intake) []api.Route {
	path := "/projects/{project}/" + in.Kind + "/uploads"
	out, parts := Offered()
	routes := []api.Route{{
		Method: "POST", Pattern: path, Access: api.Member, Right: in.Right, Keyed: true,
		Do:      func(c *api.Call) error { return in.Begin(c, d) },
		Summary: "Begin the upload of " + in.Name, Tag: in.Kind, In: in.In, Out: out, Components: parts,
		Status: 201, Errors: []int{409}, Extension: in.Extension,
	}}
	return append(routes, d.Completions(in)...)
}

// Completions gives the routes of Intake that make an upload permanent.
func (d *Desk) Completions(in Intake) (routes []api.Route) {
	family, _, _ := strings.Cut(in.Kind, "/")
	for _, method := range []string{"GET", "POST"} {
		routes = append(routes, api.Route{
			Method: method, Pattern: "/projects/{project}/" + completions(in.Kind) + "{token}", Access: api.Public,
			Do:      func(c *api.Call) error { return d.complete(c, in) },
			Summary: "Complete the upload of " + in.Name, Tag: family, Out: in.Out, Components: in.Components,
			Status: 200, Errors: []int{400, 403, 404, 507}, Extension: in.Extension,
		})
	}
	return routes
}

func (d *Desk) complete(c *api.Call, in Intake) error {
	c.Acts()
	ctx, token := c.Context(), c.Param("token")
	p, err := c.Store.Project(ctx, c.Param("project"))
	if err != nil {
		return err
	}
	var u *Upload
	if credential.ValidSecret(credential.KindUpload, token) {
		u, err = findUpload(reading(c, p), uploadByHash, p.ID, credential.Hash(token), in.Kind)
	}
	if err != nil {
		return err
	}
	if u == nil {
		return fault.Missing("Upload", token)
	}
	if err := u.revalidate(c, in.Right, p); err != nil {
		return err
	}
	err = c.Store.Edit(ctx, p, c.Scope.Person(), func(tx *store.Tx) error {
		now, err := findUpload(tx.Query, uploadByUID, p.ID, u.Kind, u.UID)
		switch {
		case err != nil:
			return err
		case now == nil:
			return fault.Missing("Upload", token)
		case now.completed():
			return nil
		case now.Object == "":
			return fault.New(fault.Invalid,
				"The file of this upload has not arrived yet. Post it with its form; then it can be completed.")
		}
		if in.Make == nil {
			return tx.Exec(setCompleted, p.ID, now.Kind, now.UID, held)
		}
		id, err := in.Make(c, tx, now)
		if err != nil {
			return err
		}
		return now.give(tx, id)
	})
	if err != nil {
		return err
	}
	return in.Show(c, u.UID)
}

// give lets a record have the file.
func (u *Upload) give(tx *store.Tx, record store.ID) error {
	if err := AddFile(tx, record, File{u.Object, u.Type, u.Name, u.Size, u.SHA256}); err != nil {
		return err
	}
	return tx.Exec(setCompleted, tx.Project().ID, u.Kind, u.UID, taken)
}

// Take gives a record the file of an upload of a kind that was completed and waits. It is nil where none does.
func Take(tx *store.Tx, kind, uid string, record store.ID) (*Upload, error) {
	u, err := findUpload(tx.Query, uploadByUID, tx.Project().ID, kind, uid)
	if err != nil || u == nil || u.state != held {
		return nil, err
	}
	return u, u.give(tx, record)
}

// revalidate gives the call the scope of who began the upload: fault.Forbidden when they are no longer a member with
// the right, or their key is no longer good.
func (u *Upload) revalidate(c *api.Call, right auth.Right, p *store.Project) error {
	account, err := c.Auth.Revalidate(c.Context(), u.credential)
	if err != nil {
		return err
	}
	if c.Scope, err = c.Auth.Enter(c.Context(), account, p.UID); err != nil {
		return err
	}
	if right.For(c.Scope.Role()) == auth.No {
		return fault.New(fault.Forbidden, "Who began this upload may no longer do so.")
	}
	return nil
}

// Package intake owns how a set of drawings comes and is read, from the first request until its pages can be published:
// uploads, the jobs that read them, and how far they are. It refuses to know what a published sheet is, which is
// package register's, and how letters become numbers, which is package read's.
package intake

import (
	"fmt"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
	"groundwork/internal/sheet/pending"
	"groundwork/internal/sheet/register"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

// newSet is the body that begins a version upload.
type newSet struct {
	NumFiles    int64  `json:"num_files" write:"required"`
	VersionName string `json:"version_name" write:"required,solid,max=255"`
	// Publish says that the sheets appear as soon as they were read.
	Publish *bool `json:"publish" write:""`
}

// mostFiles is how many files a set may have.
const mostFiles = 1000

// newSetFile is the body that asks for the form of one file.
type newSetFile struct {
	FileName string `json:"file_name" write:"required,solid,max=255"`
}

const pdfType = "application/pdf"

// UploadRoutes is everything the API does with sets of drawings on their way.
func UploadRoutes(desk *upload.Desk) []api.Route {
	one, parts := versionUploadSchema()
	request, requestParts := fileRequestSchema()
	path := "/projects/{project}/sheets/uploads"
	route := func(method, path, summary string, status int, do func(*api.Call) error) api.Route {
		return api.Route{
			Method: method, Pattern: path, Access: api.Member, Right: auth.Admins, Do: do, Summary: summary,
			Tag: "sheets", Status: status,
			Out: one, Components: parts, Keyed: method == "POST",
		}
	}
	first := route("POST", path, "Begin the upload of a set of drawings", 201, beginSet)
	first.In = document.BodySchema[newSet]()
	show := route("GET", path+"/{uid}", "Get the upload of a set of drawings, and how far it was read", 200,
		func(c *api.Call) error { return showSet(c, 200, c.Param("uid")) })
	file := route("POST", path+"/{uid}/files/{request}", "Get the form of a file of a set of drawings", 201,
		func(c *api.Call) error { return offerFile(c, desk) })
	file.In = document.BodySchema[newSetFile]()
	file.Out, file.Components = upload.Offered()
	complete := route("POST", path+"/{uid}/completions", "Complete the upload of a set of drawings, so that it is read",
		200, completeSet)
	complete.In, complete.OptionalIn = api.BareSchema(), true
	routes := []api.Route{first, api.Extending(show), file, complete}
	return append(routes, desk.Completions(upload.Intake{
		Kind: pending.SetFiles, Name: "a file of a set of drawings", Right: auth.Admins, Show: showRequest, Out: request,
		Components: requestParts,
	})...)
}

func beginSet(c *api.Call) error {
	in, body, err := resource.Body[newSet](c)
	if err != nil {
		return err
	}
	if in.NumFiles < 1 || in.NumFiles > mostFiles {
		return fault.Field("num_files", "A set has 1 to %d files.", mostFiles)
	}
	uid, err := resource.OncePerKey(c, body, func(tx *resource.Tx) (string, error) {
		v, err := expect(tx, in.VersionName, in.Publish == nil || *in.Publish, in.NumFiles)
		return v.UID, err
	})
	if err != nil {
		return err
	}
	return showSet(c, 201, uid)
}

// expect writes a version upload with places for so many files.
func expect(tx *resource.Tx, version string, publish bool, files int64) (*pending.Set, error) {
	v, p, flag := &pending.Set{UID: store.NewUID(), Name: version}, tx.Project().ID, 0
	if publish {
		flag = 1
	}
	if err := tx.Exec(pending.InsertSet, p, v.UID, version, flag, tx.Actor(), tx.Now()); err != nil {
		return v, err
	}
	for place := range files {
		v.Files = append(v.Files, pending.File{Place: place + 1, UID: store.NewUID()})
		if err := tx.Exec(pending.InsertFile, p, v.UID, place+1, v.Files[place].UID); err != nil {
			return v, err
		}
	}
	return v, nil
}

// offerFile gives the form for a file of a set. It may be asked for again, also after the file came, which is then
// expected anew.
func offerFile(c *api.Call, desk *upload.Desk) error {
	set, file := c.Param("uid"), c.Param("request")
	in, body, bodyErr := resource.Body[newSetFile](c)
	uid, err := resource.OncePerKey(c, body, func(tx *resource.Tx) (string, error) {
		v, err := pending.Find(tx.Query, tx.Project(), set)
		if err != nil {
			return "", err
		}
		f := v.File(file)
		if f == nil {
			return "", fault.Missing("File upload request", file)
		}
		if bodyErr != nil {
			return "", bodyErr
		}
		if v.State != pending.StateComing {
			return "", fault.New(fault.Invalid,
				"The version upload %s is completed: no more files can be added to it. Begin a new one.", set)
		}
		p := tx.Project().ID
		if err := tx.Exec(pending.TouchSet, p, set, tx.Now()); err != nil {
			return "", err
		}
		if err := tx.Exec(pending.NameFile, p, set, file, in.FileName); err != nil {
			return "", err
		}
		return desk.Renew(tx.Tx, c, upload.Upload{
			UID: file, Kind: pending.SetFiles, Type: pdfType, Name: in.FileName, Detail: []byte("{}"),
		})
	})
	if err != nil {
		return err
	}
	return desk.Offer(c, pending.SetFiles, uid)
}

// completeSet makes the version set, gives it the files, and has them read. To repeat it changes nothing.
func completeSet(c *api.Call) error {
	uid := c.Param("uid")
	body, bodyErr := c.Bare()
	_, err := resource.OncePerKey(c, body, func(tx *resource.Tx) (string, error) {
		v, err := pending.Find(tx.Query, tx.Project(), uid)
		if err == nil {
			err = bodyErr
		}
		if err != nil || v.State != pending.StateComing {
			return uid, err
		}
		if missing := v.Missing(); missing != "" {
			return "", fault.New(fault.Invalid,
				"Not all files have arrived. Missing: %s. Post them; then the set can be completed.", missing)
		}
		return uid, begin(tx, v, func(f pending.File, owner store.ID) (name, object string, err error) {
			came, err := upload.Take(tx.Tx, pending.SetFiles, f.UID, owner)
			if err == nil && came == nil {
				err = fmt.Errorf("sheet: the file %s is not there", f.UID)
			}
			if err != nil {
				return "", "", err
			}
			return came.Name, came.Object, nil
		})
	})
	if err != nil {
		return err
	}
	return showSet(c, 200, uid)
}

// begin makes the version set, gives it its files, one by one as take does, and has them read.
func begin(tx *resource.Tx, v *pending.Set,
	take func(f pending.File, owner store.ID) (name, object string, err error),
) error {
	row, err := register.VersionSets.Insert(tx, v.UID, &register.VersionSet{VersionName: v.Name})
	if err != nil {
		return err
	}
	p := tx.Project()
	for _, f := range v.Files {
		name, object, err := take(f, row.ID)
		if err != nil {
			return err
		}
		if err := tx.Exec(pending.FillFile, p.ID, v.UID, f.Place, name, object); err != nil {
			return err
		}
	}
	if err := tx.Exec(pending.BeginReading, p.ID, v.UID, tx.Actor()); err != nil {
		return err
	}
	_, err = tx.Jobs.Enqueue(tx.Tx, Reading, assignment{Project: p.UID, Set: v.UID}, tx.Owner())
	return err
}

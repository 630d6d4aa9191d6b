package sheet

import (
	"fmt"
	"strings"

	"groundwork/internal/api"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
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

const (
	pdfType  = "application/pdf"
	setFiles = "sheets/files" // the kind of the uploads
)

func setUploads(desk *upload.Desk) []api.Route {
	one, parts := versionUploadSchema()
	request, requestParts := fileRequestSchema()
	path := "/projects/{project}/sheets/uploads"
	route := func(method, path, summary string, status int, do func(*api.Call) error) api.Route {
		return api.Route{
			Method: method, Pattern: path, Access: api.Member, Right: admins, Do: do, Summary: summary, Tag: "sheets", Status: status,
			Out: one, Components: parts, Keyed: method == "POST",
		}
	}
	begin := route("POST", path, "Begin the upload of a set of drawings", 201, beginSet)
	begin.In = resource.BodySchema[newSet]()
	show := route("GET", path+"/{uid}", "Get the upload of a set of drawings, and how far it was read", 200, func(c *api.Call) error { return showSet(c, 200, c.Param("uid")) })
	file := route("POST", path+"/{uid}/files/{request}", "Get the form of a file of a set of drawings", 201, func(c *api.Call) error { return offerFile(c, desk) })
	file.In = resource.BodySchema[newSetFile]()
	file.Out, file.Components = upload.Offered()
	complete := route("POST", path+"/{uid}/completions", "Complete the upload of a set of drawings, so that it is read", 200, completeSet)
	complete.In, complete.OptionalIn = api.BareSchema(), true
	routes := []api.Route{begin, api.Extending(show), file, complete}
	return append(routes, desk.Completions(upload.Intake{
		Kind: setFiles, Name: "a file of a set of drawings", Right: admins, Show: showRequest, Out: request, Components: requestParts,
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
	uid, err := resource.Once(c, body, func(tx *resource.Tx) (string, error) {
		v, err := expect(tx, in.VersionName, in.Publish == nil || *in.Publish, in.NumFiles)
		return v.UID, err
	})
	if err != nil {
		return err
	}
	return showSet(c, 201, uid)
}

// expect writes a version upload with places for so many files.
func expect(tx *resource.Tx, version string, publish bool, files int64) (*coming, error) {
	v, p, flag := &coming{UID: store.NewUID(), Name: version}, tx.Project().ID, 0
	if publish {
		flag = 1
	}
	if err := tx.Exec(insertComing, p, v.UID, version, flag, tx.Actor(), tx.Now()); err != nil {
		return v, err
	}
	for place := range files {
		v.files = append(v.files, comingFile{place: place + 1, uid: store.NewUID()})
		if err := tx.Exec(insertComingFile, p, v.UID, place+1, v.files[place].uid); err != nil {
			return v, err
		}
	}
	return v, nil
}

// offerFile gives the form for a file of a set. It may be asked for again, also after the file came, which is then expected anew.
func offerFile(c *api.Call, desk *upload.Desk) error {
	set, file := c.Param("uid"), c.Param("request")
	in, body, bodyErr := resource.Body[newSetFile](c)
	uid, err := resource.Once(c, body, func(tx *resource.Tx) (string, error) {
		v, err := findSet(tx.Query, tx.Project(), set)
		if err != nil {
			return "", err
		}
		f := v.file(file)
		if f == nil {
			return "", fault.Missing("File upload request", file)
		}
		if bodyErr != nil {
			return "", bodyErr
		}
		if v.state != stateComing {
			return "", fault.New(fault.Invalid, "The version upload %s is completed: no more files can be added to it. Begin a new one.", set)
		}
		p := tx.Project().ID
		if err := tx.Exec(touchComing, p, set, tx.Now()); err != nil {
			return "", err
		}
		if err := tx.Exec(nameComingFile, p, set, file, in.FileName); err != nil {
			return "", err
		}
		return desk.Begin(tx.Tx, c, upload.Upload{UID: file, Kind: setFiles, Type: pdfType, Name: in.FileName, Detail: []byte("{}")})
	})
	if err != nil {
		return err
	}
	return desk.Offer(c, uid)
}

func (v *coming) file(uid string) *comingFile {
	for i := range v.files {
		if v.files[i].uid == uid {
			return &v.files[i]
		}
	}
	return nil
}

// completeSet makes the version set, gives it the files, and has them read. To repeat it changes nothing.
func completeSet(c *api.Call) error {
	uid := c.Param("uid")
	body, bodyErr := c.Bare()
	_, err := resource.Once(c, body, func(tx *resource.Tx) (string, error) {
		v, err := findSet(tx.Query, tx.Project(), uid)
		if err == nil {
			err = bodyErr
		}
		if err != nil || v.state != stateComing {
			return uid, err
		}
		if missing := v.missing(); missing != "" {
			return "", fault.New(fault.Invalid, "Not all files have arrived. Missing: %s. Post them; then the set can be completed.", missing)
		}
		return uid, v.begin(tx, func(f comingFile, owner store.ID) (name, object string, err error) {
			came, err := upload.Take(tx.Tx, f.uid, owner)
			if err == nil && came == nil {
				err = fmt.Errorf("sheet: the file %s is not there", f.uid)
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
func (v *coming) begin(tx *resource.Tx, take func(f comingFile, owner store.ID) (name, object string, err error)) error {
	row, err := versionSets.Insert(tx, v.UID, &VersionSet{VersionName: v.Name})
	if err != nil {
		return err
	}
	p := tx.Project()
	for _, f := range v.files {
		name, object, err := take(f, row.ID)
		if err != nil {
			return err
		}
		if err := tx.Exec(fillComingFile, p.ID, v.UID, f.place, name, object); err != nil {
			return err
		}
	}
	if err := tx.Exec(beginReading, p.ID, v.UID, tx.Actor()); err != nil {
		return err
	}
	_, err = tx.Jobs.Enqueue(tx.Tx, Reading, assignment{Project: p.UID, Set: v.UID})
	return err
}

// missing says which files have not arrived; "" when all have.
func (v *coming) missing() string {
	const most = 10
	var names []string
	left := 0
	for _, f := range v.files {
		switch {
		case f.arrived:
			continue
		case len(names) == most:
			left++
		case f.name != "":
			names = append(names, fmt.Sprintf("file %d (%s)", f.place, f.name))
		default:
			names = append(names, fmt.Sprintf("file %d", f.place))
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

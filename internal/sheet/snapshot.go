package sheet

import (
	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/drawing"
	"groundwork/internal/fault"
	"groundwork/internal/job"
	"groundwork/internal/resource"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

// Snapshot is a picture of a part of a sheet.
type Snapshot struct {
	resource.Record
	Title       *string       `json:"title"`
	URL         resource.File `json:"url"`
	ContentType string        `json:"content_type"`
	Size        int64         `json:"size"`
	SHA256      string        `json:"sha256"`
	Sheet       resource.Ref  `json:"sheet"`
}

var snapshots = &resource.Kind[Snapshot]{Plural: "snapshots"}

// newSnapshot is the body that begins the upload of a snapshot.
type newSnapshot struct {
	ContentType string  `json:"content_type" write:"required,one=image/png|image/jpeg|image/heic|image/heif"`
	Title       *string `json:"title" write:"max=255"`
	SheetUID    *string `json:"sheet_uid" write:""`
}

var (
	everyone = auth.Right{Admin: auth.Any, Power: auth.Any, Collaborator: auth.Any}
	admins   = auth.Right{Admin: auth.Any}
)

// Mount is everything the API does with drawings, how they are stored, and what is done with them in the background; desk takes the files, and all has the issues
// that annotations belong to.
func Mount(desk *upload.Desk, all *resource.Catalog) ([]api.Route, []resource.AnyKind, func(*job.Queue, *store.Store, *upload.Desk, *drawing.Workshop)) {
	routes, marks := annotations(all)
	routes = append(routes, sheetRoutes(desk)...)
	routes = append(routes, versionSetRoutes()...)
	routes = append(routes, setUploads(desk)...)
	routes = append(routes, viewing(desk)...)
	return append(routes, snapshotRoutes(desk)...), []resource.AnyKind{snapshots, sheets, versionSets, marks}, Work
}

func snapshotRoutes(desk *upload.Desk) []api.Route {
	in := upload.Intake{
		Kind: "snapshots", Name: "a snapshot", Right: everyone, In: resource.BodySchema[newSnapshot](),
		Begin: beginSnapshot, Make: makeSnapshot, Show: snapshots.Show, Extension: true,
	}
	in.Out, in.Components = resource.OneSchema(snapshots)
	return append(desk.Intake(in),
		resource.List(snapshots, everyone), resource.Get(snapshots, everyone), resource.Delete(snapshots, admins), resource.Restore(snapshots, admins))
}

func beginSnapshot(c *api.Call, desk *upload.Desk) error {
	in, body, err := resource.Body[newSnapshot](c)
	if err != nil {
		return err
	}
	title := ""
	if in.Title != nil {
		title = *in.Title
	}
	u := upload.Upload{Kind: "snapshots", Type: in.ContentType, Name: upload.PictureName(title, in.ContentType)}
	if u.Detail, err = json.Marshal(in); err != nil {
		return err
	}
	uid, err := resource.Once(c, body, func(tx *resource.Tx) (string, error) {
		if in.SheetUID != nil {
			row, err := tx.Find("sheets", *in.SheetUID)
			if err != nil {
				return "", err
			}
			if row.Deleted {
				return "", fault.Field("sheet_uid", "Sheet %s is deleted. Restore it first.", row.UID)
			}
		}
		return desk.Begin(tx.Tx, c, u)
	})
	if err != nil {
		return err
	}
	return desk.Offer(c, uid)
}

// makeSnapshot makes the snapshot of an upload.
func makeSnapshot(c *api.Call, tx *store.Tx, u *upload.Upload) (store.ID, error) {
	var in newSnapshot
	if err := json.Unmarshal(u.Detail, &in); err != nil {
		return 0, err
	}
	s := &Snapshot{Title: in.Title, URL: resource.File(u.Object), ContentType: u.Type, Size: u.Size, SHA256: u.SHA256}
	if in.SheetUID != nil {
		s.Sheet = resource.Ref("sheets/" + *in.SheetUID)
	}
	row, err := snapshots.Insert(resource.Within(c, tx), u.UID, s)
	return row.ID, err
}

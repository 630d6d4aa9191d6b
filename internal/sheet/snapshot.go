package sheet

import (
	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
	"groundwork/internal/sheet/register"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

// Snapshot is a picture of a part of a sheet.
type Snapshot struct {
	document.Record
	Title       *string       `json:"title"`
	URL         document.File `json:"url"`
	ContentType string        `json:"content_type"`
	Size        int64         `json:"size"`
	SHA256      string        `json:"sha256"`
	Sheet       document.Ref  `json:"sheet"`
}

var snapshots = &resource.Kind[Snapshot]{Number: 8, Plural: "snapshots", Name: "Snapshot"}

// newSnapshot is the body that begins the upload of a snapshot.
type newSnapshot struct {
	UID         string  `json:"uid" write:"uuid"`
	ContentType string  `json:"content_type" write:"required,one=image/png|image/jpeg|image/heic|image/heif"`
	Title       *string `json:"title" write:"max=255"`
	SheetUID    *string `json:"sheet_uid" write:""`
}

func snapshotRoutes(desk *upload.Desk) []api.Route {
	in := upload.Intake{
		Kind: "snapshots", Name: "a snapshot", Right: auth.Everyone, In: document.BodySchema[newSnapshot](),
		Begin: beginSnapshot, Make: makeSnapshot, Show: snapshots.Show, Extension: true,
	}
	in.Out, in.Components = resource.OneSchema(snapshots)
	return append(desk.Intake(in),
		resource.List(snapshots, auth.Everyone), resource.Get(snapshots, auth.Everyone),
		resource.Delete(snapshots, auth.Admins), resource.Restore(snapshots, auth.Admins),
		desk.ShownRoute(upload.Shown{Kind: snapshots.Plural, Name: snapshots.Name, Objects: snapshotFiles}))
}

// snapshotFiles is the file of a snapshot.
func snapshotFiles(c *api.Call, uid string) (map[string]string, error) {
	s, _, err := snapshots.Read(c, uid)
	if err != nil {
		return nil, err
	}
	return map[string]string{"file": string(s.URL)}, nil
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
	u := upload.Upload{
		UID: in.UID, Kind: snapshots.Plural, Type: in.ContentType, Name: upload.PictureName(title, in.ContentType),
	}
	if u.Detail, err = json.Marshal(in); err != nil {
		return err
	}
	uid, err := resource.OncePerKey(c, body, func(tx *resource.Tx) (string, error) {
		if in.SheetUID != nil {
			row, err := register.Sheets.Find(tx, *in.SheetUID)
			if err != nil {
				return "", err
			}
			if row.Deleted {
				return "", fault.Field("sheet_uid", "Sheet %s is deleted. Restore it first.", row.UID)
			}
		}
		if err := snapshots.Claim(c, tx, in.UID); err != nil {
			return "", err
		}
		return desk.Begin(tx.Tx, c, u)
	})
	if err != nil {
		return err
	}
	return desk.Offer(c, snapshots.Plural, uid)
}

// makeSnapshot makes the snapshot of an upload.
func makeSnapshot(c *api.Call, tx *store.Tx, u *upload.Upload) (store.ID, error) {
	var in newSnapshot
	if err := json.Unmarshal(u.Detail, &in); err != nil {
		return 0, err
	}
	s := &Snapshot{Title: in.Title, URL: document.File(u.Object), ContentType: u.Type, Size: u.Size, SHA256: u.SHA256}
	if in.SheetUID != nil {
		s.Sheet = document.Ref("sheets/" + *in.SheetUID)
	}
	row, err := snapshots.Insert(resource.Within(c, tx), u.UID, s)
	return row.ID, err
}

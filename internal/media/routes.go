package media

import (
	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/resource"
	"groundwork/internal/upload"
)

var (
	everyone = auth.Right{Admin: auth.Any, Power: auth.Any, Collaborator: auth.Any}
	orOwn    = auth.Right{Admin: auth.Any, Power: auth.Any, Collaborator: auth.Own}
	admins   = auth.Right{Admin: auth.Any}
)

// Routes is everything the API does with documents and photos.
func Routes(desk *upload.Desk) []api.Route {
	ofDocuments := upload.Intake{Kind: "attachments", Name: "a document", Right: admins, In: resource.BodySchema[newDocument](), Begin: beginDocument, Make: makeDocument, Show: documents.Show}
	ofDocuments.Out, ofDocuments.Components = resource.OneSchema(documents)
	ofPhotos := upload.Intake{Kind: "photos", Name: "a photo", Right: everyone, In: resource.BodySchema[newPhoto](), Begin: beginPhoto, Make: makePhoto, Show: photos.Show}
	ofPhotos.Out, ofPhotos.Components = resource.OneSchema(photos)
	return append(append(desk.Intake(ofDocuments), desk.Intake(ofPhotos)...),
		resource.List(documents, everyone), resource.Get(documents, everyone), resource.Update(documents, admins),
		resource.Delete(documents, admins), resource.Restore(documents, admins), folders(), versions(),
		resource.List(photos, everyone), resource.Get(photos, everyone), resource.Update(photos, orOwn),
		resource.Delete(photos, admins), resource.Restore(photos, admins),
	)
}

// Kinds are the kinds of this package.
func Kinds() []resource.AnyKind { return []resource.AnyKind{documents, photos} }

// begin begins an upload, once for each Idempotency-Key; in is what the record is to have.
func begin(c *api.Call, desk *upload.Desk, body api.Object, u upload.Upload, in any) error {
	detail, err := json.Marshal(in)
	if err != nil {
		return err
	}
	u.Detail = detail
	uid, err := resource.Once(c, body, func(tx *resource.Tx) (string, error) { return desk.Begin(tx.Tx, c, u) })
	if err != nil {
		return err
	}
	return desk.Offer(c, uid)
}

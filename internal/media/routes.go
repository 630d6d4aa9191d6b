package media

import (
	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/family"
	"groundwork/internal/resource"
	"groundwork/internal/upload"
)

// routes is everything the API does with documents and photos.
func routes(site *family.Site) []api.Route {
	desk := site.Files
	ofDocuments := upload.Intake{
		Kind: "attachments", Name: "a document", Right: auth.Admins,
		In: document.BodySchema[newDocument](), Begin: beginDocument, Make: makeDocument, Show: documents.Show,
	}
	ofDocuments.Out, ofDocuments.Components = resource.OneSchema(documents)
	ofPhotos := upload.Intake{
		Kind: "photos", Name: "a photo", Right: auth.Everyone,
		In: document.BodySchema[newPhoto](), Begin: beginPhoto, Make: makePhoto, Show: photos.Show,
	}
	ofPhotos.Out, ofPhotos.Components = resource.OneSchema(photos)
	return append(append(desk.Intake(ofDocuments), desk.Intake(ofPhotos)...),
		resource.List(documents, auth.Everyone), resource.Get(documents, auth.Everyone),
		resource.Update(documents, auth.Admins),
		resource.Delete(documents, auth.Admins), resource.Restore(documents, auth.Admins), folders(), versions(),
		resource.List(photos, auth.Everyone), resource.Get(photos, auth.Everyone),
		resource.Update(photos, auth.ManagersOrOwn),
		resource.Delete(photos, auth.Admins), resource.Restore(photos, auth.Admins),
		desk.ShownRoute(upload.Shown{Kind: photos.Plural, Name: photos.Name, Objects: photoFiles}),
		desk.ShownRoute(upload.Shown{Kind: documents.Plural, Name: documents.Name, Objects: documentFiles}),
	)
}

// photoFiles are the files of a photo.
func photoFiles(c *api.Call, uid string) (map[string]string, error) {
	p, _, err := photos.Read(c, uid)
	if err != nil {
		return nil, err
	}
	return map[string]string{
		"file": string(p.URL), "display": string(p.DisplayURL), "preview": string(p.PreviewURL),
		"thumbnail": string(p.ThumbnailURL),
	}, nil
}

// documentFiles is the file of a document.
func documentFiles(c *api.Call, uid string) (map[string]string, error) {
	d, _, err := documents.Read(c, uid)
	if err != nil {
		return nil, err
	}
	return map[string]string{"file": string(d.URL)}, nil
}

// Family declares documents and photos.
func Family() family.Family {
	return family.Family{
		Name: "media", Kinds: []resource.AnyKind{documents, photos}, Routes: routes, Work: work,
		Exports: []string{"attachments", "photos"}, Arrives: arrives,
		Takes: map[string]family.Take{"attachments": takeDocument, "photos": takePhoto},
	}
}

// begin begins an upload of a record of a kind, once for each Idempotency-Key; in is what the record is to have.
func begin(c *api.Call, desk *upload.Desk, claim resource.Claim, body api.Object, u upload.Upload, in any) error {
	detail, err := json.Marshal(in)
	if err != nil {
		return err
	}
	u.Detail = detail
	uid, err := resource.OncePerKey(c, body, func(tx *resource.Tx) (string, error) {
		if err := claim(c, tx, u.UID); err != nil {
			return "", err
		}
		return desk.Begin(tx.Tx, c, u)
	})
	if err != nil {
		return err
	}
	return desk.Offer(c, u.Kind, uid)
}

package media

import (
	"context"

	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/family"
	"groundwork/internal/fault"
	"groundwork/internal/job"
	"groundwork/internal/resource"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

// takePhoto stores a photo and has it looked at in the background; made is false where it is here.
func takePhoto(ctx context.Context, site *family.Site, scope auth.Scope, in family.Sending) (made bool, err error) {
	insert := func(tx *resource.Tx, f upload.File) (store.ID, upload.File, error) {
		f.Name = upload.PictureName(in.Name, in.Type)
		row, err := photos.Insert(tx, in.UID, &Photo{
			Title: &in.Name, URL: document.File(f.Object), ContentType: f.Type, Size: f.Size, SHA256: f.SHA256,
		})
		if err == nil {
			_, err = tx.Jobs.Enqueue(tx.Tx, developing, exposure{Project: tx.Project().UID, Photo: in.UID},
				job.Owner(scope.Account().Payer()))
		}
		return row.ID, f, err
	}
	return send(ctx, site, scope, photos.Number, in, insert)
}

// takeDocument stores a document, which takes the place of the newest one of its name and folder; made is false where
// it is here. One that was replaced, and comes back, is a new one.
func takeDocument(ctx context.Context, site *family.Site, scope auth.Scope, in family.Sending) (made bool, err error) {
	if auth.Admins.For(scope.Role()) == auth.No {
		return false, fault.New(fault.Forbidden, "Documents are uploaded by Admins; %s is %s of this project.",
			scope.Account().Email, scope.Role())
	}
	for n := 2; ; n++ {
		d, _, err := documents.Stored(ctx, site.Store, scope.Project(), in.UID)
		if fault.Is(err, fault.NotFound) {
			break
		}
		if err != nil || d.Deleted || d.SupersededBy == "" {
			return false, err
		}
		in.UID = in.Again(n) // it comes back after another
	}
	return send(ctx, site, scope, documents.Number, in,
		func(tx *resource.Tx, f upload.File) (store.ID, upload.File, error) {
			d := &Document{
				Name: in.Name, Folder: rooted(&in.Folder), Version: 1,
				URL: document.File(f.Object), ContentType: f.Type, Size: f.Size, SHA256: f.SHA256,
			}
			f.Name = in.Name
			if err := supersede(tx, in.UID, d); err != nil {
				return 0, f, err
			}
			row, err := documents.Insert(tx, in.UID, d)
			return row.ID, f, err
		})
}

func send(ctx context.Context, site *family.Site, scope auth.Scope, kind store.Kind, in family.Sending,
	insert func(*resource.Tx, upload.File) (store.ID, upload.File, error),
) (made bool, err error) {
	p := scope.Project()
	if _, here, err := site.Store.Terms(ctx, p, kind, in.UID); here || err != nil || in.Dry {
		return !here && err == nil, err
	}
	r, err := in.Open()
	if err != nil {
		return false, err
	}
	file, err := site.Files.Store(ctx, site.Store, p, r)
	if closed := r.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return false, err
	}
	if file.SHA256 != in.SHA256 {
		site.Files.Discard(ctx, []upload.File{file})
		return false, fault.New(fault.Invalid, "It changed while it was imported. Run the import again.")
	}
	file.Type = in.Type
	err = site.Store.Edit(ctx, p, scope.Person(), func(tx *store.Tx) error {
		id, named, err := insert(&resource.Tx{Tx: tx, Scope: scope, Auth: site.Auth, Jobs: site.Jobs}, file)
		if err != nil {
			return err
		}
		return upload.AddFile(tx, id, named)
	})
	if err != nil && !fault.Is(err, fault.Unavailable) { // then it may stand
		site.Files.Discard(ctx, []upload.File{file})
	}
	return err == nil, err
}

package media

import (
	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/resource"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

// supersede finds the document that a new one replaces, the newest of its name and folder that is not deleted, and says
// so in both.
func supersede(tx *resource.Tx, uid string, d *Document) error {
	records, err := upload.Named(tx.Tx, d.Name)
	if err != nil {
		return err
	}
	for _, id := range records {
		row, old, ok, err := documents.At(tx, id)
		if err != nil {
			return err
		}
		if !ok || old.Deleted || old.SupersededBy != "" || old.Name != d.Name || text(old.Folder) != text(d.Folder) {
			continue
		}
		now := *old
		now.SupersededBy = reference(uid)
		if now.FirstVersion == "" {
			now.FirstVersion = reference(old.UID)
		}
		d.Version, d.FirstVersion = old.Version+1, now.FirstVersion
		return documents.Save(tx, &row, old, &now, store.Updated)
	}
	return nil
}

func reference(uid string) document.Ref { return document.Ref(documents.Plural + "/" + uid) }

// versions lists the documents that replaced each other, of which one is named.
func versions() api.Route {
	r := resource.List(documents, auth.Everyone)
	r.Pattern += "/{uid}/versions"
	r.Summary, r.Extension = "List the versions of a document, the oldest first", true
	r.Do = func(c *api.Call) error {
		d, id, err := documents.Read(c, c.Param("uid"))
		if err != nil {
			return err
		}
		return documents.Window(c, func(sel *store.Select) {
			if d.FirstVersion == "" {
				sel.Only = id.Ordinal()
				return
			}
			sel.Terms = append(sel.Terms, []string{"first_version=" + d.FirstVersion.UID()})
		})
	}
	return r
}

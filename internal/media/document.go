// Package media owns documents, which the API calls attachments, and photos: their fields, rules and routes. It refuses
// to know how a file travels or where it lies: package upload brings it, and a record names it.
package media

import (
	"strings"

	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

// Document is a file in a folder of a project.
type Document struct {
	document.Record
	Name        string        `json:"name" write:"solid,max=255"`
	Folder      *string       `json:"folder" write:"max=255" filter:"folder,exact"`
	URL         document.File `json:"url"`
	ContentType string        `json:"content_type"`
	Size        int64         `json:"size"`
	SHA256      string        `json:"sha256"`
	// Version counts the documents that replaced each other, from 1. FirstVersion is where they began; it is null where
	// there is only one.
	Version      int64        `json:"version"`
	SupersededBy document.Ref `json:"superseded_by"`
	FirstVersion document.Ref `json:"first_version" filter:"first_version"`
}

var documents = &resource.Kind[Document]{
	Number: 6, Plural: "attachments", Name: "Document", Check: checkDocument, WholeForm: []string{"name", "folder"},
}

// checkDocument lets the file be saved under the document's name, and makes a blank folder the root.
func checkDocument(tx *resource.Tx, old, now *Document) error {
	now.Folder = rooted(now.Folder)
	if old != nil && old.Name != now.Name {
		return upload.Rename(tx.Tx, string(now.URL), now.Name)
	}
	return nil
}

// rooted makes a blank folder the root.
func rooted(folder *string) *string {
	if strings.TrimSpace(text(folder)) == "" {
		return nil
	}
	return folder
}

// newDocument is the body that begins the upload of a document.
type newDocument struct {
	UID         string  `json:"uid" write:"uuid"`
	ContentType string  `json:"content_type" write:"required,solid,max=255"`
	Name        string  `json:"name" write:"required,solid,max=255"`
	Folder      *string `json:"folder" write:"max=255"`
	AutoVersion *bool   `json:"auto_version" write:""`
}

func beginDocument(c *api.Call, desk *upload.Desk) error {
	in, body, err := resource.Body[newDocument](c)
	if err == nil && !upload.ValidType(in.ContentType) {
		err = fault.Field("content_type", "It must be a content type such as application/pdf.")
	}
	if err != nil {
		return err
	}
	return begin(c, desk, documents.Claim, body, upload.Upload{
		UID: in.UID, Kind: documents.Plural, Type: in.ContentType, Name: in.Name,
	}, in)
}

// makeDocument makes the document of an upload; with auto_version it takes the place of the newest one of its name and
// folder.
func makeDocument(c *api.Call, tx *store.Tx, u *upload.Upload) (store.ID, error) {
	var in newDocument
	if err := json.Unmarshal(u.Detail, &in); err != nil {
		return 0, err
	}
	d := &Document{
		Name: in.Name, Folder: rooted(in.Folder), Version: 1,
		URL: document.File(u.Object), ContentType: u.Type, Size: u.Size, SHA256: u.SHA256,
	}
	write := resource.Within(c, tx)
	if in.AutoVersion != nil && *in.AutoVersion {
		if err := supersede(write, u.UID, d); err != nil {
			return 0, err
		}
	}
	row, err := documents.Insert(write, u.UID, d)
	return row.ID, err
}

// Package sheet owns drawings: sheets and the sets in which they come, annotations on them, and snapshots, the pictures that people take of them. It refuses
// to know how a file travels and how a drawing is read: packages upload and drawing do that.
package sheet

import (
	"groundwork/internal/api"
	"groundwork/internal/resource"
	"groundwork/internal/upload"
)

// Sheet is one page of a published set of drawings: one version of a drawing.
type Sheet struct {
	resource.Record
	Name             string          `json:"name" write:"solid,max=255" search:""`
	VersionName      string          `json:"version_name"`
	Description      *string         `json:"description" write:"max=255" search:""`
	Tags             []string        `json:"tags" write:"max=255" search:""`
	PublishedBy      resource.Person `json:"published_by"`
	PublishedAt      *resource.Time  `json:"published_at"`
	UploadedFileName *string         `json:"uploaded_file_name"`
	// HistorySetUID is the same for all versions of a drawing.
	HistorySetUID string `json:"history_set_uid" filter:"history_set_uid"`
	// Date is what its title block says.
	Date       *resource.Date `json:"date"`
	VersionSet resource.Ref   `json:"version_set" filter:"version_set"`
	// Current says that no later version of the drawing is published.
	Current      bool          `json:"current" filter:"current"`
	FileURL      resource.File `json:"file_url"`
	ThumbnailURL resource.File `json:"thumbnail_url"`
	// TilesURL is null until the drawing was cut into tiles, in the background; TilesError says why it could not be.
	TilesURL         resource.Tiles `json:"tiles_url"`
	TilesError       *string        `json:"tiles_error"`
	Width            float64        `json:"width"`
	Height           float64        `json:"height"`
	NumberConfidence *float64       `json:"number_confidence"`
	Links            []Callout      `json:"links"`
	Comments         resource.Coll  `json:"comments"`
}

// Callout is a place on a sheet that refers to another one; from 0 to 1, from the top left corner.
type Callout struct {
	Sheet resource.Ref `json:"sheet"`
	Text  string       `json:"text"`
	X0    float64      `json:"x0"`
	Y0    float64      `json:"y0"`
	X1    float64      `json:"x1"`
	Y1    float64      `json:"y1"`
}

var sheets = &resource.Kind[Sheet]{
	Plural: "sheets", Version: 2, Newest: true, Check: checkSheet, Words: wordsOf,
	Fresh: func() Sheet { return Sheet{Comments: resource.Slot("sheets", "comments")} },
}

const (
	pdfEnding       = ".pdf"
	thumbnailEnding = ".jpg"
)

// checkSheet lets the files be saved under the sheet's name.
func checkSheet(tx *resource.Tx, old, now *Sheet) error {
	if old == nil || old.Name == now.Name {
		return nil
	}
	if err := upload.Rename(tx.Tx, string(now.FileURL), now.Name+pdfEnding); err != nil {
		return err
	}
	return upload.Rename(tx.Tx, string(now.ThumbnailURL), now.Name+thumbnailEnding)
}

func sheetRoutes(desk *upload.Desk) []api.Route {
	return []api.Route{
		resource.List(sheets, everyone), resource.Get(sheets, everyone), api.Extending(resource.Update(sheets, admins)),
		api.Extending(resource.Delete(sheets, admins)), resource.Restore(sheets, admins), textRoute(desk),
	}
}

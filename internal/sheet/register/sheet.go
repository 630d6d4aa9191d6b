// Package register owns the drawing register: sheets, the version sets that they were published in, and which version
// of a drawing is current. It refuses to know how pages come and are read; Publish makes sheets of them.
package register

import (
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"groundwork/internal/document"
	"groundwork/internal/drawing/discipline"
	"groundwork/internal/pyramid"
	"groundwork/internal/resource"
	"groundwork/internal/upload"
)

// Sheet is one page of a published set of drawings: one version of a drawing.
type Sheet struct {
	document.Record
	Name             string          `json:"name" write:"solid,max=255" search:""`
	VersionName      string          `json:"version_name"`
	Description      *string         `json:"description" write:"max=255" search:""`
	Tags             []string        `json:"tags" write:"max=255" search:""`
	PublishedBy      document.Person `json:"published_by"`
	PublishedAt      *document.Time  `json:"published_at"`
	UploadedFileName *string         `json:"uploaded_file_name"`
	// HistorySetUID is the same for all versions of a drawing.
	HistorySetUID string `json:"history_set_uid" filter:"history_set_uid"`
	// Date is what its title block says.
	Date *document.Date `json:"date"`
	// Discipline is what it is about, in the project's own words; SortKey where it stands among the sheets of a set as
	// people sort them, byte by byte.
	Discipline *string      `json:"discipline" write:"max=255" filter:"discipline,exact"`
	SortKey    string       `json:"sort_key"`
	VersionSet document.Ref `json:"version_set" filter:"version_set"`
	// Current says that no later version of the drawing is published.
	Current bool `json:"current" filter:"current"`
	// Supersedes is the version of the drawing that it took the place of.
	Supersedes   document.Ref  `json:"supersedes"`
	FileURL      document.File `json:"file_url"`
	ThumbnailURL document.File `json:"thumbnail_url"`
	// TilesURL is null until the drawing was cut into tiles, in the background; TilesError says why it could not be.
	TilesURL         pyramid.Tiles       `json:"tiles_url"`
	TilesError       *string             `json:"tiles_error"`
	Width            float64             `json:"width"`
	Height           float64             `json:"height"`
	NumberConfidence *float64            `json:"number_confidence"`
	Links            []Callout           `json:"links"`
	Comments         document.Collection `json:"comments" slot:"0"`
	// Scale is how much larger things are than they are drawn: 100 where it is drawn 1:100. ScaleProposed is what the
	// title block says; a person makes it the scale.
	Scale         *float64 `json:"scale" write:""`
	ScaleProposed *float64 `json:"scale_proposed"`
	// Alignment says how it lies on the version that it supersedes, where they are drawn in different places.
	Alignment *Alignment `json:"alignment" write:""`
}

// Alignment is two places of a sheet, and where the version before has the same two: that gives how it is moved, turned
// and enlarged.
type Alignment struct {
	Points []Aligned `json:"points" write:"required"`
}

// Aligned is a place of a sheet, and the same place on the version before; from 0 to 1, from the top left corner.
type Aligned struct {
	X       float64 `json:"x" write:"required"`
	Y       float64 `json:"y" write:"required"`
	BeforeX float64 `json:"before_x" write:"required"`
	BeforeY float64 `json:"before_y" write:"required"`
}

// Callout is a place on a sheet that refers to another one; from 0 to 1, from the top left corner.
type Callout struct {
	Sheet document.Ref `json:"sheet"`
	Text  string       `json:"text"`
	X0    float64      `json:"x0"`
	Y0    float64      `json:"y0"`
	X1    float64      `json:"x1"`
	Y1    float64      `json:"y1"`
}

// Sheets is the kind of sheets.
var Sheets = &resource.Kind[Sheet]{
	Number: 14, Plural: "sheets", Name: "Sheet", Version: 4, Newest: true, PrivateText: wordsOf,
	Complete: complete,
}

// Declare gives the kind of sheets its check, which saves other sheets and so cannot be part of its declaration.
var Declare = sync.OnceFunc(func() { Sheets.Check = checkSheet })

const (
	pdfEnding       = ".pdf"
	thumbnailEnding = ".jpg"
)

// checkSheet finds where the sheet stands in its set, lets the files be saved under its name, and undoes what its
// former name has done.
func checkSheet(tx *resource.Tx, old, now *Sheet) error {
	if now.Discipline != nil && strings.TrimSpace(*now.Discipline) == "" {
		now.Discipline = nil
	}
	now.SortKey = discipline.SortKey(now.Name, now.Discipline)
	if err := checkMeasures(now); err != nil {
		return err
	}
	if old == nil || old.Name == now.Name {
		return nil
	}
	if err := renumber(tx, old, now); err != nil {
		return err
	}
	if now.Supersedes != old.Supersedes {
		now.Alignment = nil // it was with another sheet
	}
	if err := upload.Rename(tx.Tx, string(now.FileURL), now.Name+pdfEnding); err != nil {
		return err
	}
	return upload.Rename(tx.Tx, string(now.ThumbnailURL), now.Name+thumbnailEnding)
}

// private is what is kept with a sheet and not shown: the object of its Text, and the words by which it is found.
type private struct {
	Text  string `json:"text"`
	Words string `json:"words"`
}

// wordsOf are the words of what is kept with a sheet.
func wordsOf(kept []byte) string {
	var p private
	_ = json.Unmarshal(kept, &p) // it was stored by Marshal
	return p.Words
}

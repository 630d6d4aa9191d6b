// Package mark owns annotations: what people draw on sheets, and who may see and change it. It refuses to know the
// sheets themselves; Routes is everything the API does with marks.
package mark

import (
	"fmt"
	"regexp"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// Annotation is a mark on a sheet. It is its author's own until it is published, or until it shows where an issue is.
type Annotation struct {
	document.Record
	Kind       string    `json:"kind" write:"one=stamp|rectangle|cloud|ellipse|line|arrow|pen|highlight|text|photo|measure"`
	Color      string    `json:"color" write:""`
	Stamp      *string   `json:"stamp" write:""`
	Text       *string   `json:"text" write:"max=65535"`
	Visibility string    `json:"visibility" write:"one=user|master" filter:"visibility"`
	Geometry   *Geometry `json:"geometry" write:""`
	// Width is how thick its lines are, as a multiple of the usual thickness.
	Width *float64 `json:"width" write:""`
	// Measure is what a mark that measures tells: the length of its line, or the area inside of it.
	Measure *string      `json:"measure" write:"one=length|area"`
	Photo   document.Ref `json:"photo" write:"as=photo_uid" ref:"photos" filter:"photo_uid"`
	Sheet   document.Ref `json:"sheet" write:"required,create,as=sheet_uid" ref:"sheets" filter:"sheet_uid"`
	Issue   document.Ref `json:"issue" write:"as=issue_uid" ref:"issues" filter:"issue_uid"`
}

// Geometry is where a mark is: points of the sheet as displayed, from 0 to 1, from the top left corner.
type Geometry struct {
	Points []Point `json:"points" write:"required,most=5000"`
}

// Point is a place on a sheet.
type Point struct {
	X float64 `json:"x" write:"required"`
	Y float64 `json:"y" write:"required"`
}

const (
	personal  = "user"
	published = "master"
	red       = "#FF0000"

	length = "length"
	area   = "area"

	thinnest, thickest = 0.25, 20.0
)

// placed is what an issue shows of the annotation that shows where it is.
type placed struct {
	UID        string       `json:"uid"`
	Color      string       `json:"color"`
	Stamp      *string      `json:"stamp"`
	Visibility string       `json:"visibility"`
	Deleted    bool         `json:"deleted"`
	Sheet      document.Ref `json:"sheet"`
}

// Marks are annotations.
var Marks = newMarks()

// newMarks declares annotations. Their Check saves others of them, which a plain declaration cannot say.
func newMarks() *resource.Kind[Annotation] {
	k := &resource.Kind[Annotation]{
		Number: 12, Plural: "annotations", Name: "Annotation", Newest: true,
		VisibleTo: seen, Terms: annotationTerms, OwnedBy: mayChange,
		Defaults: Annotation{Kind: "stamp", Color: red, Visibility: personal},
	}
	k.Check = func(tx *resource.Tx, old, now *Annotation) error {
		if err := checkMark(tx, old, now); err != nil {
			return err
		}
		return show(tx, k, old, now)
	}
	return k
}

// Routes is everything the API does with annotations.
func Routes() []api.Route {
	k := Marks
	return []api.Route{
		resource.List(k, auth.Everyone), api.Extending(resource.Get(k, auth.Everyone)),
		api.Extending(resource.Create(k, auth.Everyone)),
		api.Extending(resource.Update(k, auth.OwnOnly)), api.Extending(resource.Delete(k, auth.OwnOnly)),
		resource.Restore(k, auth.OwnOnly),
	}
}

// mayChange lets people change what they drew for themselves, and Admins and Power Collaborators what is published. Who
// may change what shows where an issue is, the issue says.
func mayChange(s auth.Scope, a *Annotation) bool {
	switch {
	case a.Issue != "":
		return true
	case a.Visibility == published:
		return s.Role() != auth.Collaborator
	default:
		return a.CreatedBy == document.Person(s.Person())
	}
}

// seen is what somebody sees: what is published, what shows where an issue is, and what they drew themselves.
func seen(s auth.Scope) [][]string {
	return [][]string{{"visibility=" + published, "placed=true", author(s.Person())}}
}

func annotationTerms(a *Annotation) []string {
	terms := []string{author(uint32(a.CreatedBy))}
	if a.Issue != "" {
		terms = append(terms, "placed=true")
	}
	return terms
}

func author(person uint32) string { return "author=" + strconv.FormatUint(uint64(person), 10) }

// points is how many points a mark of a kind has, at least and at most.
var points = map[string][2]int{
	"stamp": {1, 1}, "text": {1, 2}, "rectangle": {2, 2}, "cloud": {2, 2}, "ellipse": {2, 2}, "line": {2, 2},
	"arrow": {2, 2}, "highlight": {2, 2}, "pen": {2, 5000}, "photo": {1, 1}, "measure": {2, 1000},
}

var colour = regexp.MustCompile(`^#[0-9A-Fa-f]{6}$`)

// checkMark holds what tags cannot say.
func checkMark(tx *resource.Tx, old, now *Annotation) error {
	problems := map[string]string{}
	if !colour.MatchString(now.Color) {
		problems["color"] = "It must be a colour such as #FF0000."
	}
	if now.Stamp != nil && (*now.Stamp == "" || utf8.RuneCountInString(*now.Stamp) > 2) {
		problems["stamp"] = "It must have one or two characters, or be null."
	}
	if now.Geometry != nil {
		n, bounds := len(now.Geometry.Points), points[now.Kind]
		switch {
		case n >= bounds[0] && n <= bounds[1]:
		case bounds[0] == bounds[1]:
			problems["geometry.points"] = fmt.Sprintf("A %s has %d.", now.Kind, bounds[0])
		default:
			problems["geometry.points"] = fmt.Sprintf("A %s has %d to %d.", now.Kind, bounds[0], bounds[1])
		}
		if now.Measure != nil && *now.Measure == area && n < 3 {
			problems["geometry.points"] = "An area has at least 3."
		}
		for i, p := range now.Geometry.Points {
			if p.X < 0 || p.X > 1 || p.Y < 0 || p.Y > 1 {
				problems[fmt.Sprintf("geometry.points[%d]",
					i)] = "x and y must be from 0 to 1: parts of the sheet's width and height."
			}
		}
	}
	checkKind(now, problems)
	if old != nil && old.Visibility == published && now.Visibility == personal {
		problems["visibility"] = "What is published stays so: others have seen it. Delete it instead."
	}
	if err := fault.Fields(problems); err != nil {
		return err
	}
	if now.Visibility == published && (old == nil || old.Visibility != published) &&
		tx.Scope.Role() == auth.Collaborator {
		return fault.New(fault.Forbidden,
			"As Collaborator you may draw for yourself; publishing (visibility master) is for Admins and Power Collaborators.")
	}
	return nil
}

// checkKind holds which fields the kinds have that others have not.
func checkKind(now *Annotation, problems map[string]string) {
	if w := now.Width; w != nil && (*w < thinnest || *w > thickest) {
		problems["width"] = fmt.Sprintf("It must be from %g to %g, or null: 1 is the usual thickness.", thinnest, thickest)
	}
	switch {
	case now.Kind != "measure" && now.Measure != nil:
		problems["measure"] = fmt.Sprintf("A %s measures nothing: leave it out, or choose the kind measure.", now.Kind)
	case now.Kind == "measure" && now.Measure == nil:
		what := length
		now.Measure = &what
	}
	switch {
	case now.Kind != "photo" && now.Photo != "":
		problems["photo_uid"] = fmt.Sprintf("A %s shows no photo: leave it out, or choose the kind photo.", now.Kind)
	case now.Kind == "photo" && now.Photo == "":
		problems["photo_uid"] = "It is required: a mark of this kind shows a photo."
	}
}

// IssueAuthors is who made an issue.
var IssueAuthors = &resource.View[struct {
	CreatedBy document.Person `json:"created_by"`
}]{Name: "mark.IssueAuthors", Of: []string{"issues"}}

// mayPlace lets whoever may change all of an issue change its mark: a Collaborator only where they made the issue.
func mayPlace(tx *resource.Tx, issue document.Ref) error {
	if issue == "" || tx.Scope.Role() != auth.Collaborator {
		return nil
	}
	row, err := tx.Find("issues", issue.UID())
	if err != nil {
		return err
	}
	made, err := IssueAuthors.Read(row)
	if err == nil && made.CreatedBy != document.Person(tx.Scope.Person()) {
		err = fault.New(fault.Forbidden,
			"As Collaborator you may show the place of issues that you made; issue %s is not yours.", row.UID)
	}
	return err
}

// show tells the issues concerned what they show now. The annotation that one showed before is kept, and shows where it
// is no longer.
func show(tx *resource.Tx, k *resource.Kind[Annotation], old, now *Annotation) error {
	if err := mayPlace(tx, now.Issue); err != nil {
		return err
	}
	if old != nil && old.Issue != "" && old.Issue != now.Issue {
		if err := mayPlace(tx, old.Issue); err != nil {
			return err
		}
		err := tx.Amend("issues", old.Issue.UID(), "current_annotation", func(was []byte) ([]byte, error) {
			if uidOf(was) != now.UID {
				return nil, nil
			}
			return []byte("null"), nil
		})
		if err != nil {
			return err
		}
	}
	if now.Issue == "" {
		return nil
	}
	before := ""
	err := tx.Amend("issues", now.Issue.UID(), "current_annotation", func(was []byte) ([]byte, error) {
		before = uidOf(was)
		return json.Marshal(placed{now.UID, now.Color, now.Stamp, now.Visibility, now.Deleted, now.Sheet})
	})
	if err != nil || before == "" || before == now.UID {
		return err
	}
	row, err := k.Find(tx, before)
	if err != nil {
		return err
	}
	was, err := k.Load(row)
	if err != nil {
		return err
	}
	alone := *was
	alone.Issue = ""
	return k.Save(tx, &row, was, &alone, store.Updated)
}

// uidOf is the uid of a mark as an issue stores it; empty where there is none.
func uidOf(mark []byte) string {
	var m placed
	_ = json.Unmarshal(mark, &m) // it was stored by Marshal
	return m.UID
}

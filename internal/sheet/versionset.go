package sheet

import (
	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// VersionSet is a set of drawings that came together. Until it is published only Admins see it.
type VersionSet struct {
	resource.Record
	VersionName string         `json:"version_name" write:"required,solid,max=255"`
	PublishedAt *resource.Time `json:"published_at"`
}

var versionSets = &resource.Kind[VersionSet]{
	Plural: "version_sets", Newest: true,
	Sees: func(s auth.Scope) [][]string {
		if s.Role() == auth.Admin {
			return nil
		}
		return [][]string{{"published=true"}}
	},
	Terms: func(v *VersionSet) []string {
		if v.PublishedAt == nil {
			return nil
		}
		return []string{"published=true"}
	},
}

func versionSetRoutes() []api.Route {
	return []api.Route{
		resource.List(versionSets, everyone), api.Extending(resource.Get(versionSets, everyone)), api.Extending(resource.Update(versionSets, admins)),
	}
}

// Begin makes a version set that has no sheets yet.
func Begin(tx *resource.Tx, name string) (store.Row, error) {
	return versionSets.Insert(tx, "", &VersionSet{VersionName: name})
}

// Page is a page of a version set: what becomes a sheet.
type Page struct {
	// FileName is the file it came in, Name its number, Description its title.
	FileName, Name string
	Description    *string
	Tags           []string
	// File and Thumbnail are objects: the page as a PDF, and a small picture.
	File, Thumbnail string
	Width, Height   float64
	// Confidence is how sure the number is, from 0 to 1.
	Confidence *float64
	Callouts   []Reference
}

// Reference is a place on a page that names a sheet; from 0 to 1, from the top left corner.
type Reference struct {
	Name, Text     string
	X0, Y0, X1, Y1 float64
}

// Publish makes sheets of the pages of a version set, which are in file and page order. They supersede the sheets of the same numbers, and belong to
// their histories. The set is not published yet.
func Publish(tx *resource.Tx, uid string, pages []Page) error {
	row, err := tx.Find("version_sets", uid)
	if err != nil {
		return err
	}
	old, err := resource.Load[VersionSet](row)
	if err != nil {
		return err
	}
	at, now := resource.Time(tx.Now()), *old
	now.PublishedAt = &at
	if err := versionSets.Save(tx, &row, old, &now, store.Updated); err != nil {
		return err
	}
	p := &publication{tx: tx, set: &now, uids: map[string]string{}, histories: map[string]string{}}
	if err := p.supersede(pages); err != nil {
		return err
	}
	made := make([]string, len(pages))
	for i := len(pages) - 1; i >= 0; i-- { // of two pages with one number the first is the one that is meant
		made[i] = store.NewUID()
		p.uids[pages[i].Name] = made[i]
		if p.histories[pages[i].Name] == "" {
			p.histories[pages[i].Name] = store.NewUID()
		}
	}
	for i := len(pages) - 1; i >= 0; i-- { // lists show the newest first, and the first page first
		if err := p.add(made[i], &pages[i]); err != nil {
			return err
		}
	}
	return nil
}

// publication is a version set on its way.
type publication struct {
	tx  *resource.Tx
	set *VersionSet
	// uids are the sheets that a number means, histories the histories that it belongs to.
	uids, histories map[string]string
}

// supersede marks the present sheets of the pages' numbers as not current, and notes what other numbers mean.
func (p *publication) supersede(pages []Page) error {
	superseded := map[string]bool{}
	for i := range pages {
		superseded[pages[i].Name] = true
	}
	type former struct {
		row   store.Row
		sheet *Sheet
	}
	var formers []former
	err := sheets.Each(p.tx, "current=true", func(row store.Row, s *Sheet) error {
		p.uids[s.Name], p.histories[s.Name] = s.UID, s.HistorySetUID
		if superseded[s.Name] {
			formers = append(formers, former{row, s})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, f := range formers {
		now := *f.sheet
		now.Current = false
		if err := sheets.Save(p.tx, &f.row, f.sheet, &now, store.Updated); err != nil {
			return err
		}
	}
	return nil
}

func (p *publication) add(uid string, page *Page) error {
	s := &Sheet{
		Name: page.Name, VersionName: p.set.VersionName, Description: page.Description, Tags: page.Tags,
		PublishedBy: resource.Person(p.tx.Actor()), PublishedAt: p.set.PublishedAt, UploadedFileName: &page.FileName,
		HistorySetUID: p.histories[page.Name], VersionSet: resource.Ref("version_sets/" + p.set.UID), Current: true,
		FileURL: resource.File(page.File), ThumbnailURL: resource.File(page.Thumbnail), Width: page.Width, Height: page.Height,
		NumberConfidence: page.Confidence, Links: []Callout{}, Comments: resource.Slot("sheets", "comments"),
	}
	for _, r := range page.Callouts {
		if to := p.uids[r.Name]; to != "" {
			s.Links = append(s.Links, Callout{resource.Ref("sheets/" + to), r.Text, r.X0, r.Y0, r.X1, r.Y1})
		}
	}
	_, err := sheets.Insert(p.tx, uid, s)
	return err
}

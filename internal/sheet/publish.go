package sheet

import (
	"slices"

	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

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
	// File and Thumbnail are objects: the page as a PDF, and a small picture. Text is the object of its Text, "" where it has none; Words has each of its words.
	File, Thumbnail, Text, Words string
	Width, Height                float64
	// Date is like 2026-03-14, or "".
	Date string
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
	if page.Date != "" {
		day := resource.Date(page.Date)
		s.Date = &day
	}
	hidden, err := page.hidden()
	if err != nil {
		return err
	}
	row, err := sheets.InsertWith(p.tx, uid, s, hidden)
	if err != nil || page.File == "" {
		return err
	}
	for object, ending := range map[string]string{page.File: pdfEnding, page.Thumbnail: thumbnailEnding, page.Text: ".text"} {
		if object != "" {
			if err := upload.Give(p.tx.Tx, object, row.ID, page.Name+ending); err != nil {
				return err
			}
		}
	}
	_, err = p.tx.Jobs.Enqueue(p.tx.Tx, tiling, cutting{Project: p.tx.Project().UID, Sheet: uid})
	return err
}

// private is what is kept with a sheet and not shown: the object of its Text, and the words by which it is found.
type private struct {
	Text  string `json:"text"`
	Words string `json:"words"`
}

// hidden is what is kept with the sheet that the page becomes; nothing where it has no text.
func (p *Page) hidden() ([]byte, error) {
	if p.Text == "" {
		return nil, nil
	}
	return json.Marshal(private{p.Text, p.Words})
}

// release publishes a set that was read: its pages become sheets, but those that are to be skipped.
func release(tx *resource.Tx, v *coming) error {
	p := tx.Project()
	all, err := pagesOf(tx.Query, wholePages, p.ID, v.UID)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(p comingPage) bool { return p.made == nil || p.skipped() })
	if len(all) == 0 {
		return fault.New(fault.Invalid, "The version set %s has no page that could be published: all are to be skipped.", v.UID)
	}
	renamed := map[string]string{}
	for i := len(all) - 1; i >= 0; i-- { // of two pages with one number the first is the one that is meant
		renamed[all[i].found.Name] = all[i].name()
	}
	pages := make([]Page, len(all))
	for i := range all {
		pages[i] = all[i].become(v.files[all[i].file-1].name, renamed)
	}
	if err := Publish(tx, v.UID, pages); err != nil {
		return err
	}
	if err := tx.Exec(setComing, p.ID, v.UID, statePublished, nil); err != nil {
		return err
	}
	return tx.Exec(dropWords, p.ID, v.UID)
}

// become is the page as it is published; renamed are the names that pages have got instead of the numbers that were read.
func (p *comingPage) become(file string, renamed map[string]string) Page {
	out := Page{
		FileName: file, Name: p.name(), Description: p.description(), Tags: []string{}, File: p.made.PDF, Thumbnail: p.made.Thumbnail, Text: p.made.Text, Words: p.words,
		Width: p.made.Width, Height: p.made.Height, Date: p.found.Date, Confidence: &p.found.Confidence, Callouts: slices.Clone(p.found.References),
	}
	if p.given.Name != nil {
		sure := 1.0
		out.Confidence = &sure
	}
	if p.given.Tags != nil {
		out.Tags = *p.given.Tags
	}
	for i := range out.Callouts {
		if name, known := renamed[out.Callouts[i].Name]; known {
			out.Callouts[i].Name = name
		}
	}
	return out
}

// publishRoute publishes a version set that waits for it. To repeat it changes nothing.
func publishRoute() api.Route {
	r := api.Route{
		Method: "POST", Pattern: "/projects/{project}/version_sets/{uid}/publish", Access: api.Member, Right: admins, Do: publishSet,
		Summary: "Publish a version set: its pages become sheets", Tag: "version sets", Status: 200, Keyed: true, Extension: true,
	}
	r.In, r.OptionalIn = api.BareSchema(), true
	r.Out, r.Components = resource.OneSchema(versionSets)
	return r
}

func publishSet(c *api.Call) error {
	uid := c.Param("uid")
	body, bodyErr := c.Bare()
	return versionSets.Write(c, body, func(tx *resource.Tx) (int, store.Row, error) {
		row, err := tx.Find("version_sets", uid)
		if err == nil {
			err = bodyErr
		}
		if err != nil {
			return 0, row, err
		}
		set, err := resource.Load[VersionSet](row)
		if err != nil || set.PublishedAt != nil {
			return 200, row, err
		}
		v, err := findSet(tx.Query, tx.Project(), uid)
		switch {
		case err != nil:
			return 0, row, err
		case v.state == stateReading:
			return 0, row, fault.New(fault.Invalid, "The version set %s is still being read. GET %s shows how far it is.", uid, v.url(c))
		case v.state != stateRead:
			return 0, row, fault.New(fault.Invalid, "The version set %s has no page that can be read, so there is nothing to publish.", uid)
		}
		if err := release(tx, v); err != nil {
			return 0, row, err
		}
		row, err = tx.Find("version_sets", uid)
		return 200, row, err
	})
}

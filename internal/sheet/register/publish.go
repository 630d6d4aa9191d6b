package register

import (
	"github.com/go-json-experiment/json"

	"groundwork/internal/document"
	"groundwork/internal/job"
	"groundwork/internal/resource"
	"groundwork/internal/sheet/pending"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

// Begin makes a version set that has no sheets yet.
func Begin(tx *resource.Tx, name string) (store.Row, error) {
	return VersionSets.Insert(tx, "", &VersionSet{VersionName: name})
}

// Page is a page of a version set: what becomes a sheet.
type Page struct {
	// FileName is the file it came in, Name its number, Description its title.
	FileName, Name string
	Description    *string
	Tags           []string
	// Discipline is what was read of it; Called what somebody calls it instead, "" for none.
	Discipline string
	Called     *string
	// File and Thumbnail are objects: the page as a PDF, and a small picture. Text is the object of its Text, "" where
	// it has none; Words gives each of its words.
	File, Thumbnail, Text string
	Words                 func() (string, error)
	Width, Height         float64
	// Date is like 2026-03-14, or "".
	Date string
	// Scale is what the title block says, 0 where it says nothing.
	Scale float64
	// Confidence is how sure the number is, from 0 to 1.
	Confidence *float64
	Callouts   []pending.Reference
}

// Publish makes sheets of the pages of a version set, which are in file and page order. They supersede the sheets of
// the same numbers, and belong to their histories. Others of the set wait.
func Publish(tx *resource.Tx, uid string, pages []Page, waiting int64) error {
	row, err := VersionSets.Find(tx, uid)
	if err != nil {
		return err
	}
	old, err := VersionSets.Load(row)
	if err != nil {
		return err
	}
	at, now := document.Time(tx.Now()), *old
	if now.PagesWaiting = waiting; now.PublishedAt == nil {
		now.PublishedAt = &at
	}
	if err := VersionSets.Save(tx, &row, old, &now, store.Updated); err != nil {
		return err
	}
	p := &publication{
		tx: tx, set: &now, at: &at, uids: map[string]string{}, histories: map[string]string{},
		formers: map[string]*Sheet{}, called: newWords(),
	}
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

// Tiling is the kind of the jobs that cut a sheet into tiles.
const Tiling = "tiles"

// Cutting is what such a job is told. Again says that the sheet shows tiles which are not in the file store, as they
// were left out of an archive.
type Cutting struct {
	Project, Sheet string
	Again          bool
}

// Arrive leaves the work that sheets of a project wait for which comes from an archive: their tiles, which it does not
// have, or which were not cut yet.
func Arrive(tx *store.Tx, jobs *job.Queue) error {
	var all []Cutting
	err := tx.Each(Sheets.Number, func(row store.Row) error {
		s, err := Sheets.Load(row)
		if err == nil && s.FileURL != "" && (s.TilesURL != "" || s.TilesError == nil) {
			all = append(all, Cutting{Project: tx.Project().UID, Sheet: row.UID, Again: s.TilesURL != ""})
		}
		return err
	})
	for _, c := range all {
		if err != nil {
			return err
		}
		_, err = jobs.Enqueue(tx, Tiling, c)
	}
	return err
}

// publication is a version set on its way.
type publication struct {
	tx  *resource.Tx
	set *VersionSet
	at  *document.Time
	// uids are the sheets that a number means, histories the histories that it belongs to, formers the sheets that it
	// meant before.
	uids, histories map[string]string
	formers         map[string]*Sheet
	// called is what the project calls disciplines.
	called *Words
}

// Taken are the names of the current sheets of a project.
func Taken(tx *resource.Tx) (map[string]bool, error) {
	taken := map[string]bool{}
	return taken, Sheets.Each(tx, currentTerm, func(_ store.Row, s *Sheet) error {
		taken[s.Name] = true
		return nil
	})
}

const currentTerm = "current=true"

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
	err := Sheets.Each(p.tx, currentTerm, func(row store.Row, s *Sheet) error {
		p.uids[s.Name], p.histories[s.Name] = s.UID, s.HistorySetUID
		if !row.Deleted {
			p.called.note(s)
		}
		if superseded[s.Name] {
			p.formers[s.Name] = s
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
		if err := Sheets.Save(p.tx, &f.row, f.sheet, &now, store.Updated); err != nil {
			return err
		}
	}
	return nil
}

func (p *publication) add(uid string, page *Page) error {
	s := &Sheet{
		Name: page.Name, VersionName: p.set.VersionName, Description: page.Description, Tags: page.Tags,
		PublishedBy: document.Person(p.tx.Actor()), PublishedAt: p.at, UploadedFileName: &page.FileName,
		HistorySetUID: p.histories[page.Name], VersionSet: document.Ref("version_sets/" + p.set.UID), Current: true,
		FileURL: document.File(page.File), ThumbnailURL: document.File(page.Thumbnail), Width: page.Width,
		Height:           page.Height,
		NumberConfidence: page.Confidence, Links: []Callout{},
	}
	s.Discipline = page.Called
	if word := p.called.For(page.Name, page.Discipline); page.Called == nil && word != "" {
		s.Discipline = &word
	}
	if page.Scale > 0 {
		s.ScaleProposed = &page.Scale
	}
	if former := p.formers[page.Name]; former != nil {
		s.Supersedes = document.Ref("sheets/" + former.UID)
		s.inherit(former)
	}
	for _, r := range page.Callouts {
		if to := p.uids[r.Name]; to != "" {
			s.Links = append(s.Links, Callout{document.Ref("sheets/" + to), r.Text, r.X0, r.Y0, r.X1, r.Y1})
		}
	}
	if page.Date != "" {
		day := document.Date(page.Date)
		s.Date = &day
	}
	hidden, err := page.hidden()
	if err != nil {
		return err
	}
	row, err := Sheets.InsertWith(p.tx, uid, s, hidden)
	if err != nil || page.File == "" {
		return err
	}
	for object, ending := range map[string]string{
		page.File: pdfEnding, page.Thumbnail: thumbnailEnding,
		page.Text: ".text",
	} {
		if object != "" {
			if err := upload.Give(p.tx.Tx, object, row.ID, page.Name+ending); err != nil {
				return err
			}
		}
	}
	_, err = p.tx.Jobs.Enqueue(p.tx.Tx, Tiling, Cutting{Project: p.tx.Project().UID, Sheet: uid}, p.tx.Owner())
	return err
}

// hidden is what is kept with the sheet that the page becomes; nothing where it has no text.
func (p *Page) hidden() ([]byte, error) {
	if p.Text == "" {
		return nil, nil
	}
	words, err := p.Words()
	if err != nil {
		return nil, err
	}
	return json.Marshal(private{p.Text, words})
}

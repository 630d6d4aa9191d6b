package intake

import (
	"context"

	"groundwork/internal/api"
	"groundwork/internal/document"
	"groundwork/internal/sheet/pending"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

// versionUpload is what the API shows of a set of drawings on its way.
type versionUpload struct {
	UID         string `json:"uid"`
	CompleteURL string `json:"complete_url"`
	// Status is complete from the completion on; whether its pages can be read is seen later, and only where none can
	// it becomes errored.
	Status             string        `json:"status" one:"incomplete|complete|errored"`
	FileUploadRequests []fileRequest `json:"file_upload_requests"`
	Processing         Processing    `json:"processing"`
}

// fileRequest is the place for one file. Programs read its state under either name.
type fileRequest struct {
	UID          string `json:"uid"`
	URL          string `json:"url"`
	Status       string `json:"status" one:"issued|consumed"`
	UploadStatus string `json:"upload_status" one:"issued|consumed"`
}

// Processing is how far a set was read. A set that is complete and not published waits for an Admin.
type Processing struct {
	Status string  `json:"status" one:"waiting|running|complete|errored"`
	Error  *string `json:"error"`
	// Published says whether its pages have become sheets.
	Published  bool  `json:"published"`
	PagesTotal int64 `json:"pages_total"`
	PagesDone  int64 `json:"pages_done"`
	// PagesWaiting is how many pages are not published before somebody says what they are called.
	PagesWaiting int64         `json:"pages_waiting"`
	Files        []FileReading `json:"files"`
}

// FileReading is how far a file was read.
type FileReading struct {
	// File is counted from 1, in the order of the file upload requests; pages are corrected by it.
	File     int64         `json:"file"`
	FileName *string       `json:"file_name"`
	Status   string        `json:"status" one:"waiting|running|complete|errored"`
	Error    *string       `json:"error"`
	Pages    []PageReading `json:"pages"`
}

// PageReading is a page that was read. It is named when all of the set's pages were: they vote where the numbers stand.
type PageReading struct {
	Page        int64   `json:"page"`
	Name        *string `json:"name"`
	Description *string `json:"description"`
	// DescriptionConfidence is how sure the title is that was read; 1 where somebody gave it.
	DescriptionConfidence *float64 `json:"description_confidence"`
	Tags                  []string `json:"tags"`
	Discipline            *string  `json:"discipline"`
	Date                  *string  `json:"date"`
	// Number is what was read, also where it is not sure and Name is made of the name of the file.
	Number *string `json:"number"`
	// NumberConfidence is 1 where somebody said what the page is called.
	NumberConfidence *float64 `json:"number_confidence"`
	// Waits says that it becomes no sheet before somebody says what it is called.
	Waits bool `json:"waits"`
	Skip  bool `json:"skip"`
	// Error says why it cannot be read, and will be no sheet, or why its text cannot.
	Error *string `json:"error"`
	// ThumbnailURL and TitleBlockURL are pictures of the page, and of where it says what it is.
	ThumbnailURL  *string `json:"thumbnail_url"`
	TitleBlockURL *string `json:"title_block_url"`
}

// The statuses in which nothing more is read.
const (
	Complete = "complete"
	Errored  = "errored"
)

func versionUploadSchema() (api.Schema, map[string]api.Schema) {
	one, parts := document.SchemaOf[versionUpload]("A set of drawings on its way.")
	parts["VersionUpload"] = one
	return api.Schema{"$ref": "#/components/schemas/VersionUpload"}, parts
}

func fileRequestSchema() (api.Schema, map[string]api.Schema) {
	one, parts := document.SchemaOf[fileRequest]("The place for one file of a set of drawings.")
	parts["FileUploadRequest"] = one
	return api.Schema{"$ref": "#/components/schemas/FileUploadRequest"}, parts
}

// called is outside for a call.
func called(c *api.Call) pending.Query {
	return pending.Outside(c.Context(), c.Store, c.Scope.Project())
}

// showSet answers with a version upload of the caller's project.
func showSet(c *api.Call, status int, uid string) error {
	p := c.Scope.Project()
	v, err := pending.Find(called(c), p, uid)
	if err != nil {
		return err
	}
	var pages []pending.Page
	if v.State != pending.StateComing {
		if pages, err = pending.Pages(called(c), pending.EachPage, p.ID, uid); err != nil {
			return err
		}
	}
	return c.SendJSON(status, shownUpload(c, v, pages))
}

// Progress says how far a set of a project was read: fault.NotFound where there is none.
func Progress(ctx context.Context, s *store.Store, p *store.Project, uid string) (Processing, error) {
	ask := pending.Outside(ctx, s, p)
	v, err := pending.Find(ask, p, uid)
	if err != nil {
		return Processing{}, err
	}
	pages, err := pending.Pages(ask, pending.EachPage, p.ID, uid)
	return processingOf(v, pages, nil), err
}

// showRequest answers with the place of a file, by its upload.
func showRequest(c *api.Call, uid string) error {
	p := c.Scope.Project()
	set := ""
	err := called(c)(pending.SetOfFile, []any{p.ID, uid}, func(cols *store.Cols) error {
		set = cols.Text(0)
		return nil
	})
	if err != nil {
		return err
	}
	v, err := pending.Find(called(c), p, set)
	if err != nil {
		return err
	}
	return c.SendJSON(200, requestOf(c, v, *v.File(uid)))
}

func urlOf(c *api.Call, v *pending.Set) string {
	return c.Base + "/projects/" + c.Scope.Project().UID + "/sheets/uploads/" + v.UID
}

func requestOf(c *api.Call, v *pending.Set, f pending.File) fileRequest {
	status := "issued"
	if f.Arrived {
		status = "consumed"
	}
	return fileRequest{f.UID, urlOf(c, v) + "/files/" + f.UID, status, status}
}

// shownUpload is the version upload as the API shows it.
func shownUpload(c *api.Call, v *pending.Set, pages []pending.Page) versionUpload {
	out := versionUpload{
		UID: v.UID, CompleteURL: urlOf(c, v) + "/completions", Status: "complete",
		Processing: processingOf(v, pages, func(object string) *string { return text(upload.Link(c, object)) }),
	}
	switch v.State {
	case pending.StateComing:
		out.Status = "incomplete"
	case pending.StateFailed:
		out.Status = "errored"
	}
	for _, f := range v.Files {
		out.FileUploadRequests = append(out.FileUploadRequests, requestOf(c, v, f))
	}
	return out
}

// processingOf is how far the set was read; pages are those that were, link gives the addresses of their pictures.
func processingOf(v *pending.Set, pages []pending.Page, link func(object string) *string) Processing {
	out := Processing{
		Status: [...]string{"waiting", "running", Complete, Complete, Errored}[v.State],
		Error:  text(v.Err), Published: v.State == pending.StatePublished,
	}
	for _, f := range v.Files {
		reading := FileReading{
			File: f.Place, FileName: text(f.Name),
			Status: [...]string{"waiting", Complete, Errored}[f.State], Error: text(f.Err), Pages: []PageReading{},
		}
		if f.State == pending.FileWaiting && f.Pages > 0 {
			reading.Status = "running"
		}
		for len(pages) > 0 && pages[0].File == f.Place {
			shown := shownPage(&pages[0])
			if made := pages[0].Made; made != nil && link != nil {
				if shown.ThumbnailURL = link(made.Thumbnail); made.TitleBlock != "" {
					shown.TitleBlockURL = link(made.TitleBlock)
				}
			}
			if reading.Pages = append(reading.Pages, shown); shown.Waits {
				out.PagesWaiting++
			}
			pages = pages[1:]
		}
		out.PagesTotal += f.Pages
		out.PagesDone += int64(len(reading.Pages))
		out.Files = append(out.Files, reading)
	}
	return out
}

func shownPage(p *pending.Page) PageReading {
	out := PageReading{
		Page: p.Page, Name: text(p.Name()), Description: p.Description(), Tags: []string{}, Discipline: p.Discipline(),
		Skip: p.Skipped(), Error: text(p.Err),
	}
	if p.Found != nil {
		out.Date, out.Number, out.NumberConfidence = text(p.Date()), text(p.Found.Number), &p.Found.Confidence
		if out.Description != nil && p.Found.Titled > 0 {
			out.DescriptionConfidence = &p.Found.Titled
		}
		out.Waits = p.Made != nil && !out.Skip && (p.Found.Waits || !p.Sure())
	}
	sure := 1.0
	if p.Given.Name != nil {
		out.NumberConfidence = &sure
	}
	if p.Given.Description != nil && out.Description != nil {
		out.DescriptionConfidence = &sure
	}
	if p.Given.Tags != nil {
		out.Tags = *p.Given.Tags
	}
	return out
}

// text is a text that is null where it is blank.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

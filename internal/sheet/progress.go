package sheet

import (
	"context"

	"groundwork/internal/api"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// versionUpload is what the API shows of a set of drawings on its way.
type versionUpload struct {
	UID         string `json:"uid"`
	CompleteURL string `json:"complete_url"`
	// Status is complete from the completion on; whether its pages can be read is seen later, and only where none can it becomes errored.
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
	Published  bool          `json:"published"`
	PagesTotal int64         `json:"pages_total"`
	PagesDone  int64         `json:"pages_done"`
	Files      []FileReading `json:"files"`
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
	Page             int64    `json:"page"`
	Name             *string  `json:"name"`
	Description      *string  `json:"description"`
	Tags             []string `json:"tags"`
	Date             *string  `json:"date"`
	NumberConfidence *float64 `json:"number_confidence"`
	Skip             bool     `json:"skip"`
	// Error says why it cannot be read, and will be no sheet, or why its text cannot.
	Error *string `json:"error"`
}

// The statuses in which nothing more is read.
const (
	Complete = "complete"
	Errored  = "errored"
)

func versionUploadSchema() (api.Schema, map[string]api.Schema) {
	one, parts := resource.Schema[versionUpload]("A set of drawings on its way.")
	parts["VersionUpload"] = one
	return api.Schema{"$ref": "#/components/schemas/VersionUpload"}, parts
}

func fileRequestSchema() (api.Schema, map[string]api.Schema) {
	one, parts := resource.Schema[fileRequest]("The place for one file of a set of drawings.")
	parts["FileUploadRequest"] = one
	return api.Schema{"$ref": "#/components/schemas/FileUploadRequest"}, parts
}

// showSet answers with a version upload of the caller's project.
func showSet(c *api.Call, status int, uid string) error {
	p := c.Scope.Project()
	v, err := findSet(called(c), p, uid)
	if err != nil {
		return err
	}
	var pages []comingPage
	if v.state != stateComing {
		if pages, err = pagesOf(called(c), eachPage, p.ID, uid); err != nil {
			return err
		}
	}
	return c.SendJSON(status, v.shown(c, pages))
}

// Progress says how far a set of a project was read: fault.NotFound where there is none.
func Progress(ctx context.Context, s *store.Store, p *store.Project, uid string) (Processing, error) {
	ask := outside(ctx, s, p)
	v, err := findSet(ask, p, uid)
	if err != nil {
		return Processing{}, err
	}
	pages, err := pagesOf(ask, eachPage, p.ID, uid)
	return v.processing(pages), err
}

// showRequest answers with the place of a file, by its upload.
func showRequest(c *api.Call, uid string) error {
	p := c.Scope.Project()
	set := ""
	err := called(c)(setOfFile, []any{p.ID, uid}, func(cols *store.Cols) error {
		set = cols.Text(0)
		return nil
	})
	if err != nil {
		return err
	}
	v, err := findSet(called(c), p, set)
	if err != nil {
		return err
	}
	return c.SendJSON(200, v.request(c, *v.file(uid)))
}

func (v *coming) url(c *api.Call) string {
	return c.Base + "/projects/" + c.Scope.Project().UID + "/sheets/uploads/" + v.UID
}

func (v *coming) request(c *api.Call, f comingFile) fileRequest {
	status := "issued"
	if f.arrived {
		status = "consumed"
	}
	return fileRequest{f.uid, v.url(c) + "/files/" + f.uid, status, status}
}

// shown is the version upload as the API shows it.
func (v *coming) shown(c *api.Call, pages []comingPage) versionUpload {
	out := versionUpload{UID: v.UID, CompleteURL: v.url(c) + "/completions", Status: "complete", Processing: v.processing(pages)}
	switch v.state {
	case stateComing:
		out.Status = "incomplete"
	case stateFailed:
		out.Status = "errored"
	}
	for _, f := range v.files {
		out.FileUploadRequests = append(out.FileUploadRequests, v.request(c, f))
	}
	return out
}

// processing is how far the set was read; pages are those that were.
func (v *coming) processing(pages []comingPage) Processing {
	out := Processing{Status: [...]string{"waiting", "running", Complete, Complete, Errored}[v.state], Error: text(v.err), Published: v.state == statePublished}
	for _, f := range v.files {
		reading := FileReading{File: f.place, FileName: text(f.name), Status: [...]string{"waiting", Complete, Errored}[f.state], Error: text(f.err), Pages: []PageReading{}}
		if f.state == fileWaiting && f.pages > 0 {
			reading.Status = "running"
		}
		for len(pages) > 0 && pages[0].file == f.place {
			reading.Pages = append(reading.Pages, pages[0].shown())
			pages = pages[1:]
		}
		out.PagesTotal += f.pages
		out.PagesDone += int64(len(reading.Pages))
		out.Files = append(out.Files, reading)
	}
	return out
}

func (p *comingPage) shown() PageReading {
	out := PageReading{Page: p.page, Name: text(p.name()), Description: p.description(), Tags: []string{}, Skip: p.skipped(), Error: text(p.err)}
	if p.found != nil {
		out.Date, out.NumberConfidence = text(p.found.Date), &p.found.Confidence
	}
	if p.given.Tags != nil {
		out.Tags = *p.given.Tags
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

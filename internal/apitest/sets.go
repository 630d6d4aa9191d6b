package apitest

import (
	"fmt"
	"net/http"

	"groundwork/internal/resource"
	"groundwork/internal/sheet"
	"groundwork/internal/store"
)

// SetFile is a file of a set of drawings.
type SetFile struct {
	Name    string
	Content []byte
}

// BeginSet sends a set of drawings without completing it, and gives the version upload's uid.
func (p *Person) BeginSet(project, version string, publish bool, files ...SetFile) string {
	p.server.t.Helper()
	start := p.Want(http.StatusCreated, "POST", "/projects/"+project+"/sheets/uploads", map[string]any{"num_files": len(files), "version_name": version, "publish": publish})
	requests, err := start.Value("file_upload_requests")
	if err != nil {
		p.server.t.Fatal(err)
	}
	for i, r := range requests.([]any) {
		p.SetFile(r.(map[string]any)["url"].(string), files[i])
	}
	return start.Text("uid")
}

// SetFile sends a file to the address of its file upload request, and gives that request.
func (p *Person) SetFile(url string, file SetFile) Response {
	p.server.t.Helper()
	offer := p.Want(http.StatusCreated, "POST", url, map[string]any{"file_name": file.Name})
	return p.server.Post(offer, string(file.Content))
}

// UploadSet sends a set of drawings and completes it; that it is read takes work in the background.
func (p *Person) UploadSet(project, version string, publish bool, files ...SetFile) string {
	p.server.t.Helper()
	set := p.BeginSet(project, version, publish, files...)
	p.Want(http.StatusOK, "POST", "/projects/"+project+"/sheets/uploads/"+set+"/completions", nil)
	return set
}

// Sheets puts a version set with sheets of these numbers into a project, without reading any drawing.
func (p *Person) Sheets(project string, numbers ...string) (set string, sheets []string) {
	pages := make([]sheet.Page, len(numbers))
	for i, number := range numbers {
		pages[i] = sheet.Page{FileName: "set.pdf", Name: number, Width: 2592, Height: 1728}
	}
	return p.Publish(project, pages)
}

// Publish puts a version set with these pages into a project.
func (p *Person) Publish(project string, pages []sheet.Page) (set string, sheets []string) {
	p.server.t.Helper()
	a := p.server.App
	who, err := a.Auth.Key(p.server.t.Context(), p.Key)
	if err != nil {
		p.server.t.Fatal(err)
	}
	scope, err := a.Auth.Enter(p.server.t.Context(), who.Account, project)
	if err != nil {
		p.server.t.Fatal(err)
	}
	err = a.Store.Edit(p.server.t.Context(), scope.Project(), scope.Person(), func(tx *store.Tx) error {
		in := &resource.Tx{Tx: tx, Scope: scope, Auth: a.Auth, Jobs: a.Jobs}
		row, err := sheet.Begin(in, "Issued for construction")
		if err != nil {
			return err
		}
		set = row.UID
		return sheet.Publish(in, set, pages)
	})
	if err != nil {
		p.server.t.Fatal(err)
	}
	for len(sheets) < len(pages) {
		list := p.Want(http.StatusOK, "GET", fmt.Sprintf("/projects/%s/sheets?version_set=%s&skip=%d", project, set, len(sheets)), nil)
		for i := range min(50, len(pages)-len(sheets)) {
			sheets = append(sheets, list.Text(fmt.Sprintf("data.%d.uid", i)))
		}
	}
	return set, sheets
}

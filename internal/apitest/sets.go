package apitest

import (
	"net/http"
)

// SetFile is a file of a set of drawings.
type SetFile struct {
	Name    string
	Content []byte
}

// BeginSet sends a set of drawings without completing it, and gives the version upload's uid.
func (p *Person) BeginSet(project, version string, publish bool, files ...SetFile) string {
	p.server.t.Helper()
	start := p.Want(http.StatusCreated, "POST", "/projects/"+project+"/sheets/uploads", map[string]any{
		"num_files": len(files), "version_name": version, "publish": publish,
	})
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

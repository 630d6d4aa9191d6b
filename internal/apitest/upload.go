package apitest

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
)

// Frontier is the boundary of the forms that Form makes.
const Frontier = "groundwork-frontier"

// Form is the multipart form of a file upload object with a file, as a plain client would send it.
func Form(upload Response, content string) string {
	var b strings.Builder
	fields, err := upload.Value("storage_post_form_arguments.fields")
	if err != nil {
		panic(err)
	}
	for _, f := range fields.([]any) {
		field := f.(map[string]any)
		fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", Frontier, field["name"],
			field["value"])
	}
	fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n%s\r\n--%s--\r\n",
		Frontier, content, Frontier)
	return b.String()
}

// Upload uploads a file into a family such as attachments, and gives the record.
func (p *Person) Upload(project, family string, attributes map[string]any, content string) Response {
	p.server.t.Helper()
	return p.server.Post(p.Want(http.StatusCreated, "POST", "/projects/"+project+"/"+family+"/uploads", attributes),
		content)
}

// Post sends a file by the form of a file upload object, follows to its completion, and gives what that answers.
func (s *Server) Post(offer Response, content string) Response {
	s.t.Helper()
	post, err := s.Try("POST", offer.Text("storage_post_form_arguments.action"), []byte(Form(offer, content)),
		http.Header{"Content-Type": {"multipart/form-data; boundary=" + Frontier}})
	if err != nil || post.Status != http.StatusSeeOther {
		s.t.Fatalf("the form: %v %d %s", err, post.Status, post.Body)
	}
	done, err := s.Try("GET", post.Header.Get("Location"), nil, http.Header{})
	if err != nil || done.Status != http.StatusOK {
		s.t.Fatalf("the completion: %v %d %s", err, done.Status, done.Body)
	}
	return done
}

// Fetch follows a link that a record shows, without credentials.
func (s *Server) Fetch(link string, header http.Header) Response {
	s.t.Helper()
	r, err := s.Try("GET", link, nil, header)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// Is tells whether the body is this content.
func (r Response) Is(content []byte) bool { return bytes.Equal(r.Body, content) }

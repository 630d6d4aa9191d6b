package apitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// Person is an account with a key.
type Person struct {
	Name, UID, Email, Key string

	server *Server
}

// Response is what came back, its body decompressed and whole.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Value is what stands in the body at a path such as "data.0.uid": a string, json.Number, bool, nil, map or slice.
func (r Response) Value(path string) (any, error) {
	var v any
	d := json.NewDecoder(strings.NewReader(string(r.Body)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("the body is not JSON: %w", err)
	}
	for name := range strings.SplitSeq(path, ".") {
		switch inner := v.(type) {
		case map[string]any:
			value, found := inner[name]
			if !found {
				return nil, fmt.Errorf("the body has no %s (at %s): %s", path, name, r.Body)
			}
			v = value
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(inner) {
				return nil, fmt.Errorf("the body has no %s (at %s): %s", path, name, r.Body)
			}
			v = inner[i]
		default:
			return nil, fmt.Errorf("the body has no %s (at %s): %s", path, name, r.Body)
		}
	}
	return v, nil
}

// Text is Value as text: of a string its content, of anything else its JSON. It panics where there is nothing at the
// path.
func (r Response) Text(path string) string {
	text, err := r.text(path)
	if err != nil {
		panic(err)
	}
	return text
}

func (r Response) text(path string) (string, error) {
	v, err := r.Value(path)
	if err != nil {
		return "", err
	}
	if text, is := v.(string); is {
		return text, nil
	}
	text, err := json.Marshal(v)
	return string(text), err
}

// At gives the same person at another process of the service.
func (p *Person) At(s *Server) *Person {
	other := *p
	other.server = s
	return &other
}

// Try sends a request with the person's key. A body is JSON as string or []byte, or any value, which is encoded; nil
// sends none. A path may also be an address that the service gave out, such as next_page_url.
func (p *Person) Try(method, path string, body any) (Response, error) {
	return p.TryWith(method, path, body, http.Header{})
}

// TryWith is Try with further headers.
func (p *Person) TryWith(method, path string, body any, header http.Header) (Response, error) {
	header.Set("Authorization", "Basic "+basic(p.Key))
	return p.server.Try(method, path, body, header)
}

// Open sends a GET whose answer is read as it comes; the caller closes its body.
func (p *Person) Open(path string, header http.Header) *http.Response {
	p.server.t.Helper()
	req, err := http.NewRequestWithContext(p.server.t.Context(), http.MethodGet, p.server.URL+path, nil)
	if err != nil {
		p.server.t.Fatal(err)
	}
	req.Header = header
	req.Header.Set("Authorization", "Basic "+basic(p.Key))
	res, err := p.server.client.Do(req)
	if err != nil {
		p.server.t.Fatal(err)
	}
	return res
}

// Do is Try that ends the test when no response comes.
func (p *Person) Do(method, path string, body any) Response {
	p.server.t.Helper()
	r, err := p.Try(method, path, body)
	if err != nil {
		p.server.t.Fatal(err)
	}
	return r
}

// Want is Do that ends the test when the status is another one.
func (p *Person) Want(status int, method, path string, body any) Response {
	p.server.t.Helper()
	r := p.Do(method, path, body)
	if r.Status != status {
		p.server.t.Fatalf("%s %s as %s: %d, want %d: %s", method, path, p.Name, r.Status, status, r.Body)
	}
	return r
}

// Project makes a project, with the person as its Admin, and gives its uid.
func (p *Person) Project(name string) string {
	p.server.t.Helper()
	return p.Want(http.StatusCreated, "POST", "/projects", map[string]any{"name": name}).Text("uid")
}

// Invite makes somebody a member of a project of which the person is an Admin. Role is a label such as "Power
// Collaborator".
func (p *Person) Invite(project string, other *Person, role string) {
	p.server.t.Helper()
	uid, known := roles[role]
	if !known {
		p.server.t.Fatalf("%q is not a role", role)
	}
	p.Want(http.StatusCreated, "POST", "/projects/"+project+"/users/invites", map[string]any{
		"email": other.Email, "role_uid": uid,
	})
}

// roles are what the contract says they are, on purpose not what the code says.
var roles = map[string]string{
	"Admin":              "9d139e64-cac9-4f23-b4d5-9fd3688b498e",
	"Power Collaborator": "0b6c1f5e-6d0a-4a52-9f5e-2f1b7c3d8a41",
	"Collaborator":       "5e7a9c30-41d2-4c8b-8a67-d9f0b2e4c613",
}

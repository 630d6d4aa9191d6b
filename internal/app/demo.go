package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

const (
	demoEmail   = "demo@groundwork.example"
	demoKeyFile = "demo.key"
	demoName    = "demo" // the row of the table instance that tells that the demo is whole
)

// demo is what a first visitor gets: an account without password, its key, and a project made through the public API.
type demo struct {
	app  *App
	edge http.Handler
	key  string
}

// demo makes what is missing of the demo. Nothing is made twice, not even after a start that was cut short.
func (a *App) demo(ctx context.Context, edge http.Handler) (*demo, error) {
	d := &demo{app: a, edge: edge}
	if err := d.findKey(ctx); err != nil {
		return nil, err
	}
	whole := false
	err := a.Store.Query(ctx, `SELECT value FROM instance WHERE name = $1`, []any{demoName}, func(*store.Cols) error {
		whole = true
		return nil
	})
	if err != nil || whole {
		return d, err
	}
	project, err := d.fill(ctx)
	if err != nil {
		return nil, err
	}
	return d, a.Store.Write(ctx, func(tx *store.Tx) error {
		return tx.Exec(`INSERT INTO instance (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, demoName, project)
	})
}

// findKey takes the key that an earlier start left in the data folder; when there is none that works, it makes one and leaves it there.
func (d *demo) findKey(ctx context.Context) error {
	a, name := d.app, filepath.Join(d.app.Config.Data, demoKeyFile)
	kept, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	d.key = strings.TrimSpace(string(kept))
	if _, err = a.Auth.Key(ctx, d.key); err == nil || !fault.Is(err, fault.Forbidden) {
		return err
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		_, err := a.Auth.Invited(tx, demoEmail, "Demo", "Visitor", "en")
		return err
	})
	if err != nil {
		return err
	}
	if d.key, err = a.Auth.CreateKey(ctx, demoEmail, "Demo", nil); err != nil {
		return err
	}
	return replaceFile(name, d.key+"\n")
}

// replaceFile writes a file, for this user only, whole or not at all.
func replaceFile(name, text string) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), name)
}

const (
	demoProject = "Riverside Community Centre"
	demoList    = "Punch list"
	demoMember  = "lena@groundwork.example"
)

var demoIssues = []map[string]any{
	{"title": "Handrail at stair B is loose", "type": "issue", "description": "Two anchors are missing at the landing between levels 1 and 2."},
	{"title": "Door 104 does not latch", "room": "104", "status": "in_review"},
	{"title": "Ceiling tile stained", "room": "112", "description": "Check the duct above for condensation."},
	{"title": "Outlet covers missing along the east wall", "room": "Gym"},
	{"title": "Sealant gap at the south windows", "status": "pending", "cost_impact": 420.5, "has_cost_impact": true},
}

// fill makes the project, its second member, its list and its issues, and gives the project's uid.
func (d *demo) fill(ctx context.Context) (uid string, err error) {
	if uid, err = d.find(ctx, "/projects", "name", demoProject); err != nil {
		return "", err
	}
	if uid == "" {
		uid, err = d.make(ctx, "/projects", map[string]any{"name": demoProject, "custom_id": "DEMO-1", "type": "gov-state-local", "city": "Riverside", "country": "US"})
		if err != nil {
			return "", err
		}
	}
	p := "/projects/" + url.PathEscape(uid)
	member, err := d.find(ctx, p+"/users", "email", demoMember)
	if err != nil {
		return "", err
	}
	if member == "" {
		if member, err = d.make(ctx, p+"/users/invites", map[string]any{"email": demoMember, "first_name": "Lena", "last_name": "Ortiz"}); err != nil {
			return "", err
		}
	}
	list, err := d.find(ctx, p+"/issue_lists", "name", demoList)
	if err != nil {
		return "", err
	}
	if list == "" {
		if list, err = d.make(ctx, p+"/issue_lists", map[string]any{"name": demoList}); err != nil {
			return "", err
		}
	}
	for i, issue := range demoIssues {
		made, err := d.find(ctx, p+"/issues", "title", issue["title"].(string))
		if err != nil {
			return "", err
		}
		if made != "" {
			continue
		}
		body := map[string]any{"issue_list_uid": list}
		if i%2 == 0 {
			body["assigned_to_uids"] = []string{member}
		}
		for name, value := range issue {
			body[name] = value
		}
		if _, err = d.make(ctx, p+"/issues", body); err != nil {
			return "", err
		}
	}
	return uid, nil
}

// find gives the uid of the first record of a list in which a field has a value, or nothing.
func (d *demo) find(ctx context.Context, path, field, value string) (string, error) {
	var page struct {
		Data []map[string]any `json:"data"`
	}
	if err := d.call(ctx, http.MethodGet, path, nil, &page); err != nil {
		return "", err
	}
	for _, record := range page.Data {
		if record[field] == value {
			uid, _ := record["uid"].(string)
			return uid, nil
		}
	}
	return "", nil
}

func (d *demo) make(ctx context.Context, path string, body map[string]any) (string, error) {
	var made map[string]any
	if err := d.call(ctx, http.MethodPost, path, body, &made); err != nil {
		return "", err
	}
	uid, _ := made["uid"].(string)
	return uid, nil
}

// call sends one request to the API inside this process.
func (d *demo) call(ctx context.Context, method, path string, body, into any) error {
	var sent []byte
	if body != nil {
		var err error
		if sent, err = json.Marshal(body); err != nil {
			return err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, path, bytes.NewReader(sent))
	if err != nil {
		return err
	}
	r.RemoteAddr = "127.0.0.1:0"
	r.SetBasicAuth(d.key, "")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	w := &response{header: http.Header{}, status: http.StatusOK}
	d.edge.ServeHTTP(w, r)
	if w.status >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s answered %d: %s", method, path, w.status, w.body.String())
	}
	return json.Unmarshal(w.body.Bytes(), into)
}

// response keeps an answer in memory.
type response struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *response) Header() http.Header         { return w.header }
func (w *response) WriteHeader(status int)      { w.status = status }
func (w *response) Write(b []byte) (int, error) { return w.body.Write(b) }

// print tells a person where to begin.
func (d *demo) print(out io.Writer, version, base string) {
	fmt.Fprintf(out, `
Groundwork %s is ready.

  Address   %s
  API key   %s
  Project   %s

Try it:

  curl -u %s: %s/projects

`, version, base, d.key, demoProject, d.key, base)
}

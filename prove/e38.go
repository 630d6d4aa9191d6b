package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

var e38 = &experiment{
	id:      "E38",
	title:   "attacks by uploads: forms that were edited, mixed, repeated or too late, links that were edited, hostile names, pages and scripts as files, bombs as photos and as drawings, each looked at to its end",
	bar:     "every break of a form's policy is 403, of its form or length 400, and nothing is made; no byte lies outside of the store; nothing is served that a browser would run; no restart, memory grows by less than 300 MB",
	control: "a plain server without the rules",
	engines: bothEngines,
	run: func(t *trial) error {
		s, err := newSite(t, released)
		if err != nil {
			return err
		}
		s.options = []string{"--max-file", fmt.Sprint(formMost)}
		if _, err := s.start(); err != nil {
			return err
		}
		r := &raid{t: t, client: s.client(), data: s.data}
		if err := r.open(); err != nil {
			return err
		}
		pid := s.server.Process.Pid
		before, err := memory(pid, "VmRSS")
		if err != nil {
			return err
		}
		for _, wave := range []func() error{r.forms, r.links, r.tokens, r.names, r.contents, r.bombs, r.drawings, r.escapes} {
			if err := wave(); err != nil {
				return err
			}
		}
		peak, err := memory(pid, "VmHWM")
		if err != nil {
			return err
		}
		select {
		case <-s.ended:
			t.require(false, "the server ended: %s", s.said())
		default:
		}
		t.require(!strings.Contains(s.said(), "panic"), "the server said: %s", s.said())
		t.require(peak-before < 300<<20, "memory grew by %s", megabytes(peak-before))
		if err := s.verify(); err != nil {
			t.require(false, "doctor --verify --files: %v", err)
		}
		late, err := tooLate(t)
		if err != nil {
			return err
		}
		for _, p := range append(r.problems, late...) {
			t.require(false, "%s", p)
		}
		t.note("forms, links, tokens", "%d, %d, %d", r.tried["form"], r.tried["link"], r.tried["token"])
		t.note("names, contents", "%d, %d", r.tried["name"], r.tried["content"])
		t.note("photos, drawings", "%d, %d", r.tried["bomb"], r.tried["drawing"])
		t.note("broken rules", "%d", len(r.problems)+len(late))
		t.note("memory, growth", "%s", megabytes(peak-before))
		return nil
	},
	runControl: func(t *trial) (string, error) {
		base, _, err := startRival(t, 256)
		if err != nil {
			return "", err
		}
		r := &raid{t: t, client: &client{base: base, key: "x", http: http.DefaultClient}, plainServer: true, project: "/projects/1", other: "/projects/2"}
		if err := errors.Join(r.forms(), r.links(), r.tokens(), r.contents()); err != nil || len(r.problems) == 0 {
			return "", err
		}
		n := 0
		for _, tried := range r.tried {
			n += tried
		}
		return fmt.Sprintf("breaks %d of %d rules", len(r.problems), n), nil
	},
}

// raid is a number of attacks on one server.
type raid struct {
	t           *trial
	client      *client
	data        string
	plainServer bool // that knows no forms; they are made up
	project     string
	other       string // another project of the same person
	tried       map[string]int
	problems    []string
}

func (r *raid) open() (err error) {
	if r.project, err = r.client.newProject(r.t, "Vault"); err != nil {
		return err
	}
	r.other, err = r.client.newProject(r.t, "Annex")
	return err
}

func (r *raid) count(what string) {
	if r.tried == nil {
		r.tried = map[string]int{}
	}
	r.tried[what]++
}

func (r *raid) wrong(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

// refused notes a problem unless an answer is one of these refusals, in JSON.
func (r *raid) refused(what string, a *answer, err error, statuses ...int) {
	if err != nil {
		r.wrong("%s: %v", what, err)
		return
	}
	var told struct {
		Message string `json:"message"`
	}
	if !slices.Contains(statuses, a.status) {
		r.wrong("%s: is %s, want %v", what, a, statuses)
	} else if err := json.Unmarshal(a.body, &told); err != nil || told.Message == "" {
		r.wrong("%s: says %s", what, a)
	}
}

// begin gives a form of a document, or makes one up.
func (r *raid) begin(project string, attributes map[string]any) (*form, error) {
	if !r.plainServer {
		f, a, err := r.client.begin(r.t, project, "attachments", attributes)
		if err == nil && f == nil {
			err = fmt.Errorf("an upload cannot be begun: %s", a)
		}
		return f, err
	}
	f := &form{UID: "1", Webhook: r.client.base + project + "/attachments/uploads/completions/x"}
	f.Given.Action = r.client.base + "/storage/1"
	for _, name := range []string{"key", "policy", "signature", "AWSAccessKeyId", "Content-Type", "success_action_redirect", "x-amz-server-side-encryption", "x-amz-storage-class"} {
		f.Given.Fields = append(f.Given.Fields, formField{name, "e30="})
	}
	return f, nil
}

// tooLate lets forms and links end by moving the server's clock.
func tooLate(t *trial) (problems []string, err error) {
	err = t.inner("late", func(t *trial) error {
		set, clock, err := t.plantClock()
		if err != nil {
			return err
		}
		s, err := newSite(t, planted, clock)
		if err != nil {
			return err
		}
		if _, err := s.start(); err != nil {
			return err
		}
		r := &raid{t: t, client: s.client()}
		if err := r.open(); err != nil {
			return err
		}
		attributes := map[string]any{"name": "late.pdf", "content_type": "application/pdf"}
		a, err := r.client.upload(t, r.project, "attachments", attributes, []byte("in time"))
		if err != nil {
			return err
		}
		var document fields
		if err := json.Unmarshal(a.body, &document); err != nil {
			return err
		}
		f, err := r.begin(r.project, attributes)
		if err != nil {
			return err
		}
		if err := set("3h"); err != nil {
			return err
		}
		a, err = r.client.post(t, f, []byte("too late"))
		r.refused("a form after three hours", a, err, http.StatusForbidden)
		a, err = r.client.plain(t, http.MethodGet, document.text("url"), nil, "")
		r.refused("a link after three hours", a, err, http.StatusForbidden)
		problems = r.problems
		return nil
	})
	return problems, err
}

var objectName = regexp.MustCompile(`^[a-z2-7]{32}$`)

// escapes looks where files lie.
func (r *raid) escapes() error {
	files := filepath.Join(r.data, "files")
	err := filepath.WalkDir(files, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if shard := filepath.Base(filepath.Dir(path)); !objectName.MatchString(d.Name()) || shard != d.Name()[:2] {
			r.wrong("a file lies at %s", path)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, name := range []string{canaryFile, filepath.Join(os.TempDir(), canaryFile), filepath.Join(r.data, canaryFile), filepath.Join(r.t.folder, canaryFile)} {
		if _, err := os.Lstat(name); err == nil {
			r.wrong("a file escaped to %s", name)
		}
	}
	return nil
}

// canaryFile is what hostile names lead to.
const canaryFile = "groundwork-escaped"

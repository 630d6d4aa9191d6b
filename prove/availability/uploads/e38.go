// Package uploads tries the sixth promise with hostile uploads: forms, links, names and files.
package uploads

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

	"groundwork/prove/lab"
)

// E38 attacks the service by uploads.
var E38 = &lab.Experiment{
	ID:       "E38",
	Title:    "attacks by uploads: forms that were edited, mixed, repeated or too late, links that were edited, hostile names, pages and scripts as files, bombs as photos and as drawings, each looked at to its end",
	MustHold: "every break of a form's policy is 403, of its form or length 400, and nothing is made; no byte lies outside of the store; nothing is served that a browser would run; no restart, memory grows by less than 300 MB",
	Control:  "a plain server without the rules",
	Engines:  lab.BothEngines,
	Run: func(t *lab.Trial) error {
		s, err := lab.NewSite(t, lab.Released)
		if err != nil {
			return err
		}
		s.ServerOptions = []string{"--max-file", fmt.Sprint(formMost)}
		if _, err := s.Start(); err != nil {
			return err
		}
		r := &raid{t: t, client: s.NewClient(), data: s.DataFolder}
		if err := r.open(); err != nil {
			return err
		}
		pid := s.Server.Process.Pid
		before, err := lab.ProcessMemory(pid, "VmRSS")
		if err != nil {
			return err
		}
		for _, wave := range []func() error{
			r.forms, r.links, r.tokens, r.names, r.contents, r.bombs, r.drawings,
			r.escapes,
		} {
			if err := wave(); err != nil {
				return err
			}
		}
		peak, err := lab.ProcessMemory(pid, "VmHWM")
		if err != nil {
			return err
		}
		select {
		case <-s.Ended:
			t.Require(false, "the server ended: %s", s.LogTail())
		default:
		}
		t.Require(!strings.Contains(s.LogTail(), "panic"), "the server said: %s", s.LogTail())
		t.Require(peak-before < 300<<20, "memory grew by %s", lab.Megabytes(peak-before))
		if err := s.Verify(); err != nil {
			t.Require(false, "doctor --verify --files: %v", err)
		}
		late, err := tooLate(t)
		if err != nil {
			return err
		}
		for _, p := range append(r.problems, late...) {
			t.Require(false, "%s", p)
		}
		t.Note("forms, links, tokens", "%d, %d, %d", r.tried["form"], r.tried["link"], r.tried["token"])
		t.Note("names, contents", "%d, %d", r.tried["name"], r.tried["content"])
		t.Note("photos, drawings", "%d, %d", r.tried["bomb"], r.tried["drawing"])
		t.Note("broken rules", "%d", len(r.problems)+len(late))
		t.Note("memory, growth", "%s", lab.Megabytes(peak-before))
		return nil
	},
	RunControl: func(t *lab.Trial) (string, error) {
		base, _, err := lab.StartRival(t, 256)
		if err != nil {
			return "", err
		}
		r := &raid{
			t: t, client: &lab.Client{BaseURL: base, Key: "x", HTTP: http.DefaultClient}, plainServer: true,
			project: "/projects/1", other: "/projects/2",
		}
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
	t           *lab.Trial
	client      *lab.Client
	data        string
	plainServer bool // that knows no forms; they are made up
	project     string
	other       string // another project of the same person
	tried       map[string]int
	problems    []string
}

func (r *raid) open() (err error) {
	if r.project, err = r.client.NewProject(r.t, "Vault"); err != nil {
		return err
	}
	r.other, err = r.client.NewProject(r.t, "Annex")
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
func (r *raid) refused(what string, a *lab.Answer, err error, statuses ...int) {
	if err != nil {
		r.wrong("%s: %v", what, err)
		return
	}
	var told struct {
		Message string `json:"message"`
	}
	if !slices.Contains(statuses, a.Status) {
		r.wrong("%s: is %s, want %v", what, a, statuses)
	} else if err := json.Unmarshal(a.Body, &told); err != nil || told.Message == "" {
		r.wrong("%s: says %s", what, a)
	}
}

// begin gives a form of a document, or makes one up.
func (r *raid) begin(project string, attributes map[string]any) (*lab.UploadForm, error) {
	if !r.plainServer {
		f, a, err := r.client.BeginUpload(r.t, project, "attachments", attributes)
		if err == nil && f == nil {
			err = fmt.Errorf("an upload cannot be begun: %s", a)
		}
		return f, err
	}
	f := &lab.UploadForm{UID: "1", Webhook: r.client.BaseURL + project + "/attachments/uploads/completions/x"}
	f.Given.Action = r.client.BaseURL + "/storage/1"
	for _, name := range []string{
		"key", "policy", "signature", "AWSAccessKeyId", "Content-Type",
		"success_action_redirect", "x-amz-server-side-encryption", "x-amz-storage-class",
	} {
		f.Given.Fields = append(f.Given.Fields, lab.FormField{Name: name, Value: "e30="})
	}
	return f, nil
}

// tooLate lets forms and links end by moving the server's clock.
func tooLate(t *lab.Trial) (problems []string, err error) {
	err = t.Inner("late", func(t *lab.Trial) error {
		set, clock, err := t.PlantClock()
		if err != nil {
			return err
		}
		s, err := lab.NewSite(t, lab.Planted, clock)
		if err != nil {
			return err
		}
		if _, err := s.Start(); err != nil {
			return err
		}
		r := &raid{t: t, client: s.NewClient()}
		if err := r.open(); err != nil {
			return err
		}
		attributes := map[string]any{"name": "late.pdf", "content_type": "application/pdf"}
		a, err := r.client.Upload(t, r.project, "attachments", attributes, []byte("in time"))
		if err != nil {
			return err
		}
		var document lab.Fields
		if err := json.Unmarshal(a.Body, &document); err != nil {
			return err
		}
		f, err := r.begin(r.project, attributes)
		if err != nil {
			return err
		}
		if err := set("3h"); err != nil {
			return err
		}
		a, err = r.client.PostFile(t, f, []byte("too late"))
		r.refused("a form after three hours", a, err, http.StatusForbidden)
		a, err = r.client.DoWithoutKey(t, http.MethodGet, document.Text("url"), nil, "")
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
	for _, name := range []string{
		canaryFile, filepath.Join(os.TempDir(), canaryFile),
		filepath.Join(r.data, canaryFile), filepath.Join(r.t.Folder, canaryFile),
	} {
		if _, err := os.Lstat(name); err == nil {
			r.wrong("a file escaped to %s", name)
		}
	}
	return nil
}

// canaryFile is what hostile names lead to.
const canaryFile = "groundwork-escaped"

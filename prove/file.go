package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// form is how a file is to be sent, as step one of an upload gives it.
type form struct {
	UID     string `json:"uid"`
	Webhook string `json:"webhook_url"`
	Given   struct {
		Action string      `json:"action"`
		Fields []formField `json:"fields"`
	} `json:"storage_post_form_arguments"`
}

type formField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// begin is step one: it asks for a form. Without one the answer says why.
func (c *client) begin(ctx context.Context, project, family string, attributes any) (*form, *answer, error) {
	body, err := json.Marshal(attributes)
	if err != nil {
		return nil, nil, err
	}
	a, err := c.do(ctx, http.MethodPost, project+"/"+family+"/uploads", body)
	if err != nil || !a.ok() {
		return nil, a, err
	}
	f := &form{}
	return f, a, json.Unmarshal(a.body, f)
}

// post is step two: it sends the file, and does not go where the answer leads.
func (c *client) post(ctx context.Context, f *form, content []byte) (*answer, error) {
	body, kind, err := f.body(f.Given.Fields, content)
	if err != nil {
		return nil, err
	}
	return c.plain(ctx, http.MethodPost, f.Given.Action, body, kind)
}

// body is the form filled in.
func (f *form) body(fields []formField, content []byte) (body []byte, kind string, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, field := range fields {
		err = errors.Join(err, w.WriteField(field.Name, field.Value))
	}
	part, created := w.CreateFormFile("file", "file")
	if err := errors.Join(err, created); err != nil {
		return nil, "", err
	}
	_, err = part.Write(content)
	err = errors.Join(err, w.Close())
	return b.Bytes(), w.FormDataContentType(), err
}

// plain sends a request without credentials to a whole address, and follows no redirection.
func (c *client) plain(ctx context.Context, method, target string, body []byte, kind string) (*answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	still := *c.http
	still.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := still.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, errors.Join(errCut, err)
	}
	return &answer{response.StatusCode, response.Header, text}, nil
}

// upload is all steps; each must succeed. It gives the record.
func (c *client) upload(ctx context.Context, project, family string, attributes any, content []byte) (*answer, error) {
	f, a, err := c.begin(ctx, project, family, attributes)
	if err == nil && f != nil {
		a, err = c.post(ctx, f, content)
	}
	if err == nil && f != nil && a.status == http.StatusSeeOther {
		a, err = c.plain(ctx, http.MethodGet, f.Webhook, nil, "")
	}
	if err == nil && a.status != http.StatusOK {
		err = fmt.Errorf("the upload of a file to %s: %s", family, a)
	}
	return a, err
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// randomBytes cannot be compressed, and no two are the same.
func randomBytes(r *rand.Rand, n int) []byte {
	var seed [32]byte
	for i := range seed {
		seed[i] = byte(r.Uint32())
	}
	b := make([]byte, n)
	_, _ = rand.NewChaCha8(seed).Read(b) // never fails
	return b
}

// upload makes a document, in three requests. Until the last of them nothing of it may be seen.
func (w *writer) upload(ctx context.Context) (goOn bool) {
	ctx = context.WithoutCancel(ctx)
	o, content := w.file()
	f, a, err := w.client.begin(ctx, w.journal.project, "attachments", o.fields)
	if err == nil && f != nil {
		if a, err = w.client.post(ctx, f, content); err == nil && a.status == http.StatusSeeOther {
			return w.complete(ctx, o, f)
		}
	}
	if err != nil {
		w.journal.failed(err)
		return false
	}
	w.journal.answered(o, a.status, a.body) // which is wrong
	return false
}

// file is a document to be made: mostly small, as forms and photographs of details are, sometimes larger than what is written at once.
func (w *writer) file() (*op, []byte) {
	size := w.random.IntN(20_000)
	if w.random.IntN(16) == 0 {
		size = w.random.IntN(1_000_000)
	}
	content := randomBytes(w.random, size)
	o := &op{http.MethodPost, "/attachments", fields{"name": w.title(), "content_type": quoted("application/pdf")}, &known{kind: "attachments"}}
	w.journal.expect(o.fields.text("name"), digest(content))
	return o, content
}

func (w *writer) complete(ctx context.Context, o *op, f *form) (goOn bool) {
	a, err := w.client.plain(ctx, http.MethodGet, f.Webhook, nil, "")
	if err != nil { // even if it was refused: net/http repeats a GET whose connection broke
		w.journal.failed(err)
		w.journal.unanswered(o)
		return false
	}
	if a.status == http.StatusOK {
		a.status = http.StatusCreated
	}
	w.journal.answered(o, a.status, a.body)
	return a.ok()
}

// expect notes what the file of a document holds that is about to be made.
func (j *journal) expect(name, digest string) {
	j.mu.Lock()
	j.files[name] = digest
	j.mu.Unlock()
}

func (j *journal) lookAll(ctx context.Context, c *client, records []jsontext.Value) error {
	for _, raw := range records {
		var f fields
		if err := json.Unmarshal(raw, &f); err != nil {
			return err
		}
		if err := j.look(ctx, c, f); err != nil {
			return err
		}
	}
	return nil
}

// look fetches the file of a document that was not looked at yet, and compares it with what was sent.
func (j *journal) look(ctx context.Context, c *client, f fields) error {
	name, uid := f.text("name"), f.text("uid")
	k, want := j.known[uid], j.files[name]
	if k == nil || k.looked || want == "" {
		return nil
	}
	k.looked = true
	if f.text("sha256") != want {
		j.note(&j.torn, "the document %s has a file of hash %s; %s was sent", uid, f.text("sha256"), want)
		return nil
	}
	a, err := c.plain(ctx, http.MethodGet, f.text("url"), nil, "")
	if errors.Is(err, errCut) {
		j.note(&j.torn, "the file of the document %s ends too early", uid)
		return nil
	}
	if err != nil {
		return err
	}
	if a.status != http.StatusOK || digest(a.body) != want {
		j.note(&j.torn, "the file of the document %s is not what was sent: %d, %d bytes of %s", uid, a.status, len(a.body), f["size"])
	}
	return nil
}

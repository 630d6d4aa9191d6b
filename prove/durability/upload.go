package durability

import (
	"context"
	"errors"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/prove/lab"
)

// upload makes a document, in three requests. Until the last of them nothing of it may be seen.
func (w *writer) upload(ctx context.Context) (goOn bool) {
	ctx = context.WithoutCancel(ctx)
	o, content := w.file()
	f, a, err := w.client.BeginUpload(ctx, w.journal.project, "attachments", o.fields)
	if err == nil && f != nil {
		if a, err = w.client.PostFile(ctx, f, content); err == nil && a.Status == http.StatusSeeOther {
			return w.complete(ctx, o, f)
		}
	}
	if err != nil {
		w.journal.failed(err)
		return false
	}
	w.journal.answered(o, a.Status, a.Body) // which is wrong
	return false
}

// file is a document to be made: mostly small, as forms and photographs of details are, sometimes larger than what is
// written at once.
func (w *writer) file() (*op, []byte) {
	size := w.random.IntN(20_000)
	if w.random.IntN(16) == 0 {
		size = w.random.IntN(1_000_000)
	}
	content := lab.RandomBytes(w.random, size)
	o := &op{
		http.MethodPost, "/attachments",
		lab.Fields{"name": w.title(), "content_type": lab.QuotedJSON("application/pdf")},
		&known{kind: "attachments"},
	}
	w.journal.expect(o.fields.Text("name"), lab.Digest(content))
	return o, content
}

func (w *writer) complete(ctx context.Context, o *op, f *lab.UploadForm) (goOn bool) {
	a, err := w.client.DoWithoutKey(ctx, http.MethodGet, f.Webhook, nil, "")
	if err != nil { // even if it was refused: net/http repeats a GET whose connection broke
		w.journal.failed(err)
		w.journal.unanswered(o)
		return false
	}
	if a.Status == http.StatusOK {
		a.Status = http.StatusCreated
	}
	w.journal.answered(o, a.Status, a.Body)
	return a.OK()
}

// expect notes what the file of a document holds that is about to be made.
func (j *journal) expect(name, digest string) {
	j.mu.Lock()
	j.files[name] = digest
	j.mu.Unlock()
}

func (j *journal) lookAll(ctx context.Context, c *lab.Client, records []jsontext.Value) error {
	for _, raw := range records {
		var f lab.Fields
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
func (j *journal) look(ctx context.Context, c *lab.Client, f lab.Fields) error {
	name, uid := f.Text("name"), f.Text("uid")
	k, want := j.known[uid], j.files[name]
	if k == nil || k.looked || want == "" {
		return nil
	}
	k.looked = true
	if f.Text("sha256") != want {
		j.note(&j.torn, "the document %s has a file of hash %s; %s was sent", uid, f.Text("sha256"), want)
		return nil
	}
	a, err := c.DoWithoutKey(ctx, http.MethodGet, f.Text("url"), nil, "")
	if errors.Is(err, lab.ErrAnswerCut) {
		j.note(&j.torn, "the file of the document %s ends too early", uid)
		return nil
	}
	if err != nil {
		return err
	}
	if a.Status != http.StatusOK || lab.Digest(a.Body) != want {
		j.note(&j.torn, "the file of the document %s is not what was sent: %d, %d bytes of %s", uid, a.Status,
			len(a.Body), f["size"])
	}
	return nil
}

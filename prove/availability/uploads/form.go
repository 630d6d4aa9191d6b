package uploads

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"groundwork/prove/lab"
)

// formMost is the largest file that the forms of E38 admit.
const formMost = 100_000

// formCase is a form that is not sent as it was given out.
type formCase struct {
	name   string
	status []int
	// edit changes the fields; whole makes the body, where that is not simply the fields and the file.
	edit  func(r *raid, f *lab.UploadForm, fields []lab.FormField) []lab.FormField
	whole func(f *lab.UploadForm) (body []byte, kind string)
	size  int // of the file; 1000 when 0
}

func set(name, value string) func(*raid, *lab.UploadForm, []lab.FormField) []lab.FormField {
	return func(_ *raid, _ *lab.UploadForm, fields []lab.FormField) []lab.FormField {
		for i, f := range fields {
			if f.Name == name {
				fields[i].Value = value
			}
		}
		return fields
	}
}

func without(name string) func(*raid, *lab.UploadForm, []lab.FormField) []lab.FormField {
	return func(_ *raid, _ *lab.UploadForm, fields []lab.FormField) []lab.FormField {
		return slices.DeleteFunc(fields, func(f lab.FormField) bool { return f.Name == name })
	}
}

// policy changes the text of the policy.
func policy(from, to string) func(*raid, *lab.UploadForm, []lab.FormField) []lab.FormField {
	return func(_ *raid, _ *lab.UploadForm, fields []lab.FormField) []lab.FormField {
		for i, f := range fields {
			if f.Name == "policy" {
				text, _ := base64.StdEncoding.DecodeString(f.Value)
				edited := strings.Replace(string(text), from, to, 1)
				if edited == string(text) {
					edited += " "
				}
				fields[i].Value = base64.StdEncoding.EncodeToString([]byte(edited))
			}
		}
		return fields
	}
}

// of takes fields from another form.
func of(project func(*raid) string, names ...string) func(*raid, *lab.UploadForm, []lab.FormField) []lab.FormField {
	return func(r *raid, _ *lab.UploadForm, fields []lab.FormField) []lab.FormField {
		another, err := r.begin(project(r), map[string]any{"name": "another.pdf", "content_type": "application/pdf"})
		if err != nil {
			r.wrong("another form: %v", err)
			return fields
		}
		for i, f := range fields {
			if slices.Contains(names, f.Name) {
				fields[i].Value = another.Given.Fields[i].Value
			}
		}
		return fields
	}
}

func mine(r *raid) string  { return r.project }
func other(r *raid) string { return r.other }

var forbidden, malformed, either = []int{http.StatusForbidden}, []int{http.StatusBadRequest}, []int{
	http.StatusBadRequest, http.StatusForbidden,
}

func formCases() []formCase {
	const boundary = "b0undary"
	kind := "multipart/form-data; boundary=" + boundary
	field := func(name, value string) string {
		return fmt.Sprintf("--%s\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", boundary, name, value)
	}
	file := fmt.Sprintf("--%s\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x\"\r\n\r\nhello\r\n",
		boundary)
	end := "--" + boundary + "--\r\n"
	all := func(f *lab.UploadForm) (text string) {
		for _, one := range f.Given.Fields {
			text += field(one.Name, one.Value)
		}
		return text
	}
	raw := func(body func(f *lab.UploadForm) string) func(*lab.UploadForm) ([]byte, string) {
		return func(f *lab.UploadForm) ([]byte, string) { return []byte(body(f)), kind }
	}
	return []formCase{
		{name: "a longer policy", status: forbidden, edit: policy(fmt.Sprint(formMost), "9999999999")},
		{name: "a later policy", status: forbidden, edit: policy("20", "29")},
		{name: "a policy with another space", status: forbidden, edit: policy("no such text", "")},
		{name: "an empty policy", status: forbidden, edit: set("policy", "")},
		{name: "a policy of nothing", status: forbidden, edit: set("policy", "e30=")},
		{name: "a policy that is no base64", status: forbidden, edit: set("policy", "\x00\xff{")},
		{name: "no policy", status: forbidden, edit: without("policy")},
		{
			name: "another signature", status: forbidden,
			edit: set("signature", base64.StdEncoding.EncodeToString(make([]byte, 32))),
		},
		{name: "an empty signature", status: forbidden, edit: set("signature", "")},
		{name: "no signature", status: forbidden, edit: without("signature")},
		{name: "another key", status: forbidden, edit: set("key", "11111111-1111-4111-8111-111111111111")},
		{name: "a key that climbs", status: forbidden, edit: set("key", "../../"+canaryFile)},
		{name: "a key of null bytes", status: forbidden, edit: set("key", "\x00\x00")},
		{name: "a key that is no text", status: forbidden, edit: set("key", "\xff\xfe")},
		{name: "no key", status: forbidden, edit: without("key")},
		{name: "another type", status: forbidden, edit: set("Content-Type", "text/html")},
		{
			name: "another redirection", status: forbidden,
			edit: set("success_action_redirect", "https://evil.example.com/"),
		},
		{name: "another storage class", status: forbidden, edit: set("x-amz-storage-class", "GLACIER")},
		{name: "another encryption", status: forbidden, edit: set("x-amz-server-side-encryption", "none")},
		{name: "another access key", status: forbidden, edit: set("AWSAccessKeyId", "somebody")},
		{name: "the key of another upload", status: forbidden, edit: of(mine, "key")},
		{name: "the policy of another upload", status: forbidden, edit: of(mine, "policy")},
		{name: "policy and signature of another upload", status: forbidden, edit: of(mine, "policy", "signature")},
		{
			name: "all of another project's upload", status: forbidden,
			edit: of(other, "key", "policy", "signature", "success_action_redirect"),
		},
		{name: "one byte too many", status: malformed, size: formMost + 1},
		{name: "far too many bytes", status: malformed, size: 8 << 20},
		{
			name: "the file first", status: either,
			whole: raw(func(f *lab.UploadForm) string { return file + all(f) + end }),
		},
		{name: "the file in the middle", status: either, whole: raw(func(f *lab.UploadForm) string {
			return field("key", f.Given.Fields[0].Value) + file + strings.TrimPrefix(all(f),
				field("key", f.Given.Fields[0].Value)) + end
		})},
		{
			name: "a field after the file", status: malformed,
			whole: raw(func(f *lab.UploadForm) string { return all(f) + file + field("key", "x") + end }),
		},
		{
			name: "two files", status: malformed,
			whole: raw(func(f *lab.UploadForm) string { return all(f) + file + file + end }),
		},
		{name: "no file", status: malformed, whole: raw(func(f *lab.UploadForm) string { return all(f) + end })},
		{
			name: "two keys, the right one first", status: malformed,
			whole: raw(func(f *lab.UploadForm) string { return all(f) + field("key", "x") + file + end }),
		},
		{
			name: "two keys, the right one last", status: malformed,
			whole: raw(func(f *lab.UploadForm) string { return field("KEY", "x") + all(f) + file + end }),
		},
		{name: "a thousand fields", status: malformed, whole: raw(func(f *lab.UploadForm) (text string) {
			for i := range 1000 {
				text += field(fmt.Sprint("x", i), "y")
			}
			return text + all(f) + file + end
		})},
		{
			name: "a field of a megabyte", status: malformed,
			whole: raw(func(f *lab.UploadForm) string {
				return field("x", strings.Repeat("y", 1<<20)) + all(f) + file + end
			}),
		},
		{
			name: "it breaks off in the file", status: malformed,
			whole: raw(func(f *lab.UploadForm) string { return all(f) + strings.TrimSuffix(file, "\r\n") }),
		},
		{
			name: "it breaks off before the last boundary", status: malformed,
			whole: raw(func(f *lab.UploadForm) string { return all(f) + file }),
		},
		{name: "no boundary", status: malformed, whole: func(f *lab.UploadForm) ([]byte, string) {
			return []byte(all(f) + file + end), "multipart/form-data"
		}},
		{name: "no form", status: malformed, whole: func(*lab.UploadForm) ([]byte, string) {
			return []byte(`{"key":"x"}`), "application/json"
		}},
		{name: "nothing", status: malformed, whole: func(*lab.UploadForm) ([]byte, string) { return nil, kind }},
	}
}

// forms sends each case; none of them may make anything, and the form must still be good afterwards.
func (r *raid) forms() error {
	for _, one := range formCases() {
		r.count("form")
		f, err := r.begin(r.project, map[string]any{"name": "raid.pdf", "content_type": "application/pdf"})
		if err != nil {
			return err
		}
		size := one.size
		if size == 0 {
			size = 1000
		}
		fields := slices.Clone(f.Given.Fields)
		if one.edit != nil {
			fields = one.edit(r, f, fields)
		}
		body, kind, err := f.Body(fields, bytes.Repeat([]byte("x"), size))
		if err != nil {
			return err
		}
		if one.whole != nil {
			body, kind = one.whole(f)
		}
		a, err := r.client.DoWithoutKey(r.t, http.MethodPost, f.Given.Action, body, kind)
		r.refused(one.name, a, err, one.status...)
		if r.plainServer {
			continue
		}
		a, err = r.client.DoWithoutKey(r.t, http.MethodGet, f.Webhook, nil, "")
		r.refused(one.name+", completed", a, err, http.StatusBadRequest)
		// What was refused has not spoiled the form.
		if a, err = r.client.PostFile(r.t, f, bytes.Repeat([]byte("y"), formMost)); err != nil ||
			a.Status != http.StatusSeeOther {
			r.wrong("after %s the form itself is refused: %v %v", one.name, a, err)
		}
	}
	if r.plainServer {
		return nil
	}
	return r.replays()
}

// replays uses forms again, in other places, and without saying how long they are.
func (r *raid) replays() error {
	f, err := r.begin(r.project, map[string]any{"name": "once.pdf", "content_type": "application/pdf"})
	if err != nil {
		return err
	}
	r.count("form")
	a, err := r.client.DoWithoutKey(r.t, http.MethodGet, f.Webhook, nil, "")
	r.refused("a completion before the file", a, err, http.StatusBadRequest)

	r.count("form")
	body, kind, err := f.Body(f.Given.Fields, bytes.Repeat([]byte("x"), formMost+1))
	if err != nil {
		return err
	}
	a, err = r.unsized(f.Given.Action, body, kind)
	r.refused("one byte too many, of a body that does not say its length", a, err, http.StatusBadRequest)

	r.count("form")
	elsewhere := strings.Replace(f.Given.Action, strings.TrimPrefix(r.project, "/projects/"),
		strings.TrimPrefix(r.other, "/projects/"), 1)
	body, kind, err = f.Body(f.Given.Fields, []byte("hello"))
	if err != nil {
		return err
	}
	a, err = r.client.DoWithoutKey(r.t, http.MethodPost, elsewhere, body, kind)
	r.refused("a form at the address of another project", a, err, http.StatusForbidden, http.StatusNotFound)

	if a, err = r.client.PostFile(r.t, f, []byte("the file")); err != nil || a.Status != http.StatusSeeOther {
		return fmt.Errorf("a good form: %v, %w", a, err)
	}
	first, err := r.client.DoWithoutKey(r.t, http.MethodGet, f.Webhook, nil, "")
	if err != nil || first.Status != http.StatusOK {
		return fmt.Errorf("a completion: %v, %w", first, err)
	}
	r.count("form")
	a, err = r.client.PostFile(r.t, f, []byte("another"))
	r.refused("a form after its completion", a, err, http.StatusForbidden)
	r.count("form")
	again, err := r.client.DoWithoutKey(r.t, http.MethodGet, f.Webhook, nil, "")
	if err != nil || again.Status != http.StatusOK || !bytes.Equal(again.Body, first.Body) {
		r.wrong("a completion that is repeated: %v, %v", again, err)
	}
	return nil
}

// unsized posts a body of which only its end tells the length.
func (r *raid) unsized(target string, body []byte, kind string) (*lab.Answer, error) {
	q, err := http.NewRequestWithContext(context.WithoutCancel(r.t), http.MethodPost, target,
		struct{ io.Reader }{bytes.NewReader(body)})
	if err != nil {
		return nil, err
	}
	q.Header.Set("Content-Type", kind)
	response, err := r.client.HTTP.Do(q)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return &lab.Answer{Status: response.StatusCode, Header: response.Header, Body: text}, err
}

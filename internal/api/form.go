package api

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
)

// Form is the body of a form: texts by name, and the files of a form that has some. Names and texts are UTF-8 without
// NUL; files are what was sent.
type Form struct {
	url.Values
	Files map[string][]byte
}

const mostFields = 40

// Form reads the body as a form, of at most most bytes: fault.Invalid for what is none, fault.TooLarge for more.
func (c *Call) Form(most int) (Form, error) {
	body, err := c.readAs(most, isForm)
	if err != nil {
		return Form{}, err
	}
	kind, params, _ := mime.ParseMediaType(c.Header("Content-Type"))
	if kind == "multipart/form-data" {
		return readParts(body, params["boundary"])
	}
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return Form{}, badBody("The form has a malformed percent escape.")
	}
	f := Form{Values: make(url.Values, len(values))}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		for _, text := range values[name] {
			f.Add(clean(name), clean(text))
		}
	}
	return f, nil
}

func isForm(h http.Header) error {
	if err := isPlain(h); err != nil {
		return err
	}
	if kind, _, err := mime.ParseMediaType(h.Get("Content-Type")); err != nil ||
		kind != "application/x-www-form-urlencoded" && kind != "multipart/form-data" {
		return badBody("The body must be a form: application/x-www-form-urlencoded.")
	}
	return nil
}

// readParts reads a form that may have files; the body is bounded already.
func readParts(body []byte, boundary string) (Form, error) {
	f := Form{Values: url.Values{}, Files: map[string][]byte{}}
	parts := multipart.NewReader(bytes.NewReader(body), boundary)
	for n := 0; ; n++ {
		p, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return f, nil
		}
		if err != nil || n >= mostFields {
			return Form{}, badBody("The form cannot be read.")
		}
		text, err := io.ReadAll(p)
		switch {
		case err != nil:
			return Form{}, badBody("The form cannot be read.")
		case p.FileName() != "":
			f.Files[clean(p.FormName())] = text
		default:
			f.Add(clean(p.FormName()), clean(string(text)))
		}
	}
}

package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"

	"github.com/go-json-experiment/json"
)

// UploadForm is how a file is to be sent, as step one of an upload gives it.
type UploadForm struct {
	UID     string `json:"uid"`
	Webhook string `json:"webhook_url"`
	Given   struct {
		Action string      `json:"action"`
		Fields []FormField `json:"fields"`
	} `json:"storage_post_form_arguments"`
}

// FormField is one field of an upload form; their order matters.
type FormField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// BeginUpload is step one: it asks for a form. Without one the answer says why.
func (c *Client) BeginUpload(ctx context.Context, project, family string,
	attributes any,
) (*UploadForm, *Answer, error) {
	body, err := json.Marshal(attributes)
	if err != nil {
		return nil, nil, err
	}
	a, err := c.Do(ctx, http.MethodPost, project+"/"+family+"/uploads", body)
	if err != nil || !a.OK() {
		return nil, a, err
	}
	f := &UploadForm{}
	return f, a, json.Unmarshal(a.Body, f)
}

// PostFile is step two: it sends the file, and does not go where the answer leads.
func (c *Client) PostFile(ctx context.Context, f *UploadForm, content []byte) (*Answer, error) {
	body, kind, err := f.Body(f.Given.Fields, content)
	if err != nil {
		return nil, err
	}
	return c.DoWithoutKey(ctx, http.MethodPost, f.Given.Action, body, kind)
}

// Body is the form filled in.
func (f *UploadForm) Body(fields []FormField, content []byte) (body []byte, kind string, err error) {
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

// DoWithoutKey sends a request without credentials to a whole address, and follows no redirection.
func (c *Client) DoWithoutKey(ctx context.Context, method, target string, body []byte, kind string) (*Answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	still := *c.HTTP
	still.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := still.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, errors.Join(ErrAnswerCut, err)
	}
	return &Answer{Status: response.StatusCode, Header: response.Header, Body: text}, nil
}

// Upload is all steps; each must succeed. It gives the record.
func (c *Client) Upload(ctx context.Context, project, family string, attributes any, content []byte) (*Answer, error) {
	f, a, err := c.BeginUpload(ctx, project, family, attributes)
	if err == nil && f != nil {
		a, err = c.PostFile(ctx, f, content)
	}
	if err == nil && f != nil && a.Status == http.StatusSeeOther {
		a, err = c.DoWithoutKey(ctx, http.MethodGet, f.Webhook, nil, "")
	}
	if err == nil && a.Status != http.StatusOK {
		err = fmt.Errorf("the upload of a file to %s: %s", family, a)
	}
	return a, err
}

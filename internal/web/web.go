// Package web owns what people see in a browser: the pages, and the style sheets, scripts and pictures that they load,
// all of them in the binary. It refuses to load anything from elsewhere, and to know records. The pages of people work
// without any script.
//
// Files that others wrote lie in vendored, unchanged; vendored/manifest.json says what they are and what they hash to.
// What browsers load is served from packed, compressed; `make update` packs it anew after a change in assets or
// vendored.
package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"net/http"
	"slices"

	"groundwork/internal/api"
)

// Routes is everything for browsers. readable are the kinds of which mails tell, by their plural, and what one record
// is called; backups is what operators see and begin of backups, forgetting what they see and do about what is
// forgotten on purpose, start what the first visitors are led through.
func Routes(readable map[string]string, backups Backups, forgetting Forgetting, start Start) []api.Route {
	return slices.Concat([]api.Route{root, docs, asset}, application(), gate(), start.routes(), account(),
		applications(), operator(), backups.routes(), forgetting.routes(),
		record(readable), moved(), drawings())
}

// policy lets a page load what this service serves, and nothing else; Swagger UI draws its icons from data: addresses
// in its style sheet.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

var page = &api.Page{Policy: policy, Refusal: refusal}

//go:embed html
var sources embed.FS

var views = template.Must(template.New("").Option("missingkey=zero").Funcs(tools).ParseFS(sources, "html/*.html"))

// show answers with a page, or with 304 when the browser has just that one.
func show(c *api.Call, name string, data any) error {
	body, err := render(name, data)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	if c.Fresh(hex.EncodeToString(sum[:8])) {
		return nil
	}
	c.SetHeader("Content-Type", "text/html; charset=utf-8")
	return c.Send(http.StatusOK, body)
}

func render(name string, data any) ([]byte, error) {
	var out bytes.Buffer
	err := views.ExecuteTemplate(&out, name, data)
	return out.Bytes(), err
}

// refusal is the page of an error.
func refusal(status int, message, requestID string) []byte {
	body, err := render("refusal.html", map[string]any{
		"Title": heading(status), "Status": status, "Message": message, "Request": requestID,
	})
	if err != nil {
		panic(err) // the template and its data are both fixed: a test renders it
	}
	return body
}

// heading is what a page that refuses says first, in words that people know.
func heading(status int) string {
	switch {
	case status == http.StatusNotFound:
		return "Nothing here"
	case status == http.StatusForbidden:
		return "Not for you"
	case status == http.StatusTooManyRequests:
		return "Too much at once"
	case status >= http.StatusInternalServerError:
		return "This does not work right now"
	default:
		return "That did not work"
	}
}

package fuzz

import (
	"cmp"
	"net/http"
	"strings"

	"groundwork/prove/estate"
	"groundwork/prove/lab"
	"groundwork/prove/openapi"
)

// made is plain for what the document alone cannot make: what needs a thing that only another request gives. Where that
// fails it is plain.
func (g *gunner) made(r *openapi.Route) draft {
	d := g.plain(r)
	p := "/projects/" + g.at
	path := func(address string) string { return strings.TrimPrefix(address, g.f.site.BaseURL) }
	switch {
	case r.Path == "/storage/{project}":
		if f := g.begin(p, "attachments"); f != nil {
			if body, kind, err := f.Body(f.Given.Fields, estate.Picture(20, 20)); err == nil {
				d.path, d.body = path(f.Given.Action), body
				d.set("Content-Type", kind)
			}
		}
	case strings.HasSuffix(r.Path, "/uploads/completions/{token}"):
		if f := g.begin(p, r.Segments[3]); f != nil {
			a, err := g.f.plain.PostFile(g.f.t, f, estate.Picture(20, 20))
			if err == nil && a.Status == http.StatusSeeOther {
				d.path = path(f.Webhook)
			}
		}
	case strings.HasPrefix(r.Path, "/projects/{project}/sheets/uploads/"):
		g.drawing(r, p, &d)
	case r.Path == "/projects/{project}/files/{object}":
		var list struct {
			Data []lab.Fields `json:"data"`
		}
		if err := g.f.plain.MustDo(g.f.t, http.MethodGet, p+"/attachments?limit=5", nil, &list); err == nil &&
			len(list.Data) > 0 {
			d.path = path(lab.OneOf(g.random, list.Data).Text("url"))
		}
	case strings.HasSuffix(r.Path, "/files/{which}/{hash}"):
		family := r.Segments[3]
		var list struct {
			Data []lab.Fields `json:"data"`
		}
		if err := g.f.plain.MustDo(g.f.t, http.MethodGet, p+"/"+family+"?limit=5", nil, &list); err != nil ||
			len(list.Data) == 0 {
			break
		}
		one := lab.OneOf(g.random, list.Data)
		link, _, _ := strings.Cut(cmp.Or(one.Text("file_url"), one.Text("url")), "?")
		d.path = p + "/" + family + "/" + one.Text("uid") + "/files/file/" + link[strings.LastIndex(link, "/")+1:]
	case strings.HasPrefix(r.Path, "/projects/{project}/tiles/"):
		var list struct {
			Data []lab.Fields `json:"data"`
		}
		if err := g.f.plain.MustDo(g.f.t, http.MethodGet, p+"/sheets?limit=5", nil, &list); err != nil ||
			len(list.Data) == 0 {
			break
		}
		tiles, ready := strings.CutSuffix(path(lab.OneOf(g.random, list.Data).Text("tiles_url")), ".dzi")
		switch {
		case !ready:
		case strings.HasSuffix(r.Path, "{tile}"):
			d.path = tiles + "_files/0/0_0.png"
		default:
			d.path = tiles + ".dzi"
		}
	case strings.HasPrefix(r.Path, "/oauth/"):
		g.oauth(r, &d)
	case strings.HasPrefix(r.Path, "/me/applications/{application}"):
		g.mine("applications", &d, lab.Object{
			"name": "App", "redirect_uris": []string{g.f.person.RedirectURI}, "password": lab.Password,
		})
	case r.Path == "/me/keys/{key}":
		g.mine("keys", &d, lab.Object{"name": "Key", "password": lab.Password})
	case r.Path == "/me/authorizations/{application}":
		if _, err := g.f.person.Tokens(""); err == nil {
			d.path = "/me/authorizations/" + g.f.person.App.ID
		}
	}
	return d
}

// mine has a request reach a thing of the account's own that is made for it.
func (g *gunner) mine(family string, d *draft, body lab.Object) {
	var made lab.Fields
	if err := g.f.plain.MustDo(g.f.t, http.MethodPost, "/me/"+family, body, &made); err != nil {
		return
	}
	segments := strings.Split(d.path, "/")
	segments[3] = made.Text("uid")
	d.path = strings.Join(segments, "/")
}

// drawing has a request reach a set of drawings that is on its way.
func (g *gunner) drawing(r *openapi.Route, project string, d *draft) {
	c, t := g.f.plain, g.f.t
	s, f := &estate.DrawingSet{}, &lab.UploadForm{}
	set := lab.Object{"num_files": 1, "version_name": "Next"}
	if err := c.MustDo(t, http.MethodPost, project+"/sheets/uploads", set, s); err != nil {
		return
	}
	file := strings.TrimPrefix(s.Requests[0].URL, c.BaseURL)
	switch r.Segments[len(r.Segments)-1] {
	case "{uid}":
		d.path = project + "/sheets/uploads/" + s.UID
	case "{request}":
		d.path = file
	default:
		if err := c.MustDo(t, http.MethodPost, file, lab.Object{"file_name": "next.pdf"}, f); err != nil {
			return
		}
		if a, err := c.PostFile(t, f, estate.Drawings("A-103")); err != nil || a.Status != http.StatusSeeOther {
			return
		}
		d.path = strings.TrimPrefix(f.Webhook, c.BaseURL)
		if r.Segments[len(r.Segments)-1] == "completions" {
			_, _ = c.DoWithoutKey(t, http.MethodGet, f.Webhook, nil, "") // what does not come is refused
			d.path = strings.TrimPrefix(s.Complete, c.BaseURL)
		}
	}
}

// begin begins an upload; nil when that is refused, as happens in a project where anything may have happened.
func (g *gunner) begin(project, family string) *lab.UploadForm {
	attributes := lab.Object{"content_type": "image/png"}
	if family == "attachments" {
		attributes["name"] = "picture.png"
	}
	f, _, err := g.f.plain.BeginUpload(g.f.t, project, family, attributes)
	if err != nil {
		return nil
	}
	return f
}

// oauth makes what an application sends that has been allowed to act for somebody.
func (g *gunner) oauth(r *openapi.Route, d *draft) {
	h := g.f.person
	form := lab.FormValues{"client_id": h.App.ID, "client_secret": h.App.Secret}
	switch {
	case r.Form == nil:
		return
	case r.Path == "/oauth/token" && g.one(2):
		code, err := h.Code("")
		if err != nil {
			return
		}
		form["grant_type"], form["code"] = "authorization_code", code
	default:
		t, err := h.Tokens("")
		if err != nil {
			return
		}
		g.bearer = t.Access
		form["token"], form["grant_type"], form["refresh_token"] = t.Access, "refresh_token", t.Refresh
	}
	for name := range form {
		if openapi.Dig(r.Form, "properties")[name] == nil {
			delete(form, name)
		}
	}
	d.body = []byte(form.Encode())
}

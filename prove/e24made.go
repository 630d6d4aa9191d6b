package main

import (
	"net/http"
	"strings"
)

// made is plain for what the document alone cannot make: what needs a thing that only another request gives. Where that fails it is plain.
func (g *gunner) made(r *route) draft {
	d := g.plain(r)
	p := "/projects/" + g.at
	path := func(address string) string { return strings.TrimPrefix(address, g.f.site.base) }
	switch {
	case r.path == "/storage/{project}":
		if f := g.begin(p, "attachments"); f != nil {
			if body, kind, err := f.body(f.Given.Fields, picture(20, 20)); err == nil {
				d.path, d.body = path(f.Given.Action), body
				d.set("Content-Type", kind)
			}
		}
	case strings.HasSuffix(r.path, "/uploads/completions/{token}"):
		if f := g.begin(p, r.segments[3]); f != nil {
			if a, err := g.f.plain.post(g.f.t, f, picture(20, 20)); err == nil && a.status == http.StatusSeeOther {
				d.path = path(f.Webhook)
			}
		}
	case strings.HasPrefix(r.path, "/projects/{project}/sheets/uploads/"):
		g.drawing(r, p, &d)
	case r.path == "/projects/{project}/files/{object}":
		var list struct {
			Data []fields `json:"data"`
		}
		if err := g.f.plain.must(g.f.t, http.MethodGet, p+"/attachments?limit=5", nil, &list); err == nil && len(list.Data) > 0 {
			d.path = path(pick(g.random, list.Data).text("url"))
		}
	case strings.HasPrefix(r.path, "/projects/{project}/tiles/"):
		var list struct {
			Data []fields `json:"data"`
		}
		if err := g.f.plain.must(g.f.t, http.MethodGet, p+"/sheets?limit=5", nil, &list); err != nil || len(list.Data) == 0 {
			break
		}
		tiles, ready := strings.CutSuffix(path(pick(g.random, list.Data).text("tiles_url")), ".dzi")
		switch {
		case !ready:
		case strings.HasSuffix(r.path, "{tile}"):
			d.path = tiles + "_files/0/0_0.png"
		default:
			d.path = tiles + ".dzi"
		}
	case strings.HasPrefix(r.path, "/oauth/"):
		g.oauth(r, &d)
	case strings.HasPrefix(r.path, "/me/applications/{application}"):
		g.mine("applications", &d, object{"name": "App", "redirect_uris": []string{g.f.person.back}})
	case r.path == "/me/keys/{key}":
		g.mine("keys", &d, object{"name": "Key"})
	case r.path == "/me/authorizations/{application}":
		if _, err := g.f.person.tokens(""); err == nil {
			d.path = "/me/authorizations/" + g.f.person.app.ID
		}
	}
	return d
}

// mine has a request reach a thing of the account's own that is made for it.
func (g *gunner) mine(family string, d *draft, body object) {
	var made fields
	if err := g.f.plain.must(g.f.t, http.MethodPost, "/me/"+family, body, &made); err != nil {
		return
	}
	segments := strings.Split(d.path, "/")
	segments[3] = made.text("uid")
	d.path = strings.Join(segments, "/")
}

// drawing has a request reach a set of drawings that is on its way.
func (g *gunner) drawing(r *route, project string, d *draft) {
	c, t := g.f.plain, g.f.t
	s, f := &drawnSet{}, &form{}
	if err := c.must(t, http.MethodPost, project+"/sheets/uploads", object{"num_files": 1, "version_name": "Next"}, s); err != nil {
		return
	}
	file := strings.TrimPrefix(s.Requests[0].URL, c.base)
	switch r.segments[len(r.segments)-1] {
	case "{uid}":
		d.path = project + "/sheets/uploads/" + s.UID
	case "{request}":
		d.path = file
	default:
		if err := c.must(t, http.MethodPost, file, object{"file_name": "next.pdf"}, f); err != nil {
			return
		}
		if a, err := c.post(t, f, drawings("A-103")); err != nil || a.status != http.StatusSeeOther {
			return
		}
		d.path = strings.TrimPrefix(f.Webhook, c.base)
		if r.segments[len(r.segments)-1] == "completions" {
			_, _ = c.plain(t, http.MethodGet, f.Webhook, nil, "") // what does not come is refused
			d.path = strings.TrimPrefix(s.Complete, c.base)
		}
	}
}

// begin begins an upload; nil when that is refused, as happens in a project where anything may have happened.
func (g *gunner) begin(project, family string) *form {
	attributes := object{"content_type": "image/png"}
	if family == "attachments" {
		attributes["name"] = "picture.png"
	}
	f, _, err := g.f.plain.begin(g.f.t, project, family, attributes)
	if err != nil {
		return nil
	}
	return f
}

// oauth makes what an application sends that has been allowed to act for somebody.
func (g *gunner) oauth(r *route, d *draft) {
	h := g.f.person
	form := sheaf{"client_id": h.app.ID, "client_secret": h.app.Secret}
	switch {
	case r.form == nil:
		return
	case r.path == "/oauth/token" && g.one(2):
		code, err := h.code("")
		if err != nil {
			return
		}
		form["grant_type"], form["code"] = "authorization_code", code
	default:
		t, err := h.tokens("")
		if err != nil {
			return
		}
		g.bearer = t.Access
		form["token"], form["grant_type"], form["refresh_token"] = t.Access, "refresh_token", t.Refresh
	}
	for name := range form {
		if dig(r.form, "properties")[name] == nil {
			delete(form, name)
		}
	}
	d.body = []byte(form.encode())
}

package apitest_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"groundwork/internal/apitest"
)

// target is what a request is aimed at.
type target struct {
	key string
	// project and uid stand in the path; uid is "" where the route names no record.
	project, uid string
	// home is the project that the record is in; "" where there is no such record.
	home string
	// by is who made it, where the Admins do not see it.
	by *apitest.Person
}

// makers make a record of a kind in a project, as somebody who may, and give its uid. Whoever adds a kind adds its maker.
var makers = map[string]func(w *world, project, mark string, by *apitest.Person) string{
	"issues": func(_ *world, project, mark string, by *apitest.Person) string {
		return by.Want(201, "POST", "/projects/"+project+"/issues", map[string]any{"title": mark + " crack", "description": mark, "room": mark}).Text("uid")
	},
	"issue_lists": func(_ *world, project, mark string, by *apitest.Person) string {
		return by.Want(201, "POST", "/projects/"+project+"/issue_lists", map[string]any{"name": mark + " list"}).Text("uid")
	},
	"attachments": func(_ *world, project, mark string, by *apitest.Person) string {
		return by.Upload(project, "attachments", map[string]any{"content_type": "application/pdf", "name": mark + ".pdf", "folder": mark}, mark).Text("uid")
	},
	"photos": func(_ *world, project, mark string, by *apitest.Person) string {
		return by.Upload(project, "photos", map[string]any{"content_type": "image/png", "title": mark}, mark).Text("uid")
	},
	"snapshots": func(_ *world, project, mark string, by *apitest.Person) string {
		return by.Upload(project, "snapshots", map[string]any{"content_type": "image/png", "title": mark}, mark).Text("uid")
	},
	"comments": func(_ *world, project, mark string, by *apitest.Person) string {
		return by.Want(201, "POST", "/projects/"+project+"/comments", map[string]any{"text": mark + " comment"}).Text("uid")
	},
	"users": func(w *world, project, mark string, by *apitest.Person) string {
		return by.Want(201, "POST", "/projects/"+project+"/users/invites", map[string]any{
			"email": fmt.Sprintf("%s-%d@example.com", mark, w.next()), "first_name": mark, "last_name": mark,
		}).Text("uid")
	},
	"rfis": func(_ *world, project, mark string, by *apitest.Person) string {
		return by.Want(201, "POST", "/projects/"+project+"/rfis", map[string]any{"title": mark + " door", "question": mark}).Text("uid")
	},
	"field_reports": func(_ *world, project, mark string, by *apitest.Person) string {
		return by.Want(201, "POST", "/projects/"+project+"/field_reports", map[string]any{
			"report_date": "2026-03-01", "title": mark, "pdf_form_values": []any{map[string]any{"name": mark, "value": mark}},
		}).Text("uid")
	},
	"sheets": func(w *world, project, mark string, by *apitest.Person) string {
		_, sheets := by.Sheets(project, fmt.Sprintf("%s-%d", mark, w.next()))
		return sheets[0]
	},
	"version_sets": func(w *world, project, mark string, by *apitest.Person) string {
		set, _ := by.Sheets(project, fmt.Sprintf("%s-%d", mark, w.next()))
		return set
	},
	"sheets/uploads": func(_ *world, project, mark string, by *apitest.Person) string {
		return by.BeginSet(project, mark, true, apitest.SetFile{Name: mark + ".pdf", Content: []byte(mark)})
	},
	"annotations": func(w *world, project, mark string, by *apitest.Person) string {
		return by.Want(201, "POST", "/projects/"+project+"/annotations", map[string]any{"sheet_uid": w.sheetOf(project), "text": mark}).Text("uid")
	},
	"issues/reports": func(_ *world, project, _ string, by *apitest.Person) string {
		return by.Want(201, "POST", "/projects/"+project+"/issues/reports", map[string]any{"format": "csv"}).Text("uid")
	},
	"field_reports/export": func(w *world, project, _ string, by *apitest.Person) string {
		day := by.Want(201, "POST", "/projects/"+project+"/field_reports", map[string]any{"report_date": "2026-01-05"}).Text("uid")
		return by.Want(201, "POST", "/projects/"+project+"/field_reports/export", map[string]any{"field_report_uids": []string{day}}).Text("uid")
	},
	"sheets/packets": func(w *world, project, _ string, by *apitest.Person) string {
		return by.Want(201, "POST", "/projects/"+project+"/sheets/packets", map[string]any{"sheet_uids": []string{w.sheetOf(project)}}).Text("uid")
	},
	// A project is born with its statuses, and with its roles.
	"rfis/statuses": func(w *world, project, mark string, by *apitest.Person) string {
		path := "/projects/" + project + "/rfis/statuses"
		uid := by.Want(200, "GET", path, nil).Text("data.1.uid")
		by.Want(200, "PATCH", path+"/"+uid, map[string]any{"label": fmt.Sprintf("%s %d", mark, w.next())})
		return uid
	},
	"roles": func(*world, string, string, *apitest.Person) string { return roleUIDs[collaborator] },
}

// titles are how a sentence names a record of a kind.
var titles = map[string]string{
	"issues": "Issue", "issue_lists": "Issue list", "comments": "Comment", "users": "User", "roles": "Role", "rfis": "RFI", "rfis/statuses": "RFI status",
	"attachments": "Document", "photos": "Photo", "snapshots": "Snapshot",
	"field_reports": "Field report", "sheets": "Sheet", "version_sets": "Version set", "sheets/uploads": "Version upload", "annotations": "Annotation", "sheets/packets": "Sheet packet",
	"issues/reports": "Issue report", "field_reports/export": "Field report export",
}

// bodies are a valid body for every route that takes one. Whoever adds a route adds its body.
var bodies = map[string]func(w *world) string{
	"POST /batch":                     func(*world) string { return `[{"method":"GET","path":"/me"}]` },
	"POST /projects":                  func(w *world) string { return fmt.Sprintf(`{"name":"New %d"}`, w.next()) },
	"PATCH /projects/{project}":       func(w *world) string { return fmt.Sprintf(`{"region":"Region %d"}`, w.next()) },
	"POST /projects/{project}/issues": func(w *world) string { return fmt.Sprintf(`{"title":"New %d"}`, w.next()) },
	// A field that the assigned may change, so that nothing but the route's own check stands before it.
	"PATCH /projects/{project}/issues/{uid}": func(w *world) string {
		return fmt.Sprintf(`{"status":%q}`, []string{"in_review", "pending"}[w.next()%2])
	},
	"POST /projects/{project}/issue_lists":        func(w *world) string { return fmt.Sprintf(`{"name":"New %d"}`, w.next()) },
	"PATCH /projects/{project}/issue_lists/{uid}": func(w *world) string { return fmt.Sprintf(`{"name":"Changed %d"}`, w.next()) },
	"PUT /projects/{project}/issue_lists/{uid}":   func(w *world) string { return fmt.Sprintf(`{"name":"Replaced %d"}`, w.next()) },
	"PATCH /me":                                                         func(w *world) string { return fmt.Sprintf(`{"company":"New %d"}`, w.next()) },
	"POST /projects/{project}/comments":                                 func(w *world) string { return fmt.Sprintf(`{"text":"New %d"}`, w.next()) },
	"PATCH /projects/{project}/comments/{uid}":                          func(w *world) string { return fmt.Sprintf(`{"text":"Changed %d"}`, w.next()) },
	"POST /projects/{project}/issues/{uid}/comments":                    func(w *world) string { return fmt.Sprintf(`{"text":"New %d"}`, w.next()) },
	"POST /projects/{project}/sheets/{uid}/comments":                    func(w *world) string { return fmt.Sprintf(`{"text":"New %d"}`, w.next()) },
	"PATCH /projects/{project}/sheets/{uid}":                            func(w *world) string { return fmt.Sprintf(`{"description":"Changed %d"}`, w.next()) },
	"PATCH /projects/{project}/version_sets/{uid}":                      func(w *world) string { return fmt.Sprintf(`{"version_name":"Changed %d"}`, w.next()) },
	"POST /projects/{project}/version_sets/{uid}/publish":               noBody,
	"POST /projects/{project}/sheets/uploads":                           func(*world) string { return `{"num_files":1,"version_name":"New"}` },
	"POST /projects/{project}/sheets/uploads/{uid}/files/{request}":     func(*world) string { return `{"file_name":"New.pdf"}` },
	"POST /projects/{project}/sheets/uploads/{uid}/completions":         noBody,
	"POST /projects/{project}/sheets/uploads/files/completions/{token}": noBody,
	"POST /projects/{project}/sheets/{uid}/restore":                     noBody,
	"POST /projects/{project}/annotations/{uid}/restore":                noBody,
	"POST /projects/{project}/annotations": func(w *world) string {
		return fmt.Sprintf(`{"sheet_uid":%q}`, w.sheet())
	},
	"POST /projects/{project}/issues/reports": func(*world) string { return `{"format":"csv"}` },
	"POST /projects/{project}/field_reports/export": func(w *world) string {
		return fmt.Sprintf(`{"field_report_uids":[%q]}`, w.fieldReport())
	},
	"POST /projects/{project}/sheets/packets": func(w *world) string {
		return fmt.Sprintf(`{"sheet_uids":[%q]}`, w.sheet())
	},
	"PATCH /projects/{project}/annotations/{uid}":        func(w *world) string { return fmt.Sprintf(`{"text":"Changed %d"}`, w.next()) },
	"POST /projects/{project}/rfis/{uid}/comments":       func(w *world) string { return fmt.Sprintf(`{"text":"New %d"}`, w.next()) },
	"POST /projects/{project}/comments/{uid}/restore":    noBody,
	"POST /projects/{project}/issues/{uid}/restore":      noBody,
	"POST /projects/{project}/issue_lists/{uid}/restore": noBody,
	"POST /projects/{project}/rfis":                      func(w *world) string { return fmt.Sprintf(`{"title":"New %d"}`, w.next()) },
	"PATCH /projects/{project}/rfis/{uid}":               func(w *world) string { return fmt.Sprintf(`{"answer":"Changed %d"}`, w.next()) },
	"POST /projects/{project}/rfis/{uid}/restore":        noBody,
	"PATCH /projects/{project}/rfis/statuses/{uid}":      func(w *world) string { return fmt.Sprintf(`{"label":"Changed %d"}`, w.next()) },
	"POST /projects/{project}/attachments/uploads": func(w *world) string {
		return fmt.Sprintf(`{"content_type":"text/plain","name":"New %d"}`, w.next())
	},
	"PATCH /projects/{project}/attachments/{uid}":                      func(w *world) string { return fmt.Sprintf(`{"name":"Changed %d"}`, w.next()) },
	"POST /projects/{project}/attachments/{uid}/restore":               noBody,
	"POST /projects/{project}/photos/uploads":                          func(*world) string { return `{"content_type":"image/jpeg"}` },
	"PATCH /projects/{project}/photos/{uid}":                           func(w *world) string { return fmt.Sprintf(`{"title":"Changed %d"}`, w.next()) },
	"POST /projects/{project}/photos/{uid}/restore":                    noBody,
	"POST /projects/{project}/snapshots/uploads":                       func(*world) string { return `{"content_type":"image/jpeg"}` },
	"POST /projects/{project}/snapshots/{uid}/restore":                 noBody,
	"POST /projects/{project}/attachments/uploads/completions/{token}": noBody,
	"POST /projects/{project}/photos/uploads/completions/{token}":      noBody,
	"POST /projects/{project}/snapshots/uploads/completions/{token}":   noBody,
	"POST /storage/{project}":                                          func(w *world) string { return apitest.Form(w.uploading("attachments"), "content") },

	"POST /projects/{project}/field_reports":               func(w *world) string { return fmt.Sprintf(`{"report_date":"2026-03-02","title":"New %d"}`, w.next()) },
	"PATCH /projects/{project}/field_reports/{uid}":        func(w *world) string { return fmt.Sprintf(`{"title":"Changed %d"}`, w.next()) },
	"POST /projects/{project}/field_reports/{uid}/restore": noBody,

	"POST /projects/{project}/issues/{uid}/photos":             linking("photos"),
	"POST /projects/{project}/issues/{uid}/attachments":        linking("attachments"),
	"POST /projects/{project}/issues/{uid}/snapshots":          linking("snapshots"),
	"POST /projects/{project}/rfis/{uid}/photos":               linking("photos"),
	"POST /projects/{project}/rfis/{uid}/attachments":          linking("attachments"),
	"POST /projects/{project}/rfis/{uid}/snapshots":            linking("snapshots"),
	"POST /projects/{project}/field_reports/{uid}/photos":      linking("photos"),
	"POST /projects/{project}/field_reports/{uid}/attachments": linking("attachments"),
	"POST /projects/{project}/field_reports/{uid}/snapshots":   linking("snapshots"),

	"POST /projects/{project}/users/invites": func(w *world) string {
		return fmt.Sprintf(`{"email":"invited-%d@example.com","role_uid":%q}`, w.next(), roleUIDs[collaborator])
	},
	"POST /sign-in":                 func(*world) string { return "email=olga@example.com&password=seventeen+purple+anvils" },
	"POST /sign-out":                func(*world) string { return "next=" },
	"POST /forgot-password":         func(*world) string { return "email=nobody@example.com" },
	"POST /invitation/{invitation}": func(*world) string { return "name=Ivy+Stone&password=nineteen+yellow+hammers" },
	"POST /reset-password/{reset}":  func(*world) string { return "password=nineteen+yellow+hammers" },
	"POST /oauth/authorize":         func(w *world) string { return w.asked() + "&decision=allow" },
	"POST /oauth/token": func(w *world) string {
		return w.proof() + "&grant_type=authorization_code&code=" + w.code()
	},
	"POST /oauth/revoke":     func(w *world) string { return w.proof() + "&token=" + w.code() },
	"POST /oauth/introspect": func(w *world) string { return w.proof() + "&token=" + w.code() },
	// Nobody in the table is signed in: what these would do is never looked at.
	"POST /account":                              func(*world) string { return "first_name=Eve" },
	"POST /account/security":                     func(*world) string { return "action=others" },
	"POST /account/keys":                         func(*world) string { return "action=create&name=Eve" },
	"POST /account/authorizations":               func(*world) string { return "uid=" + nowhere },
	"POST /account/applications":                 func(*world) string { return "name=Eve&redirect_uris=https://eve.example.com/" },
	"POST /account/applications/{application}":   func(*world) string { return "action=delete" },
	"POST /operator":                             func(w *world) string { return "action=disable&uid=" + w.overseer.UID },
	"POST /operator/keys":                        func(w *world) string { return "uid=" + w.overseer.Key },
	"POST /operator/applications":                func(*world) string { return "uid=" + nowhere },
	"POST /operator/versions":                    func(*world) string { return "action=deprecate&major=1" },
	"POST /me/keys":                              func(w *world) string { return fmt.Sprintf(`{"name":"New %d"}`, w.next()) },
	"POST /me/applications":                      func(*world) string { return `{"name":"New","redirect_uris":["https://new.example.com/back"]}` },
	"PATCH /me/applications/{application}":       func(*world) string { return `{"name":"Changed"}` },
	"POST /me/applications/{application}/secret": func(*world) string { return "" },
	// The worst that can be asked for.
	"PATCH /projects/{project}/users/{uid}": func(*world) string { return fmt.Sprintf(`{"role_uid":%q}`, roleUIDs[admin]) },
}

// sheet is a sheet of the project that a body is for.
func (w *world) sheet() string { return w.sheetOf(w.bodyFor()) }

// sheetOf is a sheet of a project that nothing happens to.
func (w *world) sheetOf(project string) string {
	return w.standing("sheet", project, func(mark string) string {
		_, sheets := w.viewer(project).Sheets(project, fmt.Sprintf("%s-%d", mark, w.next()))
		return sheets[0]
	})
}

// fieldReport is a field report of the project that a body is for.
func (w *world) fieldReport() string {
	project := w.bodyFor()
	return w.standing("field report", project, func(mark string) string {
		return w.viewer(project).Want(201, "POST", "/projects/"+project+"/field_reports", map[string]any{"report_date": "2026-03-01", "title": mark}).Text("uid")
	})
}

// bodyFor is the project that a body is for; the one here, where that is one that nobody here is in.
func (w *world) bodyFor() string {
	if w.there == w.away || w.there == nowhere {
		return w.here
	}
	return w.there
}

// standing is a record of a project that nothing happens to, made when it is first needed.
func (w *world) standing(name, project string, make func(mark string) string) string {
	w.t.Helper()
	key := name + " of " + project
	if w.made[key] == nil {
		mark := hereMark
		if project == w.away {
			mark = awayMark
		}
		w.made[key] = &target{uid: make(mark)}
		w.wrote()
	}
	return w.made[key].uid
}

// noBody is the body of a route that takes none.
func noBody(*world) string { return "" }

// linking is the body that links a record of a kind.
func linking(kind string) func(w *world) string {
	return func(w *world) string {
		return fmt.Sprintf(`{"%s_uid":%q}`, strings.TrimSuffix(kind, "s"), w.linkable(kind))
	}
}

// linkable is a record of the project here that can be linked.
func (w *world) linkable(kind string) string {
	w.t.Helper()
	key := "to be linked: " + kind
	if w.made[key] == nil {
		w.made[key] = &target{uid: makers[kind](w, w.here, hereMark, w.overseer)}
		w.wrote()
	}
	return w.made[key].uid
}

var wildcard = regexp.MustCompile(`\{[a-z_]+\}`)

// path is the path of a route for a target.
func (w *world) path(r *row, project, uid string) string {
	w.t.Helper()
	return wildcard.ReplaceAllStringFunc(r.pattern, func(name string) string {
		switch value := wildcards[name]; {
		case name == "{project}":
			return project
		case name == "{uid}":
			return uid
		case name == "{token}":
			return w.token(r)
		case name == "{object}":
			return w.object()
		case name == "{request}":
			return w.request(project, uid)
		case name == "{other}": // a sheet beside the one that is tried
			if project == nowhere {
				project = w.here
			}
			return w.sheetOf(project)
		case name == "{target}":
			before, _, _ := strings.Cut(r.pattern, "/{target}")
			return w.linkable(before[strings.LastIndex(before, "/")+1:])
		case value != nil:
			return value(w)
		default:
			w.t.Fatalf("%s: say in wildcards what stands for %s.", r.name(), name)
			return ""
		}
	})
}

// personal are the kinds whose records only their author sees, and whether they can be published.
var personal = map[string]bool{"annotations": true, "sheets/packets": false, "issues/reports": false, "field_reports/export": false}

// target gives what a caller is to be tried on. A record is made when it is first needed, and again after it was changed.
func (w *world) target(r *row, who *caller, name string) *target {
	w.t.Helper()
	key := w.key(r, who, name)
	if t := w.made[key]; t != nil {
		return t
	}
	if !r.record() {
		return w.projectTarget(r, who, name)
	}
	w.wrote()
	maker := makers[r.kind()]
	if maker == nil {
		w.t.Fatalf("%s: say in makers how to make one of the %s.", r.name(), r.kind())
	}
	t := &target{key: key, project: w.here, home: w.here}
	mine := func() {
		if r.kind() == "users" {
			t.uid = who.UID
			return
		}
		// Also what the present role could not make.
		w.place(w.here, who.Person, admin)
		t.uid = maker(w, w.here, hereMark, who.Person)
		if _, is := personal[r.kind()]; is {
			t.by = who.Person
		}
		if t.by != nil && name == deleted {
			t.by.Want(http.StatusNoContent, "DELETE", "/projects/"+w.here+"/"+r.kind()+"/"+t.uid, nil)
		}
		w.place(w.here, who.Person, who.role)
	}
	switch name {
	case own:
		mine()
	case others:
		t.uid = maker(w, w.here, hereMark, w.overseer)
	case published:
		t.uid = maker(w, w.here, hereMark, w.overseer)
		w.overseer.Want(200, "PATCH", "/projects/"+w.here+"/"+r.kind()+"/"+t.uid, map[string]any{"visibility": "master"})
	case foreign:
		t.project, t.home = w.away, w.away
		t.uid = maker(w, w.away, awayMark, w.foreigner)
	case child:
		t.home = w.away
		t.uid = maker(w, w.away, awayMark, w.foreigner)
	case smuggler:
		t.project = w.away
		t.uid = maker(w, w.here, hereMark, w.overseer)
	case deleted:
		if mine(); r.kind() == "users" {
			t.uid = maker(w, w.here, hereMark, w.overseer)
		}
		if t.by == nil {
			w.overseer.Want(http.StatusNoContent, "DELETE", "/projects/"+w.here+"/"+r.kind()+"/"+t.uid, nil)
		}
	case unknown:
		t.uid, t.home = nowhere, ""
	case lost:
		t.project, t.home, t.uid = nowhere, "", w.here
	}
	w.made[key] = t
	return t
}

// key is what a target is remembered by.
func (w *world) key(r *row, who *caller, name string) string {
	kind := "projects"
	if r.record() {
		kind = r.kind()
	}
	return fmt.Sprintf("%s of %s: %s", kind, who.UID, name)
}

// projectTarget is the target of a route that names no record: a project, or nothing.
func (w *world) projectTarget(r *row, who *caller, name string) *target {
	t := &target{key: w.key(r, who, name)}
	if !r.project() {
		return t
	}
	switch name {
	case own:
		t.project = who.home
	case others:
		t.project = w.here
	case foreign:
		t.project = w.away
	case unknown, lost:
		t.project = nowhere
	default:
		w.t.Fatalf("%s has no record and cannot be tried on %s.", r.name(), name)
	}
	if t.project != nowhere {
		t.home = t.project
	}
	return t
}

// state is what a refused request must leave as it was: the record, and the clocks of the projects concerned, which every write moves.
type state struct{ record, clocks string }

// state looks at a target. What was seen is believed until something writes again: nobody else does.
func (w *world) state(r *row, t *target) state {
	w.t.Helper()
	if s, seen := w.seen[t.key]; seen {
		return s
	}
	var s state
	if t.project != "" && t.project != nowhere {
		s.clocks = w.look(t.project, "/issues?limit=0")
	}
	if t.home != "" && t.home != t.project {
		s.clocks += w.look(t.home, "/issues?limit=0")
	}
	switch {
	case t.home == "":
	case t.by != nil: // who may have been removed since: then the clocks tell
		s.record = string(t.by.Do("GET", "/projects/"+t.home+"/"+r.kind()+"/"+t.uid, nil).Body)
	case r.record():
		s.record = w.look(t.home, "/"+r.kind()+"/"+t.uid)
	default:
		s.record = w.look(t.home, "")
	}
	w.seen[t.key] = s
	return s
}

// tag is the entity tag of a record, or of what a route lists, as an Admin of its project gets it; "" where it has none.
func (w *world) tag(r *row, t *target) string {
	w.t.Helper()
	if t.home == "" {
		return ""
	}
	if t.by != nil { // who may have been removed since
		return t.by.Do("GET", w.path(r, t.home, t.uid), nil).Header.Get("ETag")
	}
	return w.viewer(t.home).Want(200, "GET", w.path(r, t.home, t.uid), nil).Header.Get("ETag")
}

// wrote forgets what was seen.
func (w *world) wrote() { clear(w.seen) }

// mend makes up for what a request did: a record that changed is not used again, and a caller has the role of their column again.
func (w *world) mend(r *row, who *caller, t *target) {
	w.t.Helper()
	delete(w.made, t.key)
	if r.record() && r.kind() == "users" && t.uid == who.UID {
		w.place(w.here, who.Person, who.role)
	}
}

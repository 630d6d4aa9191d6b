package apitest_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"groundwork/internal/apitest"
	"groundwork/internal/app"
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

// makers make a record of a kind in a project, as somebody who may, and give its uid. Whoever adds a kind adds its
// maker.
var makers = map[string]func(w *world, project, mark string, by *apitest.Person) string{
	"issues": func(_ *world, project, mark string, by *apitest.Person) string {
		return by.Want(201, "POST", "/projects/"+project+"/issues", map[string]any{
			"title": mark + " crack", "description": mark, "room": mark,
		}).Text("uid")
	},
	"issue_lists": func(_ *world, project, mark string, by *apitest.Person) string {
		return by.Want(201, "POST", "/projects/"+project+"/issue_lists",
			map[string]any{"name": mark + " list"}).Text("uid")
	},
	"attachments": func(_ *world, project, mark string, by *apitest.Person) string {
		return by.Upload(project, "attachments", map[string]any{
			"content_type": "application/pdf", "name": mark + ".pdf", "folder": mark,
		}, mark).Text("uid")
	},
	"photos": func(_ *world, project, mark string, by *apitest.Person) string {
		return by.Upload(project, "photos", map[string]any{"content_type": "image/png", "title": mark},
			mark).Text("uid")
	},
	"snapshots": func(_ *world, project, mark string, by *apitest.Person) string {
		return by.Upload(project, "snapshots", map[string]any{"content_type": "image/png", "title": mark},
			mark).Text("uid")
	},
	"comments": func(_ *world, project, mark string, by *apitest.Person) string {
		return by.Want(201, "POST", "/projects/"+project+"/comments",
			map[string]any{"text": mark + " comment"}).Text("uid")
	},
	"users": func(w *world, project, mark string, by *apitest.Person) string {
		return by.Want(201, "POST", "/projects/"+project+"/users/invites", map[string]any{
			"email": fmt.Sprintf("%s-%d@example.com", mark, w.next()), "first_name": mark, "last_name": mark,
		}).Text("uid")
	},
	"rfis": func(_ *world, project, mark string, by *apitest.Person) string {
		return by.Want(201, "POST", "/projects/"+project+"/rfis", map[string]any{
			"title": mark + " door", "question": mark,
		}).Text("uid")
	},
	"field_reports": func(_ *world, project, mark string, by *apitest.Person) string {
		return by.Want(201, "POST", "/projects/"+project+"/field_reports", map[string]any{
			"report_date": "2026-03-01", "title": mark, "pdf_form_values": []any{
				map[string]any{"name": mark, "value": mark},
			},
		}).Text("uid")
	},
	"sheets": func(w *world, project, mark string, by *apitest.Person) string {
		return by.Filed(project, fmt.Sprintf("%s-%d", mark, w.next()))
	},
	"version_sets": func(w *world, project, mark string, by *apitest.Person) string {
		set, _ := by.Sheets(project, fmt.Sprintf("%s-%d", mark, w.next()))
		return set
	},
	"sheets/uploads": func(_ *world, project, mark string, by *apitest.Person) string {
		return by.BeginSet(project, mark, true, apitest.SetFile{Name: mark + ".pdf", Content: []byte(mark)})
	},
	"annotations": func(w *world, project, mark string, by *apitest.Person) string {
		return by.Want(201, "POST", "/projects/"+project+"/annotations", map[string]any{
			"sheet_uid": w.sheetOf(project), "text": mark,
		}).Text("uid")
	},
	"views": func(_ *world, project, mark string, by *apitest.Person) string {
		return by.Want(201, "POST", "/projects/"+project+"/views", map[string]any{
			"name": mark + " view", "of": "issues", "query": "q=" + mark,
		}).Text("uid")
	},
	"issues/reports": func(_ *world, project, _ string, by *apitest.Person) string {
		return by.Want(201, "POST", "/projects/"+project+"/issues/reports", map[string]any{"format": "csv"}).Text("uid")
	},
	"field_reports/export": func(w *world, project, _ string, by *apitest.Person) string {
		day := by.Want(201, "POST", "/projects/"+project+"/field_reports",
			map[string]any{"report_date": "2026-01-05"}).Text("uid")
		return by.Want(201, "POST", "/projects/"+project+"/field_reports/export", map[string]any{
			"field_report_uids": []string{day},
		}).Text("uid")
	},
	"archives": func(_ *world, project, _ string, by *apitest.Person) string {
		return by.Want(201, "POST", "/projects/"+project+"/archives", nil).Text("uid")
	},
	"sheets/packets": func(w *world, project, _ string, by *apitest.Person) string {
		return by.Want(201, "POST", "/projects/"+project+"/sheets/packets", map[string]any{
			"sheet_uids": []string{w.sheetOf(project)},
		}).Text("uid")
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

// title is how a sentence names a record of a kind.
func title(kind string) string {
	switch kind {
	case "rfis/statuses":
		return "RFI status"
	case "sheets/uploads":
		return "Version upload"
	case "sheets/packets":
		return "Sheet packet"
	case "issues/reports":
		return "Issue report"
	case "field_reports/export":
		return "Field report export"
	case "archives":
		return "Project archive"
	}
	return app.Catalog().Name(kind)
}

// TestRightsCanBePlayed names all that TestRights needs and does not find, at once.
func TestRightsCanBePlayed(t *testing.T) {
	for _, r := range readRights(t) {
		if takesBody(r.method) && bodies[r.name()] == nil {
			t.Errorf("%s: write a valid body into bodies, in internal/apitest/matrix_target_test.go.", r.name())
		}
		if r.record() && makers[r.kind()] == nil {
			t.Errorf("%s: say in makers, in internal/apitest/matrix_target_test.go, how to make one of the %s.", r.name(),
				r.kind())
		}
	}
}

func takesBody(method string) bool {
	return method == http.MethodPost || method == http.MethodPatch || method == http.MethodPut
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
	"POST /projects/{project}/issue_lists": func(w *world) string {
		return fmt.Sprintf(`{"name":"New %d"}`, w.next())
	},
	"PATCH /projects/{project}/issue_lists/{uid}": func(w *world) string {
		return fmt.Sprintf(`{"name":"Changed %d"}`, w.next())
	},
	"PUT /projects/{project}/presence": func(w *world) string {
		return fmt.Sprintf(`{"kind":"sheets","record_uid":%q,"state":"viewing"}`, w.sheet())
	},
	"PUT /projects/{project}/issue_lists/{uid}": func(w *world) string {
		return fmt.Sprintf(`{"name":"Replaced %d"}`, w.next())
	},
	"PATCH /me": func(w *world) string {
		return fmt.Sprintf(`{"company":"New %d"}`, w.next())
	},
	"POST /projects/{project}/comments": func(w *world) string {
		return fmt.Sprintf(`{"text":"New %d"}`, w.next())
	},
	"PATCH /projects/{project}/comments/{uid}": func(w *world) string {
		return fmt.Sprintf(`{"text":"Changed %d"}`, w.next())
	},
	"POST /projects/{project}/issues/{uid}/comments": func(w *world) string {
		return fmt.Sprintf(`{"text":"New %d"}`, w.next())
	},
	"POST /projects/{project}/sheets/{uid}/comments": func(w *world) string {
		return fmt.Sprintf(`{"text":"New %d"}`, w.next())
	},
	"PATCH /projects/{project}/sheets/{uid}": func(w *world) string {
		return fmt.Sprintf(`{"description":"Changed %d"}`, w.next())
	},
	"PATCH /projects/{project}/version_sets/{uid}": func(w *world) string {
		return fmt.Sprintf(`{"version_name":"Changed %d"}`, w.next())
	},
	"POST /projects/{project}/version_sets/{uid}/publish": noBody,
	"POST /projects/{project}/version_sets/{uid}/restore": noBody,
	"POST /projects/{project}/sheets/uploads": func(*world) string {
		return `{"num_files":1,"version_name":"New"}`
	},
	"POST /projects/{project}/sheets/uploads/{uid}/files/{request}": func(*world) string {
		return `{"file_name":"New.pdf"}`
	},
	"POST /projects/{project}/sheets/uploads/{uid}/completions":         noBody,
	"POST /projects/{project}/sheets/uploads/files/completions/{token}": noBody,
	"POST /projects/{project}/sheets/{uid}/restore":                     noBody,
	"POST /projects/{project}/annotations/{uid}/restore":                noBody,
	"POST /projects/{project}/annotations": func(w *world) string {
		return fmt.Sprintf(`{"sheet_uid":%q}`, w.sheet())
	},
	"POST /projects/{project}/archives":       func(*world) string { return "" },
	"POST /projects/{project}/issues/reports": func(*world) string { return `{"format":"csv"}` },
	"POST /projects/{project}/field_reports/export": func(w *world) string {
		return fmt.Sprintf(`{"field_report_uids":[%q]}`, w.fieldReport())
	},
	"POST /projects/{project}/sheets/packets": func(w *world) string {
		return fmt.Sprintf(`{"sheet_uids":[%q]}`, w.sheet())
	},
	"PATCH /projects/{project}/annotations/{uid}": func(w *world) string {
		return fmt.Sprintf(`{"text":"Changed %d"}`, w.next())
	},
	"POST /projects/{project}/rfis/{uid}/comments": func(w *world) string {
		return fmt.Sprintf(`{"text":"New %d"}`, w.next())
	},
	"POST /projects/{project}/comments/{uid}/restore":    noBody,
	"POST /projects/{project}/issues/{uid}/restore":      noBody,
	"POST /projects/{project}/issue_lists/{uid}/restore": noBody,
	"POST /projects/{project}/rfis": func(w *world) string {
		return fmt.Sprintf(`{"title":"New %d"}`, w.next())
	},
	"PATCH /projects/{project}/rfis/{uid}": func(w *world) string {
		return fmt.Sprintf(`{"answer":"Changed %d"}`, w.next())
	},
	"POST /projects/{project}/rfis/{uid}/restore": noBody,
	"PATCH /projects/{project}/rfis/statuses/{uid}": func(w *world) string {
		return fmt.Sprintf(`{"label":"Changed %d"}`, w.next())
	},
	"POST /projects/{project}/attachments/uploads": func(w *world) string {
		return fmt.Sprintf(`{"content_type":"text/plain","name":"New %d"}`, w.next())
	},
	"PATCH /projects/{project}/attachments/{uid}": func(w *world) string {
		return fmt.Sprintf(`{"name":"Changed %d"}`, w.next())
	},
	"POST /projects/{project}/attachments/{uid}/restore": noBody,
	"POST /projects/{project}/photos/uploads": func(*world) string {
		return `{"content_type":"image/jpeg"}`
	},
	"PATCH /projects/{project}/photos/{uid}": func(w *world) string {
		return fmt.Sprintf(`{"title":"Changed %d"}`, w.next())
	},
	"POST /projects/{project}/photos/{uid}/restore": noBody,
	"POST /projects/{project}/snapshots/uploads": func(*world) string {
		return `{"content_type":"image/jpeg"}`
	},
	"POST /projects/{project}/snapshots/{uid}/restore":                 noBody,
	"POST /projects/{project}/attachments/uploads/completions/{token}": noBody,
	"POST /projects/{project}/photos/uploads/completions/{token}":      noBody,
	"POST /projects/{project}/snapshots/uploads/completions/{token}":   noBody,
	"POST /storage/{project}": func(w *world) string {
		return apitest.Form(w.uploading("attachments"), "content")
	},

	"POST /projects/{project}/field_reports": func(w *world) string {
		return fmt.Sprintf(`{"report_date":"2026-03-02","title":"New %d"}`, w.next())
	},
	"PATCH /projects/{project}/field_reports/{uid}": func(w *world) string {
		return fmt.Sprintf(`{"title":"Changed %d"}`, w.next())
	},
	"POST /projects/{project}/field_reports/{uid}/restore": noBody,

	"POST /projects/{project}/views": func(w *world) string {
		return fmt.Sprintf(`{"name":"New %d","of":"issues"}`, w.next())
	},
	"PATCH /projects/{project}/views/{uid}": func(w *world) string {
		return fmt.Sprintf(`{"name":"Changed %d"}`, w.next())
	},
	"POST /projects/{project}/views/{uid}/restore": noBody,

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
	"POST /sign-in": func(*world) string {
		return "email=olga@example.com&password=seventeen+purple+anvils"
	},
	"POST /sign-out":                func(*world) string { return "next=" },
	"POST /forgot-password":         func(*world) string { return "email=nobody@example.com" },
	"POST /invitation/{invitation}": func(*world) string { return "name=Ivy+Stone&password=nineteen+yellow+hammers" },
	"POST /reset-password/{reset}":  func(*world) string { return "password=nineteen+yellow+hammers" },
	"POST /start": func(*world) string {
		return "code=K7QX-4MPD-9TRB-2HWN&name=Eve&email=eve%40example.com&password=nineteen+yellow+hammers"
	},
	"POST /start/project":   func(*world) string { return "name=Eve" },
	"POST /demo/{guest}":    func(*world) string { return "enter=1" },
	"POST /oauth/authorize": func(w *world) string { return w.asked() + "&decision=allow" },
	"POST /oauth/token": func(w *world) string {
		return w.proof() + "&grant_type=authorization_code&code=" + w.code()
	},
	"POST /oauth/revoke":     func(w *world) string { return w.proof() + "&token=" + w.code() },
	"POST /oauth/introspect": func(w *world) string { return w.proof() + "&token=" + w.code() },
	// Nobody in the table is signed in: what these would do is never looked at.
	"POST /account":                func(*world) string { return "first_name=Eve" },
	"POST /account/security":       func(*world) string { return "action=others" },
	"POST /account/keys":           func(*world) string { return "action=create&name=Eve" },
	"POST /account/authorizations": func(*world) string { return "uid=" + nowhere },
	"POST /account/applications": func(*world) string {
		return "name=Eve&redirect_uris=https://eve.example.com/"
	},
	"POST /account/applications/{application}": func(*world) string { return "action=delete" },
	"POST /operator":              func(w *world) string { return "action=disable&uid=" + w.overseer.UID },
	"POST /operator/keys":         func(w *world) string { return "uid=" + w.overseer.Key },
	"POST /operator/applications": func(*world) string { return "uid=" + nowhere },
	"POST /operator/versions":     func(*world) string { return "action=deprecate&major=1" },
	"POST /operator/backups":      noBody,
	"POST /operator/forgetting":   func(w *world) string { return "action=keep&project=" + nowhere },
	"POST /me/keys": func(w *world) string {
		return fmt.Sprintf(`{"name":"New %d","password":%q}`, w.next(), apitest.Password)
	},
	"POST /me/applications": func(*world) string {
		return fmt.Sprintf(`{"name":"New","redirect_uris":["https://new.example.com/back"],"password":%q}`,
			apitest.Password)
	},
	"PATCH /me/applications/{application}": func(*world) string { return `{"name":"Changed"}` },
	"POST /me/applications/{application}/secret": func(*world) string {
		return fmt.Sprintf(`{"password":%q}`, apitest.Password)
	},
	// The worst that can be asked for.
	"PATCH /projects/{project}/users/{uid}": func(*world) string {
		return fmt.Sprintf(`{"role_uid":%q}`, roleUIDs[admin])
	},
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
		return w.viewer(project).Want(201, "POST", "/projects/"+project+"/field_reports", map[string]any{
			"report_date": "2026-03-01", "title": mark,
		}).Text("uid")
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

package apitest_test

import (
	"fmt"
	"net/http"
	"strings"
)

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
		case name == "{hash}":
			return w.hash(project, r.kind(), uid)
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

// hash is what the file of a record is asked for by; of one that is not there, any.
func (w *world) hash(project, kind, uid string) string {
	w.t.Helper()
	by := w.overseer
	if project == w.away {
		by = w.foreigner
	}
	r := by.Do("GET", "/projects/"+project+"/"+kind+"/"+uid, nil)
	if r.Status != http.StatusOK {
		return strings.Repeat("0", 64)
	}
	if kind != "sheets" {
		return r.Text("sha256")
	}
	_, object, _ := strings.Cut(r.Text("file_url"), "/files/")
	object, _, _ = strings.Cut(object, "?")
	return object
}

// personal are the kinds whose records only their author sees, and whether they can be published.
var personal = map[string]bool{
	"annotations": true, "views": true, "sheets/packets": false, "issues/reports": false, "field_reports/export": false,
	"archives": false,
}

// target gives what a caller is to be tried on. A record is made when it is first needed, and again after it was
// changed.
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
		w.t.Fatalf("%s has no maker; TestRightsCanBePlayed tells what is missing.", r.name())
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
		w.overseer.Want(200, "PATCH", "/projects/"+w.here+"/"+r.kind()+"/"+t.uid,
			map[string]any{"visibility": "master"})
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

// state is what a refused request must leave as it was: the record, and the clocks of the projects concerned, which
// every write moves.
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

// tag is the entity tag of a record, or of what a route lists, as an Admin of its project gets it; "" where it has
// none.
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

// mend makes up for what a request did: a record that changed is not used again, and a caller has the role of their
// column again.
func (w *world) mend(r *row, who *caller, t *target) {
	w.t.Helper()
	delete(w.made, t.key)
	if r.record() && r.kind() == "users" && t.uid == who.UID {
		w.place(w.here, who.Person, who.role)
	}
}

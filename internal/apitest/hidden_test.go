package apitest_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"groundwork/internal/api"
	"groundwork/internal/apitest"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/family"
	"groundwork/internal/project"
	"groundwork/internal/resource"
)

// note is a record that its author sees, and everybody else only when it is for all.
type note struct {
	document.Record
	Text  string          `json:"text" write:"required"`
	For   string          `json:"for" write:"one=all|me" filter:"for"`
	Owner document.People `json:"owner" filter:"owner"`
}

// hidden is a service with a kind whose records not everybody sees, and two Admins.
type hidden struct {
	t        testing.TB
	edge     *api.Edge
	path     string
	ada, bob *apitest.Person
}

func newHidden(t testing.TB, engine string) *hidden {
	t.Helper()
	kind := &resource.Kind[note]{
		Number: 12, Plural: "annotations", Name: "Annotation",
		Defaults: note{For: "me"},
		Check: func(_ *resource.Tx, _, now *note) error {
			now.Owner = document.People{now.CreatedBy}
			return nil
		},
		VisibleTo: func(s auth.Scope) [][]string {
			return [][]string{{"for=all", "owner=" + strconv.FormatUint(uint64(s.Person()), 10)}}
		},
	}
	everyone := auth.Right{Admin: auth.Any, Power: auth.Any, Collaborator: auth.Any}
	s := apitest.Start(t, engine)
	all, err := resource.NewCatalog(append(project.Family().Kinds, kind)...)
	if err != nil {
		t.Fatal(err)
	}
	routes := append(project.Family().Routes(&family.Site{Kinds: all}), all.Changes()...)
	routes = append(routes, resource.Create(kind, everyone),
		resource.List(kind, everyone),
		resource.Get(kind, everyone), resource.Update(kind, everyone), resource.Delete(kind, everyone))
	edge, err := api.New(api.Config{Store: s.App.Store, Auth: s.App.Auth, Jobs: s.App.Jobs, Base: apitest.Base}, routes)
	if err != nil {
		t.Fatal(err)
	}
	h := &hidden{t: t, edge: edge, ada: s.Account("ada"), bob: s.Account("bob")}
	uid := h.ada.Project("Tower")
	h.ada.Invite(uid, h.bob, "Admin")
	h.path = "/projects/" + uid
	return h
}

func (h *hidden) do(who *apitest.Person, method, path, body string, headers ...string) apitest.Response {
	r := httptest.NewRequest(method, h.path+path, strings.NewReader(body))
	r.SetBasicAuth(who.Key, "")
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.edge.ServeHTTP(w, r)
	return apitest.Response{Status: w.Code, Header: w.Header(), Body: w.Body.Bytes()}
}

// uids are those that somebody finds in the list, and in the change log.
func (h *hidden) uids(who *apitest.Person) (listed, changed []string) {
	h.t.Helper()
	var list struct {
		Data []struct{ UID string }
		N    int `json:"total_count"`
	}
	if err := json.Unmarshal(h.do(who, "GET", "/annotations", "").Body, &list); err != nil || list.N != len(list.Data) {
		h.t.Fatal(list, err)
	}
	for _, one := range list.Data {
		listed = append(listed, one.UID)
	}
	for _, c := range feedOf(h.t, h.do(who, "GET", "/changes", ""), nil).Data {
		if c.Kind == "annotations" {
			changed = append(changed, c.UID)
		}
	}
	return listed, changed
}

// try says where somebody meets what they must not see, or misses what they may.
func (h *hidden) try() (problems []string) {
	h.t.Helper()
	say := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	hers := h.do(h.ada, "POST", "/annotations", `{"text":"mine"}`).Text("uid")
	shared := h.do(h.ada, "POST", "/annotations", `{"text":"ours","for":"all"}`).Text("uid")
	h.do(h.ada, "PATCH", "/annotations/"+hers, `{"text":"still mine"}`)
	if listed, changed := h.uids(h.ada); !slices.Equal(listed, []string{hers, shared}) ||
		!slices.Equal(changed, []string{hers, shared, hers}) {
		say("its author sees %v and the changes %v", listed, changed)
	}
	if listed, changed := h.uids(h.bob); !slices.Equal(listed, []string{shared}) ||
		!slices.Equal(changed, []string{shared}) {
		say("an Admin sees %v and the changes %v of what is not theirs", listed, changed)
	}
	tag := h.do(h.ada, "GET", "/annotations/"+hers, "").Header.Get("ETag")
	for _, try := range []struct{ method, body string }{{"GET", ""}, {"PATCH", `{"text":"x"}`}, {"DELETE", ""}} {
		if r := h.do(h.bob, try.method, "/annotations/"+hers, try.body, "If-None-Match", tag); r.Status != 404 {
			say("%s of somebody else's: %d", try.method, r.Status)
		}
		if r := h.do(h.bob, try.method, "/annotations/"+shared, try.body); r.Status >= 400 {
			say("%s of a shared one: %d", try.method, r.Status)
		}
	}
	list := h.do(h.ada, "GET", "/annotations", "").Header.Get("ETag")
	if r := h.do(h.bob, "GET", "/annotations", "", "If-None-Match", list); r.Status != 200 {
		say("somebody else's tag of the list is answered with %d", r.Status)
	}
	return problems
}

// TestHidden: what somebody does not see is for them in no list and no feed, and unknown by uid.
func TestHidden(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		for _, problem := range newHidden(t, engine).try() {
			t.Error(problem)
		}
	})
}

package apitest

import (
	"bytes"
	"fmt"
	"net/http"

	"groundwork/internal/blob"
	"groundwork/internal/resource"
	"groundwork/internal/sheet/register"
	"groundwork/internal/store"
)

// Object puts bytes into the store of files and gives their name there.
func (s *Server) Object(content []byte) string {
	s.t.Helper()
	name := blob.NewName()
	if _, err := s.App.Blob.Put(s.t.Context(), name, bytes.NewReader(content)); err != nil {
		s.t.Fatal(err)
	}
	return name
}

// Publish puts a version set with these pages into a project.
func (p *Person) Publish(project string, pages []register.Page) (set string, sheets []string) {
	p.server.t.Helper()
	a := p.server.App
	who, err := a.Auth.Key(p.server.t.Context(), p.Key)
	if err != nil {
		p.server.t.Fatal(err)
	}
	scope, err := a.Auth.Enter(p.server.t.Context(), who.Account, project)
	if err != nil {
		p.server.t.Fatal(err)
	}
	err = a.Store.Edit(p.server.t.Context(), scope.Project(), scope.Person(), func(tx *store.Tx) error {
		in := &resource.Tx{Tx: tx, Scope: scope, Auth: a.Auth, Jobs: a.Jobs}
		row, err := register.Begin(in, "Issued for construction")
		if err != nil {
			return err
		}
		set = row.UID
		return register.Publish(in, set, pages, 0)
	})
	if err != nil {
		p.server.t.Fatal(err)
	}
	for len(sheets) < len(pages) {
		list := p.Want(http.StatusOK, "GET",
			fmt.Sprintf("/projects/%s/sheets?version_set=%s&skip=%d", project, set, len(sheets)), nil)
		for i := range min(50, len(pages)-len(sheets)) {
			sheets = append(sheets, list.Text(fmt.Sprintf("data.%d.uid", i)))
		}
	}
	return set, sheets
}

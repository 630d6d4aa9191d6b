package apitest

import (
	"fmt"
	"net/http"

	"groundwork/internal/resource"
	"groundwork/internal/sheet"
	"groundwork/internal/store"
)

var further = map[string]func(*player, []string){"sheets": (*player).publish}

// publish puts a version set with sheets of these numbers into a project, as the one who made it, without reading any drawing. The variables of the set
// and its sheets are SET and the numbers.
func (p *player) publish(words []string) {
	p.t.Helper()
	if len(words) < 3 || words[len(words)-2] != "of" {
		p.t.Fatalf("set-up: sheets NUMBER… of PROJECT, not %q", words)
	}
	numbers, project := words[:len(words)-2], words[len(words)-1]
	set, sheets := p.owner(project).Sheets(p.variables[project], numbers...)
	p.remember("SET", set)
	for i, number := range numbers {
		p.remember(number, sheets[i])
	}
}

// Sheets puts a version set with sheets of these numbers into a project, without reading any drawing.
func (p *Person) Sheets(project string, numbers ...string) (set string, sheets []string) {
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
	pages := make([]sheet.Page, len(numbers))
	for i, number := range numbers {
		pages[i] = sheet.Page{FileName: "set.pdf", Name: number, Width: 2592, Height: 1728}
	}
	err = a.Store.Edit(p.server.t.Context(), scope.Project(), scope.Person(), func(tx *store.Tx) error {
		in := &resource.Tx{Tx: tx, Scope: scope, Auth: a.Auth, Jobs: a.Jobs}
		row, err := sheet.Begin(in, "Issued for construction")
		if err != nil {
			return err
		}
		set = row.UID
		return sheet.Publish(in, set, pages)
	})
	if err != nil {
		p.server.t.Fatal(err)
	}
	list := p.Want(http.StatusOK, "GET", "/projects/"+project+"/sheets?version_set="+set, nil)
	for i := range numbers {
		sheets = append(sheets, list.Text(fmt.Sprintf("data.%d.uid", i)))
	}
	return set, sheets
}

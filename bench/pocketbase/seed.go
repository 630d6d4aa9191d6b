package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/security"
	"github.com/pocketbase/pocketbase/tools/types"
)

const (
	people  = 20
	samples = 10000
	anybody = `@request.auth.id != ""`
)

// columns are the fields that lists are filtered or sorted by.
var columns = []string{"number", "status", "type", "assigned_to", "issue_list", "created_by", "created", "updated"}

func indexed() string { return strings.Join(columns, ", ") }

// seed makes the collections, the people and the issues.
func seed(app core.App, issues, size int) (*world, error) {
	users, err := app.FindCollectionByNameOrId("users")
	if err != nil {
		return nil, err
	}
	lists, err := makeLists(app)
	if err != nil {
		return nil, err
	}
	w := &world{}
	list := core.NewRecord(lists)
	list.Set("name", "Punch list")
	if err := app.Save(list); err != nil {
		return nil, err
	}
	w.List = list.Id
	for i := range people {
		person := core.NewRecord(users)
		person.SetEmail(fmt.Sprintf("person%02d@example.com", i))
		person.SetPassword(security.RandomString(20))
		if err := app.Save(person); err != nil {
			return nil, err
		}
		w.People = append(w.People, person.Id)
		if w.Token == "" {
			if w.Token, err = token(person); err != nil {
				return nil, err
			}
		}
	}
	if err := makeIssues(app, users.Id, lists.Id); err != nil {
		return nil, err
	}
	if err := fill(app, w, 1); err != nil {
		return nil, err
	}
	one, err := app.FindRecordById("issues", w.IDs[0])
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(one)
	if err != nil {
		return nil, err
	}
	w.Pad = max(0, size-len(text))
	if err := app.Delete(one); err != nil {
		return nil, err
	}
	w.IDs = nil
	return w, fill(app, w, issues)
}

func makeLists(app core.App) (*core.Collection, error) {
	c := core.NewBaseCollection("issue_lists")
	c.ListRule, c.ViewRule = types.Pointer(anybody), types.Pointer(anybody)
	c.Fields.Add(&core.TextField{Name: "name", Required: true, Max: 255})
	return c, app.Save(c)
}

func makeIssues(app core.App, users, lists string) error {
	c := core.NewBaseCollection("issues")
	c.ListRule, c.ViewRule = types.Pointer(anybody), types.Pointer(anybody)
	c.CreateRule, c.UpdateRule = types.Pointer(anybody), types.Pointer(anybody)
	c.Fields.Add(
		&core.NumberField{Name: "number", OnlyInt: true},
		&core.TextField{Name: "title", Max: 255},
		&core.TextField{Name: "description", Max: 65535},
		&core.TextField{Name: "room", Max: 255},
		&core.SelectField{Name: "status", Values: []string{"open", "in_review", "pending", "closed"}},
		&core.SelectField{Name: "type", Values: []string{"issue", "planned_work", "other"}},
		&core.RelationField{Name: "assigned_to", CollectionId: users},
		&core.RelationField{Name: "issue_list", CollectionId: lists},
		&core.DateField{Name: "start_date"},
		&core.DateField{Name: "due_at"},
		&core.DateField{Name: "closed_at"},
		&core.BoolField{Name: "has_cost_impact"},
		&core.NumberField{Name: "cost_impact"},
		&core.TextField{Name: "currency_code"},
		&core.BoolField{Name: "has_schedule_impact"},
		&core.NumberField{Name: "schedule_impact", OnlyInt: true},
		&core.RelationField{Name: "created_by", CollectionId: users},
		&core.AutodateField{Name: "created", OnCreate: true},
		&core.AutodateField{Name: "updated", OnCreate: true, OnUpdate: true},
	)
	for _, name := range columns {
		c.AddIndex("idx_issues_"+name, false, name, "")
	}
	return app.Save(c)
}

// fill writes the issues with plain SQL: how fast they get in here is not what is measured.
func fill(app core.App, w *world, issues int) error {
	statuses := []string{"open", "in_review", "pending", "closed"}
	description := strings.Repeat("The sealant has come off. ", w.Pad/26+1)[:w.Pad]
	return app.RunInTransaction(func(tx core.App) error {
		insert := tx.DB().NewQuery(
			`INSERT INTO issues (id, number, title, description, room, status, type, assigned_to, issue_list,
start_date, due_at,
			closed_at, has_cost_impact, cost_impact, currency_code, has_schedule_impact, schedule_impact, created_by,
created, updated) VALUES
			({:id}, {:number}, {:title}, {:description}, {:room}, {:status}, 'issue', {:person}, {:list},
'2026-03-01 00:00:00.000Z', '2026-03-31 16:00:00.000Z',
			'', TRUE, 420.5, 'USD', TRUE, 86400, {:person}, {:now}, {:now})`).Prepare()
		defer insert.Close()
		for i := range issues {
			id := security.RandomStringWithAlphabet(15, core.DefaultIdAlphabet)
			if i%max(1, issues/samples) == 0 {
				w.IDs = append(w.IDs, id)
			}
			_, err := insert.Bind(dbx.Params{
				"id": id, "number": i + 1, "title": fmt.Sprintf("Sealant gap %06d", i+1), "description": description,
				"room":   fmt.Sprint(100 + i%900),
				"status": statuses[i%4], "person": w.People[i%people], "list": w.List,
				"now": types.NowDateTime().String(),
			}).Execute()
			if err != nil {
				return err
			}
		}
		return nil
	})
}

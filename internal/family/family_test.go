package family_test

import (
	"testing"

	"groundwork/internal/document"
	"groundwork/internal/family"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// ticket is a record of the family that others read.
type ticket struct {
	document.Record
	Title    *string                 `json:"title"`
	Assigned document.PeopleOrNull   `json:"assigned_to"`
	List     document.Ref            `json:"list"`
	Place    *struct{ X, Y float64 } `json:"place"`
	Parts    []part                  `json:"parts"`
}

type part struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

type remark struct {
	document.Record
	Text string `json:"text"`
}

// task has nothing by which a mail could call it.
type task struct {
	document.Record
	Assigned document.People `json:"assigned_to"`
}

// kinds are new for each catalogue: a kind is compiled once.
func tickets() *resource.Kind[ticket] {
	return &resource.Kind[ticket]{Number: 1, Plural: "tickets", Name: "Ticket"}
}

func remarks() *resource.Kind[remark] {
	return &resource.Kind[remark]{Number: 2, Plural: "remarks", Name: "Remark"}
}

func seen[T any](of ...string) resource.AnyView {
	return &resource.View[T]{Name: "reader.seen", Of: of}
}

// TestViewsAreChecked: what a family reads of another's records is held against their plans before anything is served.
func TestViewsAreChecked(t *testing.T) {
	for name, c := range map[string]struct {
		view resource.AnyView
		want string
	}{
		"fits": {seen[struct {
			UID    string            `json:"uid"`
			Title  *string           `json:"title"`
			People []document.Person `json:"assigned_to"`
			List   document.Ref      `json:"list"`
			Parts  []struct {
				Name string `json:"name"`
			} `json:"parts"`
		}]("tickets"), ""},
		"without null": {seen[struct {
			Title string `json:"title"`
		}]("tickets"), ""},
		"a field that was renamed": {
			seen[struct {
				Name string `json:"name"`
			}]("tickets"),
			"The view reader.seen reads the field name of tickets, which they do not have.",
		},
		"a field inside another": {
			seen[struct {
				Parts []struct {
					Size int64 `json:"size"`
				} `json:"parts"`
			}]("tickets"),
			"The view reader.seen reads the field parts.size of tickets, which they do not have.",
		},
		"another type": {
			seen[struct {
				Title int64 `json:"title"`
			}]("tickets"),
			"The view reader.seen reads the field title of tickets, which is no int64 but a string.",
		},
		"another placeholder": {
			seen[struct {
				List document.File `json:"list"`
			}]("tickets"),
			"The view reader.seen reads the field list of tickets, which is no document.File but a document.Ref.",
		},
		"a text for a placeholder": {
			seen[struct {
				List string `json:"list"`
			}]("tickets"),
			"The view reader.seen reads the field list of tickets, which is no string but a document.Ref.",
		},
		"no such kind": {
			seen[struct {
				UID string `json:"uid"`
			}]("permits"),
			"The view reader.seen reads permits, which no family declares.",
		},
		"not exported": {
			seen[struct {
				Text string `json:"text"`
			}]("remarks"),
			"The family reader reads remarks, which their own family does not export.",
		},
		"of some of its kinds": {seen[struct {
			UID   string `json:"uid"`
			Title string `json:"title" of:"tickets"`
			Body  string `json:"body" of:"remarks"`
		}]("tickets"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := family.Compile([]family.Family{
				{
					Name: "site", Kinds: []resource.AnyKind{tickets(), remarks()}, Exports: []string{"tickets"},
				},
				{Name: "reader", Views: []resource.AnyView{c.view}},
			})
			said := ""
			if err != nil {
				said = err.Error()
			}
			if said != c.want {
				t.Errorf("it says\n%s\nwant\n%s", said, c.want)
			}
		})
	}
}

// TestUndeclaredViews: a view that no family declares was never checked, and is not read.
func TestUndeclaredViews(t *testing.T) {
	v := &resource.View[remark]{Name: "reader.forgotten", Of: []string{"remarks"}}
	if _, err := v.Read(store.Row{Doc: []byte(`{"uid":"u"}`)}); err == nil {
		t.Error("it is read")
	}
	_, err := family.Compile([]family.Family{{
		Name: "site", Kinds: []resource.AnyKind{remarks()}, Views: []resource.AnyView{v},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := v.Read(store.Row{Doc: []byte(`{"uid":"u","text":"x"}`)}); err != nil || r.Text != "x" {
		t.Errorf("once declared: %+v, %v", r, err)
	}
}

// TestDeclarationsFitTogether: what two families both claim, or one says of what is not its own, stops the program.
func TestDeclarationsFitTogether(t *testing.T) {
	again := &resource.Kind[remark]{Number: 1, Plural: "notes", Name: "Note"}
	twin := &resource.Kind[remark]{Number: 3, Plural: "tickets", Name: "Ticket"}
	lost := &resource.Kind[struct {
		document.Record
		To document.Ref `json:"to" write:"" ref:"permits"`
	}]{Number: 4, Plural: "letters", Name: "Letter"}
	for name, c := range map[string]struct {
		other family.Family
		want  string
	}{
		"number": {
			family.Family{Kinds: []resource.AnyKind{again}},
			"resource: notes have the number 1, which is another kind's or none",
		},
		"plural": {family.Family{Kinds: []resource.AnyKind{twin}}, "resource: two kinds are called tickets"},
		"reference": {
			family.Family{Kinds: []resource.AnyKind{lost}},
			"resource: a field of letters refers to permits, which no family declares",
		},
		"table": {family.Family{Tables: []string{"queue"}}, "The families site and other both own the table queue."},
		"export": {
			family.Family{Exports: []string{"tickets"}},
			"The family other lets others read tickets, which are not its own.",
		},
		"notice": {
			family.Family{
				Kinds: []resource.AnyKind{remarks()}, Tells: []family.Notice{{Kind: "remarks", Of: family.Assigned}},
			},
			"The family other tells who is assigned to remarks, which have no field assigned_to.",
		},
		"notice without a title": {
			family.Family{
				Kinds: []resource.AnyKind{&resource.Kind[task]{Number: 2, Plural: "tasks", Name: "Task"}},
				Tells: []family.Notice{
					{Kind: "tasks", Of: family.Assigned},
				},
			},
			"The family other tells who is assigned to tasks, which have no field title.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.other.Name = "other"
			_, err := family.Compile([]family.Family{
				{Name: "site", Kinds: []resource.AnyKind{tickets()}, Tables: []string{"queue"}}, c.other,
			})
			if err == nil || err.Error() != c.want {
				t.Errorf("it says\n%v\nwant\n%s", err, c.want)
			}
		})
	}
}

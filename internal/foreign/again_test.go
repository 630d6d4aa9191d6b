package foreign_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"groundwork/internal/apitest"
	"groundwork/internal/foreign"
)

// What somebody entered here in a field that the file did not have stays when a later file has it; what nobody entered
// comes.
func TestNewColumn(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		o := open(t, engine)
		o.bring(o.file("#,Title,Stamp,Status", "1,Door,x,Asleep", "2,Wall,x,Open", "3,Roof,x,Open"), foreign.Options{})
		uids := o.list("issues", "uid")
		at := "/projects/" + o.project + "/issues/" + uids[0]
		o.ada.Want(200, "PATCH", at, map[string]any{"room": "101", "due_at": "2026-05-01T12:00:00Z", "status": "closed"})
		path := o.file("#,Title,Stamp,Status,Room,Due Date", "1,Door,x,Open,,", "2,Wall,x,Open,,2026-05-02",
			"3,Roof,x,Open,,")
		r := o.bring(path, foreign.Options{})
		o.counts("the second file", r, 0, 2, 1, 0)
		o.want("after the second file", o.list("issues", "room", "due_at", "status"),
			"101|2026-05-01T12:00:00+00:00|closed", "<nil>|2026-05-02T23:59:00+00:00|open", "<nil>|<nil>|open")
		o.told(r, "Row 2 says something else now, and somebody has changed the same here, which stays: due_at, room.")
		for _, uid := range uids[1:] {
			o.ada.Want(200, "PATCH", "/projects/"+o.project+"/issues/"+uid, map[string]any{"room": "102"})
		}
		r = o.bring(path, foreign.Options{})
		o.counts("the second file again", r, 0, 0, 3, 0)
		if told := strings.Join(r.Notes, "\n"); strings.Contains(told, "Row 3") || strings.Contains(told, "Row 4") {
			t.Errorf("what the file says as before is told: %s", told)
		}
	})
}

// An export that has an id, or not, beside the number is of the same rows.
func TestIDAppears(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		o := open(t, engine)
		bare := []string{"Number,Title,Location,Punch Item Manager", "1,Door,101,Jo", "2,Wall,102,Jo"}
		with := []string{
			"ID,Number,Title,Location,Punch Item Manager", "7001,1,Door,101,Jo", "7002,2,Wall,102,Jo", "7003,3,Roof,103,Jo",
		}
		o.counts("without ids", o.bring(o.file(bare...), foreign.Options{}), 2, 0, 0, 0)
		o.counts("with ids", o.bring(o.file(with...), foreign.Options{}), 1, 2, 0, 0)
		o.counts("again", o.bring(o.file(with...), foreign.Options{}), 0, 0, 3, 0)
		// Another row that has the number of one that is gone is another record.
		o.counts("another id", o.bring(o.file(with[0], "7004,1,Gate,104,Jo"), foreign.Options{}), 1, 0, 0, 0)
		r := o.bring(o.file(append(bare, "3,Roof,103,Jo")...), foreign.Options{})
		o.counts("without ids again", r, 0, 3, 0, 0)
	})
}

// Rows with the same number are found again also in another order, and where one is missing.
func TestTwinsInAnyOrder(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		o := open(t, engine)
		head, door, window := "#,Title,Stamp,Room", "5,Door,x,1", "5,Window,x,2"
		o.bring(o.file(head, door, window), foreign.Options{})
		was := o.list("issues", "uid", "title")
		o.counts("in another order", o.bring(o.file(head, window, door), foreign.Options{}), 0, 0, 2, 0)
		o.counts("one alone", o.bring(o.file(head, window), foreign.Options{}), 0, 0, 1, 0)
		o.counts("one renamed", o.bring(o.file(head, window, "5,Gate,x,1"), foreign.Options{}), 0, 1, 1, 0)
		was[0] = strings.Replace(was[0], "Door", "Gate", 1)
		o.want("issues", o.list("issues", "uid", "title"), was...)
	})
}

// Another file with the same numbers does not become the records of the first, unless somebody says so.
func TestOtherFile(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		o := open(t, engine)
		first, second := []string{"#,Title,Stamp,Room"}, []string{"#,Title,Stamp,Room"}
		var north, south []string
		for i := range 5 {
			north, south = append(north, fmt.Sprintf("North %d", i+1)), append(south, fmt.Sprintf("South %d", i+1))
			first = append(first, fmt.Sprintf("%d,%s,x,1", i+1, north[i]))
			second = append(second, fmt.Sprintf("%d,%s,x,1", i+1, south[i]))
		}
		o.bring(o.file(first...), foreign.Options{})
		in := apitest.Importing{Path: o.file(second...), Email: o.ada.Email, Project: o.project}
		for _, dry := range []bool{true, false} {
			_, _, _, err := o.App.ImportTable(t.Context(), in, foreign.Options{Dry: dry})
			if err == nil || !strings.Contains(err.Error(), "5 of the 5 rows that came before have another title now") {
				t.Errorf("the other file: %v", err)
			}
		}
		o.want("after it was refused", o.list("issues", "title"), north...)
		r := o.bring(o.file(second...), foreign.Options{Source: "South"})
		o.counts("as another source", r, 5, 0, 0, 0)
		o.want("both", o.list("issues", "title"), append(slices.Clone(north), south...)...)
		r = o.bring(o.file(second...), foreign.Options{AlthoughRenamed: true})
		o.counts("as the same", r, 0, 5, 0, 0)
		o.want("renamed", o.list("issues", "title"), append(slices.Clone(south), south...)...)
	})
}

// A file without numbers whose last line is longer than before brings only what is new.
func TestLongerLines(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		o := open(t, engine)
		lines := []string{"Title,Stamp,Room", "Door,x,1", "Wall,x,2"}
		o.bring(o.file(lines...), foreign.Options{})
		r := o.bring(o.file(append(lines, "Roof,x,3,late")...), foreign.Options{})
		o.counts("a longer file", r, 1, 0, 2, 0)
	})
}

// Somebody who makes an issue in the middle of an import does not make two records have one number.
func TestNumberIsTakenMeanwhile(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		o := open(t, engine)
		lines := []string{"#,Title,Stamp,Room"}
		for i := range 150 {
			lines = append(lines, fmt.Sprintf("%d,Item %d,x,1", i+1, i+1))
		}
		once := false
		o.bring(o.file(lines...), foreign.Options{Progress: func(int, int) {
			if !once {
				once = true
				o.ada.Want(201, "POST", "/projects/"+o.project+"/issues", map[string]any{"title": "Ours"})
			}
		}})
		var all []string
		for skip := 0; skip < 200; skip += 50 {
			all = append(all, o.list(fmt.Sprintf("issues?limit=50&skip=%d", skip), "number")...)
		}
		slices.Sort(all)
		if n := len(slices.Compact(slices.Clone(all))); n != len(all) || n != 151 {
			t.Errorf("%d records have %d numbers", len(all), n)
		}
	})
}

// What a later file says unreadably, or no more, does not leave the old value as if it were still so.
func TestStaleValues(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		o := open(t, engine)
		const head = "#,Title,Stamp,Status,Type,Due Date,Cost Impact Amount"
		o.bring(o.file(head, "1,Door,x,Closed,Issue,2026-04-13,100"), foreign.Options{})
		o.bring(o.file(head, "1,Door,x,Asleep,Gizmo,TBD,"), foreign.Options{})
		o.want("issues", o.list("issues", "status", "type", "due_at", "has_cost_impact", "cost_impact"),
			"open|<nil>|<nil>|false|<nil>")
	})
}

// A dry run for a project that would be made tells what the import tells.
func TestDryRunOfNewProject(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		o := open(t, engine)
		in := apitest.Importing{
			Path: o.file("Number,Subject,RFI Manager,Question,Official Response", "1,a,b,c,"+strings.Repeat("y", 66000),
				"2,a,b,c,d"), Email: o.ada.Email, New: "Bridge",
		}
		_, _, dry, err := o.App.ImportTable(t.Context(), in, foreign.Options{Dry: true})
		if err != nil {
			t.Fatal(err)
		}
		_, _, r, err := o.App.ImportTable(t.Context(), in, foreign.Options{})
		if err != nil || r.Refused != 1 || fmt.Sprint(r) != fmt.Sprint(dry) {
			t.Errorf("the dry run: %+v; the import: %+v %v", dry, r, err)
		}
		in.New = strings.Repeat("long", 100)
		for _, dry := range []bool{true, false} {
			_, _, _, err := o.App.ImportTable(t.Context(), in, foreign.Options{Dry: dry})
			if err == nil || !strings.Contains(err.Error(), "A project has a name of 1 to 255 characters.") {
				t.Errorf("a long name: %v", err)
			}
		}
	})
}

// A list that somebody renames or deletes here is not made again for the issues that came with its name.
func TestRenamedList(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		o := open(t, engine)
		at := "/projects/" + o.project + "/issue_lists"
		list := o.ada.Want(201, "POST", at, map[string]any{"name": "Walls"}).Text("uid")
		lines := []string{"#,Title,Stamp,List", "1,Door,x,Walls", "2,Gate,x,Roofs"}
		o.bring(o.file(lines...), foreign.Options{})
		o.ada.Want(200, "PATCH", at+"/"+list, map[string]any{"name": "North walls"})
		o.ada.Want(204, "DELETE", at+"/"+o.list("issue_lists", "uid")[1], nil)
		o.counts("the same file", o.bring(o.file(lines...), foreign.Options{}), 0, 0, 2, 0)
		o.want("lists", o.list("issue_lists", "name", "deleted"), "North walls|false", "Roofs|true")
		lines[1] = "1,Door,x,Doors"
		o.counts("another list", o.bring(o.file(lines...), foreign.Options{}), 0, 1, 1, 0)
		o.want("lists", o.list("issue_lists", "name"), "North walls", "Roofs", "Doors")
	})
}

// A table with ids, numbers, names and addresses of people, as people keep them themselves: its rows are found again by
// their ids, numbers stay where they are free, and names bring whom only they can mean. The dry run says all of it.
func TestTableOfOwn(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		o := open(t, engine)
		for _, name := range []string{"sam", "sue"} { // of the same name
			person := o.Account(name, "Sam", "Lee")
			o.ada.Invite(o.project, person, "Collaborator")
			person.Want(200, "GET", "/projects/"+o.project, nil) // their names are seen from here on
		}
		o.bob.Want(200, "GET", "/projects/"+o.project, nil)
		o.ada.Invite(o.project, o.Account("zoe"), "Collaborator") // who never came
		o.ada.Want(201, "POST", "/projects/"+o.project+"/issues", map[string]any{"title": "Ours"})
		lines := []string{
			"ID,Nr.,Title,Assignee Name,Assignee Email", "a-7,1,Door,Bob,", "a-8,12,Wall,Sam Lee,", "a-9,13,Roof,Zoe,",
			"a-10,14,Stair,Robert M.," + o.bob.Email,
		}
		how := foreign.Options{From: "plangrid", Kind: "tasks"}
		dry := how
		dry.Dry = true
		said := o.bring(o.file(lines...), dry)
		o.told(said, "found by their names, which one member of the project each has: Bob.",
			"names are of several members of the project and were kept as text: Sam Lee.",
			"since no member of the project has their address or name: Zoe.",
			"These numbers are taken here, or are no whole numbers, and were kept as text: 1.")
		if got := fmt.Sprint(said.Columns); !strings.Contains(got, "{ID how rows are found again, and text true} "+
			"{Nr. number, where it is free here, or else text true}") {
			t.Errorf("the columns are told as %s", got)
		}
		r := o.bring(o.file(lines...), how)
		if o.counts("the import", r, 4, 0, 0, 0); fmt.Sprint(said) != fmt.Sprint(r) {
			t.Errorf("the dry run said\n%v\nthe import\n%v", said, r)
		}
		o.want("issues", o.list("issues", "number", "title", "description", "assigned_to.0.email"),
			"1|Ours|<nil>|<nil>",
			"2|Door|Number: 1/ID: a-7|"+o.bob.Email,
			"12|Wall|ID: a-8/Assignee Name: Sam Lee|<nil>",
			"13|Roof|ID: a-9/Assignee Name: Zoe|<nil>",
			"14|Stair|ID: a-10/Assignee Name: Robert M.|"+o.bob.Email)
		lines[1], lines[2] = "a-8,33,A wall,Sam Lee,", "a-7,34,Door,Bob,"
		o.counts("with other numbers", o.bring(o.file(lines...), how), 0, 2, 2, 0)
	})
}

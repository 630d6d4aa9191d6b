package foreign_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"groundwork/internal/apitest"
	"groundwork/internal/drawing"
	"groundwork/internal/foreign"
)

// TestMain lets this test program be the child that the services under test read images and PDFs with.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == drawing.WorkerCommand {
		os.Exit(drawing.Work())
	}
	os.Exit(m.Run())
}

// office is an installation with a project into which files are imported.
type office struct {
	*apitest.Server
	t        *testing.T
	ada, bob *apitest.Person
	project  string
}

func open(t *testing.T, engine string) *office {
	s := apitest.Start(t, engine)
	o := &office{Server: s, t: t, ada: s.Account("ada"), bob: s.Account("bob")}
	o.project = o.ada.Project("Tower")
	o.ada.Invite(o.project, o.bob, "Collaborator")
	return o
}

// file writes a table.
func (o *office) file(lines ...string) string {
	o.t.Helper()
	path := filepath.Join(o.t.TempDir(), "export.csv")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		o.t.Fatal(err)
	}
	return path
}

func (o *office) bring(path string, how foreign.Options) foreign.Report {
	o.t.Helper()
	in := apitest.Importing{Path: path, Email: o.ada.Email, Project: o.project}
	_, _, r, err := o.App.ImportTable(o.t.Context(), in, how)
	if err != nil {
		o.t.Fatal(err)
	}
	return r
}

func (o *office) counts(what string, r foreign.Report, made, changed, same, refused int) {
	o.t.Helper()
	if r.Made != made || r.Changed != changed || r.Same != same || r.Refused != refused {
		o.t.Errorf("%s: %d made, %d changed, %d same, %d refused, want %d, %d, %d, %d\n%s", what, r.Made, r.Changed, r.Same,
			r.Refused, made, changed, same, refused, strings.Join(r.Notes, "\n"))
	}
}

// list gives records of the project as lines of some of their fields.
func (o *office) list(path string, fields ...string) []string {
	o.t.Helper()
	r := o.ada.Want(200, "GET", "/projects/"+o.project+"/"+path, nil)
	n, err := r.Value("data")
	if err != nil {
		o.t.Fatal(err)
	}
	var all []string
	for i := range len(n.([]any)) {
		var parts []string
		for _, f := range fields {
			v, err := r.Value(fmt.Sprintf("data.%d.%s", i, f))
			if err != nil {
				v = nil
			}
			parts = append(parts, strings.ReplaceAll(fmt.Sprint(v), "\n", "/"))
		}
		all = append(all, strings.Join(parts, "|"))
	}
	return all
}

func (o *office) want(what string, got []string, want ...string) {
	o.t.Helper()
	if !slices.Equal(got, want) {
		o.t.Errorf("%s:\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func (o *office) told(r foreign.Report, want ...string) {
	o.t.Helper()
	for _, sentence := range want {
		if !strings.Contains(strings.Join(r.Notes, "\n"), sentence) {
			o.t.Errorf("%q is not told:\n%s", sentence, strings.Join(r.Notes, "\n"))
		}
	}
}

// tasks is an export of PlanGrid's tasks with most of what they say.
var tasks = []string{
	"#,Title,Description,Status,Type,Stamp,List,Room,Assigned To,Due Date,Start Date,Cost Impact,Sheet,Inspector",
	"2,Door sticks,It must be planed.,In Review,Issue,DR,Level 1,101,BOB,4/13/2026,2026-04-01,\"$1,200.50\",A-101,Jones",
	"1,A crack,\"Two\nlines\",Open,Planned work,CR,level 1,Hall,ada@example.com,4/3/2026,,No,A-102,",
	"7,Leak,,Sleeping,Gizmo,,,,Miller & Sons,soon,,TBD,,",
}

func (o *office) tasks() []string {
	lines := slices.Clone(tasks)
	for i := range lines {
		lines[i] = strings.ReplaceAll(strings.ReplaceAll(lines[i], "BOB", o.bob.Email), "ada@example.com", o.ada.Email)
	}
	return lines
}

// Rows become records with everything that they say, once, however often the file is imported.
func TestTasks(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		o := open(t, engine)
		path := o.file(o.tasks()...)
		dry := o.bring(path, foreign.Options{Dry: true})
		o.counts("the dry run", dry, 3, 0, 0, 0)
		o.want("after the dry run", o.list("issues", "title"))
		o.want("its lists", o.list("issue_lists", "name"))
		r := o.bring(path, foreign.Options{})
		o.counts("the import", r, 3, 0, 0, 0)
		if fmt.Sprint(dry) != fmt.Sprint(r) {
			t.Errorf("the dry run said\n%v\nthe import\n%v", dry, r)
		}
		o.want("issues", o.list("issues", "number", "title", "status", "type", "room", "start_date", "due_at",
			"cost_impact", "description"),
			"1|A crack|open|planned_work|Hall|<nil>|2026-04-03T23:59:00+00:00|<nil>|Two/lines//Stamp: CR/Sheet: A-102",
			"2|Door sticks|in_review|issue|101|2026-04-01|2026-04-13T23:59:00+00:00|1200.50|"+
				"It must be planed.//Stamp: DR/Sheet: A-101/Inspector: Jones",
			"7|Leak|open|<nil>|<nil>|<nil>|<nil>|<nil>|"+
				"Status: Sleeping/Type: Gizmo/Assigned To: Miller & Sons/Due Date: soon/Cost Impact: TBD")
		o.want("who they are assigned to", o.list("issues", "assigned_to.0.email", "created_by.email"),
			o.ada.Email+"|"+o.ada.Email, o.bob.Email+"|"+o.ada.Email, "<nil>|"+o.ada.Email)
		o.want("lists", o.list("issue_lists", "name"), "level 1")
		o.told(r, "Miller & Sons", "Sleeping", "Due Date", "Days such as 4/3/2026 were read month first, as others",
			"numbers have gaps")
		if len(r.Lists) != 1 || !slices.ContainsFunc(r.Columns, func(c foreign.Column) bool {
			return c.Heading == "Inspector" && !c.Known
		}) {
			t.Errorf("lists %q, columns %v", r.Lists, r.Columns)
		}
		clock := o.list("issues", "updated_at")
		o.counts("the same file again", o.bring(path, foreign.Options{}), 0, 0, 3, 0)
		o.want("when they changed", o.list("issues", "updated_at"), clock...)
		history := o.ada.Want(200, "GET", "/projects/"+o.project+"/changes?limit=50", nil)
		if n := strings.Count(string(history.Body), `"operation":"create"`); n < 4 {
			t.Errorf("%d lines of the log say that something was created", n)
		}
	})
}

// What changed there changes here, what somebody changed here stays, and what was deleted here stays deleted.
func TestChangedRows(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		o := open(t, engine)
		lines := o.tasks()
		o.bring(o.file(lines...), foreign.Options{})
		uids := o.list("issues", "uid")
		at := func(i int) string { return "/projects/" + o.project + "/issues/" + uids[i] }
		o.ada.Want(200, "PATCH", at(0), map[string]any{"title": "A long crack", "status": "closed"})
		o.ada.Want(204, "DELETE", at(2), nil)
		lines[2] = strings.Replace(strings.Replace(lines[2], "A crack", "A wide crack", 1), "Hall", "Cellar", 1)
		lines[1] = strings.Replace(lines[1], o.bob.Email, "", 1)
		lines[3] = strings.Replace(lines[3], "Leak", "Flood", 1)
		lines = append(lines, "8,New,,Open,,,,,,,,,,")
		r := o.bring(o.file(lines...), foreign.Options{})
		o.counts("the changed file", r, 1, 2, 0, 0)
		if r.Gone != 1 {
			t.Errorf("%d were deleted here", r.Gone)
		}
		o.told(r, "Row 3 says something else now, and somebody has changed the same here, which stays: title.")
		o.want("issues", o.list("issues?deleted=false", "title", "status", "room", "assigned_to.0.email"),
			"A long crack|closed|Cellar|"+o.ada.Email,
			"Door sticks|in_review|101|<nil>", "New|open|<nil>|<nil>")
		if got := o.ada.Want(200, "GET", at(2), nil).Text("title"); got != "Leak" {
			t.Errorf("what was deleted is called %s", got)
		}
	})
}

// An import that is cut short anywhere is run again, and ends as one that was not.
func TestCutShort(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		o := open(t, engine)
		lines := []string{"Number,Title,Location,Ball In Court,Punch Item Manager,Status"}
		for i := range 350 {
			lines = append(lines, fmt.Sprintf("%d,Item %d,Room %d,x,y,Work Required", i+1, i+1, i%9))
		}
		path := o.file(lines...)
		in := apitest.Importing{Path: path, Email: o.ada.Email, Project: o.project}
		for cut := range 3 {
			ctx, cancel := context.WithCancel(t.Context())
			steps := 0
			_, _, _, err := o.App.ImportTable(ctx, in, foreign.Options{Progress: func(int, int) {
				if steps++; steps > cut {
					cancel()
				}
			}})
			cancel()
			if err == nil || !strings.Contains(err.Error(), "Run it again") {
				t.Fatalf("cut %d: %v", cut, err)
			}
		}
		r := o.bring(path, foreign.Options{})
		o.counts("the last run", r, 50, 0, 300, 0)
		all := o.list("issues?limit=50&skip=300", "number", "title", "issue_list.uid")
		if len(all) != 50 || !strings.HasPrefix(all[49], "350|Item 350|") {
			t.Errorf("the last are %q", all)
		}
		o.want("lists", o.list("issue_lists", "name"), "Punch list")
	})
}

// RFIs have the statuses of the project, and their answers.
func TestRFIs(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		o := open(t, engine)
		r := o.bring(o.file(
			"Number;Subject;Status;RFI Manager;Received From;Date Initiated;Due Date;Question;Official Response;Cost Impact",
			"1;Beam size;Open;Jo;Al;2026-03-01;2026-03-08;Which beam?;W12x26;Yes",
			"A-2;Paint;Closed-Draft;Jo;Al;;;Which colour?;;",
		), foreign.Options{})
		o.counts("RFIs", r, 2, 0, 0, 0)
		o.want("RFIs", o.list("rfis", "number", "title", "status.label", "question", "answer", "sent_at"),
			"1|Beam size|open|Which beam?//RFI Manager: Jo/Received From: Al/Cost Impact: Yes|W12x26|2026-03-01T00:00:00+00:00",
			"2|Paint|void|Which colour?//Number: A-2/Status: Closed-Draft/RFI Manager: Jo/Received From: Al|<nil>|<nil>")
		o.told(r, "no whole numbers, and were kept as text: A-2")
		r = o.bring(o.file("Number,Title,Sent Date,Answer", "4,Tiles,,", "B-3,Bricks,,"), foreign.Options{})
		o.want("numbers", o.list("rfis", "number", "title"), "1|Beam size", "2|Paint", "4|Tiles", "3|Bricks")
		if strings.Contains(strings.Join(r.Notes, "\n"), "gaps") {
			t.Errorf("gaps are told where there are none: %q", r.Notes)
		}
	})
}

// Numbers that are taken are told and kept as text; rows whose texts are too long do not come, and others do.
func TestWhatDoesNotFit(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		o := open(t, engine)
		o.ada.Want(201, "POST", "/projects/"+o.project+"/issues", map[string]any{"title": "Ours"})
		long := strings.Repeat("long ", 60)
		path := o.file("ID,#,Title,Category,Plan,End Date,Description,Assignee",
			"x1,1,First,Walls,A-1,13/04/2026,,Ada Stone", "x2,2,"+long+",Walls,A-1,03/04/2026,,",
			"x3,3,Huge,Walls,A-1,,"+strings.Repeat("y", 66000)+",", "x3,4,Twin,Walls,A-1,,,,more")
		r := o.bring(path, foreign.Options{People: map[string]string{"Ada Stone": o.ada.Email}})
		o.counts("tasks", r, 3, 0, 0, 1)
		o.told(r, "These numbers are taken here", "Row 4 did not come: its texts have 66", "read day first, as others",
			"Rows that have the number of an earlier row came as records of their own: 5")
		cut := strings.TrimSpace(long[:254]) + "…"
		o.want("issues", o.list("issues", "number", "title", "due_at", "description", "assigned_to.0.email"),
			"1|Ours|<nil>|<nil>|<nil>",
			"5|First|2026-04-13T23:59:00+00:00|Number: 1/ID: x1/Plan: A-1|"+o.ada.Email,
			"2|"+cut+"|2026-04-03T23:59:00+00:00|ID: x2/Plan: A-1/Title: "+strings.TrimSpace(long)+"|<nil>",
			"4|Twin|<nil>|ID: x3/Plan: A-1/Column 9: more|<nil>")
		o.counts("again", o.bring(path, foreign.Options{
			People: map[string]string{"Ada Stone": o.ada.Email},
		}), 0, 0, 3, 1)
	})
}

// A project is made for a file, once, and only when the file can be read; others than Admins are refused.
func TestNewProject(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		o := open(t, engine)
		in := apitest.Importing{Path: o.file("nothing here"), Email: o.bob.Email, New: "Bridge"}
		if uid, _, _, err := o.App.ImportTable(t.Context(), in, foreign.Options{}); err == nil || uid != "" {
			t.Errorf("a project %s was made of nothing: %v", uid, err)
		}
		in.Path = o.file(o.tasks()...)
		first, made, r, err := o.App.ImportTable(t.Context(), in, foreign.Options{Dry: true})
		if err != nil || !made || r.Made != 3 || len(r.Lists) != 1 {
			t.Fatalf("the dry run: %v %+v %v", made, r, err)
		}
		o.bob.Want(404, "GET", "/projects/"+first, nil)
		for _, isNew := range []bool{true, false} {
			uid, made, r, err := o.App.ImportTable(t.Context(), in, foreign.Options{})
			if err != nil || uid != first || made != isNew || r.Made+r.Same != 3 {
				t.Fatalf("the import: %s %v %+v %v", uid, made, r, err)
			}
		}
		if got := o.bob.Want(200, "GET", "/projects/"+first, nil).Text("name"); got != "Bridge" {
			t.Errorf("the project is called %s", got)
		}
		in.Project, in.New = o.project, ""
		if _, _, _, err := o.App.ImportTable(t.Context(), in, foreign.Options{}); err == nil ||
			!strings.Contains(err.Error(), "imported by Admins") {
			t.Errorf("a Collaborator: %v", err)
		}
	})
}

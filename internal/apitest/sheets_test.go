package apitest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"groundwork/internal/blob"
	"groundwork/internal/draft"
	"groundwork/internal/resource"
	"groundwork/internal/sheet/register"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

var further = map[string]func(*player, []string){
	"sheets": func(p *player, words []string) { p.publish(words, (*Person).Sheets) },
	// The same with files.
	"drawings": func(p *player, words []string) { p.publish(words, (*Person).Drawings) },
	// The same with plans, the next revision of one each time, cut into tiles.
	"plans": (*player).draw,
	// A set that is drawn, uploaded and read.
	"drawn": (*player).upload,
	// What waits to be done in the background is done now.
	"work": func(p *player, _ []string) { p.server.Work() },
}

// publish puts a version set with sheets of these numbers into a project, as the one who made it, without reading any
// drawing. The variables of the set and its sheets are SET and the numbers.
func (p *player) publish(words []string,
	do func(p *Person, project string, numbers ...string) (set string, sheets []string),
) {
	p.t.Helper()
	if len(words) < 3 || words[len(words)-2] != "of" {
		p.t.Fatalf("set-up: sheets NUMBER… of PROJECT, not %q", words)
	}
	numbers, project := words[:len(words)-2], words[len(words)-1]
	set, sheets := do(p.owner(project), p.variables[project], numbers...)
	p.remember("SET", set)
	for i, number := range numbers {
		p.remember(number, sheets[i])
	}
}

// draw publishes plans, and remembers where their tiles are.
func (p *player) draw(words []string) {
	p.t.Helper()
	var project string
	var made []string
	p.publish(words, func(by *Person, in string, numbers ...string) (set string, sheets []string) {
		pages := make([]register.Page, len(numbers))
		for i, number := range numbers {
			pages[i] = p.server.Plan(number, p.drawn)
		}
		project = in
		set, made = by.Publish(in, pages)
		return set, made
	})
	p.drawn++
	p.server.Work()
	for i, uid := range made {
		url := p.owner(words[len(words)-1]).Want(http.StatusOK, "GET", "/projects/"+project+"/sheets/"+uid,
			nil).Text("tiles_url")
		p.remember(words[i]+":tiles", strings.TrimSuffix(url, ".dzi"))
		p.remember(words[i]+":hash", strings.TrimSuffix(url[strings.LastIndexByte(url, '/')+1:], ".dzi"))
	}
}

// Plan is a page that has a drawing: a floor plan in its first issue, 0, or revised.
func (s *Server) Plan(number string, revision int) register.Page {
	s.t.Helper()
	p, err := s.plan(revision)
	if err != nil {
		s.t.Fatal(err)
	}
	return register.Page{FileName: "set.pdf", Name: number, Width: p.Width, Height: p.Height, File: s.Object(p.pdf)}
}

// plans are those that were drawn before, by revision.
var plans sync.Map

type plan struct {
	draft.Page
	pdf []byte
}

// plan draws a small set and gives the first page that its revision changes.
func (s *Server) plan(revision int) (*plan, error) {
	if p, drawn := plans.Load(revision); drawn {
		return p.(*plan), nil
	}
	var set *draft.Set
	var whole []byte
	for _, r := range []int{1, revision} {
		var b bytes.Buffer
		revised, err := draft.Write(&b, draft.Options{Seed: 3, Sheets: 6, Plain: true, Revision: r})
		if err != nil {
			return nil, err
		}
		if whole = b.Bytes(); set == nil {
			set = revised
		}
	}
	at := slices.IndexFunc(set.Pages, func(p draft.Page) bool { return p.Changed })
	f, err := s.App.Drawing.Bring(bytes.NewReader(whole))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	path, err := f.Split(s.t.Context(), at+1)
	if err != nil {
		return nil, err
	}
	p := &plan{Page: set.Pages[at]}
	if p.pdf, err = os.ReadFile(path); err == nil {
		plans.Store(revision, p)
	}
	return p, err
}

// upload draws a set of so many sheets, uploads it as the one who made the project, and has it read and published. The
// variables of its sheets are their numbers, without hyphens.
func (p *player) upload(words []string) {
	p.t.Helper()
	if len(words) != 3 || words[1] != "of" {
		p.t.Fatalf("set-up: drawn COUNT of PROJECT, not %q", words)
	}
	count, _ := strconv.Atoi(words[0]) // what is no number draws all sheets
	var file bytes.Buffer
	if _, err := draft.Write(&file, draft.Options{Seed: 43, Sheets: count, Plain: true}); err != nil {
		p.t.Fatal(err)
	}
	by, project := p.owner(words[2]), p.variables[words[2]]
	by.UploadSet(project, "Drawn", true, SetFile{"drawn.pdf", file.Bytes()})
	p.server.Work()
	list := by.Want(http.StatusOK, "GET", "/projects/"+project+"/sheets", nil)
	for i := range count {
		at := "data." + strconv.Itoa(i) + "."
		p.remember(strings.ReplaceAll(list.Text(at+"name"), "-", ""), list.Text(at+"uid"))
	}
}

// Work has everything done that waits to be done in the background.
func (s *Server) Work() {
	s.t.Helper()
	for again := true; again; {
		if err := s.App.Jobs.Tick(s.t.Context()); err != nil {
			s.t.Fatal(err)
		}
		s.App.Jobs.Wait()
		again = false
		err := s.App.Store.In(store.JobsOffice).Query(s.t.Context(),
			"SELECT id FROM jobs WHERE state < 2 AND run_at <= $1 LIMIT 1", []any{s.App.Store.Now()},
			func(*store.Cols) error {
				again = true
				return nil
			})
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

// Sheets puts a version set with sheets of these numbers into a project, without reading any drawing.
func (p *Person) Sheets(project string, numbers ...string) (set string, sheets []string) {
	pages := make([]register.Page, len(numbers))
	for i, number := range numbers {
		pages[i] = register.Page{FileName: "set.pdf", Name: number, Width: 2592, Height: 1728}
	}
	return p.Publish(project, pages)
}

// Drawings is Sheets with files: each a white page.
func (p *Person) Drawings(project string, numbers ...string) (set string, sheets []string) {
	p.server.t.Helper()
	pages := make([]register.Page, len(numbers))
	for i, number := range numbers {
		title := "Plan " + number
		pages[i] = register.Page{
			FileName: "set.pdf", Name: number, Description: &title, Width: 2592, Height: 1728,
			File: p.server.Object([]byte(blank)),
		}
	}
	return p.Publish(project, pages)
}

// Filed puts a sheet with a file that can be fetched into a project, without reading any drawing.
func (p *Person) Filed(project, number string) (sheet string) {
	p.server.t.Helper()
	ctx, a := p.server.t.Context(), p.server.App
	at, err := a.Store.Project(ctx, project)
	if err != nil {
		p.server.t.Fatal(err)
	}
	hash := sha256.Sum256([]byte(blank))
	file := upload.File{
		Object: p.server.Object([]byte(blank)), Type: "application/pdf", Name: number + ".pdf", Size: int64(len(blank)),
		SHA256: hex.EncodeToString(hash[:]),
	}
	err = a.Store.Edit(ctx, at, 1, func(tx *store.Tx) error {
		return upload.AddFile(tx, store.MakeID(at.ID, 1, 1), file) // until a sheet shows it
	})
	if err != nil {
		p.server.t.Fatal(err)
	}
	_, sheets := p.Publish(project, []register.Page{
		{FileName: "set.pdf", Name: number, Width: 2592, Height: 1728, File: file.Object},
	})
	return sheets[0]
}

// blank is a PDF of one white page; readers find its objects although nothing says where they are.
const blank = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
	"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 2592 1728]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"

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

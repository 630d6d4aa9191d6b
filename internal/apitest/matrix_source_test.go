package apitest_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"groundwork/internal/apitest"
)

// A refusal in the source is a condition whose body answers with one of these.
var refusals = []string{"fault.Forbidden", "fault.Conflict", "fault.Missing", "fault.NotFound"}

// operators are the rooms of what operators do at the command line, beside the wiring. No request asks for it: what
// they refuse, their own tests hold.
var operators = []string{"app", "archive", "forget", "mirror"}

// checkpoints are where checks are looked for: every noun (what stands on resource), what all nouns share, the edge's
// question for the right, and the store, which keeps the projects apart.
func checkpoints(t *testing.T, top string) (files []string) {
	t.Helper()
	var all []string
	err := filepath.WalkDir(filepath.Join(top, "internal"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]bool{"resource": true, "document": true, "pyramid": true, "api": true, "store": true}
	for _, path := range all {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		noun := slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool {
			return i.Path.Value == `"groundwork/internal/resource"`
		})
		if folder := filepath.Base(filepath.Dir(path)); noun && !slices.Contains(operators, folder) {
			folders[folder] = true
		}
	}
	return slices.DeleteFunc(all, func(path string) bool { return !folders[filepath.Base(filepath.Dir(path))] })
}

// unreachable are checks that no request of these worlds can come to, each with the reason.
var unreachable = map[string]bool{
	// Notices are written after the answer, by the log, and nothing that the log names is ever gone from the ledger:
	// this stands for a damaged database.
	"notice.read 1": true,
	// Packets, reports and exports are made after the answer; what they name was looked for when they were asked for.
	"resource.Catalog.Get 1":    true,
	"resource.Catalog.Get 2":    true,
	"resource.Catalog.Linked 1": true,
	"share.gathering.open 1":    true,
	// The asker's role may change meanwhile: TestArchiveOfWhoIsNoAdmin holds it.
	"share.makeArchive 1": true,
	// Commands: nobody asks for them over the network. TestFilesComeWithRights holds what each kind asks for itself.
	"media.takeDocument 1":   true,
	"share.Sheets 1":         true,
	"share.Sheets 2":         true,
	"share.Sheets 3":         true,
	"share.Tools.enter 1":    true,
	"intake.Sending.check 1": true,
	// An address of tiles that was edited or is over, and a tile that is not there: TestTiles holds them.
	"pyramid.Opens 1":      true,
	"pyramid.Opens 2":      true,
	"tile.rack.describe 1": true,
	"tile.rack.give 1":     true,
	"tile.rack.give 2":     true,
	// A file that a set does not wait for: the transcript of uploads holds it.
	"intake.offerFile 1": true,
}

// point is a place in the source where a check can be switched off.
type point struct {
	at   int // offset in the file
	end  int // of a condition that is no longer asked; otherwise with runs at at
	with string
	of   string // the function that it is in, and the how manieth check there it is: what survives a move or a rename
	text string // for people
}

// points finds the checks of a file: refusals; predicates that tell whether a record is the caller's own; and in the
// store the bounds of a search by uid, which are those of one project and kind.
func points(set *token.FileSet, file *ast.File, source []byte) (out []point) {
	offset := func(p token.Pos) int { return set.Position(p).Offset }
	text := func(n ast.Node) string { return string(source[offset(n.Pos()):offset(n.End())]) }
	condition := func(cond ast.Expr, body []ast.Stmt) {
		if file.Name.Name == "api" && !strings.Contains(text(cond), "auth.No") {
			return // the edge refuses for many reasons
		}
		for _, s := range body {
			if _, nested := s.(*ast.IfStmt); nested {
				continue
			}
			if slices.ContainsFunc(refusals, func(r string) bool { return strings.Contains(text(s), r) }) {
				out = append(out, point{
					at: offset(cond.Pos()), end: offset(cond.End()), text: "if " + text(cond) + " is never asked",
				})
				return
			}
		}
	}
	bounds := func(f *ast.FuncDecl) {
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if a, is := n.(*ast.AssignStmt); is && strings.HasPrefix(text(a), "from, to := span(") {
				out = append(out, point{
					at: offset(a.End()), with: "to = 1 << 62", text: text(f.Type) + " searches later projects too",
				})
			}
			return true
		})
	}
	within, first := "", 0
	number := func() {
		for i := first; i < len(out); i++ {
			out[i].of = fmt.Sprintf("%s.%s %d", file.Name.Name, within, i-first+1)
		}
		first = len(out)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			number()
			within = n.Name.Name
			if n.Recv != nil {
				receiver, _, _ := strings.Cut(text(n.Recv.List[0].Type), "[")
				within = strings.TrimPrefix(receiver, "*") + "." + within
			}
			switch {
			case file.Name.Name == "store":
				if n.Name.Name == "Get" {
					bounds(n)
				}
				return false
			case predicate(n, text):
				for _, with := range []string{"true", "false"} {
					out = append(out, point{
						at: offset(n.Body.Lbrace) + 1, with: "return " + with, text: n.Name.Name + " is always " + with,
					})
				}
			}
		case *ast.IfStmt:
			condition(n.Cond, n.Body.List)
		case *ast.SwitchStmt:
			for _, s := range n.Body.List {
				if c := s.(*ast.CaseClause); n.Tag == nil && len(c.List) == 1 {
					condition(c.List[0], c.Body)
				}
			}
		}
		return true
	})
	number()
	return out
}

// predicate tells whether a function says of something whether it is the caller's.
func predicate(f *ast.FuncDecl, text func(ast.Node) string) bool {
	in, out := f.Type.Params, f.Type.Results
	return f.Body != nil && out != nil && text(out) == "bool" && len(in.List) == 2 &&
		text(in.List[0].Type) == "auth.Scope"
}

// The environment of a program whose checks can be switched off: how many there are, and which one is off.
const (
	mutantsEnv = "GROUNDWORK_TEST_MUTANTS"
	mutantEnv  = "GROUNDWORK_TEST_MUTANT"
)

// guard is put into every package with checks.
const guard = `
import "os"

func checkStands(check string) bool { return os.Getenv("` + mutantEnv + `") != check }
`

// switchable writes a source in which every check asks whether it stands.
func switchable(source []byte, all []point, first int) []byte {
	type edit struct {
		at   int
		text string
	}
	var edits []edit
	for i, p := range all {
		stands := fmt.Sprintf("checkStands(%q)", strconv.Itoa(first+i))
		if p.with != "" {
			edits = append(edits, edit{p.at, "\nif !" + stands + " { " + p.with + " }\n"})
			continue
		}
		edits = append(edits, edit{p.at, "("}, edit{p.end, ") && " + stands})
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return b.at - a.at })
	for _, e := range edits {
		source = slices.Concat(source[:e.at:e.at], []byte(e.text), source[e.at:])
	}
	return source
}

// TestRightsSourceMutants builds the service so that each check in its source can be switched off, and shows that
// somebody notices each. The program that it builds is this test again, with the environment that says so.
func TestRightsSourceMutants(t *testing.T) {
	if all := os.Getenv(mutantsEnv); all != "" {
		var names []string
		if err := json.Unmarshal([]byte(all), &names); err != nil {
			t.Fatal(err)
		}
		if problems := complaints(t, "none"); len(problems) > 0 {
			t.Fatalf("with all checks: %.500s", problems[0])
		}
		for _, i := range sampled(t, "checks in the source", len(names), fewMutants) {
			name := names[i]
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				if problems := complaints(t, strconv.Itoa(i)); len(problems) > 0 {
					t.Logf("%s: %.200s", name, problems[0])
				} else {
					t.Errorf("Nobody notices: %s.", name)
				}
			})
		}
		t.Logf("figure: checks in the source: %d", len(names))
		return
	}
	t.Parallel()
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	overlay, names := mutatedSource(t, top)
	if len(names) < 10 {
		t.Fatalf("only %d checks were found in the source: %q", len(names), names)
	}
	program := filepath.Join(t.TempDir(), "mutants")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", program,
		"./internal/apitest")
	build.Dir = top
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the program with switches does not build: %v\n%s", err, out)
	}
	list, err := json.Marshal(names)
	if err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), program, "-test.run=^TestRightsSourceMutants$", "-test.v")
	run.Env = append(os.Environ(), mutantsEnv+"="+string(list))
	run.Stdout, run.Stderr = t.Output(), t.Output()
	if err := run.Run(); err != nil {
		t.Fatal(err)
	}
}

// mutantsWhole is the environment in which every check is switched off in turn, as make mutants does; without it a
// sample is.
const mutantsWhole = "GROUNDWORK_MUTANTS"

// fewMutants is how many checks a sample switches off in the source: each plays everything once, which takes seconds.
// fewMutations is how many it takes out of the routes.
const fewMutants, fewMutations = 6, 8

// sampled chooses some of so many mutants, in no order. The seed of a sample is in the output: GROUNDWORK_MUTANTS=SEED
// repeats it.
func sampled(t *testing.T, what string, all, few int) []int {
	t.Helper()
	wish := os.Getenv(mutantsWhole)
	seed, err := strconv.ParseUint(wish, 10, 64)
	if err != nil {
		seed = rand.Uint64()
	}
	order := rand.New(rand.NewPCG(seed, 0)).Perm(all)
	if wish == "all" || few >= all {
		return order
	}
	t.Logf("figure: %d of %d %s, by the seed %d", few, all, what, seed)
	return order[:few]
}

// mutatedSource writes the sources with switches and gives the overlay that puts them in place, and what each switch
// is.
func mutatedSource(t *testing.T, top string) (overlay string, names []string) {
	t.Helper()
	dir, replace, guarded, excused := t.TempDir(), map[string]string{}, map[string]bool{}, maps.Clone(unreachable)
	write := func(path string, text []byte) {
		to := filepath.Join(dir, strconv.Itoa(len(replace))+".go")
		if err := os.WriteFile(to, text, 0o600); err != nil {
			t.Fatal(err)
		}
		replace[path] = to
	}
	for _, path := range checkpoints(t, top) {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		var found []point
		var checks []string
		for _, p := range points(set, file, source) {
			if unreachable[p.of] {
				delete(excused, p.of)
				continue
			}
			found, checks = append(found, p), append(checks, p.of+": "+p.text)
		}
		if len(found) == 0 {
			continue
		}
		write(path, switchable(source, found, len(names)))
		if folder := filepath.Dir(path); !guarded[folder] {
			guarded[folder] = true
			write(filepath.Join(folder, "zz_stands.go"), []byte("package "+file.Name.Name+"\n"+guard))
		}
		names = append(names, checks...)
	}
	for name := range excused {
		t.Errorf("The check %q is called unreachable in matrix_source_test.go, and is not there.", name)
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay = filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return overlay, names
}

// witness takes the complaints of a test without failing.
type witness struct {
	testing.TB
	mu   sync.Mutex
	seen []string
}

func (w *witness) Errorf(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, fmt.Sprintf(format, args...))
}

func (w *witness) Error(args ...any) { w.Errorf("%s", fmt.Sprint(args...)) }

func (w *witness) Fatalf(format string, args ...any) {
	w.Errorf(format, args...)
	runtime.Goexit()
}

func (w *witness) Fatal(args ...any) { w.Fatalf("%s", fmt.Sprint(args...)) }

// complaints switches a check off and plays everything until somebody complains.
func complaints(t *testing.T, number string) []string {
	t.Helper()
	seen, done := &witness{TB: t}, make(chan struct{})
	go func() {
		defer close(done)
		playEverything(seen, func() { t.Setenv(mutantEnv, number) })
	}()
	<-done
	seen.mu.Lock()
	defer seen.mu.Unlock()
	return seen.seen
}

// playEverything plays what depends on rights until there is a complaint. What it begins with is made before the check
// is gone.
func playEverything(t testing.TB, begin func()) {
	w, s, h := newWorld(t, apitest.SQLite), newTeams(t, apitest.SQLite), newHidden(t, apitest.SQLite)
	w.client.Timeout = 5 * time.Second // without its checks a program may wait for ever
	begin()
	complain := func(problems []string) bool {
		for _, p := range problems {
			t.Error(p)
		}
		return len(problems) > 0
	}
	if complain(w.tryIssueRules(w.server.URL)) || complain(w.tryRFIRules(w.server.URL)) ||
		complain(w.tryAnnotationRules(w.server.URL)) || complain(w.tryViewRules(w.server.URL)) {
		return
	}
	for _, r := range readRights(t) {
		for _, c := range w.cells(r) {
			if complain(w.try(w.server.URL, c, plainly)) {
				return
			}
		}
	}
	if complain(w.tryBodies(w.server.URL)) || complain(h.try()) {
		return
	}
	for name := range teamRules {
		if complain(s.play(name, false)) {
			return
		}
	}
}

package apitest_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"groundwork/internal/apitest"
)

// A refusal in the source is a condition whose body answers with one of these. The packages below the nouns' floor refuse for other
// reasons too; only what concerns rights is taken from them.
var refusals = []string{"fault.Forbidden", "fault.Conflict", "fault.Missing", "fault.NotFound"}

// Where refusals are looked for: every noun, what all nouns share, and the edge's order of refusals.
func refusing(file string) bool {
	switch folder := filepath.Base(filepath.Dir(file)); folder {
	case "api":
		return filepath.Base(file) == "edge.go"
	case "apitest", "app", "auth", "deps", "fault", "house", "pgtest", "store":
		return false
	default:
		return true
	}
}

// point is a place in the source where a check can be switched off.
type point struct {
	at   int // offset in the file
	end  int // of a condition; 0 for the beginning of a predicate's body
	text string
	// with is what a predicate answers when it is switched off.
	with string
}

// points finds the checks of a file: refusals, and predicates that tell of a record whether it is the caller's own.
func points(set *token.FileSet, file *ast.File, source []byte) (out []point) {
	offset := func(p token.Pos) int { return set.Position(p).Offset }
	text := func(n ast.Node) string { return string(source[offset(n.Pos()):offset(n.End())]) }
	condition := func(cond ast.Expr, body []ast.Stmt) {
		for _, s := range body {
			if _, nested := s.(*ast.IfStmt); nested {
				continue
			}
			if slices.ContainsFunc(refusals, func(r string) bool { return strings.Contains(text(s), r) }) {
				out = append(out, point{at: offset(cond.Pos()), end: offset(cond.End()), text: "if " + text(cond)})
				return
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			condition(n.Cond, n.Body.List)
		case *ast.SwitchStmt:
			for _, s := range n.Body.List {
				if c := s.(*ast.CaseClause); n.Tag == nil && len(c.List) == 1 {
					condition(c.List[0], c.Body)
				}
			}
		case *ast.FuncDecl:
			if n.Body == nil || n.Type.Results == nil || text(n.Type.Results) != "bool" || len(n.Type.Params.List) != 2 || text(n.Type.Params.List[0].Type) != "auth.Scope" {
				break
			}
			for _, with := range []string{"true", "false"} {
				out = append(out, point{at: offset(n.Body.Lbrace) + 1, text: n.Name.Name, with: with})
			}
		}
		return true
	})
	return out
}

// The environment of a program whose checks can be switched off: how many there are, and which one is off.
const (
	mutantsEnv = "GROUNDWORK_TEST_MUTANTS"
	mutantEnv  = "GROUNDWORK_TEST_MUTANT"
)

// guard is put into every package with checks.
const guard = `
import "os"

func stands(check string) bool { return os.Getenv("` + mutantEnv + `") != check }
`

// switchable writes a source in which every check asks whether it stands.
func switchable(source []byte, all []point, first int) []byte {
	type edit struct {
		at   int
		text string
	}
	var edits []edit
	for i, p := range all {
		stands := fmt.Sprintf("stands(%q)", strconv.Itoa(first+i))
		if p.with != "" {
			edits = append(edits, edit{p.at, "\nif !" + stands + " { return " + p.with + " }\n"})
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

// TestRightsSourceMutants builds the service so that each check in its source can be switched off, and shows that somebody notices each.
// The program that it builds is this test again, with the environment that says so.
func TestRightsSourceMutants(t *testing.T) {
	if all := os.Getenv(mutantsEnv); all != "" {
		var names []string
		if err := json.Unmarshal([]byte(all), &names); err != nil {
			t.Fatal(err)
		}
		for i, name := range names {
			noticeMutant(t, strconv.Itoa(i), name)
		}
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
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", program, "./internal/apitest")
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
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// mutatedSource writes the sources with switches and gives the overlay that puts them in place, and what each switch is.
func mutatedSource(t *testing.T, top string) (overlay string, names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(top, "internal", "*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	dir, replace, guarded := t.TempDir(), map[string]string{}, map[string]bool{}
	write := func(path string, text []byte) {
		to := filepath.Join(dir, strconv.Itoa(len(replace))+".go")
		if err := os.WriteFile(to, text, 0o600); err != nil {
			t.Fatal(err)
		}
		replace[path] = to
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") || !refusing(path) {
			continue
		}
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		found := points(set, file, source)
		if len(found) == 0 {
			continue
		}
		write(path, switchable(source, found, len(names)))
		if folder := filepath.Dir(path); !guarded[folder] {
			guarded[folder] = true
			write(filepath.Join(folder, "zz_stands.go"), []byte("package "+file.Name.Name+"\n"+guard))
		}
		for _, p := range found {
			name := filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path) + ": " + p.text
			if p.with != "" {
				name += " is always " + p.with
			} else {
				name += " is never asked"
			}
			names = append(names, name)
		}
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

func (w *witness) complaints() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen
}

// noticeMutant switches a check off and plays everything until somebody complains.
func noticeMutant(t *testing.T, number, name string) {
	t.Helper()
	t.Run(number, func(t *testing.T) {
		t.Setenv(mutantEnv, number)
		seen := &witness{TB: t}
		done := make(chan struct{})
		go func() {
			defer close(done)
			playEverything(seen)
		}()
		<-done
		if all := seen.complaints(); len(all) > 0 {
			t.Logf("%s: %.200s", name, all[0])
			return
		}
		t.Errorf("Nobody notices: %s.", name)
	})
}

// playEverything plays what depends on rights until there is a complaint.
func playEverything(t testing.TB) {
	w := newWorld(t, apitest.SQLite)
	complain := func(problems []string) bool {
		for _, p := range problems {
			t.Error(p)
		}
		return len(problems) > 0
	}
	if complain(w.tryIssueRules(w.server.URL)) {
		return
	}
	for _, r := range readRights(t) {
		for _, c := range w.cells(r) {
			if complain(w.try(w.server.URL, c, plainly)) {
				return
			}
		}
	}
	if complain(w.tryBodies(w.server.URL)) {
		return
	}
	s := newTeams(t, apitest.SQLite)
	for name := range teamRules {
		if complain(s.play(name, false)) {
			return
		}
	}
}

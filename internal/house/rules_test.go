package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// engineNames keeps the two engines inside store.
func engineNames(t *tree) []string {
	var out []string
	for _, s := range t.sources {
		if mayNameEngines(s.folder()) || s.isTest() {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			text := ""
			switch n := n.(type) {
			case *ast.Ident:
				text = n.Name
			case *ast.BasicLit:
				text = n.Value
			}
			if word := namesEngine(text); word != "" {
				out = append(out, fmt.Sprintf(
					"%s says %s. Only store knows which engine runs: code above it that asks would have to be written and tested twice.", t.line(s, n.Pos()), word))
			}
			return true
		})
	}
	return out
}

// packageComments asks for exactly one comment per package: what it owns and what it refuses.
func packageComments(t *tree) []string {
	comments, production := map[string][]string{}, map[string]bool{}
	for _, s := range t.sources {
		production[s.folder()] = production[s.folder()] || !s.isTest()
	}
	for _, s := range t.sources {
		if production[s.folder()] && s.isTest() {
			continue
		}
		has := comments[s.folder()]
		if s.file.Doc != nil {
			has = append(has, path.Base(s.name))
		}
		comments[s.folder()] = has
	}
	var out []string
	for _, folder := range slices.Sorted(maps.Keys(comments)) {
		switch has := comments[folder]; len(has) {
		case 0:
			out = append(out, folder+
				" has no package comment. It says what the package owns and what it refuses: without it the next thing lands in the wrong room.")
		case 1:
		default:
			slices.Sort(has)
			out = append(out, fmt.Sprintf(
				"%s has package comments in %s. One place says what the package is, or they will disagree.", folder,
				strings.Join(has, " and ")))
		}
	}
	return out
}

// most is the number of lines after which a file is two files.
const most = 500

// columns is where a line ends.
const columns = 120

func fileLengths(t *tree) []string {
	var out []string
	for _, s := range t.sources {
		if s.lines > most && !ast.IsGenerated(s.file) {
			out = append(out, fmt.Sprintf(
				"%s has %d lines; the ceiling is %d. A file is what one person keeps in mind at once.", s.name, s.lines,
				most))
		}
	}
	return out
}

// lineLengths holds lines to columns, tabs counted as four. A line may be longer where a string reaches over the end: a
// sentence that is broken in two is not found by searching for it.
func lineLengths(t *tree) []string {
	var out []string
	for _, s := range t.sources {
		if ast.IsGenerated(s.file) {
			continue
		}
		strung := map[int]bool{}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if literal, is := n.(*ast.BasicLit); is && literal.Kind == token.STRING {
				for line := t.set.Position(n.Pos()).Line; line <= t.set.Position(n.End()).Line; line++ {
					strung[line] = true
				}
			}
			return true
		})
		for i, line := range strings.Split(string(s.text), "\n") {
			wide := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
			table := strings.Contains(line, "//\t") // preformatted text in a comment
			if wide > columns && !strung[i+1] && !table {
				out = append(out, fmt.Sprintf("%s:%d has %d columns; a line ends at %d.", s.name, i+1, wide, columns))
			}
		}
	}
	return out
}

// omittedFields forbids the tags that make a field of a response vanish.
func omittedFields(t *tree) []string {
	var out []string
	for _, s := range t.sources {
		if s.isTest() || !strings.HasPrefix(s.name, "internal/") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if field, is := n.(*ast.Field); is && field.Tag != nil {
				for _, option := range []string{"omitempty", "omitzero"} {
					if strings.Contains(field.Tag.Value, option) {
						out = append(out, fmt.Sprintf(
							"%s uses %s. Every field is always present in a response; blank is null.",
							t.line(s, field.Tag.Pos()), option))
					}
				}
			}
			return true
		})
	}
	return out
}

func initFunctions(t *tree) []string {
	var out []string
	for _, s := range t.sources {
		for _, d := range s.file.Decls {
			if f, is := d.(*ast.FuncDecl); is && f.Name.Name == "init" && f.Recv == nil {
				out = append(out, t.line(s,
					f.Pos())+" is an init function. What runs at start is called by name in app, where it can be read in order and left out in a test.")
			}
		}
	}
	return out
}

// emptyNames are rooms without a purpose: everything fits into them.
var emptyNames = []string{
	"util", "utils", "common", "helper", "helpers", "model", "models", "types", "service", "services", "misc", "shared",
}

func packageNames(t *tree) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range t.sources {
		name := path.Base(s.folder())
		if slices.Contains(emptyNames, name) && !seen[s.folder()] {
			seen[s.folder()] = true
			out = append(out, s.folder()+": a package is named after the one thing it owns; "+name+
				" owns nothing and attracts everything.")
		}
	}
	return out
}

// skippedTests finds tests that step aside: what is not run is not held. It also finds those that pause, unless they
// run on a clock of their own.
func skippedTests(t *tree) []string {
	var out []string
	for _, s := range t.sources {
		if !s.isTest() {
			continue
		}
		chosen := map[ast.Node]bool{} // what a select waits for beside something else
		ast.Inspect(s.file, func(n ast.Node) bool {
			if clause, is := n.(*ast.CommClause); is {
				if wait, is := clause.Comm.(*ast.ExprStmt); is {
					chosen[wait.X] = true
				}
			}
			if wait, is := n.(*ast.UnaryExpr); is && wait.Op == token.ARROW && !chosen[n] && pauses(wait.X) &&
				!s.imports("testing/synctest") {
				out = append(out, t.line(s, n.Pos())+" pauses. "+insteadOfPauses)
			}
			call, is := n.(*ast.CallExpr)
			if !is {
				return true
			}
			if sel, is := call.Fun.(*ast.SelectorExpr); is {
				on, _ := sel.X.(*ast.Ident)
				switch name := sel.Sel.Name; {
				case name == "Skip" || name == "Skipf" || name == "SkipNow":
					if on != nil && (on.Name == "t" || on.Name == "b" || on.Name == "tb") {
						out = append(out, t.line(s,
							n.Pos())+" skips a test. What a test needs, make test sets up; without it the test fails and says what to install.")
					}
				case name == "Sleep" && on != nil && on.Name == "time" && !s.imports("testing/synctest"):
					out = append(out, t.line(s,
						n.Pos())+" sleeps. "+insteadOfPauses)
				}
			}
			return true
		})
	}
	return out
}

const insteadOfPauses = "A test waits for an event (internal/await), or moves the clock it was given: a pause is either too short one day or wasted every day."

// pauses tells whether a channel is that of time.After.
func pauses(channel ast.Expr) bool {
	call, is := channel.(*ast.CallExpr)
	if !is {
		return false
	}
	sel, is := call.Fun.(*ast.SelectorExpr)
	if !is || sel.Sel.Name != "After" {
		return false
	}
	on, _ := sel.X.(*ast.Ident)
	return on != nil && on.Name == "time"
}

// mayCheapen are the packages that know of passwords whose hashes cost nothing: those that offer them to tests, and the
// one that starts services for tests.
var mayCheapen = []string{"internal/password", "internal/auth", "internal/app", "internal/apitest"}

// cheapPasswords keeps what tests alone may ask for out of the service that people start.
func cheapPasswords(t *tree) []string {
	var out []string
	for _, s := range t.sources {
		if s.isTest() || slices.Contains(mayCheapen, s.folder()) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if name, is := n.(*ast.Ident); is && strings.Contains(strings.ToLower(name.Name), "cheap") {
				out = append(out, t.line(s, n.Pos())+" says "+name.Name+
					". Passwords whose hashes cost nothing are for tests: whoever steals such a database reads them.")
			}
			return true
		})
	}
	return out
}

// mentions gives the lines of a file that name an imported package: those of the import itself and all others.
func mentions(t *tree, s *source, target string) (imports, uses []int) {
	name := ""
	for _, spec := range s.file.Imports {
		if got, ours := own(spec); ours && got == target {
			imports = append(imports, t.set.Position(spec.Pos()).Line)
			name = path.Base(target)
			if spec.Name != nil {
				name = spec.Name.Name
			}
		}
	}
	if name == "" {
		return nil, nil
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if sel, is := n.(*ast.SelectorExpr); is {
			if x, is := sel.X.(*ast.Ident); is && x.Name == name {
				uses = append(uses, lines(t.set, sel)...)
			}
		}
		return true
	})
	slices.Sort(uses)
	return imports, slices.Compact(uses)
}

// lines are the lines a node spans.
func lines(set *token.FileSet, n ast.Node) []int {
	var out []int
	for l := set.Position(n.Pos()).Line; l <= set.Position(n.End()).Line; l++ {
		out = append(out, l)
	}
	return out
}

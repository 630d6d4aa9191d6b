package house

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

const module = "groundwork"

// source is one parsed Go file; its name is relative to the top of the repository.
type source struct {
	name  string
	text  []byte
	file  *ast.File
	lines int
}

// folder is where the file lives: "internal/store".
func (s *source) folder() string { return path.Dir(s.name) }

func (s *source) isTest() bool { return strings.HasSuffix(s.name, "_test.go") }

func (s *source) imports(target string) bool {
	return slices.ContainsFunc(s.file.Imports, func(spec *ast.ImportSpec) bool {
		return spec.Path.Value == strconv.Quote(target)
	})
}

// tree is all Go code of the module, and that of the experiments and of what packs releases.
type tree struct {
	set     *token.FileSet
	sources []*source
}

// line names a place the way compilers do.
func (t *tree) line(s *source, at token.Pos) string {
	return s.name + ":" + strconv.Itoa(t.set.Position(at).Line)
}

func (t *tree) add(name string, text []byte) error {
	file, err := parser.ParseFile(t.set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	t.sources = append(t.sources, &source{name: name, text: text, file: file, lines: bytes.Count(text, []byte("\n"))})
	return nil
}

// experiments and packing are the folders whose modules are of this house, though their libraries are their own: the
// rules hold there too.
const (
	experiments = "prove"
	packing     = "release"
)

// load parses the module around the working directory: other folders with a go.mod of their own and testdata are not
// part of it.
func load(t *testing.T) (*tree, string) {
	t.Helper()
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	out := &tree{set: token.NewFileSet()}
	err = filepath.WalkDir(top, func(where string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if where == top {
				return nil
			}
			_, foreign := os.Stat(filepath.Join(where, "go.mod"))
			name := d.Name()
			ours := where == filepath.Join(top, experiments) || where == filepath.Join(top, packing)
			if foreign == nil && !ours || name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") ||
				strings.HasPrefix(name, "_") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(where, ".go") {
			return nil
		}
		text, err := os.ReadFile(where)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(top, where)
		if err != nil {
			return err
		}
		return out.add(filepath.ToSlash(name), text)
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.sources) == 0 {
		t.Fatalf("no Go files under %s", top)
	}
	return out, top
}

// build makes a tree of a txtar archive.
func build(t *testing.T, archive string) *tree {
	t.Helper()
	out := &tree{set: token.NewFileSet()}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		if err := out.add(f.Name, f.Data); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// own gives the folder of an import of this module: "groundwork/internal/store" is "internal/store".
func own(spec *ast.ImportSpec) (string, bool) {
	text, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return "", false
	}
	return strings.CutPrefix(text, module+"/")
}

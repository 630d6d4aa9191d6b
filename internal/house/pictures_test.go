package house

import (
	"go/ast"
	"os"
	"regexp"
	"strings"
	"testing"
)

// named are the functions that a picture names: Type.function.
var named = regexp.MustCompile(`\b([A-Z]\w+)\.(\w+)\b`)

// TestPicturesNameWhatIsThere looks for every function that the sequence diagrams of the architecture name.
func TestPicturesNameWhatIsThere(t *testing.T) {
	all, top := load(t)
	there := map[string]bool{}
	for _, s := range all.sources {
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv != nil {
					there[receiver(n.Recv.List[0].Type)+"."+n.Name.Name] = true
				}
			case *ast.TypeSpec:
				for _, name := range members(n.Type) {
					there[n.Name.Name+"."+name] = true
				}
			}
			return true
		})
	}
	text, err := os.ReadFile(top + "/docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, picture := range strings.Split(string(text), "```mermaid\nsequenceDiagram")[1:] {
		picture, _, _ = strings.Cut(picture, "```")
		for _, name := range named.FindAllString(picture, -1) {
			if found++; !there[name] {
				t.Errorf("docs/architecture.md shows %s, which is not in the source.", name)
			}
		}
	}
	if found < 20 {
		t.Errorf("the pictures name only %d functions", found)
	}
}

// receiver is the name of a receiver's type.
func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// members are the fields of a struct and the methods of an interface.
func members(x ast.Expr) (names []string) {
	var list *ast.FieldList
	switch x := x.(type) {
	case *ast.StructType:
		list = x.Fields
	case *ast.InterfaceType:
		list = x.Methods
	default:
		return nil
	}
	for _, f := range list.List {
		for _, n := range f.Names {
			names = append(names, n.Name)
		}
	}
	return names
}

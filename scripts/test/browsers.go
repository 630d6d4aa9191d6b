package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// withoutBrowsers is the argument for everything but the tests that open a browser: those take more than a third of
	// the whole suite. A package that is asked for by name is played whole.
	withoutBrowsers = "-browsers=without"
	// onlyBrowsers is the argument for those that the other leaves out, and no others.
	onlyBrowsers = "-browsers=only"

	// browsing is the folder of the one package whose tests open browsers, by a call of opensBrowser.
	browsing     = "internal/web"
	opensBrowser = "openBrowser"
)

// parted gives the arguments of `go test` for one of the two parts of the suite, and which part that is; "" for
// arguments that name none. Both come of one list, so that each test is in exactly one of them.
func parted(args []string) (out []string, part string, err error) {
	at := slices.IndexFunc(args, func(a string) bool { return a == withoutBrowsers || a == onlyBrowsers })
	if at < 0 {
		return args, "", nil
	}
	part, out = args[at], slices.Delete(slices.Clone(args), at, at+1)
	names, err := browserTests(browsing)
	if err != nil {
		return nil, "", err
	}
	pattern := "^(" + strings.Join(names, "|") + ")$"
	if part == onlyBrowsers {
		out = slices.DeleteFunc(out, func(a string) bool { return a == "./..." })
		// Of several -run `go test` takes the last: that of a person who wants one of them.
		return slices.Concat([]string{"-run", pattern}, out, []string{"./" + browsing}), part, nil
	}
	if !slices.Contains(out, "./...") {
		return out, part, nil
	}
	// Of several -skip `go test` takes the last.
	if skip := slices.Index(out, "-skip"); skip >= 0 && skip+1 < len(out) {
		out[skip+1] += "|" + pattern
		return out, part, nil
	}
	return append([]string{"-skip", pattern}, out...), part, nil
}

// browserTests are the names of the tests of a folder that open a browser.
func browserTests(folder string) (names []string, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, declared := range file.Decls {
			f, is := declared.(*ast.FuncDecl)
			if !is || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				called, is := n.(*ast.Ident)
				if is && called.Name == opensBrowser && !slices.Contains(names, f.Name.Name) {
					names = append(names, f.Name.Name)
				}
				return true
			})
		}
	}
	return names, nil
}

package house

import (
	"slices"
	"strings"
	"testing"
)

// TestRulesCatch breaks each rule in a small tree: a rule that never speaks holds nothing.
func TestRulesCatch(t *testing.T) {
	for _, c := range []struct {
		name, rule, archive string
		want                []string // the beginning of each sentence; none: the tree is fine
	}{
		{
			"down", "directions", "-- internal/issue/a.go --\npackage issue\nimport \"groundwork/internal/resource\"\n",
			nil,
		},
		{"standard library", "directions", "-- internal/fault/a.go --\npackage fault\nimport \"errors\"\n", nil},
		{
			"noun to noun", "directions",
			"-- internal/issue/a.go --\npackage issue\nimport \"groundwork/internal/project\"\n",
			[]string{"internal/issue/a.go:2 imports internal/project. Nouns never import each other"},
		},
		{
			"a noun to its parts", "directions",
			"-- internal/sheet/a.go --\npackage sheet\nimport \"groundwork/internal/sheet/tile\"\n", nil,
		},
		{
			"a noun to parts of another", "directions",
			"-- internal/issue/a.go --\npackage issue\nimport \"groundwork/internal/sheet/register\"\n",
			[]string{"internal/issue/a.go:2 imports internal/sheet/register. The parts of a noun are its own"},
		},
		{
			"the wiring to parts of a noun", "directions",
			"-- internal/app/a.go --\npackage app\nimport \"groundwork/internal/sheet/intake\"\n",
			[]string{"internal/app/a.go:2 imports internal/sheet/intake. The parts of a noun are its own"},
		},
		{
			"up", "directions", "-- internal/store/a.go --\npackage store\nimport \"groundwork/internal/auth\"\n",
			[]string{"internal/store/a.go:2 imports internal/auth. What stores must not know"},
		},
		{
			"to app", "directions", "-- internal/api/a.go --\npackage api\nimport \"groundwork/internal/app\"\n",
			[]string{"internal/api/a.go:2 imports internal/app. Nothing but the command"},
		},
		{
			"sideways", "directions", "-- internal/auth/a.go --\npackage auth\nimport \"groundwork/internal/job\"\n",
			[]string{"internal/auth/a.go:2 imports internal/job. Packages of one floor"},
		},
		{
			"up in a test", "directions",
			"-- internal/auth/a_test.go --\npackage auth_test\nimport \"groundwork/internal/api\"\n",
			[]string{"internal/auth/a_test.go:2 imports internal/api. Arrows run down only"},
		},
		{
			"test package in a test", "directions",
			"-- internal/auth/a_test.go --\npackage auth_test\nimport \"groundwork/internal/apitest\"\n", nil,
		},
		{
			"test package in the service", "directions",
			"-- cmd/groundwork/a.go --\npackage main\nimport \"groundwork/internal/pgtest\"\n",
			[]string{"cmd/groundwork/a.go:2 imports internal/pgtest. It exists for tests"},
		},
		{
			"experiment in the service", "directions",
			"-- cmd/groundwork/a.go --\npackage main\nimport \"groundwork/prove/lab\"\n",
			[]string{"cmd/groundwork/a.go:2 imports prove/lab. It exists for tests"},
		},
		{
			"experiment to experiment", "directions",
			"-- prove/ordering/a.go --\npackage ordering\nimport \"groundwork/prove/durability\"\n",
			[]string{"prove/ordering/a.go:2 imports prove/durability. Experiments never import each other"},
		},
		{
			"the lab to an experiment", "directions",
			"-- prove/lab/a.go --\npackage lab\nimport \"groundwork/prove/durability\"\n",
			[]string{"prove/lab/a.go:2 imports prove/durability. Arrows run down only"},
		},
		{
			"an experiment to a test package", "directions",
			"-- prove/lab/a.go --\npackage lab\nimport \"groundwork/internal/pgtest\"\n", nil,
		},
		{
			"drawn in a test", "directions",
			"-- internal/drawing/a_test.go --\npackage drawing\nimport \"groundwork/internal/draft\"\n", nil,
		},
		{
			"a reader that knows the writer", "directions",
			"-- internal/drawing/a.go --\npackage drawing\nimport \"groundwork/internal/draft\"\n",
			[]string{"internal/drawing/a.go:2 imports internal/draft. Drawings are drawn for"},
		},
		{
			"unplaced", "directions",
			"-- internal/thing/a.go --\npackage thing\n-- internal/thing/b.go --\npackage thing\n",
			[]string{
				"internal/thing: the package has no floor.",
			},
		},

		{
			"engine in a name and a text", "engine names",
			"-- internal/api/a.go --\npackage api\nvar openSQLite = 1\nvar s = \"a Postgres thing\"\n",
			[]string{"internal/api/a.go:2 says sqlite.", "internal/api/a.go:3 says postgres."},
		},
		{
			"engine in a comment, in store, in a test", "engine names",
			"-- internal/api/a.go --\npackage api // not sqlite\n-- internal/store/a.go --\npackage store\nvar sqlite = 1\n-- internal/api/a_test.go --\npackage api\nvar sqlite = 1\n", nil,
		},

		{
			"one comment", "package comments",
			"-- internal/api/a.go --\n// Package api is.\npackage api\n-- internal/api/b.go --\npackage api\n", nil,
		},
		{
			"no comment", "package comments",
			"-- internal/api/a.go --\npackage api\n-- internal/api/a_test.go --\n// Package api is.\npackage api\n",
			[]string{"internal/api has no package comment."},
		},
		{
			"two comments", "package comments",
			"-- internal/api/a.go --\n// Package api is.\npackage api\n-- internal/api/b.go --\n// Package api was.\npackage api\n",
			[]string{"internal/api has package comments in a.go and b.go."},
		},

		{"long", "file lengths", "-- internal/api/a.go --\npackage api\n" + strings.Repeat("//\n", 500), []string{
			"internal/api/a.go has 501 lines",
		}},
		{
			"just not too long", "file lengths", "-- internal/api/a.go --\npackage api\n" + strings.Repeat("//\n", 499),
			nil,
		},
		{
			"long and generated", "file lengths",
			"-- internal/api/a.go --\n// Code generated by hand. DO NOT EDIT.\npackage api\n" + strings.Repeat("//\n",
				500), nil,
		},

		{
			"wide", "line lengths", "-- internal/api/a.go --\npackage api\n//" + strings.Repeat(" word", 24) + "\n",
			[]string{"internal/api/a.go:2 has 122 columns"},
		},
		{
			"wide by tabs", "line lengths", "-- internal/api/a.go --\npackage api\n" + strings.Repeat("\t", 30) + "var x int\n",
			[]string{"internal/api/a.go:2 has 129 columns"},
		},
		{
			"a long sentence", "line lengths",
			"-- internal/api/a.go --\npackage api\nvar x = \"" + strings.Repeat("word ", 30) + "\"\n", nil,
		},

		{
			"omitted", "omitted fields",
			"-- internal/api/a.go --\npackage api\ntype a struct {\n\tB int `json:\"b,omitempty\"`\n\tC int `json:\"c,omitzero\"`\n\tD int `json:\"d\"`\n}\n",
			[]string{"internal/api/a.go:3 uses omitempty.", "internal/api/a.go:4 uses omitzero."},
		},

		{"init", "init functions", "-- internal/api/a.go --\npackage api\nfunc init() {}\n", []string{
			"internal/api/a.go:2 is an init function.",
		}},
		{
			"a method named init", "init functions",
			"-- internal/api/a.go --\npackage api\ntype a int\nfunc (a) init() {}\n", nil,
		},

		{"util", "package names", "-- internal/util/a.go --\npackage util\n", []string{
			"internal/util: a package is named after",
		}},

		{"skip", "skipped tests", "-- internal/api/a_test.go --\npackage api\nfunc f(t T) { t.Skip() }\n", []string{
			"internal/api/a_test.go:2 skips a test.",
		}},
		{
			"sleep", "skipped tests", "-- internal/api/a_test.go --\npackage api\nfunc f(t T) { time.Sleep(1) }\n",
			[]string{"internal/api/a_test.go:2 sleeps."},
		},
		{
			"pause", "skipped tests", "-- internal/api/a_test.go --\npackage api\nfunc f(t T) { <-time.After(1) }\n",
			[]string{"internal/api/a_test.go:2 pauses."},
		},
		{
			"pause after each look", "skipped tests",
			"-- internal/api/a_test.go --\npackage api\nfunc f(t T) { for ; ; <-time.After(1) {} }\n",
			[]string{"internal/api/a_test.go:2 pauses."},
		},
		{
			"a bound on a wait", "skipped tests",
			"-- internal/api/a_test.go --\npackage api\nfunc f(t T) { select { case <-c: case <-time.After(1): } }\n",
			nil,
		},
		{
			"sleep on a clock of its own", "skipped tests",
			"-- internal/api/a_test.go --\npackage api\nimport \"testing/synctest\"\nfunc f(t T) { time.Sleep(1) }\n",
			nil,
		},
		{
			"sleep in the service", "skipped tests",
			"-- internal/api/a.go --\npackage api\nfunc f() { time.Sleep(1) }\n",
			nil,
		},

		{
			"a command", "cheap passwords",
			"-- cmd/groundwork/a.go --\npackage main\nfunc f(c C) { c.CheapPasswords = true }\n",
			[]string{"cmd/groundwork/a.go:2 says CheapPasswords."},
		},
		{
			"a test of a command", "cheap passwords",
			"-- cmd/groundwork/a_test.go --\npackage main\nfunc f(c C) { c.CheapPasswords = true }\n", nil,
		},
	} {
		t.Run(c.rule+"/"+c.name, func(t *testing.T) {
			got := rules[c.rule](build(t, c.archive))
			if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestMentions(t *testing.T) {
	all := build(t, "-- internal/app/a.go --\npackage app\nimport (\n\t\"groundwork/internal/issue\"\n)\nvar routes = x(\n\tissue.Routes(),\n\tother.issue,\n)\nfunc f() { issue.A(); issue.B() }\n")
	imports, uses := mentions(all, all.sources[0], "internal/issue")
	if !slices.Equal(imports, []int{3}) || !slices.Equal(uses, []int{6, 9}) {
		t.Errorf("imports on %v, uses on %v", imports, uses)
	}
	imports, uses = mentions(all, all.sources[0], "internal/project")
	if imports != nil || uses != nil {
		t.Errorf("a package that is not imported: %v, %v", imports, uses)
	}
}

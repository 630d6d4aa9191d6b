package apitest_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rightsFile is the table of who may do what. Nothing writes it but people.
const rightsFile = "../../testdata/rights.txt"

// The targets, in the order of the columns of a role.
const (
	own     = "own"
	others  = "others'"
	foreign = "foreign"
	child   = "foreign child"
	deleted = "deleted"
	unknown = "unknown"

	// Not columns.
	lost      = "an unknown project"
	published = "published" // what everybody sees of a kind that is personal otherwise
)

var (
	targets = []string{own, others, foreign, child, deleted, unknown}
	// strangers are the columns of those without a role; smuggler is the outsider with a record of the project under
	// their own path.
	strangers = []string{noKey, garbage, deactivated, removed, outsider, smuggler}
	roleNames = []string{admin, power, collaborator}
)

// none is a cell of a target that makes no sense.
const none = 0

// row is a line of the table.
type row struct {
	method, pattern string
	strangers       map[string]int
	roles           map[string]map[string]int // by role and target
	// batch is what everybody gets in a batch; none where it is what they get outside of one.
	batch int
}

func (r *row) name() string { return r.method + " " + r.pattern }

// record tells whether the route names a record inside a project.
func (r *row) record() bool { return strings.Contains(r.pattern, "{uid}") }

// capability tells whether an address is the right: no key is asked for.
func (r *row) capability() bool { return r.strangers[noKey] != http.StatusUnauthorized }

// project tells whether the route belongs to a project.
func (r *row) project() bool { return strings.Contains(r.pattern, "{project}") }

// kind is the path, inside the project, of the records that the route names by uid.
func (r *row) kind() string {
	before, _, _ := strings.Cut(r.pattern, "/{uid}")
	return strings.TrimPrefix(before, "/projects/{project}/")
}

func readRights(t testing.TB) []*row {
	t.Helper()
	text, err := os.ReadFile(rightsFile)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := parseRights(string(text))
	if err != nil {
		t.Fatalf("%s: %v", rightsFile, err)
	}
	return rows
}

// parseRights reads the table; every line must have every cell.
func parseRights(text string) ([]*row, error) {
	var rows []*row
	seen := map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		r, err := parseRow(line)
		if err == nil && seen[r.name()] {
			err = fmt.Errorf("%s has two lines", r.name())
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		seen[r.name()] = true
		rows = append(rows, r)
	}
	return rows, nil
}

func parseRow(line string) (*row, error) {
	groups := strings.Split(line, "|")
	route := strings.Fields(groups[0])
	if len(groups) != 2+1+len(roleNames) || len(route) != 2 {
		return nil, fmt.Errorf("it is not METHOD PATTERN | no role | Admin | Power Collaborator | Collaborator | batch")
	}
	r := &row{method: route[0], pattern: route[1], roles: map[string]map[string]int{}}
	var err error
	if r.strangers, err = parseCells(strangers, groups[1]); err != nil {
		return nil, err
	}
	for i, role := range roleNames {
		if r.roles[role], err = parseCells(targets, groups[2+i]); err != nil {
			return nil, fmt.Errorf("%s: %w", role, err)
		}
	}
	last := strings.TrimSpace(groups[len(groups)-1])
	if last != "=" {
		r.batch, err = parseStatus(last)
	}
	return r, err
}

func parseCells(names []string, text string) (map[string]int, error) {
	cells := strings.Fields(text)
	if len(cells) != len(names) {
		return nil, fmt.Errorf("there are %d cells for %s", len(cells), strings.Join(names, ", "))
	}
	out := map[string]int{}
	for i, name := range names {
		status, err := parseStatus(cells[i])
		if err != nil {
			return nil, err
		}
		out[name] = status
	}
	return out, nil
}

func parseStatus(text string) (int, error) {
	if text == "." {
		return none, nil
	}
	status, err := strconv.Atoi(text)
	if err != nil || status < 200 || status > 499 {
		return 0, fmt.Errorf("%q is neither a status nor a dot", text)
	}
	return status, nil
}

// unmatched says which routes have no line and which lines have no route.
func unmatched(rows []*row, routes []string) []string {
	var lines, out []string
	for _, r := range rows {
		lines = append(lines, r.name())
	}
	for _, route := range routes {
		if !slices.Contains(lines, route) {
			out = append(out, "The route "+route+" has no line: write who may use it into "+rightsFile+".")
		}
	}
	for _, line := range lines {
		if !slices.Contains(routes, line) {
			out = append(out, "The line "+line+" has no route.")
		}
	}
	return out
}

func TestRightsTable(t *testing.T) {
	const good = "GET /a/{project} | 401 403 403 403 403 . | 200 200 403 . . 404 | 200 200 403 . . 404 | 403 403 403 . . 404 | ="
	for _, c := range []struct{ text, want string }{
		{"# remark\n\n" + good, ""},
		{good + "\n" + good, "line 2: GET /a/{project} has two lines"},
		{strings.Replace(good, "| =", "", 1), "line 1: it is not METHOD PATTERN"},
		{strings.Replace(good, "| 401 403", "| 401", 1), "line 1: there are 5 cells for "},
		{strings.Replace(good, "| 403 403 403", "| 403 yes 403", 1), `line 1: Collaborator: "yes" is neither`},
		{strings.Replace(good, "| 200 200 403 . .", "| 200 200 403 .", 1), "line 1: Admin: there are 5 cells"},
		{strings.Replace(good, "| 401", "| 500", 1), `line 1: "500" is neither`},
	} {
		_, err := parseRights(c.text)
		if got := fmt.Sprint(err); (err == nil) != (c.want == "") || !strings.HasPrefix(got, c.want) && err != nil {
			t.Errorf("%s\n%v, want %q", c.text, err, c.want)
		}
	}
	rows, err := parseRights(good)
	if err != nil {
		t.Fatal(err)
	}
	if got := unmatched(rows, []string{"GET /a/{project}"}); got != nil {
		t.Errorf("a line for the only route: %q", got)
	}
	if got := unmatched(rows, []string{"GET /a/{project}", "POST /a/{project}"}); len(got) != 1 ||
		!strings.Contains(got[0], "The route POST /a/{project} has no line") {
		t.Errorf("a route without a line: %q", got)
	}
	if got := unmatched(rows, nil); len(got) != 1 ||
		!strings.Contains(got[0], "The line GET /a/{project} has no route") {
		t.Errorf("a line without a route: %q", got)
	}
}

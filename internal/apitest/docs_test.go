package apitest_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"groundwork/internal/api"
	"groundwork/internal/apitest"
	"groundwork/internal/auth"
)

// promised is an endpoint in the tables of docs/contract.md.
type promised struct {
	number string // the first column: a number, ext, or nothing
	served bool
	rights [3]string // the columns A, P and C
}

// endpoints reads the tables of endpoints by "METHOD PATTERN".
func endpoints(t *testing.T, contract string) map[string]promised {
	t.Helper()
	_, section, found := strings.Cut(contract, "\n## 17. Endpoints\n")
	if !found {
		t.Fatal("the contract has no section 17 with the endpoints")
	}
	section, _, _ = strings.Cut(section, "\n### Later families\n")
	all := map[string]promised{}
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		mark := cells[len(cells)-1]
		if mark != "●" && mark != "○" {
			continue
		}
		p := promised{served: mark == "●", number: cells[0]}
		if len(cells) == 8 {
			p.rights = [3]string(cells[4:7])
		}
		methods, paths, _ := strings.Cut(strings.ReplaceAll(cells[1], ", ", ","), " ")
		for method := range strings.SplitSeq(methods, ",") {
			for path := range strings.SplitSeq(paths, ",") {
				if rest, inside := strings.CutPrefix(path, "P"); inside {
					path = "/projects/{project}" + rest
				}
				all[method+" "+strings.ReplaceAll(path, ":uid", "{uid}")] = p
			}
		}
	}
	return all
}

// level is what a cell of the columns A, P and C says.
func level(cell string) auth.Level {
	switch cell {
	case "✓":
		return auth.Any
	case "–", "":
		return auth.No
	default:
		return auth.Own
	}
}

// TestContractEndpoints holds the contract's tables against the routes: what is marked as served is, with the rights
// that it says, and nothing else is.
func TestContractEndpoints(t *testing.T) {
	all := endpoints(t, contract(t))
	for _, r := range apitest.Start(t, apitest.SQLite).Edge.Routes() {
		name := r.Method + " " + r.Pattern
		p := all[name]
		delete(all, name)
		if !p.served {
			t.Errorf("%s is served; docs/contract.md does not name it, or marks it ○", name)
			continue
		}
		if _, err := strconv.Atoi(p.number); r.Extension && err == nil || !r.Extension && p.number == "ext" {
			t.Errorf("%s: Extension is %v on the route; docs/contract.md has %q in the first column", name, r.Extension,
				p.number)
		}
		want := auth.Right{Admin: level(p.rights[0]), Power: level(p.rights[1]), Collaborator: level(p.rights[2])}
		if r.Access == api.Member && r.Right != want {
			t.Errorf("%s has the rights %+v; docs/contract.md says %q", name, r.Right, p.rights)
		}
	}
	for name, p := range all {
		if p.served {
			t.Errorf("%s is not served; docs/contract.md says it is", name)
		}
	}
}

// TestContractFields asks the contract to name every field of every record that is served, in the record's own section.
func TestContractFields(t *testing.T) {
	text := contract(t)
	var document struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]any `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(apitest.Start(t, apitest.SQLite).Edge.OpenAPI(), &document); err != nil {
		t.Fatal(err)
	}
	_, records, _ := strings.Cut(text, "\n## 16. Records\n")
	common, _, _ := strings.Cut(records, "\n### ")
	for schema, title := range map[string]string{
		"Project": "Project", "NewProject": "Project", "User": "User", "Role": "Role", "Issue": "Issue",
		"NewIssue": "Issue", "IssueChange": "Issue",
		"IssueList": "Issue list", "NewIssueList": "Issue list", "RateLimit": "Rate limit",
		"Comment": "Comment", "NewComment": "Comment",
		"FieldReport": "Field report", "NewFieldReport": "Field report",
		"RFI": "RFI", "NewRFI": "RFI", "RFIChange": "RFI", "RFIStatus": "RFI", "RFIStatusChange": "RFI",
		"RFIChangeLog": "RFI",
		"Document":     "Document", "DocumentChange": "Document", "Photo": "Photo", "PhotoChange": "Photo",
		"Snapshot":   "Snapshot",
		"Annotation": "Annotation", "NewAnnotation": "Annotation", "Sheet": "Sheet", "SheetChange": "Sheet",
		"VersionSet": "Version set, version upload", "WorkItem": "What waits for the caller",
	} {
		_, section, found := strings.Cut(records, "\n### "+title+" ")
		section, _, _ = strings.Cut(section, "\n### ")
		fields := document.Components.Schemas[schema].Properties
		if !found || len(fields) == 0 {
			t.Errorf("the contract has no section %q, or the OpenAPI document no %s", title, schema)
		}
		for field := range fields {
			if !strings.Contains(section, "`"+field+"`") && !strings.Contains(common, "`"+field+"`") {
				t.Errorf("docs/contract.md does not name the field %s of %s", field, schema)
			}
		}
	}
}

func contract(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/contract.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestQuotes holds what CONTRIBUTING and the contract quote against the code: a block marked "go FILE" stands in FILE
// as it is.
func TestQuotes(t *testing.T) {
	for path, least := range map[string]int{"CONTRIBUTING.md": 4, "docs/contract.md": 1} {
		text, err := os.ReadFile("../../" + path)
		if err != nil {
			t.Fatal(err)
		}
		quotes := regexp.MustCompile("(?ms)^```go (\\S+)$\n(.*?)^```$").FindAllStringSubmatch(string(text), -1)
		if len(quotes) < least {
			t.Fatalf("%s quotes the code %d times; it did so more often", path, len(quotes))
		}
		for _, q := range quotes {
			code, err := os.ReadFile("../../" + q[1])
			if err != nil {
				t.Error(err)
			} else if !strings.Contains(string(code), q[2]) {
				t.Errorf("%s says that %s has\n%s\nIt does not.", path, q[1], q[2])
			}
		}
	}
}

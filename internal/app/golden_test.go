package app_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"groundwork/internal/api"
	"groundwork/internal/app"
)

var update = flag.Bool("update", false,
	"rewrite docs/openapi.json, testdata/routes.txt and testdata/kinds.txt from the code")

// TestGoldens shows every change of the API's surface in a diff: the OpenAPI document, the route table, and the numbers
// that are stored on disk.
func TestGoldens(t *testing.T) {
	document, err := api.Document(app.Routes(), "https://groundwork.example", "0")
	if err != nil {
		t.Fatal(err)
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, document, "", "  "); err != nil {
		t.Fatal(err)
	}
	pretty.WriteByte('\n')
	golden(t, "../../docs/openapi.json", pretty.Bytes())

	var routes strings.Builder
	routes.WriteString("# Written by go test ./internal/app -update. Method, path, and what Admin, Power Collaborator and Collaborator may do.\n")
	levels := []string{"no", "own", "any"}
	for _, r := range app.Routes() {
		right := "any account"
		switch r.Access {
		case api.Public:
			right = "everybody"
		case api.Member:
			right = fmt.Sprintf("%s/%s/%s", levels[r.Right.Admin], levels[r.Right.Power], levels[r.Right.Collaborator])
		}
		fmt.Fprintf(&routes, "%-6s %-50s %s\n", r.Method, r.Pattern, right)
	}
	golden(t, "../../testdata/routes.txt", []byte(routes.String()))
	golden(t, "../../testdata/kinds.txt",
		[]byte("# Written by go test ./internal/app -update. Stored facts: a number or a slot, once given, is never changed or used again.\n"+
			strings.Join(app.Catalog().Facts(), "\n")+"\n"))
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil { //nolint:gosec // a file of the repository
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the code says; if the change is meant, run make update and look at the diff", path)
	}
}

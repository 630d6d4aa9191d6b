package app

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// roomTables are the tables that no family owns, by the room that does.
var roomTables = map[string][]string{
	"store":    {"projects", "records", "links", "changes", "instance", "words", "wording", "presence"},
	"resource": {"requests"},
	"job":      {"jobs"},
	"upload":   {"uploads", "files"},
	"forget":   {"erasures", "erasing", "holds", "audit"},
	"auth": {
		"accounts", "keys", "sessions", "capabilities", "applications", "grants", "tokens", "versions", "version_uses",
		"version_notices", "invitations", "waiting", "announcements", "bounces",
	},
}

// TestTablesHaveOwners: every table is one room's or one family's, so that whoever copies or empties an installation
// finds all of them.
func TestTablesHaveOwners(t *testing.T) {
	owners := map[string]string{}
	for room, tables := range roomTables {
		for _, table := range tables {
			owners[table] = room
		}
	}
	for _, f := range families() {
		for _, table := range f.Tables {
			if owners[table] != "" {
				t.Errorf("%s is both %s's and %s's", table, owners[table], f.Name)
			}
			owners[table] = f.Name
		}
	}
	files, err := filepath.Glob("../store/migrations/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	made := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^CREATE TABLE (\w+)`).FindAllSubmatch(text, -1) {
			made[string(m[1])] = true
		}
	}
	for table := range made {
		if owners[table] == "" && !slices.Contains(renamed, table) {
			t.Errorf("nobody owns the table %s: name it in its family's Tables, or with its room here", table)
		}
	}
	for table := range maps.Keys(owners) {
		if !made[table] {
			t.Errorf("%s owns the table %s, which no migration makes", owners[table], table)
		}
	}
}

// renamed are tables that a migration makes to take the place of another, whose name they get.
var renamed = []string{"uploads_by_kind"}

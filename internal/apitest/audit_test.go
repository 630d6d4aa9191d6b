package apitest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/blob"
)

// TestAudit damages the file store in every way that doctor --files is to find.
func TestAudit(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		ada := s.Account("ada")
		project := ada.Project("Depot")
		objects := map[string]string{}
		for _, name := range []string{"whole", "missing", "short", "other"} {
			made := ada.Upload(project, "attachments", map[string]any{"name": name, "content_type": "text/plain"},
				"the file "+name)
			_, object, _ := strings.Cut(made.Text("url"), "/files/")
			object, _, _ = strings.Cut(object, "?")
			objects[name] = filepath.Join(s.App.Config.Data, "files", object[:2], object)
		}
		findings := func(whole bool) (all []string) {
			for _, check := range s.App.VerifyFiles(t.Context(), whole) {
				if err := check.Run(t.Context()); err != nil {
					all = append(all, err.Error())
				}
			}
			slices.Sort(all)
			return all
		}
		for _, whole := range []bool{false, true} {
			if found := findings(whole); len(found) != 0 {
				t.Errorf("nothing is wrong: %q", found)
			}
		}

		orphan := blob.NewName()
		if _, err := s.App.Blob.Put(t.Context(), orphan, strings.NewReader("nobody's")); err != nil {
			t.Fatal(err)
		}
		if found := findings(true); len(found) != 0 {
			t.Errorf("an object that just came: %q", found)
		}
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		old := time.Now().Add(-26 * time.Hour)
		must(os.Chtimes(filepath.Join(s.App.Config.Data, "files", orphan[:2], orphan), old, old))
		must(os.Remove(objects["missing"]))
		must(os.Truncate(objects["short"], 3))
		must(os.WriteFile(objects["other"], []byte("the file OTHER"), 0o600))
		want := map[string]string{
			`"missing", is missing`: "", `"short", has 3 bytes in the store instead of 14`: "",
			"object " + orphan + ", of 8 bytes": "", `"other", has other bytes`: "whole",
		}
		for _, whole := range []bool{false, true} {
			found := strings.Join(findings(whole), "\n")
			for text, only := range want {
				if shown := strings.Contains(found, text); shown != (whole || only == "") {
					t.Errorf("whole %v, %s: found\n%s", whole, text, found)
				}
			}
			if strings.Contains(found, `"whole"`) {
				t.Errorf("found\n%s", found)
			}
		}
	})
}

package apitest_test

import (
	"net/http"
	"strings"
	"testing"

	. "groundwork/internal/apitest"
	"groundwork/internal/draft"
)

// TestSetDiscarded: a set that is not published can be deleted, also while it is read: it is then not published, by
// itself or by anybody, until it is restored. A published set cannot be deleted.
func TestSetDiscarded(t *testing.T) {
	t.Parallel()
	Engines(t, func(t *testing.T, engine string) {
		s := Start(t, engine)
		ada, bob := s.Account("ada"), s.Account("bob")
		project := ada.Project("P")
		ada.Invite(project, bob, "Power Collaborator")
		content, _ := drawn(t, draft.Options{Seed: 5, Sheets: 1, Plain: true})
		// It would be published as soon as it was read.
		set := ada.UploadSet(project, "Issue 1", true, SetFile{"plans.pdf", content})
		at := "/projects/" + project
		path := at + "/version_sets/" + set
		bob.Want(http.StatusForbidden, "DELETE", path, nil)
		ada.Want(http.StatusNoContent, "DELETE", path, nil)
		s.Work()
		if r := progress(t, ada, project, set); r.Processing.Published || r.Processing.Status != "complete" {
			t.Fatalf("the discarded set is %+v", r)
		}
		for _, refused := range []Response{
			ada.Want(http.StatusBadRequest, "POST", path+"/publish", nil),
			ada.Want(http.StatusBadRequest, "PATCH", path, map[string]any{"version_name": "Other"}),
		} {
			if !strings.Contains(refused.Text("message"), "is deleted. Restore it first.") {
				t.Errorf("of a discarded set: %s", refused.Body)
			}
		}
		if got := listed(t, ada, project, ""); len(got) > 0 {
			t.Errorf("its sheets are %+v", got)
		}
		if r := ada.Want(http.StatusOK, "GET", at+"/version_sets?deleted=false", nil); strings.Contains(string(r.Body), set) {
			t.Errorf("it is still listed: %s", r.Body)
		}

		if r := ada.Want(http.StatusOK, "POST", path+"/restore", nil); r.Text("deleted") != "false" {
			t.Errorf("restored it is %s", r.Body)
		}
		ada.Want(http.StatusOK, "POST", path+"/publish", nil)
		if got := listed(t, bob, project, ""); len(got) != 1 {
			t.Errorf("published are %+v", got)
		}
		if r := ada.Want(http.StatusBadRequest, "DELETE", path, nil); !strings.Contains(r.Text("message"),
			"is published. Delete its sheets instead.") {
			t.Errorf("a published set: %s", r.Body)
		}
		if r := ada.Want(http.StatusOK, "GET", path, nil); r.Text("deleted") != "false" {
			t.Errorf("it is %s", r.Body)
		}
	})
}

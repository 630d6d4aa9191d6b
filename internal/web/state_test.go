package web

import (
	"strings"
	"testing"

	"groundwork/internal/identity"
)

// TestStateIsShown: what is not well comes first, the worst at the top, each with what to do; nothing of it is markup.
func TestStateIsShown(t *testing.T) {
	groups := []StateGroup{{
		Name: "health", Title: "Health", Do: "More is looked at by", Command: "groundwork doctor",
		Lines: []StateLine{{Name: "Database", Value: "answers", Level: Well}, {Name: "Requests", Value: "3"}},
	}, {Name: "storage", Title: "Storage", Lines: []StateLine{{Name: "Files", Value: "7"}}}}
	well := StateSeen{Groups: groups, Stored: []StoredSeen{{Name: "<b>Tower", Files: "7", Bytes: "1.5 GB", Share: 90}}}
	ill := well
	ill.Groups = append(groups[:2:2], StateGroup{Name: "mail", Title: "Mail", Lines: []StateLine{
		{Name: "Server", Value: "There is none.", Level: Look, Do: "Name one.", Command: "serve --mail-url <URL>"},
		{Name: "Disk", Value: "is full", Level: Bad, Do: "Make room."},
	}})
	for name, test := range map[string]struct {
		seen StateSeen
		anew bool
		want []string
		not  []string
	}{
		"well": {well, false, []string{
			"All is well.", "Look again every 30 seconds", "&lt;b&gt;Tower", "1.5 GB", "<code>groundwork doctor</code>",
		}, []string{"need you", "does not work"}},
		"ill": {ill, true, []string{
			"2 things need you", "Keep it as it is", "Name one.", "serve --mail-url &lt;URL&gt;", "Make room.",
		}, []string{"All is well."}},
	} {
		body, err := render("operator-state.html", shownState(view{
			"Title": "State", "Section": "operator-state", "Who": &identity.Account{}, "Session": "s", "Base": "", "Done": "",
			"Problem": "", "Fields": map[string]string{},
		}, test.seen, test.anew))
		if err != nil {
			t.Fatal(err)
		}
		page := string(body)
		for _, want := range test.want {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %q in %s", name, want, page)
			}
		}
		for _, not := range test.not {
			if strings.Contains(page, not) {
				t.Errorf("%s: there is %q", name, not)
			}
		}
		if name == "ill" && strings.Index(page, "Make room.") > strings.Index(page, "Name one.") {
			t.Error("the worst is not at the top")
		}
	}
}

package foreign

import (
	"fmt"
	"strings"
	"testing"
)

// Who has no address in the file is found by a name that exactly one member has; --person comes before it.
func TestPeopleByName(t *testing.T) {
	team := []Member{
		{UID: "A", Email: "ada@example.com", First: "Ada", Last: "Stone"},
		{UID: "B", Email: "bob@example.com", First: "Bob", Last: "Miller"},
		{UID: "C", Email: "bob.miller@example.com", First: "BOB", Last: "Miller"},
		{UID: "D", Email: "dora@example.com", First: "Dora"},
		{UID: "E", Email: "eve@example.com"},
	}
	for text, want := range map[string]string{
		"ada  STONE":                  "A/",
		"Stone, Ada":                  "A/",
		"Dora; Ada Stone":             "D,A/",
		"Dora, Ada Stone":             "D,A/",
		"Bob Miller":                  "/Bob Miller",
		"Bob Miller, Ada Stone":       "A/Bob Miller",
		"Ada":                         "/Ada",
		"Ada Stone <eve@example.com>": "E/",
		"Ada Stone <x@example.com>":   "/Ada Stone <x@example.com>",
		"Carl":                        "B/",
		"Dora (Acme)":                 "/Dora (Acme)",
		"-":                           "/-",
	} {
		_, r := rowsOf(t, Options{From: "plangrid", Kind: "tasks"}, "Nr,Title", "1,x")
		r.know(team)
		r.alias = map[string]string{fold("Carl"): "bob@example.com"}
		in := r.who(text, true)
		if got := strings.Join(in.uids, ",") + "/" + strings.Join(in.others, ";"); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// Where a row has anybody's address, a name beside it brings in nobody: it may be a namesake's.
func TestAddressesComeBeforeNames(t *testing.T) {
	_, r := rowsOf(t, Options{From: "plangrid", Kind: "tasks"}, "Nr,Title,Assignee Name,Assignee Email",
		"1,x,Ada Stone,ada.stone@other.example", "2,y,Ada Stone,")
	r.know([]Member{{UID: "A", Email: "ada@example.com", First: "Ada", Last: "Stone"}})
	for i, want := range []string{"[]", "[A]"} {
		if got := fmt.Sprint(r.item(r.rows[i]).fields["assigned_to_uids"]); got != want {
			t.Errorf("row %d is assigned to %s, want %s", i+1, got, want)
		}
	}
	if fold("राम") == fold("रमा") || fold("E\u0301va") != fold("Éva") {
		t.Error("Names are told apart by their vowels, and not by how a letter is written.")
	}
}

// Headings of tables that people keep themselves have their places, after those of the export's own.
func TestHeadingsOfOwnTables(t *testing.T) {
	for headings, want := range map[string]string{
		"ID,Nr.,Title,Assignee Name":                         "uid, number, title, assigned to",
		"No.,Title,Assigned To Name,Assignee Email":          "number, title, assigned to, assigned to",
		"№,Title,Assignee(s) E-Mail Address,Assigned to":     "number, title, assigned to, assigned to",
		"ID,UID,Nr,#,Title":                                  "remark, uid, remark, number, title",
		"UUID,Title,ID":                                      "uid, title, remark",
		"Title,Assignee Company,Assignee Full Name,Colour,#": "title, remark, assigned to, remark, number",
	} {
		_, r := rowsOf(t, Options{From: "plangrid", Kind: "tasks"}, headings, "1,2,3,4,5")
		var got []string
		for _, c := range r.columns[:strings.Count(headings, ",")+1] {
			got = append(got, string(c.what))
			if known := c.heading != "Colour" && c.heading != "Assignee Company"; c.known != known {
				t.Errorf("%q: %s is known: %v", headings, c.heading, c.known)
			}
		}
		if fmt.Sprint(strings.Join(got, ", ")) != want {
			t.Errorf("%q: %s, want %s", headings, strings.Join(got, ", "), want)
		}
	}
	if _, r := rowsOf(t, Options{}, "ID,Nr,Title,Stamp,Assignee Name", "1,2,3,4,5"); r.export.service != "plangrid" {
		t.Errorf("headings of everywhere say that it is %s", r.called)
	}
}

package web_test

import (
	"fmt"
	"strings"
	"testing"

	"groundwork/internal/apitest"
)

// TestUnsentWork goes through what was entered without a line: what two people changed is decided by the person, what
// the server refuses is told with its sentence and mended, and the panel has no barriers.
func TestUnsentWork(t *testing.T) {
	b := openBrowser(t)
	server := apitest.Start(t, apitest.SQLite, apitest.Reachable())
	ada, bob := server.Account("ada", "Ada Lovelace"), server.Account("bob", "Bob Marsh")
	project := ada.Project("Harbour School")
	ada.Invite(project, bob, "Power Collaborator")
	bob.Want(200, "GET", "/projects/"+project, nil)
	api := "/projects/" + project + "/issues"
	made := func(title string) string {
		return ada.Want(201, "POST", api, map[string]any{"title": title}).Text("uid")
	}
	title := func(uid string) string { return ada.Want(200, "GET", api+"/"+uid, nil).Text("title") }
	disputed, gone := made("Handrail loose"), made("Door swing")
	w := &worker{tab: b.tab(t, 1280, 900, "light"), server: server}
	w.signIn(ada, "/app/"+project+"/issues")
	w.rows(2)

	w.step("without a line", func(*testing.T) {
		w.line(false)
		for uid, text := range map[string]string{disputed: "Handrail mended", gone: "Door swings out"} {
			w.click(`a[data-row][href*="` + uid + `"]`)
			w.rewrite("Title", text)
			w.reads(text)
		}
		w.soon(element("2 changes not sent"), func() string { return "nothing tells of what waits" })
		bob.Want(200, "PATCH", api+"/"+disputed, map[string]any{"title": "Handrail replaced"})
		bob.Want(204, "DELETE", api+"/"+gone, nil)
		w.line(true)
	})

	w.step("what somebody else changed too", func(t *testing.T) {
		w.reads("Changed by somebody else")
		w.press("Look")
		w.reads("Choose what stays.")
		w.reads("Handrail replaced")
		if wrong := w.axe(false); len(wrong) > 0 {
			t.Errorf("barriers: %s", strings.Join(wrong, "\n"))
		}
		if use := eval[bool](w.tab, `[...document.querySelectorAll('dialog button')].find(e => e.innerText.trim() === 'Use these values').disabled`); !use {
			t.Error("the values can be used before anything is chosen")
		}
		eval[bool](w.tab, `([...document.querySelectorAll('dialog label')].find(e => e.innerText.includes('Handrail mended')).click(), true)`)
		w.press("Use these values")
		w.patiently(func() bool { return title(disputed) == "Handrail mended" }, "what was chosen is not there")
	})

	w.step("what the server refuses", func(t *testing.T) {
		w.reads("is deleted. Restore it first.")
		ada.Want(200, "POST", api+"/"+gone+"/restore", nil)
		w.press("Correct")
		w.write("Title", "Door swings into the corridor")
		w.press("Send corrected")
		w.patiently(func() bool { return title(gone) == "Door swings into the corridor" }, "what was corrected is not there")
		w.reads("Everything is sent")
		if _, console := w.seen(w.server.URL); len(console) > 0 {
			for _, line := range console {
				if !strings.Contains(line, "net::ERR") && !strings.Contains(line, "status of 4") {
					t.Errorf("the browser says %s", fmt.Sprintf("%q", line))
				}
			}
		}
	})

	w.step("what goes with it", func(t *testing.T) {
		w.press("Close")
		w.line(false)
		w.press("New issue")
		w.write("Title", "Glass cracked")
		w.press("Create issue")
		row := `[...document.querySelectorAll('a[data-row]')].find(e => e.innerText.includes('Glass cracked'))`
		w.soon(row, func() string { return "what was made is not listed" })
		eval[bool](w.tab, `(`+row+`.click(), true)`)
		w.write("Write a comment", "The pane beside the lift")
		w.press("Send")
		w.press("2 changes not sent")
		w.reads("New issue")
		eval[bool](w.tab, `([...document.querySelectorAll('dialog button')].find(e => e.innerText.trim() === 'Discard').click(), true)`)
		w.reads("Discard this change?")
		asked := `[...document.querySelectorAll('dialog')].at(-1).innerText`
		for _, text := range []string{"1 other change comes to nothing without it", "The pane beside the lift", "Save as a file"} {
			w.soon(fmt.Sprintf(`%s.includes(%q)`, asked, text), func() string {
				return fmt.Sprintf("the question does not say %q:\n%s", text, eval[string](w.tab, asked))
			})
		}
		if wrong := w.axe(false); len(wrong) > 0 {
			t.Errorf("barriers: %s", strings.Join(wrong, "\n"))
		}
		w.press("Discard")
		w.line(true)
		w.reads("Everything is sent")
		if made := ada.Want(200, "GET", api, nil).Text("total_count"); made != "2" {
			t.Errorf("there are %s issues, not 2", made)
		}
	})
}

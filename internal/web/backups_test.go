package web

import (
	"strings"
	"testing"
	"time"

	"groundwork/internal/identity"
)

// TestShippedIsShown: the page says between which moments anything can be restored, and what to look at.
func TestShippedIsShown(t *testing.T) {
	moment := time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		seen BackupsSeen
		want []string
		not  string
	}{
		"none": {BackupsSeen{Here: true, Every: time.Hour}, []string{"none yet"}, "Changes as they are made"},
		"being begun": {
			BackupsSeen{Here: true, Every: time.Hour, Continuous: true},
			[]string{"Changes as they are made", "being begun", "Files that wait</dt><dd>not known yet"},
			"Any moment from",
		},
		"well": {
			BackupsSeen{
				Here: true, Every: time.Hour, Continuous: true, Since: moment, Sent: moment.Add(time.Hour),
				Compared: moment, WaitingFiles: 3, FilesLooked: moment,
			},
			[]string{"Any moment from", "all is well", "Files that wait</dt><dd>3"},
			"does not work",
		},
		"away": {
			BackupsSeen{
				Here: true, Every: time.Hour, Continuous: true, Since: moment, Sent: moment,
				ShipWrong: "The place <does> not answer", FilesLooked: moment,
			},
			[]string{"Files that wait</dt><dd>none", "does not work", "The place &lt;does&gt; not answer"},
			"all is well",
		},
	} {
		body, err := render("operator-backups.html", shownBackups(view{
			"Title": "Backups", "Section": "operator-backups", "Who": &identity.Account{}, "Session": "s", "Base": "", "Done": "",
			"Problem": "", "Fields": map[string]string{},
		}, test.seen))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range test.want {
			if !strings.Contains(string(body), want) {
				t.Errorf("%s: no %q in %s", name, want, body)
			}
		}
		if strings.Contains(string(body), test.not) {
			t.Errorf("%s: there is %q", name, test.not)
		}
	}
}

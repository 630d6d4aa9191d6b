package app

import (
	"os"
	"path/filepath"
	"testing"

	"groundwork/internal/foreign"
)

// Whoever is assigned to what comes with a file is told nothing, also while they are told of other things.
func TestFilesAreToldToNobody(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		v := settle(t, c)
		tower := v.do("ada", "POST", "/projects", `{"name":"Tower"}`)
		v.do("ada", "POST", "/projects/"+tower+"/users/invites", `{"email":"bob@example.com"}`)
		v.do("bob", "GET", "/projects/"+tower, "")
		v.want("the invitation", v.mails())
		path := filepath.Join(t.TempDir(), "tasks.csv")
		lines := "#,Title,Stamp,Room,Assigned To\n1,Door,D,101,bob@example.com\n2,Wall,W,102,bob@example.com\n"
		if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
		bring := func() {
			in := Files{Path: path, Email: "ada@example.com", Project: tower}
			if _, _, r, err := v.app.ImportTable(t.Context(), in, foreign.Options{}); err != nil || r.Made+r.Same != 2 {
				t.Fatalf("%+v %v", r, err)
			}
		}
		bring()
		v.want("the file alone", v.mails())
		other := v.do("ada", "POST", "/projects", `{"name":"Bridge"}`)
		v.do("ada", "POST", "/projects/"+other+"/users/invites", `{"email":"bob@example.com"}`)
		v.do("bob", "GET", "/projects/"+other, "")
		v.mails()
		tower = other
		v.do("ada", "POST", "/projects/"+tower+"/issues", `{"title":"Roof","assigned_to":["`+v.uids["bob"]+`"]}`)
		bring()
		v.want("beside something else", v.mails(), "bob@example.com: [Bridge] issue #1 is yours: Roof")
	})
}

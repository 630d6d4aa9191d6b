package forget_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/blob"
	"groundwork/internal/drawing"
	"groundwork/internal/forget"
	"groundwork/internal/mail"
	"groundwork/internal/store"
)

// TestMain lets this test program be the child that the services under test read images and PDFs with.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == drawing.WorkerCommand {
		os.Exit(drawing.Work())
	}
	os.Exit(m.Run())
}

// The trap: a person whose name, address and nickname are found nowhere else.
const (
	trapFirst, trapLast = "Zephyrine", "Trapwell"
	trapName            = trapFirst + " " + trapLast
	trapAddress         = "zephyrine.trapwell@example.com"
	trapNick            = "Zephytrap"
	trapText            = "See " + trapName + ", " + trapLast + ", " + trapFirst + " <" + trapAddress + "> or " + trapNick
)

// traces are what must not be left of the trap, in lower case.
var traces = []string{"zephyrine", "trapwell", "zephytrap"}

// site is an installation with the trap in it.
type site struct {
	*apitest.Server
	ada, zeph     *apitest.Person
	tower, cellar string // Ada's project, with both; Zephyrine's own
	issue, gone   string // one of the tower; a deleted one
}

// furnish makes an installation in which the trap has done things, and is named by others.
func furnish(t *testing.T, engine string, options ...apitest.Option) *site {
	t.Helper()
	s := &site{Server: apitest.Start(t, engine, append(options, apitest.Mailed())...)}
	s.ada, s.zeph = s.Account("ada", "Ada", "Lovelace"), s.Account("zephyrine.trapwell", trapName)
	s.tower, s.cellar = s.ada.Project("Tower of "+trapName), s.zeph.Project("Cellar")
	s.ada.Invite(s.tower, s.zeph, "Power Collaborator")
	s.zeph.Want(200, "GET", "/projects/"+s.tower, nil)
	in := "/projects/" + s.tower
	s.issue = s.ada.Want(201, "POST", in+"/issues", map[string]any{
		"title": "Crack, says " + trapName, "description": trapText, "assigned_to_uids": []string{s.zeph.UID},
	}).Text("uid")
	s.ada.Want(200, "PATCH", in+"/issues/"+s.issue, map[string]any{"title": "A crack", "room": trapName + "'s"})
	s.zeph.Want(201, "POST", in+"/issues/"+s.issue+"/comments", map[string]any{"text": "Mine.\n" + strings.ToUpper(trapName)})
	s.ada.Upload(s.tower, "attachments", map[string]any{
		"content_type": "text/plain", "name": trapFirst + "_" + trapLast + ".txt",
	}, "about somebody")
	s.zeph.Upload(s.cellar, "attachments", map[string]any{"content_type": "text/plain", "name": "a.txt"}, "mine")
	s.ada.Want(201, "POST", in+"/views", map[string]any{"name": trapName, "of": "issues", "query": "q=" + trapFirst + "+" + trapLast})
	s.gone = s.ada.Want(201, "POST", in+"/issues", map[string]any{"title": "gone, " + trapNick}).Text("uid")
	s.ada.Want(201, "POST", in+"/issues/"+s.gone+"/comments", map[string]any{"text": "about what is gone"})
	s.ada.Want(204, "DELETE", in+"/issues/"+s.gone, nil)
	must(t, s.App.Store.Write(t.Context(), func(tx *store.Tx) error {
		_, err := s.App.Jobs.Enqueue(tx, mail.Kind, mail.Message{To: mail.Address{Email: trapAddress}, Text: "Dear " + trapName})
		return err
	}))
	return s
}

// notFree are the columns that hold what the service itself makes: uids, hashes, numbers and fixed words.
var notFree = []string{
	"uid", "hash", "account", "key", "object", "sha256", "credential", "token", "request", "digest", "kind", "id", "job",
	"owner", "root", "made_by", "inviter", "application", "family", "code", "mark", "challenge", "purpose", "handed",
	"shown_to", "password", "email_key", "counted_by", "limits", "scopes", "language", "secret", "upload", "tally", "what",
	"subject", "did", "record", "terms", "type",
}

// plantedBy has the columns that furnish fills through the service, and that cannot be filled by hand.
var plantedBy = []string{"records.doc", "changes.diff", "accounts.email", "accounts.first_name", "accounts.last_name"}

// plant puts the trap into every free text of every table, by rows that nobody needs, and a row of the tower into every
// table that has rows of projects.
func plant(t *testing.T, s *site) {
	t.Helper()
	p, err := s.App.Store.Project(t.Context(), s.tower)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := s.App.Store.Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		free := false
		row := make([]any, len(table.Columns))
		for i, c := range table.Columns {
			switch {
			case c.Name == "project" && !c.Text:
				row[i] = p.ID
			case c.Name == "object":
				row[i] = object(t, s.Server)
			case c.Name == "size":
				row[i] = int64(len(planted))
			case c.Name == "sha256":
				row[i] = fmt.Sprintf("%x", sha256.Sum256([]byte(planted)))
			case c.Name == "number":
				row[i] = int64(70_000)
			case c.Name == "erase_at":
				row[i] = int64(1 << 60)
			case c.Name == "begun":
				row[i] = int64(0)
			case table.Name == "jobs" && c.Name == "state":
				row[i] = int64(2)
			case !c.Text:
				row[i] = int64(1)
			case i < table.Key || slices.Contains(notFree, c.Name):
				row[i] = "plant-" + table.Name + "-" + c.Name
			default:
				free = true
				row[i] = trapText
			}
		}
		switch table.Name {
		case "records": // what a sheet keeps, say
			must(t, s.App.Store.Edit(t.Context(), p, 0, func(tx *store.Tx) error {
				return tx.Exec("UPDATE records SET private = $1 WHERE id = $2", `{"words":"`+trapText+`"}`,
					store.MakeID(p.ID, 5, 1))
			}))
			continue
		case "changes":
			must(t, s.App.Store.Edit(t.Context(), p, 0, func(tx *store.Tx) error {
				return tx.Exec("UPDATE changes SET was = $1 WHERE id = $2", "name="+trapName, p.ID<<39|1)
			}))
			continue
		case "accounts":
			row[table.Index("email")] = "plant@example.com"
		case "jobs":
			row[table.Index("args")] = fmt.Sprintf(`{"text":%q}`, trapText+"\n"+trapName)
		case "erasing", "erasures":
			row[table.Index("number")] = int64(1 << 20)
		}
		if free || table.Index("project") >= 0 {
			office := map[string]store.Office{"jobs": store.JobsOffice, "requests": store.SweepOffice}[table.Name]
			must(t, s.App.Store.Edit(t.Context(), p, 0, func(tx *store.Tx) error {
				return tx.In(office, func() error { return tx.PutRow(table, row) })
			}))
		}
	}
}

// planted is what is in the files that plant makes.
const planted = "nothing"

// object puts a file that nobody needs into the file store.
func object(t *testing.T, s *apitest.Server) string {
	t.Helper()
	name := blob.NewName()
	_, err := s.App.Blob.Put(t.Context(), name, strings.NewReader(planted))
	must(t, err)
	return name
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// holding tells where texts stand, by table and column, in whatever case; in the index of words and the names of files
// too.
func holding(t *testing.T, s *apitest.Server, texts ...string) (all []string) {
	t.Helper()
	has := func(text string) bool {
		text = strings.ToLower(text)
		return slices.ContainsFunc(texts, func(trace string) bool { return strings.Contains(text, trace) })
	}
	note := func(place string) {
		if !slices.Contains(all, place) {
			all = append(all, place)
		}
	}
	snap, err := s.App.Store.Snapshot(t.Context())
	must(t, err)
	for _, table := range snap.Tables() {
		must(t, snap.Each(t.Context(), table, func(c *store.Cols) error {
			for i, column := range table.Columns {
				if column.Text && has(c.Text(i)) {
					note(table.Name + "." + column.Name)
				}
			}
			return nil
		}))
	}
	must(t, snap.Close())
	must(t, s.App.Blob.Each(t.Context(), func(i blob.Info) error {
		if has(i.Name) {
			note("the file store")
		}
		return nil
	}))
	slices.Sort(all)
	return all
}

// erase erases the trap, with its nickname.
func erase(t *testing.T, s *site) forget.Proof {
	t.Helper()
	who, err := s.App.Forgetting().Find(t.Context(), trapAddress, []string{trapNick})
	must(t, err)
	proof, err := who.Erase(t.Context(), "a test", time.UnixMicro(s.App.Store.Now()), false)
	must(t, err)
	if len(proof.Remains) > 0 {
		t.Errorf("something remains: %v", proof.Remains)
	}
	return proof
}

// sound fails where something that is stored does not agree with itself, or with the file store.
func sound(t *testing.T, s *apitest.Server) {
	t.Helper()
	for _, check := range s.App.Verify(t.Context()) {
		if err := check.Run(t.Context()); err != nil {
			t.Errorf("%s: %v", check.Name, err)
		}
	}
	must(t, s.App.Files.Audit(t.Context(), s.App.Store, true, func(w string) { t.Error(w) }))
}

// wants fails unless an error says something.
func wants(t *testing.T, err error, says string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("the error is %v, want one that says %q", err, says)
	}
}

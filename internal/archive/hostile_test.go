package archive_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"groundwork/internal/apitest"
	"groundwork/internal/blob"
	"groundwork/internal/store"
)

// makeSmall makes an installation with a small project.
func makeSmall(t testing.TB, engine string) *estate {
	t.Helper()
	s := apitest.Start(t, engine)
	e := &estate{Server: s, ada: s.Account("ada"), bob: s.Account("bob")}
	e.project = e.ada.Project("Tower")
	e.ada.Invite(e.project, e.bob, "Admin")
	document := e.ada.Upload(e.project, "attachments", map[string]any{
		"content_type": "text/plain", "name": "notes.txt",
	}, "some notes").Text("uid")
	for n := range 3 {
		issue := e.post(t, e.ada, "POST", "/issues", map[string]any{
			"title": fmt.Sprint("Issue ", n), "assigned_to_uids": []string{e.bob.UID},
		}).Text("uid")
		e.post(t, e.bob, "POST", "/issues/"+issue+"/attachments", map[string]any{"attachment_uid": document})
		e.post(t, e.bob, "POST", "/issues/"+issue+"/comments", map[string]any{"text": "seen"})
	}
	e.post(t, e.ada, "POST", "/rfis", map[string]any{"title": "Door"})
	return e
}

// jobs counts those that wait of some kinds.
func jobs(t *testing.T, s *apitest.Server, kinds ...string) (n int) {
	err := s.App.Store.In(store.JobsOffice).Query(t.Context(), "SELECT kind FROM jobs", nil, func(c *store.Cols) error {
		if slices.Contains(kinds, c.Text(0)) {
			n++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// pack writes entries as an archive; with hashes the manifest says what they are.
func pack(t testing.TB, all map[string]string, hashes bool, also ...func(*zip.Writer)) string {
	t.Helper()
	if hashes {
		all = maps.Clone(all)
		var m map[string]any
		if json.Unmarshal([]byte(all["manifest.json"]), &m) != nil {
			t.Fatal("no manifest")
		}
		var said []any
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if name == "manifest.json" {
				continue
			}
			sum := sha256.Sum256([]byte(all[name]))
			said = append(said, map[string]any{"path": name, "bytes": len(all[name]), "sha256": hex.EncodeToString(sum[:])})
		}
		m["entries"] = said
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		all["manifest.json"] = string(text)
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		to, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err == nil {
			_, err = io.WriteString(to, all[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, add := range also {
		add(w)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file(t, b.Bytes())
}

func file(t testing.TB, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.zip")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Whatever is wrong with an archive is said in a sentence, and nothing of it comes.
func TestRefused(t *testing.T) {
	e := makeSmall(t, apitest.SQLite)
	path := export(t, e.Server, e.project)
	whole, all := read(t, path), entries(t, path)
	edit := func(name, old, now string) map[string]string {
		t.Helper()
		out := maps.Clone(all)
		if out[name] = strings.Replace(out[name], old, now, 1); out[name] == all[name] {
			t.Fatalf("%s has no %s", name, old)
		}
		return out
	}
	object := ""
	for name := range all {
		if strings.HasPrefix(name, "files/") {
			object = name
		}
	}
	bare := strings.TrimSuffix(strings.TrimPrefix(object, "files/"), ".txt")
	foreign := blob.NewName()
	bomb := func(w *zip.Writer) {
		to, err := w.CreateHeader(&zip.FileHeader{Name: "pages/bomb.html", Method: zip.Deflate})
		if err == nil {
			_, err = to.Write(make([]byte, 50<<20))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	entry := func(name, content string) func(*zip.Writer) {
		return func(w *zip.Writer) {
			to, err := w.Create(name)
			if err == nil {
				_, err = io.WriteString(to, content)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	// A record of this uid is in another project of the installation.
	known := makeSmall(t, apitest.SQLite)
	there := known.post(t, known.ada, "GET", "/issues", nil).Text("data.0.uid")
	own := e.post(t, e.ada, "GET", "/issues", nil).Text("data.0.uid")
	everywhere := func(old, now string) map[string]string {
		out := map[string]string{}
		for name, content := range all {
			out[strings.ReplaceAll(name, old, now)] = strings.ReplaceAll(content, old, now)
		}
		return out
	}
	if _, err := known.App.Blob.Put(t.Context(), foreign, strings.NewReader("somebody else's")); err != nil {
		t.Fatal(err)
	}
	notes, err := known.App.Store.Project(t.Context(), known.project)
	if err != nil {
		t.Fatal(err)
	}
	theirs := ""
	if err := known.App.Store.QueryIn(t.Context(), notes, "SELECT object FROM files", nil, func(c *store.Cols) error {
		theirs = c.Text(0)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	now := momentOf(t, all)
	cases := []struct{ name, path, said string }{
		{"not there", "/nonexistent.zip", "cannot be read"},
		{"empty", file(t, nil), "it is no ZIP file"},
		{"text", file(t, []byte(strings.Repeat("text ", 100))), "it is no ZIP file"},
		{"cut short", file(t, whole[:len(whole)*2/3]), "it is no ZIP file, or it is cut short"},
		{"another ZIP", pack(t, map[string]string{"a": "b"}, false), "no manifest.json"},
		{"newer", pack(t, edit("manifest.json", `"version": 1`, `"version": 2`), false), "a later release imports it"},
		{"forged hash", pack(t, edit("records/issues.jsonl", "Issue 1", "Issue X"), false), "has other bytes than the manifest says"},
		{"entry missing", pack(t, without(all, "links.jsonl"), false), "is missing"},
		{"entry twice", pack(t, all, false, entry("links.jsonl", "")), "twice"},
		{"entry outside", pack(t, all, false, entry("../../etc/passwd", "x")), "is not in the manifest"},
		{"entry outside, named", pack(t, with(all, "files/../../x", "x"), true), "belongs to nothing"},
		{"bomb", pack(t, all, false, bomb), "times as large"},
		{"no project record", pack(t, without(all, "records/projects.jsonl"), true), "no record of the project"},
		{"kind that nobody knows", pack(t, with(all, "records/unicorns.jsonl", "{}\n"), true), "does not know"},
		{"table that nobody knows", pack(t, with(all, "tables/accounts.jsonl", "{}\n"), true), "does not know"},
		{"no JSON", pack(t, with(all, "records/issues.jsonl", "{\n"), true), "not of the form"},
		{"no line end", pack(t, with(all, "records/issues.jsonl", strings.TrimSuffix(all["records/issues.jsonl"], "\n")), true), "cut short"},
		{"unknown member", pack(t, edit("records/issues.jsonl", `{"updated_at"`, `{"x":1,"updated_at"`), true), "not of the form"},
		{"title of another type", pack(t, edit("records/issues.jsonl", `"Issue 1"`, `7`), true), "not of the form of issues"},
		{"spaces", pack(t, edit("records/issues.jsonl", `"Issue 1"`, ` "Issue 1"`), true), "not of the form of issues"},
		{"later version", pack(t, edit("records/issues.jsonl", `"version":2`, `"version":9`), true), "its version is 9"},
		{"nobody", pack(t, edit("records/issues.jsonl", `{"~person":"`+e.ada.UID, `{"~person":"`+there), true), "not on the team"},
		{"placeholder of a number", pack(t, edit("records/issues.jsonl", `{"~person":"`+e.ada.UID+`"}`, `{"~p":1}`), true), "placeholder"},
		{"state in an issue", pack(t, edit("records/issues.jsonl", `{"~person":"`+e.ada.UID+`"}`, `{"~state":"x"}`), true), "state"},
		{"file in an issue", pack(t, edit("records/issues.jsonl", `{"~person":"`+e.ada.UID+`"}`, `{"~file":"`+bare+`"}`), true), "names the file"},
		{"another's number", pack(t, edit("records/issues.jsonl", `{"~number":1}`, `{"~number":2}`), true), "another number"},
		{"comment on nothing", pack(t, edit("records/comments.jsonl", `issues/`+own[:8], `issues/00000000`), true), "not in the archive"},
		{"comment attached to nothing", pack(t, edit("records/comments.jsonl", `"record":{"~reference":"issues/`+own+`"}`, `"record":null`), true), "attached to nothing"},
		{"role that is none", pack(t, edit("records/users.jsonl", `roles/9d139e64`, `roles/00000000`), true), "not in the archive"},
		{"two of one uid", pack(t, with(all, "records/issues.jsonl", all["records/issues.jsonl"]+first(all["records/issues.jsonl"])), true), "is another's"},
		{"lines than counted", pack(t, edit("manifest.json", `"path": "links.jsonl",`+"\n"+`      "lines": 3`, `"path": "links.jsonl",`+"\n"+`      "lines": 4`), true), "lines, and the manifest says"},
		{"link twice", pack(t, with(all, "links.jsonl", all["links.jsonl"]+first(all["links.jsonl"])), true), "not in order"},
		{"change missing", pack(t, edit("changes.jsonl", first(all["changes.jsonl"]), ""), true), "follows change"},
		{"log of another time", pack(t, edit("project.json", `"sequence": `, `"sequence": 9`), true), "do not agree"},
		{"file of nothing", pack(t, with(all, "files/x.bin", "x"), true), "belongs to nothing"},
		{"file of other bytes", pack(t, with(all, object, "other notes"), true), "is not as the manifest says"},
		{"file left out", pack(t, without(all, object), true), "is not as the manifest says"},
		{"person twice", pack(t, edit("people.jsonl", "bob@example.com", "ada@example.com"), true), "an address that another has"},
		{"no address", pack(t, edit("people.jsonl", "bob@example.com", "bob"), true), "An e-mail address has one @"},
		{"account of another address", pack(t, edit("people.jsonl", e.bob.UID, known.bob.UID), true), "people are not those of its team"},
		{"uid of another account", pack(t, everywhere(e.bob.UID, known.bob.UID), true), ""},
		{"uid of an account with another address", pack(t, strip(everywhere(e.bob.UID, known.bob.UID), "bob@example.com", "rob@example.com"), true), "has another address here"},
		{"record of another project", pack(t, everywhere(own, there), true), "is in another project here"},
		{"file of another project", pack(t, everywhere(bare, theirs), true), "is another project's here"},
		{"names a foreign file", pack(t, edit("records/attachments.jsonl", `"private":null`, `"private":"`+foreign+`"`), true), "which is here"},
		{"names a foreign file with an escape", pack(t, edit("records/attachments.jsonl", `"private":null`, `"private":"{\"text\":\"\\u00`+fmt.Sprintf("%x", foreign[0])+foreign[1:]+`\"}"`), true), "which is here"},
		{"uid in capitals", pack(t, everywhere(own, strings.ToUpper(own)), true), "its uid cannot be taken"},
		{"project in capitals", pack(t, everywhere(e.project, strings.ToUpper(e.project)), true), "no uid"},
		{"moment to come", pack(t, everywhere(now, "9999-12-31T23:59:59.999999+00:00"), true), "is yet to come"},
		{"log at its end", pack(t, logUpTo(t, all, store.MostSeq), true), "is the most"},
		{"reason with an escape", pack(t, edit("manifest.json", `"missing": []`, `"missing": [{"object":"`+foreign+`","why":"\u001b[2J"}]`), true), "which file is missing"},
		{"NUL", pack(t, edit("records/attachments.jsonl", `"private":null`, `"private":"\u0000"`), true), "not of the form"},
	}
	before, objects := dump(t, known.Server), objectsOf(t, known.Server)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.said == "" { // the control: it is taken
				if _, err := known.App.Import(t.Context(), c.path, true, quiet); err != nil {
					t.Error(err)
				}
				return
			}
			for _, dry := range []bool{true, false} {
				_, err := known.App.Import(t.Context(), c.path, dry, quiet)
				if err == nil || !strings.Contains(err.Error(), c.said) || strings.Contains(err.Error(), "\n") {
					t.Errorf("dry %v: %v", dry, err)
				}
			}
		})
	}
	if dump(t, known.Server) != before || !maps.Equal(objectsOf(t, known.Server), objects) {
		t.Error("an archive that was refused has left something")
	}
	// The control: what was edited above is taken as it was, packed by another hand.
	fresh := apitest.Start(t, apitest.SQLite)
	bring(t, fresh, pack(t, all, true))
	same(t, path, export(t, fresh, e.project))
	// The project is here now: another state of it is refused.
	e.post(t, e.ada, "POST", "/issues", map[string]any{"title": "later"})
	if _, err := fresh.App.Import(t.Context(), export(t, e.Server, e.project), false, quiet); err == nil ||
		!strings.Contains(err.Error(), "is here already") {
		t.Errorf("another state of the project: %v", err)
	}
	// And where it was made, it is as the archive has it.
	if r := bring(t, e.Server, export(t, e.Server, e.project)); !r.Already {
		t.Errorf("imported where it was made: %+v", r)
	}
	sound(t, fresh)
}

func first(lines string) string { return lines[:strings.IndexByte(lines, '\n')+1] }

func without(all map[string]string, name string) map[string]string {
	out := maps.Clone(all)
	delete(out, name)
	return out
}

func with(all map[string]string, name, content string) map[string]string {
	out := maps.Clone(all)
	out[name] = content
	return out
}

func strip(all map[string]string, old, now string) map[string]string {
	for name := range all {
		all[name] = strings.ReplaceAll(all[name], old, now)
	}
	return all
}

func objectsOf(t testing.TB, a *apitest.Server) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	if err := a.App.Blob.Each(t.Context(), func(i blob.Info) error { all[i.Name] = i.Size; return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

// A founder whose account here may be in other hands would let them in.
func TestFounderInOtherHands(t *testing.T) {
	e := makeSmall(t, apitest.SQLite)
	path := export(t, e.Server, e.project)
	s := apitest.Start(t, apitest.SQLite)
	mallory := s.Account("mallory")
	mallory.Invite(mallory.Project("Trap"), &apitest.Person{Email: "ada@example.com"}, "Admin")
	if _, err := s.App.Import(t.Context(), path, false, quiet); err == nil || !strings.Contains(err.Error(), "account prove") {
		t.Errorf("imported: %v", err)
	}
	account, err := s.App.Auth.AccountByEmail(t.Context(), "ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.App.Auth.Prove(t.Context(), account.UID); err != nil {
		t.Fatal(err)
	}
	bring(t, s, path)
}

// What only the database refuses leaves nothing either, not even files.
func TestTakenBack(t *testing.T) {
	e := makeSmall(t, apitest.SQLite)
	all := entries(t, export(t, e.Server, e.project))
	counted := `"path": "tables/version_uploads.jsonl",` + "\n" + `      "lines": `
	all["manifest.json"] = strings.Replace(all["manifest.json"], counted+"0", counted+"1", 1)
	all["tables/version_uploads.jsonl"] = `{"uid":"x","error":null,"name":null,"person":"` + e.ada.UID +
		`","publish":0,"state":0,"touched_at":1}` + "\n"
	path := pack(t, all, true)
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		before := dump(t, s)
		if _, err := s.App.Import(t.Context(), path, true, quiet); err != nil {
			t.Fatal(err)
		}
		_, err := s.App.Import(t.Context(), path, false, quiet)
		if err == nil || !strings.Contains(err.Error(), "cannot be stored, and nothing of it was") {
			t.Errorf("imported: %v", err)
		}
		if dump(t, s) != before || len(objectsOf(t, s)) != 0 {
			t.Errorf("something is left: %d files", len(objectsOf(t, s)))
		}
	})
}

// Of 500 archives with something changed in them, each is refused or comes whole.
func TestMutated(t *testing.T) {
	e := makeSmall(t, apitest.SQLite)
	path := export(t, e.Server, e.project)
	whole, all := read(t, path), entries(t, path)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(n string) bool { return strings.HasSuffix(n, ".html") })
	s := apitest.Start(t, apitest.SQLite)
	clean := dump(t, s)
	seed := uint64(22)
	dice := rand.New(rand.NewPCG(seed, 1))
	const most = 8 // of those that are taken, so many are brought
	refused, taken := 0, 0
	for n := range 500 {
		var changed string
		if n%2 == 0 {
			changed = file(t, mutate(dice, whole))
		} else {
			name := names[dice.IntN(len(names))]
			changed = pack(t, with(all, name, string(mutate(dice, []byte(all[name])))), name != "manifest.json")
		}
		_, err := s.App.Import(t.Context(), changed, true, quiet)
		if err != nil {
			refused++
			if !strings.HasPrefix(err.Error(), "The archive cannot be imported") || strings.Contains(err.Error(), "panic") {
				t.Errorf("seed %d, archive %d: %v", seed, n, err)
			}
			continue
		}
		if taken++; taken > most {
			continue
		}
		fresh := apitest.Start(t, apitest.SQLite)
		if _, err := fresh.App.Import(t.Context(), changed, false, quiet); err != nil {
			if dump(t, fresh) != clean {
				t.Errorf("seed %d, archive %d was refused and has left something: %v", seed, n, err)
			}
			continue
		}
		sound(t, fresh)
		export(t, fresh, projectOf(t, fresh))
	}
	t.Logf("%d refused, %d taken", refused, taken)
	if dump(t, s) != clean {
		t.Error("a dry run has changed something")
	}
	if refused < 250 || taken == 0 {
		t.Errorf("%d refused, %d taken: the changes are not what they should be", refused, taken)
	}
}

func projectOf(t *testing.T, a *apitest.Server) (uid string) {
	err := a.App.Store.Projects(t.Context(), func(p *store.Project) error { uid = p.UID; return nil })
	if err != nil {
		t.Fatal(err)
	}
	return uid
}

// mutate changes a few bytes, cuts something out, or doubles it.
func mutate(dice *rand.Rand, content []byte) []byte {
	out := bytes.Clone(content)
	if len(out) == 0 {
		return []byte("x")
	}
	for range 1 + dice.IntN(3) {
		at := dice.IntN(len(out))
		end := min(len(out), at+1+dice.IntN(40))
		switch dice.IntN(5) {
		case 0:
			out[at] ^= 1 << dice.IntN(8)
		case 1:
			out[at] = "0123456789abcdefghijklmnopqrstuvwxyz\"{}[],:~\\\n"[dice.IntN(46)]
		case 2:
			out = append(out[:at:at], out[end:]...)
		case 3:
			out = slices.Insert(out, at, out[at:end]...)
		default:
			out[at] = byte('a' + dice.IntN(26))
		}
		if len(out) == 0 {
			return []byte("x")
		}
	}
	return out
}

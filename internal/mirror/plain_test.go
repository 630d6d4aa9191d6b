package mirror_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"groundwork/internal/apitest"
	"groundwork/internal/mirror"
)

// A server without extensions is read by its lists; what it lists ends identical too.
func TestMirrorOfAPlainServer(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		from := startSource(t, engine)
		from.fill(t)
		from.harms(plain)
		into := apitest.Start(t, engine)
		folder := t.TempDir()
		c := ask(t, from.proxy.URL, from.ada.Key)
		r := must(t, into, c, from.project, folder)
		if !strings.Contains(strings.Join(r.Notes, "\n"), "no change log") {
			t.Errorf("it is not said that there is no change log: %q", r.Notes)
		}
		ada := member(t, into, "ada")
		compare := func() {
			t.Helper()
			want, got := shown(t, from.ada, from.project), shown(t, ada, from.project)
			for name := range want { // they are an extension
				if strings.HasPrefix(name, "views ") {
					delete(want, name)
				}
			}
			same(t, want, got)
		}
		compare()
		from.harms(plain)
		if r := must(t, into, c, from.project, folder); r.Import.New+r.Import.Changed > 0 || from.asked("/files/") > 0 {
			t.Errorf("a repetition brought %+v and fetched %d files", r.Import, from.asked("/files/"))
		}
		if n := from.asked("/issues"); n > 2 { // before and after what is asked for beside records
			t.Errorf("where nothing changed, the issues were listed %d times", n)
		}
		from.change(t)
		must(t, into, c, from.project, folder)
		compare()
		sound(t, into)
	})
}

// harmful answers some requests badly: with every kind of failure, at random.
func harmful(seed uint64, also func(w http.ResponseWriter, r *http.Request) bool) func(http.ResponseWriter,
	*http.Request) bool {
	var n atomic.Uint64
	return func(w http.ResponseWriter, r *http.Request) bool {
		if also != nil && also(w, r) {
			return true
		}
		dice := rand.New(rand.NewPCG(seed, n.Add(1)))
		if dice.IntN(4) > 0 {
			return false
		}
		switch dice.IntN(6) {
		case 0:
			w.WriteHeader(http.StatusInternalServerError)
		case 1:
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
		case 2:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 3:
			_, _ = io.WriteString(w, `{"data":[{"uid":"half`)
		case 4:
			w.Header().Set("Content-Length", "5000")
			_, _ = io.WriteString(w, `{"data":`)
		default:
			panic(http.ErrAbortHandler) // the connection is cut
		}
		return true
	}
}

// A source that fails, is killed and goes on changing is mirrored whole, by its log and by its lists; the mirror itself
// is cut off again and again.
func TestMirrorWithFaultsAndCuts(t *testing.T) {
	for name, also := range map[string]func(http.ResponseWriter, *http.Request) bool{"log": nil, "lists": plain} {
		t.Run(name, func(t *testing.T) {
			from := startSource(t, apitest.SQLite)
			from.fill(t)
			into := apitest.Start(t, apitest.SQLite)
			folder := t.TempDir()
			c := ask(t, from.proxy.URL, from.ada.Key)
			for i := range 12 {
				from.harms(nil)
				for n := range 60 { // several pages
					from.do(t, from.ada, "POST", "/issues", map[string]any{"title": fmt.Sprintf("%d.%d", i, n)})
				}
				from.do(t, from.bob, "PATCH", "/issues/"+from.issues[2+i], map[string]any{"room": fmt.Sprint(i)})
				ctx, cut := context.WithCancel(t.Context())
				left := atomic.Int64{}
				left.Store(int64(3 + 4*i))
				bad := harmful(uint64(i), also)
				from.harms(func(w http.ResponseWriter, r *http.Request) bool {
					if left.Add(-1) < 0 {
						cut()
					}
					return bad(w, r)
				})
				err := into.App.Mirror(ctx, c, mirror.Options{
					Projects: []string{from.project}, Folder: folder, MostFile: 1 << 30, Notice: func(string) {},
					Progress: func(int) {},
				}, func(mirror.Report) {})
				cut()
				if err != nil && !strings.Contains(err.Error(), "cancel") {
					t.Log(err) // eight bad answers in a row
				}
			}
			from.harms(also)
			must(t, into, c, from.project, folder)
			want, got := shown(t, from.ada, from.project), shown(t, member(t, into, "ada"), from.project)
			for name := range want {
				if also != nil && strings.HasPrefix(name, "views ") {
					delete(want, name)
				}
			}
			same(t, want, got)
			sound(t, into)
		})
	}
}

// A source that lies is told from one that does not: nothing of it is brought in, or the report says what differs.
func TestLyingSources(t *testing.T) {
	from := startSource(t, apitest.SQLite)
	from.fill(t)
	into := apitest.Start(t, apitest.SQLite)
	c := ask(t, from.proxy.URL, from.ada.Key)
	// change rewrites the answers to some requests.
	change := func(path string, with func(answer map[string]any)) {
		from.harms(func(w http.ResponseWriter, r *http.Request) bool {
			if path != "/changes" && plain(w, r) {
				return true
			}
			if !strings.HasSuffix(r.URL.Path, path) {
				return false
			}
			got := from.ada.Do("GET", r.URL.String(), nil)
			var answer map[string]any
			if err := json.Unmarshal(got.Body, &answer); err != nil {
				return false
			}
			with(answer)
			text, err := json.Marshal(answer)
			if err != nil {
				return false
			}
			_, _ = w.Write(text)
			return true
		})
	}
	first := func(answer map[string]any) map[string]any {
		data, _ := answer["data"].([]any)
		if len(data) == 0 {
			return map[string]any{}
		}
		return data[0].(map[string]any)
	}
	for name, one := range map[string]struct {
		path string
		with func(map[string]any)
		want string
	}{
		"a page elsewhere": {"/issues", func(a map[string]any) { a["next_page_url"] = "https://evil.example/issues" }, "elsewhere"},
		"a page for ever": {"/issues", func(a map[string]any) {
			a["next_page_url"] = from.proxy.URL + "/projects/" + from.project + "/issues?limit=50&updated_after=1970-01-01T00%3A00%3A00Z"
		}, "again and again"},
		"a uid that is none": {"/issues", func(a map[string]any) { first(a)["uid"] = "../../etc/passwd" }, "uid"},
		"no list":            {"/issues", func(a map[string]any) { a["data"] = 7 }, "no list"},
		"an address":         {"/users", func(a map[string]any) { first(a)["email"] = "not an address" }, "cannot be taken"},
	} {
		change(one.path, one.with)
		_, err := run(t, into, c, from.project, t.TempDir())
		if err == nil || !strings.Contains(err.Error(), one.want) {
			t.Errorf("%s: %v", name, err)
		}
		if exists, err := into.App.Store.Exists(t.Context(), from.project); err != nil || exists {
			t.Fatalf("%s: the project is here: %v", name, err)
		}
	}
	for name, one := range map[string]struct {
		path string
		with func(map[string]any)
		kind string
		want string
	}{
		"a state of its own": {"/issues", func(a map[string]any) { first(a)["status"] = "banana" }, "issues", "banana"},
		"a number":           {"/issues", func(a map[string]any) { first(a)["number"] = "one" }, "issues", "number"},
		"more than it shows": {"/issues", func(a map[string]any) { a["total_count"] = 1000 }, "issues", "says that there are 1000"},
		"a reference":        {"/comments", func(a map[string]any) { first(a)["record"] = map[string]any{"uid": "nothing", "url": "x"} }, "comments", "nothing"},
		"other bytes":        {"/photos", func(a map[string]any) { first(a)["sha256"] = strings.Repeat("0", 64) }, "photos", "file"},
		"a private file":     {"/photos", func(a map[string]any) { first(a)["url"] = "https://169.254.169.254/x" }, "photos", "file"},
	} {
		t.Run(name, func(t *testing.T) {
			into := apitest.Start(t, apitest.SQLite)
			change(one.path, one.with)
			r, err := run(t, into, c, from.project, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range r.Kinds {
				if k.Kind == one.kind && k.Differing > 0 && strings.Contains(strings.Join(k.Why, "\n"), one.want) {
					return
				}
			}
			t.Errorf("it is not said: %+v %q", r.Kinds, r.Notes)
		})
	}
}

// A project in which people have worked here, or that came otherwise, is left alone.
func TestWhatIsHereStays(t *testing.T) {
	from := startSource(t, apitest.SQLite)
	from.fill(t)
	into := apitest.Start(t, apitest.SQLite)
	c := ask(t, from.proxy.URL, from.ada.Key)
	folder := t.TempDir()
	must(t, into, c, from.project, folder)
	other := ask(t, strings.Replace(from.proxy.URL, "127.0.0.1", "localhost", 1), from.ada.Key)
	if _, err := run(t, into, other, from.project, t.TempDir()); err == nil || !strings.Contains(err.Error(), "did not come from") {
		t.Errorf("from another server: %v", err)
	}
	ada := member(t, into, "ada")
	ada.Want(201, "POST", "/projects/"+from.project+"/issues", map[string]any{"title": "here"})
	from.change(t)
	before := shown(t, ada, from.project)
	if _, err := run(t, into, c, from.project, folder); err == nil || !strings.Contains(err.Error(), "People have worked") {
		t.Errorf("with work of people here: %v", err)
	}
	same(t, before, shown(t, ada, from.project))

	// What everybody has founded here is no mirror at all.
	own := from.ada.Project("own")
	if _, err := run(t, from.Server, c, own, t.TempDir()); err == nil || !strings.Contains(err.Error(), "is here already") {
		t.Errorf("a project that was founded here: %v", err)
	}
	if _, err := run(t, into, c, "no-such-project", t.TempDir()); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a project that is not there: %v", err)
	}
	if _, err := run(t, into, ask(t, from.proxy.URL, "gwk_wrong"), from.project, folder); err == nil || !strings.Contains(err.Error(), "key") {
		t.Errorf("a wrong key: %v", err)
	}
}

// Whose account here has another uid is that account; whom records name and the team does not is here as removed; and
// roles of other servers become those of the same name.
func TestPeopleOfOtherServers(t *testing.T) {
	from := startSource(t, apitest.SQLite)
	from.fill(t)
	into := apitest.Start(t, apitest.SQLite)
	bob := into.Account("bob", "Bobby")
	c := ask(t, from.proxy.URL, from.ada.Key)
	from.harms(func(w http.ResponseWriter, r *http.Request) bool {
		if plain(w, r) {
			return true
		}
		if !strings.HasSuffix(r.URL.Path, "/users") && !strings.HasSuffix(r.URL.Path, "/roles") {
			return false
		}
		text := string(from.ada.Do("GET", r.URL.String(), nil).Body)
		for uid, foreign := range map[string]string{
			"9d139e64-cac9-4f23-b4d5-9fd3688b498e": "foreign-admin", "5e7a9c30-41d2-4c8b-8a67-d9f0b2e4c613": "foreign-least",
		} {
			text = strings.ReplaceAll(text, uid, foreign)
		}
		if strings.HasSuffix(r.URL.Path, "/users") { // bob is not shown
			var page map[string]any
			if json.Unmarshal([]byte(text), &page) == nil {
				var kept []any
				for _, u := range page["data"].([]any) {
					if u.(map[string]any)["email"] != "bob@example.com" {
						kept = append(kept, u)
					}
				}
				page["data"], page["total_count"] = kept, len(kept)
				changed, _ := json.Marshal(page)
				text = string(changed)
			}
		}
		_, _ = io.WriteString(w, text)
		return true
	})
	r, err := run(t, into, c, from.project, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(r.Notes, "\n"), "not on the team") {
		t.Errorf("%q", r.Notes)
	}
	ada := member(t, into, "ada")
	users := ada.Want(200, "GET", "/projects/"+from.project+"/users", nil)
	var page struct {
		Data []struct {
			UID, Email string
			Removed    bool
			Role       *struct{ UID string }
		}
	}
	if err := json.Unmarshal(users.Body, &page); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, u := range page.Data {
		if u.Email == "ada@example.com" && (u.Role == nil || u.Role.UID != "9d139e64-cac9-4f23-b4d5-9fd3688b498e") {
			t.Errorf("ada is %+v", u)
		}
		if u.Email == "bob@example.com" {
			found = u.Removed && u.UID == bob.UID
		}
	}
	if !found {
		t.Errorf("bob is not there as removed, with the uid that he has here: %s", users.Body)
	}
}

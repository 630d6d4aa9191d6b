package apitest_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"groundwork/internal/apitest"
)

// entry is one entry of the change log with its record.
type entry struct {
	Sequence             int64
	Kind, UID, Operation string
	Etag                 *string
	Record               map[string]any
}

// mirror is what a client keeps of a project with one cursor.
type mirror struct {
	t       testing.TB
	who     *apitest.Person
	project string
	after   int64
	records map[string]map[string]any // by kind and uid
	tags    map[string]string
	hidden  int
}

// fill walks all records.
func (m *mirror) fill(query string) {
	m.t.Helper()
	m.records, m.tags = map[string]map[string]any{}, map[string]string{}
	for next := m.project + "/changes?include=records&latest=true" + query; next != ""; {
		next = m.take(next)
	}
}

// follow reads the log from the cursor on.
func (m *mirror) follow(query string) {
	m.t.Helper()
	for next := fmt.Sprintf("%s/changes?include=records&after=%d%s", m.project, m.after, query); next != ""; {
		next = m.take(next)
	}
}

func (m *mirror) take(path string) (next string) {
	m.t.Helper()
	var page struct {
		Data      []entry
		NextAfter int64   `json:"next_after"`
		NextPage  *string `json:"next_page_url"`
	}
	if err := json.Unmarshal(m.who.Want(200, "GET", path, nil).Body, &page); err != nil {
		m.t.Fatal(err)
	}
	for _, e := range page.Data {
		m.apply(e)
	}
	m.after = page.NextAfter
	if page.NextPage == nil {
		return ""
	}
	return *page.NextPage
}

func (m *mirror) apply(e entry) {
	name := e.Kind + "/" + e.UID
	if e.Operation == "hide" {
		m.hidden++
		delete(m.records, name)
		return
	}
	m.records[name], m.tags[name] = e.Record, *e.Etag
}

// compare holds the mirror against what lists show.
func (m *mirror) compare(when string, plurals ...string) {
	m.t.Helper()
	for _, plural := range plurals {
		path := m.project + "/" + strings.Replace(plural, "rfi_statuses", "rfis/statuses", 1)
		listed := map[string]map[string]any{}
		for next := path; next != ""; {
			var page struct {
				Data     []map[string]any
				NextPage *string `json:"next_page_url"`
			}
			if err := json.Unmarshal(m.who.Want(200, "GET", next, nil).Body, &page); err != nil {
				m.t.Fatal(err)
			}
			for _, r := range page.Data {
				listed[plural+"/"+r["uid"].(string)] = r
			}
			if next = ""; page.NextPage != nil {
				next = *page.NextPage
			}
		}
		for name, r := range m.records {
			if !strings.HasPrefix(name, plural+"/") {
				continue
			}
			if listed[name] == nil {
				m.t.Errorf("%s: the mirror of %s has %s, which is not for them", when, m.who.Name, name)
			} else if !reflect.DeepEqual(listed[name], r) {
				m.t.Errorf("%s: %s is in the mirror\n%v\nand in the list\n%v", when, name, r, listed[name])
			}
		}
		for name := range listed {
			if m.records[name] == nil {
				m.t.Errorf("%s: the mirror of %s lacks %s", when, m.who.Name, name)
			}
		}
	}
}

var mirrored = []string{
	"users", "roles", "issues", "issue_lists", "comments", "rfis", "rfi_statuses", "annotations", "sheets",
	"version_sets", "field_reports", "photos", "attachments", "snapshots", "views",
}

// TestMirror keeps a project with one cursor, as three people see it: records, counts, what is hidden from them and
// comes back.
func TestMirror(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		ada, bob, eve := s.Account("ada"), s.Account("bob"), s.Account("eve")
		uid := ada.Project("Tower")
		p := "/projects/" + uid
		ada.Invite(uid, bob, "Collaborator")
		ada.Invite(uid, eve, "Power Collaborator")
		_, sheets := ada.Sheets(uid, "A-101")
		sheet := sheets[0]
		var issues []string
		for i := range 7 {
			issues = append(issues, ada.Want(201, "POST", p+"/issues", fmt.Sprintf(`{"title":"Issue %d"}`, i)).Text("uid"))
		}
		mark := func(who *apitest.Person, more string) string {
			return who.Want(201, "POST", p+"/annotations", `{"sheet_uid":"`+sheet+`"`+more+`}`).Text("uid")
		}
		secret := mark(ada, "")
		var all []*mirror
		for _, who := range []*apitest.Person{ada, bob, eve} {
			who.Want(200, "GET", p, nil) // they have come
			all = append(all, &mirror{t: t, who: who, project: p})
		}
		for _, m := range all {
			m.fill("&limit=5&kinds=sheets,issues," + strings.Join(mirrored, ","))
			m.compare("filled", mirrored...)
		}
		follow := func(when string) {
			t.Helper()
			for _, m := range all {
				m.follow("&limit=3")
				m.compare(when, mirrored...)
			}
		}
		ada.Want(201, "POST", p+"/issues/"+issues[0]+"/comments", `{"text":"a count"}`)
		ada.Want(204, "DELETE", p+"/issues/"+issues[1], nil)
		follow("a count, a deletion")

		pin := mark(ada, `,"issue_uid":"`+issues[2]+`"`)
		follow("a pin")
		mark(ada, `,"issue_uid":"`+issues[2]+`"`)
		follow("a pin that was replaced")
		for i, want := range []int{0, 1, 1} {
			if all[i].hidden != want {
				t.Errorf("%s was told %d times that something is hidden, not %d", all[i].who.Name, all[i].hidden, want)
			}
		}
		if r := bob.Do("GET", p+"/changes?include=records&limit=1000", nil); strings.Contains(string(r.Body), secret) ||
			strings.Count(string(r.Body), pin) != 1 {
			t.Errorf("who never saw a mark is told of it, or who saw one is not: %s", r.Body)
		}
		ada.Want(200, "PATCH", p+"/annotations/"+pin, `{"visibility":"master"}`)
		follow("a mark that was published")

		// Somebody who came later is not told what was hidden before.
		joe := s.Account("joe")
		ada.Invite(uid, joe, "Collaborator")
		mark(ada, `,"issue_uid":"`+issues[3]+`"`)
		last := mark(ada, `,"issue_uid":"`+issues[3]+`"`)
		zoe := s.Account("zoe")
		ada.Invite(uid, zoe, "Collaborator")
		for _, one := range []struct {
			who  *apitest.Person
			want int
		}{{joe, 1}, {zoe, 0}} {
			r := one.who.Want(200, "GET", p+"/changes?include=records&kinds=annotations&limit=1000", nil)
			if got := strings.Count(string(r.Body), `"hide"`); got != one.want || !strings.Contains(string(r.Body), last) {
				t.Errorf("%s is told %d times of what is hidden, not %d: %s", one.who.Name, got, one.want, r.Body)
			}
		}
		// The tag of an entry is good for If-Match.
		tag := all[1].tags["issues/"+issues[4]]
		for _, status := range []int{200, 412} {
			r, err := ada.TryWith("PATCH", p+"/issues/"+issues[4], `{"room":"`+fmt.Sprint(status)+`"}`,
				map[string][]string{"If-Match": {tag}})
			if err != nil || r.Status != status {
				t.Errorf("If-Match %s: %d %v, want %d", tag, r.Status, err, status)
			}
		}
	})
}

// TestMirrorFollowsARole keeps a project through changes of the reader's role, by which they see other version sets.
func TestMirrorFollowsARole(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		ada, bob := s.Account("ada"), s.Account("bob")
		uid := ada.Project("Tower")
		p := "/projects/" + uid
		ada.Invite(uid, bob, "Collaborator")
		set := ada.UploadSet(uid, "Storm repair", false, apitest.SetFile{Name: "a.pdf", Content: []byte("%PDF-1.4")})
		m := &mirror{t: t, who: bob, project: p}
		m.fill("")
		roles := map[string]string{}
		for _, r := range list(ada.Want(200, "GET", p+"/roles", nil)) {
			roles[r["label"].(string)] = r["uid"].(string)
		}
		for _, step := range []struct {
			role string
			sees bool
		}{{"Power Collaborator", false}, {"Admin", true}, {"Power Collaborator", false}, {"Admin", true}} {
			ada.Want(200, "PATCH", p+"/users/"+bob.UID, `{"role_uid":"`+roles[step.role]+`"}`)
			for _, kinds := range []string{"&kinds=version_sets", "&kinds=" + strings.Join(mirrored, ",")} {
				before := m.after
				m.follow(kinds)
				if m.records["version_sets/"+set] != nil != step.sees {
					t.Errorf("as %s, %s: the set is seen: %v", step.role, kinds, !step.sees)
				}
				if strings.Contains(kinds, "users") {
					m.compare(step.role, mirrored...)
				} else {
					m.after = before
				}
			}
		}
		ada.Want(204, "DELETE", p+"/users/"+bob.UID, nil)
		ada.Invite(uid, bob, "Collaborator")
		m.follow("")
		m.compare("removed and back in another role", mirrored...)
		if r := bob.Do("GET", p+"/changes?include=records&limit=1000&kinds=version_sets", nil); strings.Count(string(r.Body),
			`"hide"`) != 2 {
			t.Errorf("what was hidden twice is told: %s", r.Body)
		}
	})
}

func list(r apitest.Response) (all []map[string]any) {
	data, err := r.Value("data")
	if err != nil {
		panic(err)
	}
	for _, one := range data.([]any) {
		all = append(all, one.(map[string]any))
	}
	return all
}

// TestChangesQuery holds what the query of the change log may say.
func TestChangesQuery(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		ada := s.Account("ada")
		p := "/projects/" + ada.Project("Tower")
		for query, field := range map[string]string{
			"include=all": "include", "include=": "include", "kinds=": "kinds", "kinds=issues,bananas": "kinds",
			"latest=yes&include=records": "latest", "latest=true": "include", "latest=true&include=records&after=1": "after",
			"latest=true&include=records&limit=0":                                "limit",
			"latest=true&include=records&limit=1001":                             "limit",
			"latest=true&include=records&cursor=AAAA":                            "cursor",
			"latest=true&include=records&kinds=issues&cursor=AAAAAAAAAAAHAAAAAA": "cursor",
			"cursor=AAAA": "cursor",
		} {
			r := ada.Want(400, "GET", p+"/changes?"+query, nil)
			if r.Text("errors."+field) == "" {
				t.Errorf("%s: %s", query, r.Body)
			}
		}
		for path, field := range map[string]string{
			"after=-1": "after", "after=100000": "after", "include=x": "include", "kinds=x": "kinds",
		} {
			if r := ada.Want(400, "GET", p+"/events?"+path, nil); r.Text("errors."+field) == "" {
				t.Errorf("%s: %s", path, r.Body)
			}
		}
		r := ada.Want(200, "POST", "/batch", `[{"method":"GET","path":"`+p+
			`/changes?latest=true&include=records"},{"method":"GET","path":"`+p+`/events"}]`)
		if strings.Count(string(r.Body), `"status_code":400`) != 2 {
			t.Errorf("in a batch: %s", r.Body)
		}
	})
}

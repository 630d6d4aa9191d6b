package mirror_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/client"
	"groundwork/internal/drawing"
	"groundwork/internal/mirror"
)

// TestMain lets this test program be the child that the services under test read images and PDFs with.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == drawing.WorkerCommand {
		os.Exit(drawing.Work())
	}
	os.Exit(m.Run())
}

// mirrored are the kinds of which both sides are compared.
var mirrored = []string{
	"users", "roles", "issues", "issue_lists", "comments", "rfis", "rfis/statuses", "annotations", "sheets",
	"version_sets", "field_reports", "photos", "attachments", "snapshots", "views",
}

// ask makes ready to ask a server through an address.
func ask(t testing.TB, address, key string) *client.Client {
	t.Helper()
	c, err := client.New(address, client.Options{
		Key: key, Pause: time.Millisecond, Notice: func(text string) { t.Log(text) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// run mirrors a project and gives its report.
func run(t testing.TB, into *apitest.Server, from *client.Client, project, folder string) (mirror.Report, error) {
	t.Helper()
	var got mirror.Report
	err := into.App.Mirror(t.Context(), from, mirror.Options{
		Projects: []string{project}, Folder: folder, MostFile: 1 << 30,
		Notice: func(text string) { t.Log(text) }, Progress: func(int) {},
	}, func(r mirror.Report) { got = r })
	return got, err
}

// must mirrors a project and fails where both sides differ.
func must(t testing.TB, into *apitest.Server, from *client.Client, project, folder string) mirror.Report {
	t.Helper()
	r, err := run(t, into, from, project, folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range r.Kinds {
		if k.Differing > 0 || k.Theirs != k.Ours {
			t.Errorf("%s: theirs %d, ours %d, differing %d: %q", k.Kind, k.Theirs, k.Ours, k.Differing, k.Why)
		}
	}
	if r.Files != r.FilesHere {
		t.Errorf("%d files, %d here: %q", r.Files, r.FilesHere, r.Notes)
	}
	return r
}

// signed is what differs between two answers that show the same: addresses, and how they are signed.
var (
	signed = regexp.MustCompile(`\?expires=\d+&signature=[^"]*|/tiles/([a-z2-7]+)/[^/"]+/`)
	hosts  = regexp.MustCompile(`https?://[^/"]+/`)
	// proven says of somebody that they have come to this installation: each has its own.
	proven = regexp.MustCompile(`,"proven":(true|false)`)
)

// shown is everything that somebody sees of a project by its lists, in their order, with all collections.
func shown(t testing.TB, who *apitest.Person, project string) map[string]any {
	t.Helper()
	all := map[string]any{}
	get := func(path string) any {
		r := who.Want(200, "GET", path, nil)
		text := proven.ReplaceAllString(string(r.Body), "")
		text = signed.ReplaceAllString(hosts.ReplaceAllString(text, "/"), "$1")
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	p := "/projects/" + project
	all["project"] = get(p)
	for _, kind := range mirrored {
		for skip := 0; ; skip += 50 {
			page := get(fmt.Sprintf("%s/%s?skip=%d", p, kind, skip)).(map[string]any)
			for i, r := range page["data"].([]any) {
				record := r.(map[string]any)
				name := fmt.Sprintf("%s %d", kind, skip+i)
				all[name] = record
				for field, value := range record {
					if c, is := value.(map[string]any); is && c["total_count"] != nil && c["url"] != nil {
						all[name+" "+field] = get(c["url"].(string))
					}
				}
				if kind == "rfis" {
					all[name+" history"] = withoutUIDs(get(p + "/rfis/" + record["uid"].(string) + "/history"))
				}
			}
			if page["next_page_url"] == nil {
				break
			}
		}
	}
	return all
}

// withoutUIDs takes the uids of changes away: they follow from sequence numbers, which are each installation's own.
func withoutUIDs(history any) any {
	for _, line := range history.(map[string]any)["data"].([]any) {
		delete(line.(map[string]any), "uid")
	}
	return history
}

// same fails where two people see something else.
func same(t testing.TB, want, got map[string]any) {
	t.Helper()
	for name, value := range want {
		if !reflect.DeepEqual(value, got[name]) {
			a, b := fieldsThatDiffer(value, got[name])
			t.Errorf("%s is there\n%.800s\nand here\n%.800s", name, a, b)
		}
	}
	for name := range got {
		if _, there := want[name]; !there {
			t.Errorf("%s is only here", name)
		}
	}
}

// fieldsThatDiffer shortens two records to what differs.
func fieldsThatDiffer(a, b any) (x, y string) {
	one, is := a.(map[string]any)
	other, too := b.(map[string]any)
	if !is || !too {
		return fmt.Sprint(a), fmt.Sprint(b)
	}
	for name, value := range one {
		if !reflect.DeepEqual(value, other[name]) {
			x, y = x+fmt.Sprintf("%s: %v ", name, value), y+fmt.Sprintf("%s: %v ", name, other[name])
		}
	}
	return x, y
}

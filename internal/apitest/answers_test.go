package apitest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/await"
)

// largeReports makes n field reports of nearly 1 MB each in a new project and gives its path.
func largeReports(t *testing.T, who *apitest.Person, n int) string {
	t.Helper()
	p := "/projects/" + who.Project("Tower")
	items := make([]map[string]any, 15)
	for i := range items {
		items[i] = map[string]any{"notes": strings.Repeat("x", 65_000)}
	}
	for range n {
		who.Want(201, "POST", p+"/field_reports", map[string]any{"report_date": "2026-03-01", "custom_items": items})
	}
	return p
}

// TestBatchOfLargeAnswers: fifty parts that each answer with megabytes do not multiply in memory. What is not run says
// so.
func TestBatchOfLargeAnswers(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		ada := s.Account("ada")
		p := largeReports(t, ada, 6)
		parts := make([]map[string]any, 50)
		for i := range parts {
			parts[i] = map[string]any{"method": "GET", "path": p + "/field_reports"}
		}
		r := ada.Want(200, "POST", "/batch", parts)
		if len(r.Body) > 32<<20 {
			t.Errorf("the answer to one batch has %d MB", len(r.Body)>>20)
		}
		var answer struct {
			Data []struct {
				Status int `json:"status_code"`
				Body   string
			}
		}
		if err := json.Unmarshal(r.Body, &answer); err != nil {
			t.Fatal(err)
		}
		first, last := answer.Data[0], answer.Data[49]
		if first.Status != 200 || last.Status != 413 || !strings.Contains(last.Body, "was not run") {
			t.Errorf("the first part: %d, the last: %d %.200s", first.Status, last.Status, last.Body)
		}
	})
}

// TestLargeAnswersToSlowReaders: callers who ask for large lists and do not read them take a bounded part of the
// memory; others are answered as ever, and so are they when they have read.
func TestLargeAnswersToSlowReaders(t *testing.T) {
	s := apitest.Start(t, apitest.SQLite)
	ada, bob := s.Account("ada"), s.Account("bob")
	p := largeReports(t, ada, 8)
	refused := 0
	ask := func() net.Conn {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+p+"/field_reports", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.SetBasicAuth(ada.Key, "")
		if err := req.Write(c); err != nil {
			t.Fatal(err)
		}
		status := make([]byte, len("HTTP/1.1 200"))
		if _, err := io.ReadFull(c, status); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(string(status), "503") {
			refused++
		}
		return c
	}
	const callers = 12
	open := make([]net.Conn, callers)
	for i := range open {
		open[i] = ask()
	}
	if refused == 0 {
		t.Errorf("%d answers of 8 MB each are held for callers who do not read them", callers)
	}
	// Somebody else, and what is not large, are not concerned.
	bob.Want(200, "GET", "/projects", nil)
	ada.Want(200, "GET", p+"/field_reports?limit=0", nil)
	for _, c := range open {
		_ = c.Close()
	}
}

// TestChangesOfLargeRecords: a page of the change log ends early where naming the changed fields would mean reading
// many megabytes, and what it left out comes with the next.
func TestChangesOfLargeRecords(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		ada := s.Account("ada")
		p := "/projects/" + ada.Project("Tower")
		issue := ada.Want(201, "POST", p+"/issues", map[string]any{"title": "a"}).Text("uid")
		const changes = 50
		for i := range changes {
			ada.Want(200, "PATCH", p+"/issues/"+issue, map[string]any{
				"description": strings.Repeat(string(rune('a'+i%26)), 65_000),
			})
		}
		page := feedOf(t, ada.Do("GET", p+"/changes?limit=1000", nil), nil)
		if len(page.Data) >= changes || page.NextPage == "" {
			t.Errorf("one page has %d changes with 130 KB of values each, next %q", len(page.Data), page.NextPage)
		}
		seen := len(page.Data)
		for page.NextPage != "" {
			page = feedOf(t, ada.Do("GET", fmt.Sprintf("%s/changes?limit=1000&after=%d", p, page.NextAfter), nil), nil)
			seen += len(page.Data)
		}
		whole := 0
		for page := feedOf(t, ada.Do("GET", p+"/changes?limit=1", nil), nil); len(page.Data) > 0; whole++ {
			page = feedOf(t, ada.Do("GET", fmt.Sprintf("%s/changes?limit=1&after=%d", p, page.NextAfter), nil), nil)
		}
		if seen != whole {
			t.Errorf("%d changes in large pages, %d one by one", seen, whole)
		}
		// With records each entry carries the present one: what bounds a page is what it would show.
		r := ada.Want(200, "GET", p+"/changes?include=records&limit=1000", nil)
		if page := feedOf(t, r, nil); page.NextPage == "" || len(r.Body) > 8<<20 {
			t.Errorf("one page with records has %d KB, next %q", len(r.Body)>>10, page.NextPage)
		}
		// What a filter leaves out was read too.
		rounds := 1
		page = feedOf(t, ada.Do("GET", p+"/changes?include=records&kinds=photos&limit=1000", nil), nil)
		for ; page.NextPage != ""; rounds++ {
			page = feedOf(t, ada.Do("GET", fmt.Sprintf("%s/changes?include=records&kinds=photos&limit=1000&after=%d", p,
				page.NextAfter), nil), nil)
		}
		if rounds < 2 {
			t.Error("one request passes over all of the log")
		}
	})
}

// TestWalksPassOver: a walk past many records that the caller does not see rests now and then, and goes on.
func TestWalksPassOver(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		ada, bob := s.Account("ada"), s.Account("bob")
		project := ada.Project("Tower")
		ada.Invite(project, bob, "Admin")
		bob.Want(200, "GET", "/projects/"+project, nil)
		_, sheets := ada.Sheets(project, "A-101")
		const marks = 2100
		for range marks / 50 {
			parts := make([]map[string]any, 50)
			for i := range parts {
				parts[i] = map[string]any{
					"method": "POST", "path": "/projects/" + project + "/annotations",
					"body": fmt.Sprintf(`{"sheet_uid":%q,"text":"mine"}`, sheets[0]),
				}
			}
			bob.Want(200, "POST", "/batch", parts)
		}
		seen := ada.Want(201, "POST", "/projects/"+project+"/annotations", map[string]any{
			"sheet_uid": sheets[0], "text": "last",
		}).Text("uid")
		walk := "/projects/" + project + "/changes?latest=true&include=records&kinds=annotations&limit=1"
		page, answers := feedOf(t, ada.Do("GET", walk, nil), nil), 1
		if len(page.Data) != 0 || page.NextPage == "" {
			t.Errorf("the first answer of the walk has %d records, next %q", len(page.Data), page.NextPage)
		}
		var got []string
		for ; ; answers++ {
			for _, e := range page.Data {
				got = append(got, e.UID)
			}
			if page.NextPage == "" {
				break
			}
			page = feedOf(t, ada.Do("GET", strings.TrimPrefix(page.NextPage, s.URL), nil), nil)
		}
		if len(got) != 1 || got[0] != seen || answers > 4 {
			t.Errorf("%d answers have %q, want %s", answers, got, seen)
		}
	})
}

// TestWalksAreBounded: callers who begin walks and do not read them hold a bounded number of places, and other callers
// are served; what they leave is free again.
func TestWalksAreBounded(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		ada, bob := s.Account("ada"), s.Account("bob")
		p := largeReports(t, ada, 12) // more than the buffers of a connection take
		walk := p + "/changes?include=records&latest=true"
		const most = 8
		var open []*http.Response
		for range most {
			res := ada.Open(walk, http.Header{"Accept-Encoding": {"identity"}})
			if res.StatusCode != 200 {
				t.Fatalf("walk %d: %d", len(open)+1, res.StatusCode)
			}
			open = append(open, res)
		}
		if r := ada.Do("GET", walk, nil); r.Status != 429 || !strings.Contains(r.Text("message"), "walks") {
			t.Errorf("one more walk of the same account: %d %.200s", r.Status, r.Body)
		}
		ada.Want(200, "GET", p+"/issues", nil)
		bob.Want(200, "GET", "/projects/"+bob.Project("Bridge")+"/changes?include=records&latest=true", nil)
		for _, res := range open {
			_ = res.Body.Close()
		}
		await.True(t, 20*time.Second, "no place is free again", func() bool { return ada.Do("GET", walk, nil).Status == 200 })
	})
}

// TestRecordsDoNotGrowWithoutBound: changes that each fit into a body cannot make a record many times as large.
func TestRecordsDoNotGrowWithoutBound(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		ada := s.Account("ada")
		p := largeReports(t, ada, 1)
		report := ada.Want(200, "GET", p+"/field_reports", nil).Text("data.0.uid")
		values := make([]map[string]any, 10)
		for i := range values {
			values[i] = map[string]any{"name": "n", "value": strings.Repeat("y", 65_000)}
		}
		r := ada.Want(400, "PATCH", p+"/field_reports/"+report, map[string]any{"pdf_form_values": values})
		if !strings.Contains(r.Text("message"), "at most 1024 KB") {
			t.Errorf("refused with %s", r.Body)
		}
	})
}

// TestHistoryOfLargeChanges: the history of a record goes back as far as so many bytes of old and new values, and shows
// of that what is asked for, each line once.
func TestHistoryOfLargeChanges(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		ada := s.Account("ada")
		p := "/projects/" + ada.Project("Tower")
		issue := p + "/issues/" + ada.Want(201, "POST", p+"/issues", map[string]any{"title": "a"}).Text("uid")
		const changes = 40 // of half a megabyte each
		for i := range changes {
			ada.Want(200, "PATCH", issue, map[string]any{
				"description": strings.Repeat(string(rune(0x1f3d7+i%2)), 65_000), "room": fmt.Sprint(i),
			})
		}
		type line struct {
			UID      string `json:"uid"`
			Field    string `json:"field"`
			NewValue string `json:"new_value"`
		}
		read := func(path string) (lines []line, total int, next string) {
			var got struct {
				Data        []line `json:"data"`
				TotalCount  int    `json:"total_count"`
				NextPageURL string `json:"next_page_url"`
			}
			if err := json.Unmarshal(ada.Want(200, "GET", path, nil).Body, &got); err != nil {
				t.Fatal(err)
			}
			return got.Data, got.TotalCount, got.NextPageURL
		}
		_, total, _ := read(issue + "/history?limit=0")
		if total < changes || total >= 2*changes {
			t.Errorf("the history has %d lines of %d changes with half a megabyte each", total, changes)
		}
		seen := map[string]bool{}
		rooms := 0
		for path := issue + "/history?limit=7&updated_after=2020-01-01T00:00:00Z"; path != ""; {
			lines, n, next := read(path)
			if path = next; n != total {
				t.Errorf("%d lines in all, then %d", total, n)
			}
			for _, l := range lines {
				if seen[l.UID] {
					t.Errorf("the line %s comes twice", l.UID)
				}
				if seen[l.UID] = true; l.Field == "room" {
					if rooms++; l.NewValue != fmt.Sprint(changes-rooms) {
						t.Errorf("the %d. change to be told is the one to %s", rooms, l.NewValue)
					}
				}
			}
		}
		if len(seen) != total {
			t.Errorf("%d of %d lines come", len(seen), total)
		}
		last, _, next := read(fmt.Sprintf("%s/history?skip=%d", issue, total-1))
		if len(last) != 1 || !seen[last[0].UID] || next != "" {
			t.Errorf("the last line: %+v, next %q", last, next)
		}
	})
}

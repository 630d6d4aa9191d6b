package fairness

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/prove/estate"
	"groundwork/prove/lab"
)

// load is one way to make a service slow that the limits of a tenant leave open.
type load struct {
	name  string
	needs []string // of a tenant, see ground.provide
	works bool     // it makes work for the background
	wide  int      // requests of one tenant at once
	pace  int      // requests a second of one tenant, where it is not what the limits admit
	most  int      // requests of one tenant in a turn; 0 where only the pace bounds them
	send  func(m *member, n int) (status int, err error)
}

// loads are all there are; those that leave much work behind come last.
var loads = []*load{
	{name: "deep lists", needs: []string{"deep"}, wide: 8, send: deepList},
	{name: "searches", needs: []string{"texts"}, wide: 8, send: searchBroadly},
	{name: "batches of 50", needs: []string{"texts", "deep"}, wide: 4, send: batchOf50},
	{name: "walks", needs: []string{"deep"}, wide: 8, send: walkAll},
	{name: "event streams", wide: 100, pace: 100, send: followLong},
	{name: "long polls", wide: 400, pace: 400, send: pollLong},
	{name: "sign-ins", wide: 16, send: signInWrongly},
	{name: "unfinished uploads", wide: 200, pace: 400, send: func(m *member, _ int) (int, error) {
		return m.hold("/storage" + strings.TrimPrefix(m.Project, "/projects"))
	}},
	{name: "invitations", wide: 8, send: inviteStrangers},
	{name: "profile changes", needs: []string{"projects"}, wide: 4, send: changeProfile},
	{name: "huge marks", needs: []string{"sheet"}, wide: 8, send: drawHugely},
	{
		name: "reports", needs: []string{"texts"}, works: true, wide: 8, most: 60,
		send: func(m *member, _ int) (int, error) { return m.post(m.Project+"/issues/reports", lab.Object{}) },
	},
	{name: "packets", needs: []string{"sheet"}, works: true, wide: 2, most: 10, send: askForPacket},
	{name: "drawings", works: true, wide: 2, most: 6, send: sendDrawings},
}

func loadNamed(name string) *load {
	for _, l := range loads {
		if l.name == name {
			return l
		}
	}
	panic("there is no load " + name) // the names are those of the list
}

// deepList asks for the far end of a long list, in every way there is.
func deepList(m *member, n int) (int, error) {
	far := m.Many - 50
	list := []string{
		fmt.Sprintf("skip=%d", far), fmt.Sprintf("sort=-updated_at&skip=%d", far),
		fmt.Sprintf("updated_after=2001-01-01T00:00:00Z&skip=%d", far),
		fmt.Sprintf("status=open&type=issue&deleted=false&skip=%d", far/2),
		fmt.Sprintf("sort=due_at&status=open,closed&updated_after=2001-01-01T00:00:00Z&skip=%d", far),
	}
	return m.ask(m.Keys[0], http.MethodGet, m.Deep+"/issues?"+list[n%len(list)], nil)
}

// searchBroadly looks for beginnings that nearly every word of every text has.
func searchBroadly(m *member, n int) (int, error) {
	queries := []string{"a", "e i", "s", "the", "a b c d e f g h i j k l m n o p q r s t u v w x y z", "t r", "con pre"}
	return m.ask(m.Keys[0], http.MethodGet, m.Project+"/issues?limit=1&q="+url.QueryEscape(queries[n%len(queries)]),
		nil)
}

// batchOf50 reads fifty pages of long texts, makes fifty records, or reads fifty pages of a long list.
func batchOf50(m *member, n int) (int, error) {
	parts := []lab.Object{}
	for i := range 50 {
		switch n % 3 {
		case 0:
			parts = append(parts, lab.Object{"method": "GET", "path": m.Project + "/issues?limit=50"})
		case 1:
			parts = append(parts, lab.Object{
				"method": "POST", "path": m.Deep + "/issues", "body": fmt.Sprintf(`{"title":"Issue %d.%d"}`, n, i),
			})
		default:
			parts = append(parts, lab.Object{
				"method": "GET", "path": fmt.Sprintf("%s/issues?limit=50&sort=-updated_at&skip=%d", m.Deep, m.Many/2+i),
			})
		}
	}
	return m.post("/batch", parts)
}

// walkAll reads all records of a long list, as fast as they come.
func walkAll(m *member, _ int) (int, error) {
	return m.ask(m.Keys[0], http.MethodGet, m.Deep+"/changes?include=records&latest=true&kinds=issues", nil)
}

// followLong follows a project in which much happens, with every key there is.
func followLong(m *member, n int) (int, error) {
	status, err := m.ask(m.Keys[n%len(m.Keys)], http.MethodGet, m.Deep+"/events?include=records&after=0", nil,
		"Accept", "text/event-stream")
	if err == nil {
		rest(m) // it was answered at once: this account follows often enough
	}
	return status, err
}

// pollLong waits for changes that do not come, with every key there is.
func pollLong(m *member, n int) (int, error) {
	status, err := m.ask(m.Keys[n%len(m.Keys)], http.MethodGet, fmt.Sprintf("%s/changes?after=%d", m.Quiet, m.After),
		nil, "Prefer", "wait=30")
	if err == nil {
		rest(m) // it was answered at once: this key waits often enough
	}
	return status, err
}

// rest waits half a second.
func rest(m *member) {
	select {
	case <-m.ctx.Done():
	case <-time.After(500 * time.Millisecond):
	}
}

func signInWrongly(m *member, n int) (int, error) {
	email := m.Email
	if n%2 == 0 {
		email = fmt.Sprintf("nobody%d@example.com", m.chance(1000))
	}
	form := url.Values{"email": {email}, "password": {fmt.Sprint("wrong and long enough ", n)}}
	return m.ask("", http.MethodPost, "/sign-in", []byte(form.Encode()), "Content-Type",
		"application/x-www-form-urlencoded")
}

func inviteStrangers(m *member, n int) (int, error) {
	return m.post(m.Deep+"/users/invites", lab.Object{
		"email": fmt.Sprintf("stranger%d.%d@example.com", n, m.chance(1_000_000_000)), "first_name": "Stranger",
	})
}

func changeProfile(m *member, n int) (int, error) {
	text, err := json.Marshal(lab.Object{
		"company": fmt.Sprintf("Company %d", n), "title": fmt.Sprintf("Title %d", m.chance(1_000_000)),
	})
	if err != nil {
		return 0, err
	}
	return m.ask(m.Keys[0], http.MethodPatch, "/me", text)
}

// drawHugely draws a line of as many points as one may have, and reads a page of such.
func drawHugely(m *member, n int) (int, error) {
	if n%2 == 0 {
		return m.ask(m.Keys[0], http.MethodGet, m.Project+"/annotations?limit=50", nil)
	}
	return m.post(m.Project+"/annotations", pen(m.Sheet, m.chance(1000)))
}

// pen is a line of 1,000 points.
func pen(sheet string, from int) lab.Object {
	points := []lab.Object{}
	for i := range 1000 {
		points = append(points, lab.Object{
			"x": float64((from+i*37)%1000) / 1000.7, "y": float64((from+i*61)%1000) / 1000.3,
		})
	}
	return lab.Object{
		"sheet_uid": sheet, "kind": "pen", "visibility": "master",
		"geometry": lab.Object{"points": points},
	}
}

// askForPacket names one sheet a thousand times.
func askForPacket(m *member, _ int) (int, error) {
	sheets := []string{}
	for range 1000 {
		sheets = append(sheets, m.Sheet)
	}
	return m.post(m.Project+"/sheets/packets", lab.Object{"sheet_uids": sheets, "include_annotations": true})
}

// sendDrawings uploads a set, whatever is answered on the way.
func sendDrawings(m *member, n int) (int, error) {
	files := heavyDrawings()
	set := &estate.DrawingSet{}
	step := func(path string, body any, into any) (*lab.Answer, error) {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		a, err := m.client.Do(m.ctx, http.MethodPost, path, text)
		if err == nil && a.OK() && into != nil {
			err = json.Unmarshal(a.Body, into)
		}
		return a, err
	}
	a, err := step(m.Deep+"/sheets/uploads", lab.Object{"num_files": 1, "version_name": fmt.Sprint("Set ", n)}, set)
	if err != nil || !a.OK() || len(set.Requests) == 0 {
		return status(a), err
	}
	f := &lab.UploadForm{}
	if a, err = step(set.Requests[0].URL, lab.Object{"file_name": "set.pdf"}, f); err != nil || !a.OK() {
		return status(a), err
	}
	if a, err = m.client.PostFile(m.ctx, f, files[n%len(files)]); err == nil && a.Status == http.StatusSeeOther {
		_, err = m.client.DoWithoutKey(m.ctx, http.MethodGet, f.Webhook, nil, "")
	}
	if err != nil {
		return status(a), err
	}
	a, err = step(set.Complete, lab.Object{}, nil)
	return status(a), err
}

func status(a *lab.Answer) int {
	if a == nil {
		return 0
	}
	return a.Status
}

// heavyDrawings are small files that are much work: letters of a kilometre, words far off the page, many pages, a page
// of very many lines.
func heavyDrawings() [][]byte {
	const catalog, pages, font = "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
	const page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 792 612] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>"
	const number = "BT /F 20 Tf 690 24 Td (A-101) Tj ET\n" // without which nobody looks for a title
	one := func(content string) []byte {
		return estate.PDF(catalog, pages, page, estate.PDFStream("", content), font)
	}
	numbers := []string{}
	for i := range 100 {
		numbers = append(numbers, fmt.Sprintf("A-%03d", i+100))
	}
	var lines bytes.Buffer
	for i := range 40_000 {
		fmt.Fprintf(&lines, "%d %d m %d %d l S\n", i%792, i%612, (i*7)%792, (i*13)%612)
	}
	return [][]byte{
		one(number + "BT /F 3000000 Tf 10 10 Td (FLOOR PLAN) Tj ET"),
		estate.Drawings(numbers...),
		one(number + "BT /F 12 Tf 10 10 Td [(FLOOR) -2000000000 (PLAN)] TJ ET"),
		one(lines.String()),
	}
}

package mirror

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/prove/lab"
)

// change is an entry of the change log with its record.
type change struct {
	Sequence  int64          `json:"sequence"`
	Kind      string         `json:"kind"`
	UID       string         `json:"uid"`
	Operation string         `json:"operation"`
	Record    jsontext.Value `json:"record"`
}

// reader keeps what one person sees of a project, with one cursor.
type reader struct {
	*person
	t       *lab.Trial
	project string
	random  *rand.Rand
	cursor  int64
	records map[string]jsontext.Value // by kind and uid; nil before a walk
	seen    map[string]bool           // issues, to know the last
	hidden  int
	walks   int
	cuts    int
}

func (w *world) reader(i int) *reader {
	return &reader{
		person: w.people[i], t: w.t, project: w.project, random: w.t.Random(1000 + i), seen: map[string]bool{},
	}
}

func (r *reader) apply(c change) {
	name := c.Kind + "/" + c.UID
	if c.Operation == "hide" {
		r.hidden++
		delete(r.records, name)
		return
	}
	r.records[name], r.seen[c.UID] = c.Record, true
}

// page takes one answer; ok is false where it was refused or cut, which a reader outlives.
func (r *reader) page(address string) (next *string, after int64, ok bool) {
	a, err := lab.OneOf(r.random, r.at).Do(r.t, http.MethodGet, address, nil)
	if err != nil || !a.OK() {
		time.Sleep(5 * time.Millisecond)
		return nil, 0, false
	}
	var page struct {
		Data  []change `json:"data"`
		Next  *string  `json:"next_page_url"`
		After int64    `json:"next_after"`
	}
	if err := json.Unmarshal(a.Body, &page); err != nil {
		return nil, 0, false
	}
	for _, c := range page.Data {
		r.apply(c)
	}
	return page.Next, page.After, true
}

// here makes an address that the service gave one of any process.
func (r *reader) here(address string) string {
	return address[strings.Index(address, "/projects/"):]
}

// walk fills the copy; it begins again when a part of it fails.
func (r *reader) walk() {
	for r.t.Err() == nil {
		r.records = map[string]jsontext.Value{}
		address := r.project + "/changes?include=records&latest=true&limit=" + strconv.Itoa(1+r.random.IntN(60))
		for {
			next, after, ok := r.page(address)
			if !ok {
				break
			}
			if next == nil {
				r.cursor = after
				r.walks++
				return
			}
			address = r.here(*next)
		}
	}
}

// poll follows the log until the copy has an issue.
func (r *reader) poll(last <-chan string) {
	end := ""
	for r.t.Err() == nil {
		if r.records == nil || r.random.IntN(300) == 0 {
			r.walk() // as on a new device
		}
		address := fmt.Sprintf("%s/changes?include=records&limit=%d&after=%d", r.project, 1+r.random.IntN(50), r.cursor)
		next, after, ok := r.page(address)
		if ok {
			r.cursor = after
		}
		select {
		case end = <-last:
		default:
		}
		if end != "" && r.seen[end] && ok && next == nil {
			return
		}
	}
}

// listen follows events until the copy has an issue. Streams are cut again and again.
func (r *reader) listen(last <-chan string) {
	end := ""
	for r.t.Err() == nil {
		if r.records == nil || r.random.IntN(40) == 0 {
			r.walk()
		}
		ctx, cut := context.WithTimeout(r.t, time.Duration(20+r.random.IntN(700))*time.Millisecond)
		_ = events(ctx, lab.OneOf(r.random, r.at), fmt.Sprintf("%s/events?include=records&after=%d", r.project, r.cursor),
			func(id string, data []byte) {
				var c change
				if len(data) > 0 && json.Unmarshal(data, &c) == nil {
					r.apply(c)
				}
				if n, err := strconv.ParseInt(id, 10, 64); err == nil {
					r.cursor = n
				}
			})
		cut()
		r.cuts++
		select {
		case end = <-last:
		default:
		}
		if end != "" && r.seen[end] {
			return
		}
	}
}

// events reads a stream until it ends: each block, with its id and data.
func events(ctx context.Context, c *lab.Client, path string, each func(id string, data []byte)) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.BaseURL+path, nil)
	if err != nil {
		return err
	}
	request.SetBasicAuth(c.Key, "")
	request.Header.Set("Accept", "text/event-stream")
	response, err := (&http.Client{Transport: c.HTTP.Transport}).Do(request) // without an end
	if err != nil {
		time.Sleep(5 * time.Millisecond)
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		time.Sleep(5 * time.Millisecond)
		return fmt.Errorf("the stream: %d", response.StatusCode)
	}
	id, data := "", []byte(nil)
	for lines := bufio.NewReader(response.Body); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
		line = bytes.TrimRight(line, "\n")
		switch {
		case bytes.HasPrefix(line, []byte("id: ")):
			id = string(line[4:])
		case bytes.HasPrefix(line, []byte("data: ")):
			data = line[6:]
		case len(line) == 0 && (id != "" || data != nil):
			each(id, data)
			id, data = "", nil
		}
	}
}

// links are the addresses in a record that are signed for a while.
var links = regexp.MustCompile(`"[a-z_]*url":"[^"]*/(files|tiles)/[^"]*"`)

// lists are where records of each kind are listed.
var lists = map[string]string{
	"users": "/users", "roles": "/roles", "issues": "/issues", "issue_lists": "/issue_lists", "comments": "/comments",
	"rfis": "/rfis", "rfi_statuses": "/rfis/statuses", "annotations": "/annotations", "sheets": "/sheets",
	"version_sets": "/version_sets", "field_reports": "/field_reports", "photos": "/photos",
	"attachments": "/attachments", "snapshots": "/snapshots", "views": "/views",
}

// parts is from where on two texts differ, with some of what stands before; -1 where they do not.
func parts(a, b []byte) int {
	if bytes.Equal(a, b) {
		return -1
	}
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return max(0, n-40)
}

// compare holds the copy against what its person may read, record by record.
func (r *reader) compare() (wrong []string, records int, err error) {
	// What the readers themselves did by coming is the last that there is.
	for more := true; more && r.t.Err() == nil; {
		next, after, ok := r.page(fmt.Sprintf("%s/changes?include=records&after=%d", r.project, r.cursor))
		if more = !ok || next != nil; ok {
			r.cursor = after
		}
	}
	for kind, path := range lists {
		all, _, err := r.at[0].ListAll(r.t, r.project+path)
		if err != nil {
			return nil, 0, err
		}
		shown := map[string]bool{}
		for _, raw := range all {
			name := kind + "/" + uidOf(raw)
			shown[name] = true
			have, reads := links.ReplaceAll(r.records[name], nil), links.ReplaceAll(raw, nil)
			if at := parts(have, reads); at >= 0 {
				wrong = append(wrong, fmt.Sprintf("%s has of %s …%s, and reads …%s", r.name, name, lab.Clip(have[at:]),
					lab.Clip(reads[at:])))
			}
		}
		for name := range r.records {
			if strings.HasPrefix(name, kind+"/") && !shown[name] {
				wrong = append(wrong, fmt.Sprintf("%s has %s, which they may not read", r.name, name))
			}
		}
		records += len(all)
	}
	return wrong, records, nil
}

package mirror

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"groundwork/internal/client"
	"groundwork/internal/follow"
)

// A server that lists for ever, or more than can be kept, is told so.
func TestBounds(t *testing.T) {
	projects, records, pagesOf := mostProjects, mostRecords, mostPages
	defer func() { mostProjects, mostRecords, mostPages = projects, records, pagesOf }()
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := asked.Add(1)
		fmt.Fprintf(w, `{"data":[{"uid":"u%d"}],"total_count":1,"next_page_url":"http://%s/x?n=%d"}`, n, r.Host, n)
	}))
	defer s.Close()
	c, err := client.New(s.URL, client.Options{Key: "k", Pause: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	mostPages = 7
	if _, err := Visible(t.Context(), c); err == nil || !strings.Contains(err.Error(), "no end") || asked.Load() != 7 {
		t.Errorf("%d pages: %v", asked.Load(), err)
	}
	mostPages, mostProjects = 100, 5
	if _, err := Visible(t.Context(), c); err == nil || !strings.Contains(err.Error(), "more than 5 projects") {
		t.Error(err)
	}
	mostRecords = 3
	kept, err := openStaging(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.close()
	page := make([]follow.Entry, 4)
	for i := range page {
		page[i] = follow.Entry{Kind: "issues", UID: fmt.Sprint("u", i), Record: []byte(`{}`)}
	}
	if err := kept.keep(page[:3], position{}); err != nil {
		t.Error(err)
	}
	if err := kept.keep(page[3:], position{}); err == nil || !strings.Contains(err.Error(), "more than 3 records") {
		t.Error(err)
	}
}

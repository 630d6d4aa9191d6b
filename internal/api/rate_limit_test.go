package api

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/internal/credential"
	"groundwork/internal/identity"
)

func who(limits ...credential.Limit) *credential.Credential {
	return &credential.Credential{ID: "k", Counter: "k", Account: &identity.Account{}, Limits: limits}
}

func fixed(at time.Time) func() time.Time { return func() time.Time { return at } }

func TestTakeAllWindowsOrNone(t *testing.T) {
	l := newLimiter()
	c := who(credential.Limit{Type: "all", Interval: 1, Limit: 2}, credential.Limit{Type: "all", Interval: 86400, Limit: 4},
		credential.Limit{Type: "write", Interval: 360, Limit: 1})
	used := func(now time.Time) string {
		var all []string
		for _, w := range l.list(c, fixed(now)) {
			all = append(all, fmt.Sprint(w.used))
		}
		return strings.Join(all, " ")
	}
	at := time.Unix(360*1000, 0)
	for i, tt := range []struct {
		after       time.Duration
		write, poll bool
		refusedBy   int64 // the interval
		used        string
	}{
		{0, true, false, 0, "1 1 1"},
		{0, true, false, 360, "1 1 1"},
		{0, false, false, 0, "2 2 1"},
		{0, false, false, 1, "2 2 1"},
		{0, true, false, 360, "2 2 1"}, // both are full; this one opens later
		{time.Second, false, false, 0, "1 3 1"},
		{0, false, true, 0, "2 3 1"}, // polling is free of the day's window
		{0, false, true, 1, "2 3 1"},
		{time.Second, false, false, 0, "1 4 1"},
		{0, true, false, 86400, "1 4 1"},
		{0, false, true, 0, "2 4 1"},
		{358 * time.Second, true, false, 86400, "0 4 0"},
		{86400 * time.Second, true, false, 0, "1 1 1"},
		{-time.Hour, true, false, 0, "1 2 1"}, // the clock was set back, inside the same day
	} {
		at = at.Add(tt.after)
		full := l.take(c, fixed(at), tt.write, tt.poll)
		if (full == nil) != (tt.refusedBy == 0) || full != nil && full.Interval != tt.refusedBy {
			t.Errorf("step %d: refused by %+v", i, full)
		}
		if got := used(at); got != tt.used {
			t.Errorf("step %d: used %s, want %s", i, got, tt.used)
		}
	}
}

func TestWindowsAreAligned(t *testing.T) {
	for _, tt := range []struct {
		unix, interval, reset int64
	}{
		{0, 60, 60},
		{59, 60, 60},
		{60, 60, 120},
		{86399, 86400, 86400},
		{1_000_000, 7, 1_000_006},
		{-1, 60, 0},
		{-60, 60, 0},
		{-61, 60, -60},
	} {
		w := window{Limit: credential.Limit{Interval: tt.interval}}
		w.move(time.Unix(tt.unix, 999))
		if got := w.reset().Unix(); got != tt.reset {
			t.Errorf("%d in steps of %d: reset %d, want %d", tt.unix, tt.interval, got, tt.reset)
		}
	}
}

func TestLimitsThatChange(t *testing.T) {
	l := newLimiter()
	now := time.Unix(1000, 0)
	day := credential.Limit{Type: "all", Interval: 86400, Limit: 2}
	l.take(who(day, credential.Limit{Type: "all", Interval: 1, Limit: 5}), fixed(now), false, false)
	l.take(who(day), fixed(now), false, false)
	if l.take(who(day), fixed(now), false, false) == nil {
		t.Error("what was used of a limit is forgotten when another limit goes")
	}
	day.Limit = 3
	if l.take(who(day), fixed(now), false, false) != nil {
		t.Error("a limit that was raised still refuses")
	}
	if l.take(who(day), fixed(now), false, false) == nil {
		t.Error("a limit that was raised forgot what was used")
	}
}

func TestLimiterForgetsWhatHasEnded(t *testing.T) {
	l := newLimiter()
	now := time.Unix(6000, 0)
	for i := range 1000 {
		l.take(&credential.Credential{Counter: fmt.Sprint(i), Limits: []credential.Limit{{Type: "all", Interval: 60, Limit: 1}}},
			fixed(now), false, false)
	}
	size := func() (n int) {
		for i := range l.shards {
			n += len(l.shards[i].of)
		}
		return n
	}
	if size() != 1000 {
		t.Fatalf("%d are counted", size())
	}
	now = now.Add(time.Minute)
	for i := range 1000 {
		l.take(&credential.Credential{
			Counter: fmt.Sprint("other", i), Limits: []credential.Limit{{Type: "all", Interval: 60, Limit: 1}},
		}, fixed(now), false, false)
	}
	if size() != 1000 {
		t.Errorf("%d are kept, 1000 are in use", size())
	}
}

func TestLimitIsExactUnderConcurrency(t *testing.T) {
	e := newEdge(t, testConfig(credential.Limit{Type: "all", Interval: 86400, Limit: 100}, credential.Limit{
		Type: "all", Interval: 1, Limit: 1000,
	}), testRoutes())
	var wg sync.WaitGroup
	var mu sync.Mutex
	got := map[int]int{}
	for range 8 {
		wg.Go(func() {
			for range 50 {
				w := call(e, "GET", "/projects", "", "Authorization", basic(keyAdmin))
				mu.Lock()
				got[w.Code]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if got[200] != 100 || got[429] != 300 {
		t.Errorf("%v", got)
	}
}

// A request that began in one window and is counted in the next must not open the first again.
func TestLimitIsExactAtTheEndOfAWindow(t *testing.T) {
	now := newClock(1_000_000)
	config := testConfig(credential.Limit{Type: "all", Interval: 1, Limit: 1})
	config.Now = now.now
	meanwhile := func() {}
	inner := config.Authenticate
	config.Authenticate = func(ctx context.Context, secret string) (*credential.Credential, error) {
		do := meanwhile
		meanwhile = func() {}
		do()
		return inner(ctx, secret)
	}
	e := newEdge(t, config, testRoutes())
	get := func() int { return call(e, "GET", "/projects", "", "Authorization", basic(keyAdmin)).Code }
	var got []int
	meanwhile = func() {
		now.move(time.Second)
		got = append(got, get())
	}
	got = append(got, get())
	got = append(got, get())
	if fmt.Sprint(got) != "[200 429 429]" {
		t.Errorf("%v", got)
	}
}

func TestTooManyRequests(t *testing.T) {
	now := newClock(86400*10 + 60)
	config := testConfig(credential.Limit{Type: "all", Interval: 86400, Limit: 1})
	config.Now = now.now
	e := newEdge(t, config, testRoutes())
	get := func() *httptest.ResponseRecorder {
		return call(e, "GET", "/projects", "", "Authorization", basic(keyAdmin))
	}
	if w := get(); w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	w := get()
	var body struct {
		Message   string         `json:"message"`
		RateLimit map[string]any `json:"rate_limit"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(body.RateLimit); w.Code != 429 ||
		got != "map[interval:86400 limit:1 remaining:0 request_type:all reset:1970-01-12T00:00:00+00:00]" {
		t.Errorf("%d %s", w.Code, got)
	}
	if w.Header().Get("Retry-After") != "86340" || !strings.Contains(body.Message, "id-"+keyAdmin) {
		t.Errorf("Retry-After %s: %s", w.Header().Get("Retry-After"), body.Message)
	}
	now.move(86340*time.Second - 1)
	if w := get(); w.Code != 429 || w.Header().Get("Retry-After") != "1" {
		t.Errorf("just before the reset: %d, Retry-After %s", w.Code, w.Header().Get("Retry-After"))
	}
	now.move(1)
	if w := get(); w.Code != 200 {
		t.Errorf("after the reset: %d", w.Code)
	}
}

func TestPollIsFreeOfLongWindows(t *testing.T) {
	e := newEdge(t, testConfig(credential.Limit{Type: "all", Interval: 86400, Limit: 1}),
		append(testRoutes(), route("GET", "/packets/{uid}", func(r *Route) { r.Poll = true })))
	for range 3 {
		if w := call(e, "GET", "/packets/1", "", "Authorization", basic(keyAdmin)); w.Code != 200 {
			t.Errorf("%d", w.Code)
		}
	}
	call(e, "GET", "/projects", "", "Authorization", basic(keyAdmin))
	if w := call(e, "GET", "/projects", "", "Authorization", basic(keyAdmin)); w.Code != 429 {
		t.Errorf("%d", w.Code)
	}
}

func TestListLimits(t *testing.T) {
	e := newEdge(t, testConfig(credential.DefaultLimits()...), testRoutes())
	get := func(query string) *httptest.ResponseRecorder {
		return call(e, "GET", "/rate_limits"+query, "", "Authorization", basic(keyAdmin))
	}
	const (
		second = `{"request_type":"all","interval":1,"limit":40,"remaining":%d,"reset":"1970-01-12T13:46:41+00:00"}`
		day    = `{"request_type":"all","interval":86400,"limit":10000,"remaining":%d,"reset":"1970-01-13T00:00:00+00:00"}`
		writes = `{"request_type":"write","interval":360,"limit":2000,"remaining":2000,"reset":"1970-01-12T13:48:00+00:00"}`
	)
	for i, tt := range []struct{ query, want string }{
		{"", `{"data":[` + fmt.Sprintf(second+","+day, 39,
			9999) + "," + writes + `],"total_count":3,"next_page_url":null}`},
		{"?limit=1&x=a+b", `{"data":[` + fmt.Sprintf(second,
			38) + `],"total_count":3,"next_page_url":"https://build.example.com/rate_limits?limit=1&skip=1&x=a+b"}`},
		{"?skip=1&limit=1", `{"data":[` + fmt.Sprintf(day,
			9997) + `],"total_count":3,"next_page_url":"https://build.example.com/rate_limits?limit=1&skip=2"}`},
		{"?skip=2&limit=1", `{"data":[` + writes + `],"total_count":3,"next_page_url":null}`},
		{"?limit=0", `{"data":[],"total_count":3,"next_page_url":null}`},
		{"?skip=3", `{"data":[],"total_count":3,"next_page_url":null}`},
		{"?skip=99999999999999999999999999", `{"data":[],"total_count":3,"next_page_url":null}`},
		{"?skip=9223372036854775807", `{"data":[],"total_count":3,"next_page_url":null}`},
	} {
		if w := get(tt.query); w.Code != 200 || w.Body.String() != tt.want {
			t.Errorf("%d %q: %d %s", i, tt.query, w.Code, w.Body)
		}
	}
	for _, query := range []string{
		"?limit=51", "?limit=-1", "?limit=x", "?limit=", "?limit=1.0", "?limit=%2B1",
		"?skip=-1", "?skip=", "?limit=99999999999999999999999999",
	} {
		w := get(query)
		if says := message(t, w); w.Code != 400 ||
			!strings.Contains(says, strings.TrimLeft(strings.Split(query, "=")[0], "?")) {
			t.Errorf("%s: %d %s", query, w.Code, says)
		}
	}
}

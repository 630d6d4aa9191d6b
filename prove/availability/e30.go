package availability

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/prove/lab"
)

const (
	limitClients = 64
	limitSecond  = 50 // requests of all kinds in a second
	limitWrites  = 40 // writing requests in ten minutes
	limitBeyond  = 75 // how many the hour allows after what the first part of the experiment uses
)

// E30 counts what rate limits admit, across the ends of their windows.
var E30 = &lab.Experiment{
	ID:       "E30",
	Title:    "64 clients of one key with several rate limits, one process, across the ends of windows",
	MustHold: "no more are admitted than each window allows, and no fewer (judged in the full form); a refusal costs nothing and names the limit that opens last",
	Control:  "a key without these limits",
	Engines:  []string{lab.SQLite},
	Run: func(t *lab.Trial) error {
		windows := t.ShortOrFull(4, 20)
		hour := windows*limitSecond + 1 + limitBeyond
		b, err := newBurst(t, "all/1="+strconv.Itoa(limitSecond), "all/3600="+strconv.Itoa(hour),
			"write/600="+strconv.Itoa(limitWrites))
		if err != nil {
			return err
		}
		// No window but that of a second may end in the middle.
		rest := 600*time.Second - time.Duration(time.Now().UnixNano())%(600*time.Second)
		if rest < time.Duration(windows+10)*time.Second {
			time.Sleep(rest)
		}
		if err := b.run(windows); err != nil {
			return err
		}
		first := b.admitted
		t.Note("windows of a second", "%d", windows)
		t.Note("admitted, of", "%s, %s", lab.Thousands(first), lab.Thousands(windows*limitSecond))
		t.Note("writes admitted, of", "%d, %d", b.writes, limitWrites)
		t.Require(first <= windows*limitSecond+b.late, "%d windows admitted %d requests in place of %d", windows, first,
			windows*limitSecond)
		t.Require(b.writes <= limitWrites, "%d writes were admitted in place of %d", b.writes, limitWrites)
		// Less means that the clients did not send as much as was allowed: they are slow, or the limits too strict.
		t.RequireOnTime(first >= windows*limitSecond, "%d windows admitted %d requests in place of %d", windows, first,
			windows*limitSecond)
		t.RequireOnTime(b.writes == limitWrites, "%d writes were admitted in place of %d", b.writes, limitWrites)
		if err := b.requireCounts(hour); err != nil {
			return err
		}
		before := b.admitted
		if err := b.run(limitBeyond/limitSecond + 2); err != nil {
			return err
		}
		left := hour - 1 - first // late requests of the first part have used some of it
		t.Require(b.admitted-before <= left, "the hour admitted %d more in place of %d", b.admitted-before, left)
		t.RequireOnTime(b.admitted-before == left, "the hour admitted %d more in place of %d", b.admitted-before, left)
		t.Note("admitted in the hour, of", "%s, %s", lab.Thousands(b.admitted), lab.Thousands(hour))
		t.Note("refused", "%s", lab.Thousands(b.refused))
		t.RequireOnTime(b.named["all/1"] > 0 && b.named["all/3600"] > 0 && b.named["write/600"] > 0,
			"not every limit refused something: %v", b.named)
		t.Require(b.refused > 0, "nothing was refused")
		t.RequireOnTime(b.admitted+b.refused >= t.ShortOrFull(3000, 20_000), "only %d requests", b.admitted+b.refused)
		for _, text := range b.wrong {
			t.Require(false, "%s", text)
		}
		return b.requireEffects()
	},
	RunControl: func(t *lab.Trial) (string, error) {
		b, err := newBurst(t, "all/1=1000000")
		if err != nil {
			return "", err
		}
		if err := b.run(1); err != nil {
			return "", err
		}
		if b.admitted <= limitSecond || b.writes <= limitWrites {
			return "", nil
		}
		return fmt.Sprintf("admits %s requests, %s of them writes, in one second", lab.Thousands(b.admitted),
			lab.Thousands(b.writes)), nil
	},
}

// burst is many clients of one key who send what they can.
type burst struct {
	t       *lab.Trial
	free    *lab.Client // without limits
	bound   *lab.Client
	project string

	mu        sync.Mutex
	admitted  int
	writes    int // of those admitted
	created   int
	refused   int
	late      int            // requests that may have reached a window after the last
	named     map[string]int // refusals by limit
	exhausted time.Time      // when a writing request was first refused for its kind
	wrong     []string
}

func newBurst(t *lab.Trial, limits ...string) (*burst, error) {
	s, err := lab.NewSite(t, lab.Released)
	if err != nil {
		return nil, err
	}
	args := []string{"key", "create", "--email", "ada@example.com"}
	for _, l := range limits {
		args = append(args, "--limit", l)
	}
	key, err := s.Command("", args...)
	if err != nil {
		return nil, err
	}
	if _, err := s.Start(); err != nil {
		return nil, err
	}
	b := &burst{t: t, free: s.NewClient(), bound: s.NewClient(), named: map[string]int{}}
	b.bound.Key = key
	b.project, err = b.free.NewProject(t, "Dam")
	return b, err
}

// run sends as fast as it goes, from the beginning of a second until shortly before the end of the last of n.
func (b *burst) run(n int) error {
	const margin = 50 * time.Millisecond
	begin := time.Now().Truncate(time.Second).Add(time.Second)
	end := begin.Add(time.Duration(n) * time.Second)
	time.Sleep(time.Until(begin) + time.Millisecond)
	var failed error
	lab.Parallel(limitClients, func(i int) {
		random := b.t.Random(i)
		for time.Now().Before(end.Add(-margin)) {
			err := b.one(random.IntN(16), end)
			if err != nil {
				b.mu.Lock()
				failed = err
				b.mu.Unlock()
				return
			}
		}
	})
	return failed
}

// one makes a request: mostly a read, sometimes a create, rarely a batch.
func (b *burst) one(kind int, end time.Time) error {
	method, path, body := http.MethodGet, "/me", []byte(nil)
	switch {
	case kind < 4:
		method, path, body = http.MethodPost, b.project+"/issues", lab.Fields{"title": lab.QuotedJSON("Seepage")}.JSON()
	case kind == 4:
		method, path, body = http.MethodPost, "/batch", []byte(
			`[{"method":"GET","path":"/me"},{"method":"GET","path":"/me"}]`)
	}
	sent := time.Now()
	a, err := b.bound.Do(b.t, method, path, body)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	write := method == http.MethodPost
	if !time.Now().Before(end) {
		b.late++
	}
	switch {
	case a.OK():
		b.admitted++
		if write {
			b.writes++
		}
		if a.Status == http.StatusCreated {
			b.created++
		}
		if write && !b.exhausted.IsZero() && sent.After(b.exhausted) {
			b.wrong = append(b.wrong, "a write was admitted after another was refused for its kind")
		}
	case a.Status == http.StatusTooManyRequests:
		b.refused++
		if text := b.judge(a, write, sent); text != "" {
			b.wrong = append(b.wrong, fmt.Sprintf("%s: Retry-After %s, %s", text, a.Header.Get("Retry-After"), a))
		}
	default:
		b.wrong = append(b.wrong, fmt.Sprintf("%s %s: %s", method, path, a))
	}
	return nil
}

// allowance is a limit as the service shows it.
type allowance struct {
	Type      string `json:"request_type"`
	Interval  int    `json:"interval"`
	Limit     int    `json:"limit"`
	Remaining int    `json:"remaining"`
	Reset     string `json:"reset"`
}

func (l *allowance) name() string { return l.Type + "/" + strconv.Itoa(l.Interval) }

// judge says what is wrong with a refusal.
func (b *burst) judge(a *lab.Answer, write bool, sent time.Time) string {
	var body struct {
		Message string    `json:"message"`
		Limit   allowance `json:"rate_limit"`
	}
	if err := json.Unmarshal(a.Body, &body, json.RejectUnknownMembers(true)); err != nil {
		return err.Error()
	}
	l := body.Limit
	b.named[l.name()]++
	reset, err := time.Parse("2006-01-02T15:04:05-07:00", l.Reset)
	if err != nil {
		return err.Error()
	}
	wait, err := strconv.Atoi(a.Header.Get("Retry-After"))
	length, now := time.Duration(l.Interval)*time.Second, time.Now()
	switch {
	case err != nil:
		return err.Error()
	case body.Message == "" || l.Remaining != 0:
		return "a refusal without a message or with something left"
	case l.Type == "write" && !write:
		return "a read was refused for a limit of writes"
	case reset.Unix()%int64(l.Interval) != 0 || reset.Before(sent) || reset.After(now.Add(length)):
		return "the reset is not the end of the present window"
	case float64(wait) < reset.Sub(now).Seconds() || float64(wait) > max(1, reset.Sub(sent).Seconds()+1):
		return "Retry-After does not lead to the reset"
	}
	if l.name() == "write/600" && b.exhausted.IsZero() {
		b.exhausted = now
	}
	if write && l.name() == "all/1" && !b.exhausted.IsZero() && sent.After(b.exhausted) {
		return "names a limit that opens before another that is exhausted"
	}
	return ""
}

// requireCounts asks the service, in a new second, what is left.
func (b *burst) requireCounts(hour int) error {
	now := time.Now()
	time.Sleep(time.Until(now.Truncate(time.Second).Add(time.Second + time.Millisecond)))
	var list struct {
		Data []allowance `json:"data"`
	}
	if err := b.bound.MustDo(b.t, http.MethodGet, "/rate_limits", nil, &list); err != nil {
		return err
	}
	b.admitted++
	want := map[string]int{"all/1": limitSecond - 1, "all/3600": hour - b.admitted, "write/600": limitWrites - b.writes}
	b.t.Require(len(list.Data) == len(want), "%d limits are listed", len(list.Data))
	for _, l := range list.Data {
		b.t.Require(l.Remaining == want[l.name()], "%s has %d left, want %d: a refusal cost something", l.name(),
			l.Remaining, want[l.name()])
	}
	return nil
}

// requireEffects holds what was made against what was admitted.
func (b *burst) requireEffects() error {
	var p lab.Page
	if err := b.free.MustDo(b.t, http.MethodGet, b.project+"/issues?limit=0", nil, &p); err != nil {
		return err
	}
	b.t.Require(p.Total == b.created, "%d issues exist, %d were admitted", p.Total, b.created)
	return nil
}

package main

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"groundwork/internal/pgtest"
)

var (
	printedCode  = regexp.MustCompile(`Code +([0-9A-Z]{4}(?:-[0-9A-Z]{4}){3})\n`)
	printedGuest = regexp.MustCompile(`https?://\S+/demo/gwi_\w+`)
)

// startCode reads the code that a server of an empty installation prints.
func (s *server) startCode(t *testing.T) string {
	t.Helper()
	s.readTo(t, "Each start prints another one.")
	return printedCode.FindStringSubmatch(s.said)[1]
}

func founding(code, email string) url.Values {
	return url.Values{
		"code": {code}, "name": {"Grace Hopper"}, "email": {email}, "password": {strings.TrimSpace(password)},
	}
}

// browser is one with cookies of its own.
func browser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

// TestFirstAccountInABrowser starts on nothing, and makes the operator with the code that was printed. The next start
// prints none; the log has no code.
func TestFirstAccountInABrowser(t *testing.T) {
	places(t, func(t *testing.T, p place) {
		s := serve(t, p)
		code := s.startCode(t)
		if status, to := s.post(t, browser(t), "/start", founding(code, "grace@example.com")); status != 303 ||
			to != "/start/project" {
			t.Fatalf("%d %s", status, to)
		}
		if list := works(t, p, "", "account", "list"); !regexp.MustCompile(`grace@example.com.*operator`).MatchString(list) {
			t.Errorf("account list printed %s", list)
		}
		if s.stop(t); strings.Contains(s.errs.String(), code) {
			t.Error("the code is in the log of requests")
		}
		again := serve(t, p)
		if status, to := again.signIn(t, "grace@example.com", strings.TrimSpace(password)); status != 303 {
			t.Errorf("signing in: %d %s", status, to)
		}
		if err := again.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if rest, err := io.ReadAll(again.out); err != nil || printedCode.Match(rest) {
			t.Errorf("a second start printed %s, %v", rest, err)
		}
	})
}

// TestFirstAccountAtTheCommandLine makes the first account while a server waits for one: its code ends.
func TestFirstAccountAtTheCommandLine(t *testing.T) {
	places(t, func(t *testing.T, p place) {
		s := serve(t, p)
		code := s.startCode(t)
		works(t, p, password, "account", "create", "--email", "anna@example.com", "--name", "Anna Schmidt",
			"--password-stdin", "--admin")
		if status, to := s.post(t, browser(t), "/start", founding(code, "eve@example.com")); status != 303 ||
			to != "/sign-in?done=begun" {
			t.Errorf("%d %s", status, to)
		}
		if list := works(t, p, "", "account", "list"); strings.Contains(list, "eve@") {
			t.Errorf("account list printed %s", list)
		}
	})
}

// TestEachStartPrintsACode: where one process owns the data, the code of an earlier start is over. Behind a proxy
// attempts are counted by who is behind it.
func TestEachStartPrintsACode(t *testing.T) {
	p := newPlace(t)
	first := serve(t, p)
	old := first.startCode(t)
	first.stop(t)
	s := serve(t, p, "--public-url", "https://build.example.com", "--trusted-proxy", "127.0.0.1")
	s.base = "http://" + s.address
	code := s.startCode(t)
	if old == code || !strings.Contains(s.said, "https://build.example.com/start") {
		t.Errorf("the second start printed %s", s.said)
	}
	send := func(code, from string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.base+"/start",
			strings.NewReader(founding(code, "grace@example.com").Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("X-Forwarded-For", from)
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		return answer.StatusCode
	}
	for range 3 {
		if status := send(old, "192.0.2.1"); status != 400 {
			t.Errorf("the code of an earlier start: %d", status)
		}
	}
	if status := send(code, "198.51.100.1"); status != 303 {
		t.Errorf("the code of this start: %d", status)
	}
}

// TestFirstAccountOfTwoServers races at two servers on one database, each with the code of the other: one becomes the
// operator.
func TestFirstAccountOfTwoServers(t *testing.T) {
	database := pgtest.Database(t)
	files := "file:" + t.TempDir()
	shared := func() place { return append(newPlace(t), "--database-url", database, "--blob-url", files) }
	one, two := serve(t, shared()), serve(t, shared())
	codes := []string{two.startCode(t), one.startCode(t)}
	made := make([]string, 2)
	var racing sync.WaitGroup
	for i, s := range []*server{one, two} {
		racing.Go(func() {
			_, made[i] = s.post(t, browser(t), "/start", founding(codes[i], []string{"ada@", "bob@"}[i]+"example.com"))
		})
	}
	racing.Wait()
	if (made[0] == "/start/project") == (made[1] == "/start/project") ||
		(made[0] == "/sign-in?done=begun") == (made[1] == "/sign-in?done=begun") {
		t.Errorf("they were led to %q", made)
	}
	if list := works(t, shared(), "", "account", "list"); strings.Count(list, "operator") != 1 ||
		strings.Count(list, "\n") != 1 {
		t.Errorf("account list printed %s", list)
	}
}

// TestDemoLink follows the link that the demo prints, as a newcomer does, and as others might.
func TestDemoLink(t *testing.T) {
	p := newPlace(t)
	s := serve(t, p, "--demo")
	s.readAll(t)
	link, err := url.Parse(printedGuest.FindString(s.said))
	if err != nil || link.Path == "" {
		t.Fatalf("no link in %s", s.said)
	}
	c := browser(t)
	if status, page := s.get(t, "", link.Path); status != 200 || !strings.Contains(page, "Enter the demo") {
		t.Fatalf("%d %s", status, page)
	}
	if status, to := s.post(t, c, link.Path, url.Values{}); status != 303 || !uidForm.MatchString(strings.TrimPrefix(to, "/app/")) {
		t.Fatalf("%d %s", status, to)
	}
	answer, err := c.Get(s.base + "/me")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if me, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(me), "demo@groundwork.example") {
		t.Errorf("the session is of %s, %v", me, err)
	}
	if status, _ := s.post(t, browser(t), link.Path, url.Values{}); status != 404 {
		t.Errorf("the link works twice: %d", status)
	}
	if s.stop(t); strings.Contains(s.errs.String(), "gwi_") {
		t.Error("the link is in the log")
	}
	again := serve(t, p, "--demo")
	again.readAll(t)
	if next := printedGuest.FindString(again.said); next == "" || strings.HasSuffix(next, link.Path) {
		t.Errorf("the second start printed %q", next)
	}
	again.stop(t)
	proxied := serve(t, p, "--demo", "--public-url", "https://build.example.com", "--trusted-proxy", "127.0.0.1")
	if proxied.readAll(t); printedGuest.MatchString(proxied.said) {
		t.Errorf("a service that others can reach printed %s", proxied.said)
	}
}

package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"groundwork/internal/store"
)

// engines runs a test once on each engine, with the configuration of an installation that does not exist yet.
func engines(t *testing.T, test func(t *testing.T, c Config)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, sharing(Config{Data: t.TempDir()})) })
	t.Run("postgres", func(t *testing.T) { test(t, sharing(Config{Data: t.TempDir(), DatabaseURL: secretURL(t)})) })
}

func open(t *testing.T, c Config) *App {
	t.Helper()
	a, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

func TestOpenTakesTheFolders(t *testing.T) {
	data, elsewhere := t.TempDir(), t.TempDir()
	c := Config{Data: data, DatabaseURL: "sqlite:" + secretPath(elsewhere)}
	a, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []Config{c, {Data: data}, {Data: t.TempDir(), DatabaseURL: c.DatabaseURL}} {
		if _, err := Open(t.Context(), other); !errors.Is(err, ErrInUse) {
			t.Errorf("got %v, want ErrInUse", err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, c)
}

func TestOpenReleasesTheFolderWhenItFails(t *testing.T) {
	data := t.TempDir()
	if _, err := Open(t.Context(), Config{Data: data, Secret: "short"}); err == nil ||
		!strings.Contains(err.Error(), "at least 32") {
		t.Fatalf("got %v", err)
	}
	open(t, Config{Data: data})
}

// TestASocketIsNoServer: while a process that was killed is still known to the system, its socket takes connections,
// and nobody answers. Who starts a server again waits for the folder then, and is not told that one runs.
func TestASocketIsNoServer(t *testing.T) {
	a := open(t, Config{Data: t.TempDir()})
	l, err := listenSocket(a.Config.Data)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if Answers(t.Context(), a.Config) {
		t.Error("a socket that nobody reads from counts as a server")
	}
}

func TestHandOver(t *testing.T) {
	a := open(t, Config{Data: t.TempDir()})
	if Answers(t.Context(), a.Config) {
		t.Error("a server answers before there is one")
	}
	if _, err := HandOver(t.Context(), a.Config, nil, Streams{In: strings.NewReader("")}); !errors.Is(err, ErrNobody) {
		t.Errorf("got %v, want ErrNobody", err)
	}
	ended := make(chan error, 1)
	waiting, leave := context.WithCancel(t.Context())
	defer leave()
	stop, err := a.serveCommands(func(ctx context.Context, args []string, s Streams) int {
		if args[0] == "wait" {
			leave()
			<-ctx.Done()
			ended <- ctx.Err()
			return 1
		}
		text, _ := io.ReadAll(s.In)
		fmt.Fprintf(s.Out, "out %q %q\n", args, text)
		fmt.Fprint(s.Err, "err\n")
		return 7
	})
	if err != nil {
		t.Fatal(err)
	}
	if !Answers(t.Context(), a.Config) {
		t.Error("no server answers")
	}
	var out, errs bytes.Buffer
	exit, err := HandOver(t.Context(), a.Config, []string{"a b", "ü\n"}, Streams{
		strings.NewReader("in\xff"), &out, &errs,
	})
	if exit != 7 || err != nil || out.String() != `out ["a b" "ü\n"] "in\xff"`+"\n" || errs.String() != "err\n" {
		t.Errorf("got %d, %v, %q, %q", exit, err, &out, &errs)
	}

	if _, err := HandOver(waiting, a.Config, []string{"wait"},
		Streams{strings.NewReader(""), io.Discard, io.Discard}); err == nil {
		t.Error("a command whose caller left succeeded")
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the command of a caller who left ended with %v", err)
	}

	if err := stop(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := HandOver(t.Context(), a.Config, nil, Streams{In: strings.NewReader("")}); !errors.Is(err, ErrNobody) {
		t.Errorf("got %v, want ErrNobody", err)
	}
}

func TestBehind(t *testing.T) {
	inner := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	networks := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32")}
	for _, test := range []struct {
		peer string
		want int
	}{
		{"10.1.2.3:99", 418},
		{"[::ffff:10.1.2.3]:99", 418},
		{"[2001:db8::7]:99", 418},
		{"11.0.0.1:99", 403},
		{"127.0.0.1:99", 403},
		{"[::1]:99", 403},
		{"@", 403},
		{"", 403},
	} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		r.RemoteAddr = test.peer
		r.Header.Set("X-Forwarded-For", "10.1.2.3")
		w := httptest.NewRecorder()
		behind(networks, func() string { return "pass" }, inner).ServeHTTP(w, r)
		if w.Code != test.want || test.want == 403 && !strings.HasPrefix(w.Body.String(), `{"message":"`) {
			t.Errorf("%s: got %d %s", test.peer, w.Code, w.Body)
		}
		w = httptest.NewRecorder()
		if behind(nil, func() string { return "" }, inner).ServeHTTP(w, r); w.Code != 418 {
			t.Errorf("%s without proxies: got %d", test.peer, w.Code)
		}
	}
}

func TestDoctorJudges(t *testing.T) {
	for _, test := range []struct {
		free, size uint64
		ok         bool
	}{
		{2 << 30, 1000 << 30, true},
		{1 << 30, 1000 << 30, true},
		{1<<30 - 1, 1000 << 30, false},
		{100 << 20, 1 << 30, true},
		{10 << 20, 1 << 30, false},
		{0, 1 << 30, false},
	} {
		if err := judgeDisk("/data", test.free, test.size); (err == nil) != test.ok {
			t.Errorf("%d of %d: %v", test.free, test.size, err)
		}
	}
	for year, ok := range map[int]bool{1970: false, 2025: false, 2026: true, 2099: true, 2101: false} {
		if err := checkYear(time.Date(year, 6, 1, 0, 0, 0, 0, time.UTC)); (err == nil) != ok {
			t.Errorf("%d: %v", year, err)
		}
	}
}

func TestDoctorFindsAClockThatFellBehind(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		a := open(t, c)
		for _, test := range []struct {
			ahead time.Duration
			ok    bool
		}{{-time.Hour, true}, {30 * time.Second, true}, {time.Hour, false}} {
			err := a.Store.Write(t.Context(), func(tx *store.Tx) error {
				return tx.Exec(`INSERT INTO projects (id, uid, clock, seq) VALUES (1, 'p', $1, 0) ON CONFLICT (id)
DO UPDATE SET clock = $1`, a.Store.Now()+test.ahead.Microseconds())
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := a.checkProjects(t.Context()); (err == nil) != test.ok {
				t.Errorf("%v ahead: %v", test.ahead, err)
			}
		}
	})
}

func TestCertificateIsReadAgain(t *testing.T) {
	folder := t.TempDir()
	cert, key := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	renew := func(host string, at time.Time) {
		t.Helper()
		writePair(t, cert, key, host)
		for _, name := range []string{cert, key} {
			if err := os.Chtimes(name, at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	began := time.Now()
	renew("one", began)
	c, err := openPair(cert, key, discard())
	if err != nil {
		t.Fatal(err)
	}
	names := func(now time.Time) string { return leaf(t, c.current(now)).DNSNames[0] }
	if got := names(began); got != "one" {
		t.Errorf("got %s", got)
	}
	renew("two", began.Add(time.Minute))
	if got := names(began.Add(lookEvery - 1)); got != "one" {
		t.Errorf("the files were looked at too soon: %s", got)
	}
	if got := names(began.Add(lookEvery)); got != "two" {
		t.Errorf("after a renewal: %s", got)
	}
	if err := os.WriteFile(key, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := names(began.Add(2 * lookEvery)); got != "two" {
		t.Errorf("half renewed: %s", got)
	}
	renew("three", began.Add(time.Hour))
	if got := names(began.Add(3 * lookEvery)); got != "three" {
		t.Errorf("after a whole renewal: %s", got)
	}
	if _, err := openPair(cert, cert, discard()); err == nil {
		t.Error("a certificate without key is accepted")
	}
}

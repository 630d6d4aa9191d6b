package apitest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"groundwork/internal/api"
	"groundwork/internal/app"
	"groundwork/internal/credential"
	"groundwork/internal/identity"
	"groundwork/internal/pgtest"
	"groundwork/internal/redact"
	"groundwork/internal/transport"
)

// Base is the public address of every server under test. It is not where they listen: an address in a response that
// begins otherwise was made of the Host header.
const Base = "https://groundwork.test"

// Password is what everybody that Account makes signs in with.
const Password = "seventeen purple anvils"

// The engines, by the names that subtests have.
const (
	SQLite   = "sqlite"
	Postgres = "postgres"
)

// Engines runs a test once on each engine, as subtests.
func Engines(t *testing.T, test func(t *testing.T, engine string)) {
	t.Helper()
	for _, engine := range []string{SQLite, Postgres} {
		t.Run(engine, func(t *testing.T) { test(t, engine) })
	}
}

// Server is the whole service, listening on a port of this machine, with a database of its own.
type Server struct {
	Engine string
	// URL is where it listens: http://127.0.0.1:PORT.
	URL string
	App *app.App
	// Edge is the handler behind URL.
	Edge *api.Edge

	t      testing.TB
	config app.Config
	base   string
	http   *http.Server
	client *http.Client
	log    output
	ran    statements
}

// Option changes how Start starts a server.
type Option func(*Server)

// At gives the server a clock that the test moves.
func At(clock *Clock) Option { return func(s *Server) { s.config.Now = clock.Now } }

// StandardLimits leaves a new key the rate limits that keys have in real life; without it there are practically none.
func StandardLimits() Option {
	return func(s *Server) { s.config.Limits, s.config.SessionLimits, s.config.Invitations = nil, nil, 0 }
}

// Reachable makes the public address the one it listens on, for clients that this package does not control.
func Reachable() Option { return func(s *Server) { s.base = "" } }

// Pauses has the test told when an answer is held back, instead of holding it back.
func Pauses(told func(time.Duration)) Option {
	return func(s *Server) { s.config.Pause = func(_ context.Context, d time.Duration) { told(d) } }
}

// ReadWithin bounds how long a page of a drawing may take.
func ReadWithin(d time.Duration) Option { return func(s *Server) { s.config.ReadWithin = d } }

// Mailed gives the server a mail server, which nobody reaches: what it is asked to send waits.
func Mailed() Option {
	return func(s *Server) {
		s.config.MailURL, s.config.MailFrom = "smtp://127.0.0.1:1", "Groundwork <groundwork@example.com>"
	}
}

// MailedBy gives the server a mail server that takes letters.
func MailedBy(url string) Option {
	return func(s *Server) {
		s.config.MailURL, s.config.MailFrom = redact.Secret(url), "Tower Works <groundwork@example.com>"
	}
}

// Files says where uploaded files lie; in a temporary folder without it.
func Files(url string) Option { return func(s *Server) { s.config.BlobURL = redact.Secret(url) } }

// Invitations sets how many invitations an account may give within an hour.
func Invitations(n int) Option { return func(s *Server) { s.config.Invitations = n } }

// Quota bounds what all files of a project may take, and what one may.
func Quota(project, file int64) Option {
	return func(s *Server) { s.config.ProjectQuota, s.config.MaxFile = app.Size(project), app.Size(file) }
}

// BackedUp has the server make backups in a folder, every other day.
func BackedUp(folder string) Option {
	return func(s *Server) {
		s.config.Backups = app.Backups{Backup: app.Backup{To: folder}, Every: 48 * time.Hour}
	}
}

// Recognition says what recognises the letters of scanned drawings; nothing does without it.
func Recognition(how string) Option { return func(s *Server) { s.config.Recognition = how } }

// Traced shows every statement to a test as well.
func Traced(see func(sql string)) Option {
	return func(s *Server) {
		trace := s.config.Trace
		s.config.Trace = func(sql string) { trace(sql); see(sql) }
	}
}

// Start starts the service on a new database of the engine. When the test ends it is stopped, and the test fails if a
// statement walked over records, or if something was left open.
func Start(t testing.TB, engine string, options ...Option) *Server {
	t.Helper()
	s := &Server{Engine: engine, t: t, base: Base}
	s.config = app.Config{
		Data: t.TempDir(), MetricsToken: "watching the building", Version: "0.0.0-test", Limits: []credential.Limit{
			{Type: "all", Interval: 1, Limit: 1e9},
		}, SessionLimits: []credential.Limit{{Type: "all", Interval: 1, Limit: 1e9}}, Invitations: 1e9,
		DrawingCache:   DrawingCache(),
		CheapPasswords: true,
		Log:            slog.New(slog.NewTextHandler(&s.log, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Trace: func(sql string) {
			s.ran.add(sql)
			ran[engine].add(sql)
		},
	}
	switch engine {
	case SQLite:
		copyFresh(t, s.config.Data)
	case Postgres:
		s.config.DatabaseURL = redact.Secret(pgtest.Migrated(t, migrate))
	default:
		t.Fatalf("%q is not an engine", engine)
	}
	for _, o := range options {
		o(s)
	}
	s.client = &http.Client{
		Transport:     &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       time.Minute,
	}
	s.open()
	t.Cleanup(func() {
		s.close()
		for _, sql := range s.ran.all() {
			if scanning(sql) {
				t.Errorf("a statement walks over records to skip or count them: %s", sql)
			}
		}
		if t.Failed() {
			t.Logf("the server's log:\n%s", s.log.String())
		}
	})
	return s
}

// DrawingCache is where services under test share the compiled form of the PDF library, so that not each compiles it:
// where the test runner says, or else a folder of this user.
func DrawingCache() string {
	if folder := os.Getenv("GROUNDWORK_DRAWING_CACHE"); folder != "" {
		return folder
	}
	folder, err := os.UserCacheDir()
	if err != nil {
		folder = os.TempDir()
	}
	return filepath.Join(folder, "groundwork-test")
}

func (s *Server) open() {
	s.t.Helper()
	var err error
	if s.App, err = app.Open(context.Background(), s.config); err != nil {
		s.t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	s.URL = "http://" + listener.Addr().String()
	base := s.base
	if base == "" {
		base = s.URL
	}
	if s.Edge, err = s.App.Edge(base); err != nil {
		s.t.Fatal(err)
	}
	s.http = transport.NewServer(s.Edge, s.config.Log)
	go func() { _ = s.http.Serve(transport.NewListener(listener, nil)) }() // its error says that close was called
}

func (s *Server) close() {
	s.t.Helper()
	s.client.CloseIdleConnections()
	if err := s.http.Close(); err != nil {
		s.t.Error(err)
	}
	if err := s.App.Close(); err != nil {
		s.t.Error(err)
	}
}

// Restart stops the service and starts it again on the same data, at another port.
func (s *Server) Restart(options ...Option) {
	s.t.Helper()
	s.close()
	for _, o := range options {
		o(s)
	}
	s.open()
}

// Beside starts a second process of the service on the same database; where one process owns the data, it is the same
// one.
func (s *Server) Beside() *Server {
	s.t.Helper()
	if s.Engine == SQLite {
		return s
	}
	other := &Server{Engine: s.Engine, t: s.t, base: s.base, config: s.config, client: s.client}
	other.config.Data = s.t.TempDir()
	other.open()
	s.t.Cleanup(other.close)
	return other
}

// Move restarts the service under another public address.
func (s *Server) Move(base string) {
	s.t.Helper()
	s.base = base
	s.Restart()
}

// Account makes an account NAME@example.com with a key. A name is one lower-case word; full is the person's whole name,
// if there is one.
func (s *Server) Account(name string, full ...string) *Person {
	s.t.Helper()
	email, whole := name+"@example.com", strings.Join(full, " ")
	if whole == "" {
		whole = strings.ToUpper(name[:1]) + name[1:]
	}
	account, err := s.App.Auth.CreateAccount(context.Background(), identity.NewAccount{
		Email: email, Name: whole, Password: Password,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return &Person{Name: name, UID: account.UID, Email: email, Key: s.Key(email), server: s}
}

// Person gives whoever has the account of an address, with a new key.
func (s *Server) Person(name, email string) *Person {
	s.t.Helper()
	account, err := s.App.Auth.AccountByEmail(context.Background(), email)
	if err != nil {
		s.t.Fatal(err)
	}
	return &Person{Name: name, UID: account.UID, Email: account.Email, Key: s.Key(email), server: s}
}

// Key makes a further key for an account, with limits of its own where some are given.
func (s *Server) Key(email string, limits ...credential.Limit) string {
	s.t.Helper()
	key, err := s.App.Auth.CreateKey(context.Background(), email, "test", limits)
	if err != nil {
		s.t.Fatal(err)
	}
	return key
}

// As gives the same person with another key.
func (p *Person) As(key string) *Person {
	other := *p
	other.Key = key
	return &other
}

// Try sends a request with the headers given and nothing of its own, except the content type of a body. See Person.Try
// for path and body.
func (s *Server) Try(method, path string, body any, header http.Header) (Response, error) {
	var text []byte
	switch b := body.(type) {
	case nil:
	case string:
		text = []byte(b)
	case []byte:
		text = b
	default:
		var err error
		if text, err = json.Marshal(b); err != nil {
			return Response{}, err
		}
	}
	req, err := http.NewRequestWithContext(s.t.Context(), method,
		s.URL+strings.TrimPrefix(strings.TrimPrefix(path, s.base), s.URL), bytes.NewReader(text))
	if err != nil {
		return Response{}, err
	}
	if header != nil {
		req.Header = header.Clone()
	}
	if _, given := header["Content-Type"]; !given && len(text) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	return s.send(req)
}

func (s *Server) send(req *http.Request) (Response, error) {
	if _, given := req.Header["User-Agent"]; !given {
		req.Header["User-Agent"] = nil // net/http would send its own
	}
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
		req.Header.Del("Host")
	}
	res, err := s.client.Do(req)
	if err != nil {
		return Response{}, err
	}
	defer res.Body.Close()
	return s.receive(res)
}

// receive reads a response whole; of an event stream, which has no end, that it has begun.
func (s *Server) receive(res *http.Response) (Response, error) {
	if res.Header.Get("Content-Type") == "text/event-stream" {
		begun, err := bufio.NewReader(res.Body).ReadBytes('\n')
		return Response{Status: res.StatusCode, Header: res.Header, Body: begun}, err
	}
	var from io.Reader = res.Body
	var err error
	switch coding := res.Header.Get("Content-Encoding"); coding {
	case "":
	case "gzip":
		from, err = gzip.NewReader(res.Body)
	case "deflate":
		from, err = zlib.NewReader(res.Body)
	default:
		err = fmt.Errorf("the content encoding %q was not asked for", coding)
	}
	if err != nil {
		return Response{}, err
	}
	body, err := io.ReadAll(from)
	if err != nil {
		return Response{}, err
	}
	if res.StatusCode == http.StatusInternalServerError {
		s.t.Errorf("the service answered 500: %s", body)
	}
	return Response{Status: res.StatusCode, Header: res.Header, Body: body}, nil
}

// output keeps the end of a server's log until somebody needs it.
type output struct {
	mu   sync.Mutex
	text []byte
}

const mostLog = 4 << 10

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.text = append(o.text, p...); len(o.text) > 2*mostLog {
		o.text = append([]byte(nil), o.text[len(o.text)-mostLog:]...)
	}
	return len(p), nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.text)
}

// WithStreams is how many event streams may be open at once.
func WithStreams(n int) Option { return func(s *Server) { s.config.Streams = n } }

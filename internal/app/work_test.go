package app

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"groundwork/internal/fault"
	"groundwork/internal/job"
	"groundwork/internal/mail"
	"groundwork/internal/redact"
	"groundwork/internal/store"
)

// post is a mail server that can be down.
type post struct {
	net.Listener
	down atomic.Bool
	mu   sync.Mutex
	got  []string
}

func openPost(t *testing.T) *post {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &post{Listener: listener}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return p, nil }))
	done := make(chan error, 1)
	go func() { done <- server.Serve(p) }()
	t.Cleanup(func() {
		_ = server.Close()
		_ = listener.Close() // a server that was closed before it began does not
		<-done
	})
	return p
}

// Accept hangs up at once while the server is down.
func (p *post) Accept() (net.Conn, error) {
	for {
		conn, err := p.Listener.Accept()
		if err != nil || !p.down.Load() {
			return conn, err
		}
		_ = conn.Close()
	}
}

func (p *post) Reset()                               {}
func (p *post) Logout() error                        { return nil }
func (p *post) Mail(string, *smtp.MailOptions) error { return nil }

func (p *post) Rcpt(to string, _ *smtp.RcptOptions) error {
	if strings.HasPrefix(to, "nobody@") {
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "No such person"}
	}
	return nil
}

func (p *post) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.got = append(p.got, string(data))
	return err
}

func (p *post) received() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.got...)
}

// at opens an installation with a clock of its own.
func at(t *testing.T, c Config) (*App, *atomic.Int64) {
	t.Helper()
	now := new(atomic.Int64)
	now.Store(time.Date(2026, 3, 1, 8, 30, 0, 0, time.UTC).UnixMicro())
	c.Now = func() time.Time { return time.UnixMicro(now.Load()) }
	return open(t, c), now
}

// workOff does in the background what is due.
func workOff(t *testing.T, a *App) {
	t.Helper()
	if err := a.Jobs.Tick(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.Jobs.Wait()
}

func TestMailServerThatIsDownOnlyDelays(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		p := openPost(t)
		c.MailURL, c.MailFrom = redact.Secret("smtp://"+p.Addr().String()), "Groundwork <groundwork@example.com>"
		a, now := at(t, c)
		enqueue := func(to string) (id string) {
			err := a.Store.Write(t.Context(), func(tx *store.Tx) (err error) {
				id, err = a.Jobs.Enqueue(tx, mail.Kind, mail.Message{
					To: mail.Address{Email: to}, Subject: "Hello", Text: "There.",
				})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		state := func(id string) job.Job {
			j, err := a.Jobs.Get(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			return j
		}
		p.down.Store(true)
		if err := a.Config.checkMail(t.Context()); err == nil {
			t.Error("doctor does not see that the server is down")
		}
		id := enqueue("bert@example.org")
		for range 3 {
			workOff(t, a)
			if j := state(id); j.State != job.Waiting || j.Error == "" {
				t.Errorf("while the server is down: %+v", j)
			}
			now.Store(state(id).RunAt)
		}
		p.down.Store(false)
		workOff(t, a)
		if j := state(id); j.State != job.Done || j.Attempt != 4 {
			t.Errorf("once the server is up: %+v", j)
		}
		if got := p.received(); len(got) != 1 || !strings.Contains(got[0], "Message-ID: <"+id+"@example.com>") {
			t.Errorf("received: %q", got)
		}
		if err := a.Config.checkMail(t.Context()); err != nil {
			t.Error(err)
		}
		id = enqueue("nobody@example.org")
		workOff(t, a)
		if j := state(id); j.State != job.Failed || j.Attempt != 1 || !strings.Contains(j.Error, "No such person") ||
			len(p.received()) != 1 {
			t.Errorf("an address that nobody has: %+v, received %q", j, p.received())
		}
	})
}

func TestWhatIsOldIsForgotten(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		c.KeepJobs = 2 * time.Hour
		a, now := at(t, c)
		note := func(request string) {
			err := a.Store.In(store.SweepOffice).Write(t.Context(), func(tx *store.Tx) error {
				return tx.Exec(`INSERT INTO requests (account, request, digest, created_at, status, record, clock,
tally, version, doc) VALUES ('a', $1, '', $2, 201, 1, 1, '', 1, '')`, request, tx.Now())
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		noted := func() (requests string) {
			err := a.Store.In(store.SweepOffice).Query(t.Context(), `SELECT request FROM requests ORDER BY request`,
				nil, func(c *store.Cols) error { requests += c.Text(0); return nil })
			if err != nil {
				t.Fatal(err)
			}
			return requests
		}
		note("1")
		workOff(t, a)
		const first = "forget-requests/2026-03-01T08:00:00Z"
		if j, err := a.Jobs.Get(t.Context(), first); err != nil || j.State != job.Done || noted() != "1" {
			t.Errorf("got %+v, %v, %q", j, err, noted())
		}
		now.Add((12 * time.Hour).Microseconds())
		note("2")
		now.Add((12*time.Hour + time.Second).Microseconds())
		workOff(t, a)
		if noted() != "2" {
			t.Errorf("after a day and a second these are left: %q", noted())
		}
		if _, err := a.Jobs.Get(t.Context(), first); !fault.Is(err, fault.NotFound) {
			t.Errorf("a job that ended a day ago: %v", err)
		}
	})
}

// TestServeWorksInTheBackground has a job begin while the service runs and end while it stops.
func TestServeWorksInTheBackground(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		c.Listen = "127.0.0.1:0"
		a := open(t, c)
		began, release := make(chan struct{}), make(chan struct{})
		job.Handle(a.Jobs, "test", job.Options{}, func(ctx context.Context, _ string, _ *job.Run) error {
			close(began)
			<-release
			return ctx.Err()
		})
		serving, stop := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- a.Serve(serving, nil, io.Discard) }()
		var id string
		err := a.Store.Write(t.Context(), func(tx *store.Tx) (err error) {
			id, err = a.Jobs.Enqueue(tx, "test", "")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		select {
		case <-began:
		case <-time.After(20 * time.Second):
			t.Fatal("the job was not begun")
		}
		stop()
		close(release)
		if err := <-served; err != nil {
			t.Error(err)
		}
		if j, err := a.Jobs.Get(t.Context(), id); err != nil || j.State != job.Done {
			t.Errorf("got %+v, %v", j, err)
		}
	})
}

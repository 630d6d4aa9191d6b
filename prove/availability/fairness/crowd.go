package fairness

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/prove/lab"
)

// CrowdCommand runs the crowd in a process of its own, which yields to all others: in truth they are on other machines.
const CrowdCommand = "crowd"

// crowdOrder is what the crowd is told.
type crowdOrder struct {
	Base string `json:"base"`
	// StandIn sends everything to a plain server inside of the crowd's process, which answers at once: what the crowd
	// itself costs.
	StandIn bool        `json:"stand_in"`
	Loads   []crowdLoad `json:"loads"`
	Pace    int         `json:"pace"` // requests a second of each tenant
	Times   int         `json:"times"`
	Seed    uint64      `json:"seed"`
}

// crowdLoad is one of the loads, by its name, with those who make it.
type crowdLoad struct {
	Name    string    `json:"name"`
	Tenants []*tenant `json:"tenants"`
}

// tallies are the numbers of answers by their status; 0 are requests without one.
type tallies map[int]int

func (t tallies) String() string {
	told, sum := "", 0
	for status := range 600 {
		if n := t[status]; n > 0 {
			told += fmt.Sprintf(", %d of %d", n, status)
			sum += n
		}
	}
	return strings.Replace(fmt.Sprintf("%d requests%s", sum, told), " of 0", " unanswered", 1)
}

// crowd is a crowd at work.
type crowd struct {
	cancel context.CancelFunc
	stdin  io.Closer
	out    *bufio.Reader
	cmd    *exec.Cmd
}

// startCrowd returns when the crowd is about to begin.
func startCrowd(ctx context.Context, o *crowdOrder) (*crowd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	// All of its threads give way at the processor: in a Go program that is running it would be one of them.
	c := &crowd{cancel: cancel, cmd: exec.CommandContext(ctx, "nice", "-n", "10", self, CrowdCommand)}
	c.cmd.Stderr = os.Stderr
	in, errIn := c.cmd.StdinPipe()
	out, errOut := c.cmd.StdoutPipe()
	text, errText := json.Marshal(o)
	if err := errors.Join(errIn, errOut, errText); err != nil {
		return nil, err
	}
	c.stdin, c.out = in, bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	_, err = in.Write(append(text, '\n'))
	if err == nil {
		_, err = c.out.ReadString('\n')
	}
	if err != nil {
		cancel()
		return nil, errors.Join(fmt.Errorf("the crowd did not begin: %w", err), c.cmd.Wait())
	}
	return c, nil
}

// end has the crowd go home and tell what it was answered.
func (c *crowd) end() (tallies, error) {
	defer c.cancel()
	_ = c.stdin.Close()
	late := time.AfterFunc(time.Minute, c.cancel)
	defer late.Stop()
	text, err := io.ReadAll(c.out)
	err = errors.Join(err, c.cmd.Wait())
	told := tallies{}
	if err == nil {
		err = json.Unmarshal(text, &told)
	}
	return told, err
}

// RunCrowd is the process of the crowd: it works until its standard input ends.
func RunCrowd(ctx context.Context) error {
	in := bufio.NewReader(os.Stdin)
	text, err := in.ReadBytes('\n')
	if err != nil {
		return err
	}
	o := &crowdOrder{}
	if err := json.Unmarshal(text, o); err != nil {
		return err
	}
	if o.StandIn {
		s := httptest.NewServer(http.HandlerFunc(standIn))
		defer s.CloseClientConnections()
		o.Base = s.URL
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, in) // until it ends
		cancel()
	}()
	fmt.Println("ready")
	told, mu := tallies{}, sync.Mutex{}
	var wg sync.WaitGroup
	for i, l := range o.Loads {
		for k, who := range l.Tenants {
			m := newMember(ctx, o, who, rand.New(rand.NewPCG(o.Seed, uint64(i*100+k))))
			wg.Go(func() {
				m.press(loadNamed(l.Name), o.Pace, o.Times, func(status int) {
					mu.Lock()
					told[status]++
					mu.Unlock()
				})
			})
		}
	}
	wg.Wait()
	text, err = json.Marshal(told)
	if err == nil {
		_, err = os.Stdout.Write(text)
	}
	return err
}

// standIn answers everything in a way that every load can go on with.
func standIn(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // whatever it is
	if r.Header.Get("Prefer") != "" {
		<-r.Context().Done()
		return
	}
	base := "http://" + r.Host
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"uid":"x","complete_url":"%s/c","webhook_url":"%s/w","file_upload_requests":[{"url":"%s/f"}],`+
		`"storage_post_form_arguments":{"action":"%s/s","fields":[]}}`, base, base, base, base)
}

// member is a tenant in the crowd, at an address of its own.
type member struct {
	*tenant
	ctx    context.Context
	client *lab.Client
	random *rand.Rand
	mu     sync.Mutex // of random
}

func newMember(ctx context.Context, o *crowdOrder, who *tenant, random *rand.Rand) *member {
	transport := &http.Transport{
		DialContext: who.dialer().DialContext, MaxIdleConnsPerHost: 256, DisableCompression: true,
	}
	c := &lab.Client{
		BaseURL: o.Base, Key: who.Keys[0], HTTP: &http.Client{Transport: transport, Timeout: 2 * time.Minute},
	}
	return &member{tenant: who, ctx: ctx, client: c, random: random}
}

// dialer connects from the tenant's own address.
func (t *tenant) dialer() *net.Dialer {
	return &net.Dialer{Timeout: 5 * time.Second, LocalAddr: &net.TCPAddr{IP: net.ParseIP(t.Address)}}
}

func (m *member) chance(n int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.random.IntN(n)
}

// press makes a load: so many requests a second begin, so many are in flight at once, and those that find no room are
// left out.
func (m *member) press(l *load, pace, times int, tell func(status int)) {
	if l.pace > 0 {
		pace = l.pace
	}
	wide, most := l.wide*times, l.most*times
	due := make(chan int)
	var wg sync.WaitGroup
	for range wide {
		wg.Go(func() {
			for n := range due {
				status, err := l.send(m, n)
				if err != nil {
					status = 0
				}
				if m.ctx.Err() == nil { // who is cut off by the end was not left without an answer
					tell(status)
				}
			}
		})
	}
	tick := time.NewTicker(time.Second / time.Duration(pace))
	defer tick.Stop()
	for n := 0; m.ctx.Err() == nil && (most == 0 || n < most); {
		select {
		case <-m.ctx.Done():
		case <-tick.C:
			select {
			case due <- n:
				n++
			default:
			}
		}
	}
	close(due)
	wg.Wait()
}

// ask sends a request, reads the answer to its end without keeping it, and gives its status.
func (m *member) ask(key, method, path string, body []byte, headers ...string) (int, error) {
	r, err := http.NewRequestWithContext(m.ctx, method, m.client.BaseURL+path, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	if key != "" {
		r.SetBasicAuth(key, "")
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := m.client.HTTP.Do(r)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

// post is ask with a body of JSON.
func (m *member) post(path string, body any) (int, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	return m.ask(m.Keys[0], http.MethodPost, path, text)
}

// hold opens a connection, sends the beginning of an upload, and a byte now and then, until the server has enough.
func (m *member) hold(path string) (int, error) {
	conn, err := m.dialer().DialContext(m.ctx, "tcp", strings.TrimPrefix(m.client.BaseURL, "http://"))
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	defer context.AfterFunc(m.ctx, func() { _ = conn.Close() })()
	const boundary = "unfinished"
	head := "POST " + path + " HTTP/1.1\r\nHost: " + strings.TrimPrefix(m.client.BaseURL, "http://") +
		"\r\nContent-Type: multipart/form-data; boundary=" + boundary + "\r\nContent-Length: 1000000\r\n\r\n--" +
		boundary +
		"\r\nContent-Disposition: form-data; name=\"key\"\r\n\r\n"
	if _, err := conn.Write([]byte(head)); err != nil {
		return 0, err
	}
	answered := make(chan int, 1)
	go func() {
		status := 0
		line, _ := bufio.NewReader(conn).ReadString('\n')
		if parts := strings.Fields(line); len(parts) > 1 {
			status, _ = strconv.Atoi(parts[1])
		}
		answered <- status
	}()
	for {
		select {
		case status := <-answered:
			return status, nil
		case <-time.After(time.Second):
			if _, err := conn.Write([]byte("a")); err != nil {
				return 0, err
			}
		}
	}
}

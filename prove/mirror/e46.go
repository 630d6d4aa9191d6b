package mirror

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/prove/lab"
)

// E46 mirrors a project from a server that fails, into an installation whose mirroring is killed.
var E46 = &lab.Experiment{
	ID:       "E46",
	Title:    "A project is mirrored from a server that goes on changing, limits, fails and cuts connections, into another installation; the mirror is killed with kill -9 again and again, and repeated",
	MustHold: "both sides show the same to the key, record by record and file by file, and the mirror's own report says that nothing differs",
	Control:  "pages by its own skip and goes on from the greatest updated_at",
	Engines:  lab.BothEngines,
	Run: func(t *lab.Trial) error {
		m, err := newMoving(t, lab.Released)
		if err != nil {
			return err
		}
		defer m.close()
		wrong, err := m.mirror(t.ShortOrFull(600, 50_000), t.ShortOrFull(20, 2_000), t.ShortOrFull(4, 30), false)
		for _, text := range wrong {
			t.Require(false, "%s", text)
		}
		return err
	},
	RunControl: func(t *lab.Trial) (string, error) {
		m, err := newMoving(t, lab.Planted, "GROUNDWORK_PLANT=mirror-own-skip")
		if err != nil {
			return "", err
		}
		defer m.close()
		wrong, err := m.mirror(t.ShortOrFull(600, 2_000), 0, 0, true)
		if err != nil || len(wrong) == 0 {
			return "", err
		}
		return fmt.Sprintf("%d records differ: %s", len(wrong), wrong[0]), nil
	},
}

// moving is two installations, and what stands between them.
type moving struct {
	t       *lab.Trial
	source  *lab.Site
	target  *lab.Site
	ada     *lab.Client
	project string
	uids    []string

	front    net.Listener
	server   *http.Server
	harm     atomic.Bool
	plain    atomic.Bool // the source has no change log
	harmed   atomic.Int64
	requests atomic.Int64
	mu       sync.Mutex
	dice     *rand.Rand
	onPage   func() // is called after each page of issues
}

func newMoving(t *lab.Trial, tag string, env ...string) (*moving, error) {
	m := &moving{t: t, dice: t.Random(46)}
	var err error
	if m.source, err = lab.NewSite(t, lab.Released); err != nil {
		return nil, err
	}
	if err := m.stand(); err != nil {
		return nil, err
	}
	m.source.ServerOptions = []string{"--public-url", "http://" + m.front.Addr().String()}
	if _, err := m.source.Start(); err != nil {
		return nil, err
	}
	m.ada = m.source.NewClient()
	if m.project, err = m.ada.NewProject(t, "Tower"); err != nil {
		return nil, err
	}
	if m.target, err = lab.NameSite(t, tag, env...); err != nil {
		return nil, err
	}
	// The folder of the source is taken.
	other := t.Path("mirror")
	for i, option := range m.target.Location {
		if option == m.target.DataFolder {
			m.target.Location[i] = other
		}
	}
	m.target.DataFolder = other
	_, err = m.target.Command(lab.Password+"\n", "account", "create", "--email", "operator@example.com", "--name",
		"Operator", "--password-stdin")
	return m, err
}

// stand puts a proxy before the source.
func (m *moving) stand() (err error) {
	if m.front, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	to, err := url.Parse(m.source.BaseURL)
	if err != nil {
		return err
	}
	forward := &httputil.ReverseProxy{
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(to) },
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	pass := func(w http.ResponseWriter, r *http.Request) {
		m.requests.Add(1)
		if m.plain.Load() && (strings.HasSuffix(r.URL.Path, "/changes") || strings.HasSuffix(r.URL.Path, "/views")) {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if m.harm.Load() && m.fails(w) {
			m.harmed.Add(1)
			return
		}
		forward.ServeHTTP(w, r)
		if m.onPage != nil && strings.HasSuffix(r.URL.Path, "/issues") && r.Method == http.MethodGet {
			m.onPage()
		}
	}
	m.server = &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(pass)}
	go func() { _ = m.server.Serve(m.front) }() // its error says that close was called
	return nil
}

func (m *moving) close() { _ = m.server.Close() } // what is left of it ends with the process

// fails answers one request in five badly.
func (m *moving) fails(w http.ResponseWriter) bool {
	m.mu.Lock()
	if m.dice.IntN(5) > 0 {
		m.mu.Unlock()
		return false
	}
	how := m.dice.IntN(5)
	m.mu.Unlock()
	switch how {
	case 0:
		w.WriteHeader(http.StatusInternalServerError)
	case 1:
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
	case 2:
		w.WriteHeader(http.StatusServiceUnavailable)
	case 3:
		_, _ = w.Write([]byte(`{"data":[{"uid":"half`)) // the client may be gone
	default:
		panic(http.ErrAbortHandler)
	}
	return true
}

// mirror fills the source, mirrors it with kills while it changes, and once more when it stands still, and gives what
// differs then.
func (m *moving) mirror(records, files, kills int, plain bool) (wrong []string, err error) {
	m.plain.Store(plain)
	if err := m.fill(records, files); err != nil {
		return nil, err
	}
	args := []string{
		"mirror", "http://" + m.front.Addr().String(), "--key", m.source.Key, "--project",
		strings.TrimPrefix(m.project, "/projects/"),
	}
	stop := make(chan struct{})
	var changing sync.WaitGroup
	var failed error
	if plain {
		// After the first page a record of it is changed, and after the second one that is still to come.
		var page atomic.Int64
		m.onPage = func() {
			switch page.Add(1) {
			case 1:
				failed = errors.Join(failed, m.change(3))
			case 2:
				failed = errors.Join(failed, m.change(len(m.uids)-3))
			}
		}
	} else {
		changing.Go(func() { failed = m.churn(stop) })
	}
	m.harm.Store(!plain)
	killed := 0
	for range kills {
		lives := time.Duration(200+m.dice.IntN(m.t.ShortOrFull(1500, 20_000))) * time.Millisecond
		_, ended, err := m.target.CommandUntil(lives, args...)
		if err != nil {
			return nil, err
		}
		if !ended {
			killed++
		}
	}
	if plain {
		if _, _, err := m.target.CommandUntil(0, args...); err != nil {
			return nil, err
		}
	}
	close(stop)
	changing.Wait()
	m.onPage = nil
	m.harm.Store(false)
	out, ended, err := m.target.CommandUntil(0, args...)
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	m.t.Note("kills, bad answers, requests", "%d, %s, %s", killed, lab.Thousands(int(m.harmed.Load())),
		lab.Thousands(int(m.requests.Load())))
	if !ended {
		wrong = append(wrong, "the mirror did not end well: "+out)
	}
	for line := range strings.Lines(out) {
		var theirs, ours, differing int
		if n, _ := fmt.Sscan(line, &theirs, &ours, &differing); n == 3 && (theirs != ours || differing > 0) {
			wrong = append(wrong, "the report says: "+strings.TrimSpace(line))
		}
	}
	differ, err := m.compare()
	return append(wrong, differ...), err
}

// fill makes records, most of them by batches, and files.
func (m *moving) fill(records, files int) error {
	for made := 0; made < records; made += 50 {
		type sub struct {
			Method string `json:"method"`
			Path   string `json:"path"`
			Body   string `json:"body"`
		}
		batch := make([]sub, min(50, records-made))
		for i := range batch {
			batch[i] = sub{http.MethodPost, m.project + "/issues", fmt.Sprintf(`{"title":"Issue %d"}`, made+i)}
		}
		var answer struct {
			Data []struct {
				Body string `json:"body"`
			} `json:"data"`
		}
		if err := m.ada.MustDo(m.t, http.MethodPost, "/batch", batch, &answer); err != nil {
			return err
		}
		for _, one := range answer.Data {
			m.uids = append(m.uids, uidOf(jsontext.Value(one.Body)))
		}
	}
	for i := range files {
		attributes := lab.Object{"content_type": "text/plain", "name": fmt.Sprintf("file %d.txt", i)}
		content := fmt.Appendf(nil, "content %d %s", i, strings.Repeat("x", i%5000))
		a, err := m.ada.Upload(m.t, m.project, "attachments", attributes, content)
		if err != nil {
			return err
		}
		if i%10 == 0 {
			err = m.ada.MustDo(m.t, http.MethodPost, m.project+"/issues/"+m.uids[i%len(m.uids)]+"/attachments",
				lab.Object{"attachment_uid": uidOf(a.Body)}, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// change changes an issue.
func (m *moving) change(i int) error {
	return m.ada.MustDo(m.t, http.MethodPatch, m.project+"/issues/"+m.uids[i%len(m.uids)],
		lab.Object{"room": fmt.Sprint(m.requests.Load(), ".", i)}, nil)
}

// churn makes, changes, deletes and comments until it is told to stop.
func (m *moving) churn(stop <-chan struct{}) error {
	dice := m.t.Random(47)
	for {
		select {
		case <-stop:
			return nil
		case <-m.t.Done():
			return m.t.Err()
		case <-time.After(5 * time.Millisecond):
		}
		issue := m.project + "/issues/" + m.uids[dice.IntN(len(m.uids))]
		var err error
		switch dice.IntN(4) {
		case 0:
			err = m.ada.MustDo(m.t, http.MethodPost, m.project+"/issues", lab.Object{"title": "new"}, nil)
		case 1:
			err = m.ada.MustDo(m.t, http.MethodPost, issue+"/comments", lab.Object{"text": "said"}, nil)
		case 2:
			if err = m.ada.MustDo(m.t, http.MethodDelete, issue, nil, nil); err == nil {
				err = m.ada.MustDo(m.t, http.MethodPost, issue+"/restore", nil, nil)
			}
		default:
			err = m.change(dice.IntN(len(m.uids)))
		}
		if err != nil {
			return err
		}
	}
}

// sides are what differs between two answers that show the same.
var sides = regexp.MustCompile(`https?://[^/"]+/|\?expires=\d+&signature=[^"]*|,"proven":(true|false)`)

// compare reads both sides as the key's owner, and gives what differs.
func (m *moving) compare() (wrong []string, err error) {
	if _, err := m.target.Command("", "account", "prove", lab.AdaEmail); err != nil {
		return nil, err
	}
	if m.target.Key, err = m.target.NewKey(lab.AdaEmail); err != nil {
		return nil, err
	}
	if m.target.Log, err = os.Create(m.t.Path("log-mirror")); err != nil {
		return nil, err
	}
	if _, err := m.target.Start(); err != nil {
		return nil, err
	}
	there, total := m.target.NewClient(), 0
	for _, kind := range slices.Sorted(maps.Keys(lists)) {
		if m.plain.Load() && kind == "views" {
			continue
		}
		a, _, err := m.ada.ListAll(m.t, m.project+lists[kind])
		if err != nil {
			return nil, err
		}
		b, _, err := there.ListAll(m.t, m.project+lists[kind])
		if err != nil {
			return nil, err
		}
		total += len(a)
		for i := range max(len(a), len(b)) {
			x, y := "nothing", "nothing"
			if i < len(a) {
				x = sides.ReplaceAllString(string(a[i]), "")
			}
			if i < len(b) {
				y = sides.ReplaceAllString(string(b[i]), "")
			}
			if x != y {
				from := parts([]byte(x), []byte(y))
				wrong = append(wrong, fmt.Sprintf("%s %d is there %.80s and here %.80s", kind, i, x[from:], y[from:]))
			}
		}
		if kind == "attachments" {
			differ, err := m.files(there, b)
			if err != nil {
				return nil, err
			}
			wrong = append(wrong, differ...)
		}
	}
	m.t.Note("records compared, differing", "%s, %d", lab.Thousands(total), len(wrong))
	return wrong, nil
}

// files holds the bytes of files against their records.
func (m *moving) files(there *lab.Client, records []jsontext.Value) (wrong []string, err error) {
	for _, raw := range records {
		var f lab.Fields
		if err := json.Unmarshal(raw, &f); err != nil {
			return nil, err
		}
		a, err := there.DoWithoutKey(m.t, http.MethodGet, f.Text("url"), nil, "")
		if err != nil {
			return nil, err
		}
		if lab.Digest(a.Body) != f.Text("sha256") {
			wrong = append(wrong, "the file of "+f.Text("uid")+" has other bytes")
		}
	}
	return wrong, nil
}

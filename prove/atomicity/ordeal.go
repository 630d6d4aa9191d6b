package atomicity

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/internal/s3test"
	"groundwork/prove/lab"
)

// hangs is how long a request may take whatever happens to the store.
const hangs = 10 * time.Second

// trouble is what happens to a link.
type trouble struct {
	name   string
	orders []string
	slow   bool   // everything still arrives
	fault  string // that is planted in the service
}

// ordeal is an installation whose files lie in a bucket behind a bad link.
type ordeal struct {
	t       *lab.Trial
	site    *lab.Site
	client  *lab.Client
	link    *lab.Link
	project string
	place   int
	healed  bool          // the trouble is over: what is asked now is not measured
	patient time.Duration // who waits longer hangs

	mu       sync.Mutex
	files    map[string]string // the hashes of what was sent, by the names of the documents
	done     []lab.Fields      // documents that were completed
	pending  []*parcel         // uploads that were refused
	up, down int
	refused  int
	broken   int // downloads that ended too early
	late     int // uploads that were finished after the trouble
	torn     int
	first    string
	longest  time.Duration
	wrong    []string
}

// parcel is an upload that waits for its file.
type parcel struct {
	form    *lab.UploadForm
	content []byte
}

func newOrdeal(t *lab.Trial, tag string, env []string, server *s3test.Server, place int) (*ordeal, error) {
	l, err := lab.NewLink(t, strings.TrimPrefix(server.Endpoint, "http://"))
	if err != nil {
		return nil, err
	}
	s, err := lab.NameSite(t, tag, env...)
	if err != nil {
		return nil, err
	}
	behind := *server
	behind.Endpoint = "http://" + l.Address
	s.Location = append(s.Location, "--blob-url", behind.URL(fmt.Sprintf("e13/%s%d", tag, place)))
	if err := s.NewAccount(); err != nil {
		return nil, err
	}
	if s.Key, err = s.NewKey(lab.AdaEmail); err != nil {
		return nil, err
	}
	if _, err := s.Start(); err != nil {
		return nil, err
	}
	o := &ordeal{t: t, site: s, client: s.NewClient(), link: l, place: place, files: map[string]string{}}
	// A second more than a request may take; the short form shares its machine.
	o.patient = hangs + time.Second
	if !t.Full && tag == lab.Released {
		o.patient = lab.RequestTimeout
	}
	o.project, err = o.client.NewProject(t, "Lighthouse")
	return o, err
}

// porters is the number of clients that carry files.
const porters = 4

// suffer carries files while the trouble comes, stays and goes; then everything must be as it was said to be.
func (o *ordeal) suffer(trouble trouble) error {
	for round := range o.t.ShortOrFull(1, 3) {
		if err := o.round(trouble, round); err != nil {
			return err
		}
	}
	return o.examine()
}

func (o *ordeal) round(trouble trouble, round int) error {
	ctx, cancel := context.WithCancel(o.t)
	defer cancel()
	working := make(chan struct{})
	carried := make(chan struct{}, 1)
	go func() {
		defer close(working)
		lab.Parallel(porters, func(i int) {
			random := o.t.Random(13, o.place, round, i)
			for n := 0; ctx.Err() == nil; n++ {
				// The first porter carries what goes in several parts, where the link is not merely slow.
				o.carry(fmt.Sprintf("%d.%d.%d", round, i, n), random, i == 0 && !trouble.slow)
				select {
				case carried <- struct{}{}:
				default:
				}
				o.fetch(random)
			}
		})
	}()
	for range porters { // some files are there before
		select {
		case <-carried:
		case <-o.t.Done():
			return o.t.Err()
		}
	}
	err := o.link.Tell(trouble.orders...)
	o.sleep(time.Duration(o.t.ShortOrFull(3, 20)) * time.Second)
	cancel()
	<-working // whoever waits is answered while the trouble lasts
	return errors.Join(err, o.link.Tell("heal"), o.finish())
}

func (o *ordeal) sleep(d time.Duration) {
	select {
	case <-o.t.Done():
	case <-time.After(d):
	}
}

// asked does one request and, while there is trouble, notes how long it took.
func (o *ordeal) asked(do func(ctx context.Context) (*lab.Answer, error)) (*lab.Answer, error) {
	if o.healed {
		return do(o.t)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(o.t), o.patient)
	defer cancel()
	began := time.Now()
	a, err := do(ctx)
	o.set(func() { o.longest = max(o.longest, time.Since(began)) })
	return a, err
}

func (o *ordeal) set(fn func()) {
	o.mu.Lock()
	fn()
	o.mu.Unlock()
}

// carry uploads a file.
func (o *ordeal) carry(name string, random *rand.Rand, large bool) {
	size := 1 + random.IntN(200_000)
	if large {
		size = 16<<20 + random.IntN(4<<20)
	}
	d := &parcel{content: lab.RandomBytes(random, size)}
	o.set(func() { o.files[name] = lab.Digest(d.content) })
	a, err := o.asked(func(ctx context.Context) (a *lab.Answer, err error) {
		d.form, a, err = o.client.BeginUpload(ctx, o.project, "attachments", map[string]string{
			"name": name, "content_type": "application/pdf",
		})
		return a, err
	})
	if err != nil || d.form == nil {
		o.set(func() { o.wrong = append(o.wrong, fmt.Sprintf("an upload cannot be begun: %v, %v", a, err)) })
		return
	}
	if !o.send(d) {
		o.set(func() { o.pending = append(o.pending, d) })
	}
}

// send posts a file and completes its upload; it is false when the service cannot take it now.
func (o *ordeal) send(d *parcel) bool {
	a, err := o.asked(func(ctx context.Context) (*lab.Answer, error) {
		return o.client.PostFile(ctx, d.form, d.content)
	})
	if err == nil && a.Status == http.StatusSeeOther {
		a, err = o.asked(func(ctx context.Context) (*lab.Answer, error) {
			return o.client.DoWithoutKey(ctx, http.MethodGet, d.form.Webhook, nil, "")
		})
	}
	switch {
	case err != nil:
		o.set(func() { o.wrong = append(o.wrong, fmt.Sprintf("an upload has no answer: %v", err)) })
	case a.Status == http.StatusOK:
		var f lab.Fields
		err := json.Unmarshal(a.Body, &f)
		o.set(func() {
			o.up++
			o.done = append(o.done, f)
			if err != nil {
				o.wrong = append(o.wrong, "a document that is not JSON: "+a.String())
			}
		})
		return true
	default:
		o.refusal(a)
	}
	return false
}

// refusal holds that whoever is sent away is told to come again.
func (o *ordeal) refusal(a *lab.Answer) {
	var told struct {
		Message string `json:"message"`
	}
	err := json.Unmarshal(a.Body, &told)
	o.set(func() {
		o.refused++
		if a.Status != http.StatusServiceUnavailable || err != nil || told.Message == "" ||
			a.Header.Get("Retry-After") == "" {
			o.wrong = append(o.wrong, fmt.Sprintf("a refusal: %s, Retry-After %q", a, a.Header.Get("Retry-After")))
		}
	})
}

// fetch downloads a file. It may come, be refused or break off; what comes whole is right.
func (o *ordeal) fetch(random *rand.Rand) {
	var f lab.Fields
	o.set(func() {
		if len(o.done) > 0 {
			f = o.done[random.IntN(len(o.done))]
		}
	})
	if f == nil {
		return
	}
	// A large file is read as long as it comes; how long nothing comes is what the smaller ones tell.
	a, err := o.asked(func(ctx context.Context) (*lab.Answer, error) {
		return o.client.DoWithoutKey(ctx, http.MethodGet, f.Text("url"), nil, "")
	})
	switch {
	case errors.Is(err, lab.ErrAnswerCut):
		o.set(func() { o.broken++ })
	case err != nil:
		o.set(func() { o.wrong = append(o.wrong, fmt.Sprintf("a download has no answer: %v", err)) })
	case a.Status != http.StatusOK:
		o.refusal(a)
	case lab.Digest(a.Body) != o.hash(f):
		o.set(func() {
			o.wrong = append(o.wrong, fmt.Sprintf("a download of %d bytes is not what was sent", len(a.Body)))
		})
	default:
		o.set(func() { o.down++ })
	}
}

func (o *ordeal) hash(f lab.Fields) (hash string) {
	o.set(func() { hash = o.files[f.Text("name")] })
	return hash
}

// finish takes up the uploads that were refused, now that the link is good again. Other installations still have their
// trouble on the same machine: here it counts that an upload can be finished, not how soon.
func (o *ordeal) finish() error {
	pending := o.pending
	o.pending = nil
	refused := o.refused
	o.healed = true
	defer func() { o.healed = false }()
	for _, d := range pending {
		if !o.send(d) {
			return fmt.Errorf("an upload cannot be finished after the trouble: %s", strings.Join(o.wrong, "; "))
		}
		o.late++
	}
	o.refused = refused
	return nil
}

// examine compares all documents with what was sent.
func (o *ordeal) examine() error {
	records, _, err := o.client.ListAll(o.t, o.project+"/attachments")
	if err != nil {
		return err
	}
	if len(records) != len(o.done) {
		o.wrong = append(o.wrong, fmt.Sprintf("%d documents are listed, %d were completed", len(records), len(o.done)))
	}
	for _, raw := range records {
		var f lab.Fields
		if err := json.Unmarshal(raw, &f); err != nil {
			return err
		}
		a, err := o.client.DoWithoutKey(o.t, http.MethodGet, f.Text("url"), nil, "")
		if err == nil && a.Status == http.StatusOK && lab.Digest(a.Body) == o.files[f.Text("name")] &&
			f.Text("sha256") == lab.Digest(a.Body) {
			continue
		}
		if o.torn++; o.first == "" {
			o.first = fmt.Sprintf("%s: %v, %v", lab.Clip(raw), a, err)
		}
	}
	if o.torn == 0 && len(o.wrong) == 0 {
		return o.site.Verify()
	}
	return nil
}

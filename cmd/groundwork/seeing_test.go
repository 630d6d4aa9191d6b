package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"groundwork/internal/await"
	"groundwork/internal/draft"
)

// named sends a request under an id, and gives the answer and the id that it has.
func (s *server) named(t *testing.T, key, id, method, path, body string,
	headers ...string,
) (status int, answered, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		r.SetBasicAuth(key, "")
	}
	r.Header.Set("Content-Type", "application/json")
	if id != "" {
		r.Header["X-Request-Id"] = []string{id}
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	all, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header.Get("X-Request-Id"), string(all)
}

// TestRequestIDs follows a request by its id: through its answer, its line in the log, and the letter that it left to
// be written.
func TestRequestIDs(t *testing.T) {
	places(t, func(t *testing.T, p place) {
		s := serve(t, p, "--log-format", "json", "--log-level", "debug")
		createAccount(t, p, "anna@example.com")
		key := createKey(t, p, "anna@example.com")
		project := s.create(t, key, "/projects", `{"name":"School"}`)
		if status, id, text := s.named(t, key, "trip-42", "POST", "/projects/"+project+"/users/invites",
			`{"email":"ivy@example.com"}`); status != 201 || id != "trip-42" {
			t.Fatalf("%d %s %s", status, id, text)
		}
		for _, bad := range []string{"", "a b", strings.Repeat("x", 65), "é", `"}`, "a\tb"} {
			if _, id, _ := s.named(t, key, bad, "GET", "/rate_limits", ""); id == bad || !plain.MatchString(id) {
				t.Errorf("%q is answered with %q", bad, id)
			}
		}
		if status, id, _ := s.named(t, key, "lost-1", "GET", "/nowhere", ""); status != 404 || id != "lost-1" {
			t.Errorf("a refusal: %d %q", status, id)
		}
		if status, id, page := s.named(t, "", "lost-2", "GET", "/nowhere", "", "Accept", "text/html"); status != 404 ||
			id != "lost-2" || !strings.Contains(page, "lost-2") {
			t.Errorf("a page of an error: %d %q %s", status, id, page)
		}
		await.Until(t, time.Minute, func() string { // two letters, of the key and of the invitation
			_, _, page := s.named(t, "", "", "GET", "/metrics", "")
			if strings.Contains(page, `groundwork_mail_total{result="logged"} 2`) {
				return ""
			}
			return "they were not written: " + page
		})
		if s.stop(t) != 0 {
			t.Fatalf("the server failed: %s", s.errs)
		}
		told := map[string][]string{} // by message, the requests
		for line := range strings.Lines(s.errs.String()) {
			var one map[string]any
			if err := json.Unmarshal([]byte(line), &one); err != nil || one["time"] == nil || one["level"] == nil {
				t.Fatalf("a line is no JSON: %s", line)
			}
			request, _ := one["request"].(string)
			told[fmt.Sprint(one["msg"])] = append(told[fmt.Sprint(one["msg"])], request)
			if took, is := one["took"]; is {
				if seconds, is := took.(float64); !is || seconds > 100 {
					t.Errorf("it took %v", took)
				}
			}
		}
		for message, id := range map[string]string{
			"request": "trip-42", "mail is not sent, as no mail server is configured": "trip-42",
		} {
			if !slices.Contains(told[message], id) {
				t.Errorf("%s: %q in\n%s", message, told[message], s.errs)
			}
		}
		if !slices.Contains(told["request"], "lost-1") || slices.Contains(told["serving"], "trip-42") {
			t.Errorf("%q", told)
		}
	})
}

var plain = regexp.MustCompile(`^[0-9a-z-]{10,64}$`)

// collected are the spans that a collector was sent.
type collected struct {
	mu    sync.Mutex
	raw   bytes.Buffer
	spans []*tracepb.Span
}

func (c *collected) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	var data tracepb.TracesData
	if err != nil || proto.Unmarshal(text, &data) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw.Write(text)
	for _, of := range data.ResourceSpans {
		for _, scope := range of.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
}

// inside finds a span by its name, inside of another, at any depth; nil is anywhere.
func (c *collected) inside(outer *tracepb.Span, name string) *tracepb.Span {
	for _, s := range c.spans {
		if s.Name != name {
			continue
		}
		for at := s; ; {
			if outer == nil || bytes.Equal(at.SpanId, outer.SpanId) {
				return s
			}
			up := slices.IndexFunc(c.spans,
				func(o *tracepb.Span) bool { return bytes.Equal(o.SpanId, at.ParentSpanId) })
			if len(at.ParentSpanId) == 0 || up < 0 {
				break
			}
			at = c.spans[up]
		}
	}
	return nil
}

// TestTraces has a server send its spans to a collector while a set of drawings is uploaded: they hang together, and
// name nobody.
func TestTraces(t *testing.T) {
	var set bytes.Buffer
	if _, err := draft.Write(&set, draft.Options{Seed: 3, Sheets: 1, Plain: true}); err != nil {
		t.Fatal(err)
	}
	places(t, func(t *testing.T, p place) {
		got := &collected{}
		collector := httptest.NewServer(got)
		defer collector.Close()
		s := serveWith(t, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL, "OTEL_BSP_SCHEDULE_DELAY=100"}, p)
		createAccount(t, p, "anna@example.com")
		key := createKey(t, p, "anna@example.com")
		_, _, text := s.named(t, key, "trip-43", "POST", "/projects", `{"name":"Secret School"}`,
			"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
		var made struct{ UID string }
		if err := json.Unmarshal([]byte(text), &made); err != nil {
			t.Fatal(err, text)
		}
		s.publish(t, key, made.UID, "Issued for bid", set.Bytes(), 1)
		s.named(t, key, "", "GET", "/projects/"+made.UID+"/sheets?search=canary", "")
		if s.stop(t) != 0 {
			t.Fatalf("the server failed: %s", s.errs)
		}
		collector.Close()

		create := got.inside(nil, "POST /projects")
		if create == nil || string(create.ParentSpanId) != "\xb7\xad\x6b\x71\x69\x20\x33\x31" ||
			!strings.Contains(create.String(), "trip-43") || !strings.Contains(create.String(), `"http.response.status_code"`) {
			t.Fatalf("the request: %v", create)
		}
		if write := got.inside(create, "write"); write == nil || !strings.Contains(write.String(), "groundwork.group") {
			t.Errorf("no write inside of it: %v", write)
		}
		if page := got.inside(got.inside(nil, "GET /projects/{project}/sheets"), "page"); page == nil {
			t.Error("no page inside of a list")
		}
		if put := got.inside(got.inside(nil, "POST /storage/{project}"), "file put"); put == nil {
			t.Error("no file put inside of an upload")
		}
		var drawn *tracepb.Span
		linked := 0
		for _, one := range got.spans {
			if strings.HasPrefix(one.Name, "job ") && len(one.Links) == 1 {
				linked++
			}
			if strings.HasPrefix(one.Name, "drawing ") && drawn == nil {
				drawn = one
			}
			if strings.Contains(one.Name, "healthz") {
				t.Errorf("a span of who watches: %v", one)
			}
		}
		if linked == 0 || drawn == nil || len(drawn.ParentSpanId) == 0 {
			t.Errorf("%d jobs are linked to requests; the drawing: %v", linked, drawn)
		}
		for _, secret := range []string{"anna", "School", key, made.UID, "canary", "set.pdf"} {
			if strings.Contains(got.raw.String(), secret) {
				t.Errorf("spans say %q", secret)
			}
		}
	})
}

// TestTracesThatAreWrong: what is wrong with the variables is said before anything starts.
func TestTracesThatAreWrong(t *testing.T) {
	p := newPlace(t)
	r := with(t, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"},
		append([]string{"serve"}, p...)...)
	if r.exit != exitFailure || !strings.Contains(r.err, "OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf") ||
		strings.Count(r.err, "\n") != 1 {
		t.Errorf("exit %d %s", r.exit, r.err)
	}
	// A collector that is not there keeps nobody.
	s := serveWith(t, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1"}, p)
	if status, _ := s.get(t, "", "/healthz"); status != 200 {
		t.Error(status)
	}
	if s.stop(t) != 0 {
		t.Errorf("the server failed: %s", s.errs)
	}
}

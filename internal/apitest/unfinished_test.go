package apitest_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"groundwork/internal/apitest"
)

// fromAddress is a client whose connections come from an address of this machine's own, such as 127.0.0.9.
func fromAddress(t *testing.T, address string) *http.Client {
	t.Helper()
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{DialContext: dialer.DialContext}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport: transport, Timeout: 20 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// TestUnfinishedUploads: whoever has no form that was given out takes no place of those who have, however many uploads
// they begin and leave; and whoever has one takes only a share.
func TestUnfinishedUploads(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		d := newDock(t, engine)
		content := strings.Repeat("north", 1000)
		link := d.ada.Upload(d.project, "attachments", map[string]any{
			"content_type": "text/plain", "name": "north.txt",
		}, content).Text("url")
		offer := d.begin(d.ada)
		address := strings.TrimPrefix(d.URL, "http://")
		// An address has 32 places for what is unfinished. Nobody waits for these: each has sent a part of a form and
		// holds its connection open.
		const many, held = 520, 32
		refusals := make(chan refusal, many)
		for range many {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "POST /storage/%s HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=%s\r\nContent-Length: 1000000\r\n\r\n--%s\r\n",
				d.project, apitest.Frontier, apitest.Frontier)
			go func() { refusals <- readRefusal(conn) }()
		}
		// Whoever is one too many is told at once. When all of them were, the others have what there is for them.
		for i := range many - held {
			if r := <-refusals; i == 0 && (r.status != 429 || r.after == "" ||
				!strings.Contains(r.body, "of this address")) {
				t.Errorf("one too many of one address: %+v", r)
			}
		}
		victim := fromAddress(t, "127.0.0.9")
		local := func(address string) string { return d.URL + strings.TrimPrefix(address, apitest.Base) }
		res, err := victim.Get(local(link))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != 200 || string(body) != content {
			t.Errorf("a download while %d uploads are unfinished: %d %.200s", many, res.StatusCode, body)
		}
		res, err = victim.Post(local(offer.Text("storage_post_form_arguments.action")),
			"multipart/form-data; boundary="+apitest.Frontier,
			strings.NewReader(apitest.Form(offer, content)))
		if err != nil {
			t.Fatal(err)
		}
		body, _ = io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != 303 {
			t.Errorf("an upload while %d uploads are unfinished: %d %.200s", many, res.StatusCode, body)
		}
	})
}

// refusal is what was answered before everything was sent.
type refusal struct {
	status      int
	after, body string
}

func readRefusal(conn net.Conn) refusal {
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return refusal{body: err.Error()}
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	return refusal{res.StatusCode, res.Header.Get("Retry-After"), string(body)}
}

package availability

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"groundwork/prove/lab"
)

// war is a number of attacks on one server.
type war struct {
	t       *lab.Trial
	address string
	key     string
	project string
	size    int // of what is too large
	crowd   int // how many such at once
	pid     int

	attacks int
	slowest time.Duration
	slow    string // the attack that took so long
	growth  int64
	greedy  string // the attack that took so much
}

// attack is bytes on a connection: a head, then a chunk again and again, then an end.
type attack struct {
	name   string
	head   string
	chunk  []byte
	size   int // of all chunks together
	end    string
	crowds int // this many at once
}

// open is the beginning of a request, up to the header lines in more; head ends the header, too.
func (w *war) open(method, path, more string) string {
	return method + " " + path + " HTTP/1.1\r\nHost: " + w.address + "\r\nAuthorization: " + lab.BasicAuth(w.key) +
		"\r\nConnection: close\r\n" + more
}

func (w *war) head(method, path, more string) string { return w.open(method, path, more) + "\r\n" }

// arms are all attacks.
func (w *war) arms() []attack {
	issues := w.project + "/issues"
	const typed = "Content-Type: application/json\r\n"
	zeros := make([]byte, 1<<16)
	spaces := bytes.Repeat([]byte(" "), 1<<16)
	letters := bytes.Repeat([]byte("a"), 1<<16)
	length := func(n int) string { return fmt.Sprintf("Content-Length: %d\r\n", n) }
	whole := func(name, path, more, body string) attack {
		return attack{name: name, head: w.head("POST", path, typed+more+length(len(body))), end: body}
	}
	large := attack{
		name: "body of 1 GB", head: w.head("POST", issues, typed+length(w.size)), chunk: spaces, size: w.size,
	}
	chunked := attack{
		name: "body of 1 GB in chunks", head: w.head("POST", issues, typed+"Transfer-Encoding: chunked\r\n"),
		chunk: append(append([]byte("10000\r\n"), spaces...), "\r\n"...), size: w.size, end: "0\r\n\r\n",
	}
	crowd := chunked
	crowd.name, crowd.crowds = "bodies of 1 GB, many at once", w.crowd
	stranger := large
	stranger.name, stranger.head = "body of 1 GB without a key", strings.Replace(large.head, "Authorization", "X-None",
		1)
	batch := chunked
	batch.name, batch.head = "batch of 1 GB", w.head("POST", "/batch", typed+"Transfer-Encoding: chunked\r\n")
	deep := 1_000_000 / 2
	line := []byte("X-Filler: " + strings.Repeat("a", 1<<10) + "\r\n")
	return []attack{
		large, chunked, stranger, batch, crowd,
		{
			name: "header of 1 GB", head: w.open("GET", issues, "X-Large: "), chunk: letters, size: w.size,
			end: "\r\n\r\n",
		},
		{name: "1 GB of headers", head: w.open("GET", issues, ""), chunk: line, size: w.size, end: "\r\n"},
		{
			name: "request line of 1 GB", head: "GET /", chunk: letters, size: w.size,
			end: " HTTP/1.1\r\nHost: x\r\n\r\n",
		},
		{
			name: "trailers of 1 GB",
			head: w.head("POST", issues, typed+"Transfer-Encoding: chunked\r\nTrailer: X-Filler\r\n") +
				"2\r\n{}\r\n0\r\n", chunk: line, size: w.size, end: "\r\n",
		},
		whole("arrays a million deep", issues, "", `{"title":`+strings.Repeat("[", deep)+strings.Repeat("]", deep)+`}`),
		whole("arrays a million deep, never closed", issues, "", strings.Repeat("[", 2*deep)),
		whole("objects a million deep", issues, "", strings.Repeat(`{"a":`, deep/3)+"1"+strings.Repeat("}", deep/3)),
		whole("batch a million deep", "/batch", "", strings.Repeat("[", deep)+strings.Repeat("]", deep)),
		whole("a million deep inside a batch's body", "/batch", "",
			`[{"method":"POST","path":"`+issues+`","body":"`+strings.Repeat("[", 2*deep)+`"},`),
		whole("a name twice", issues, "", `{"title":"a","title":"b"}`),
		whole("a name 100,000 times", issues, "", `{`+strings.Repeat(`"title":1,`, 100_000)+`"title":1}`),
		whole("a name twice, deep inside", issues, "", `{"title":{"a":{"b":1,"b":2}}}`),
		whole("50,000 unknown names", issues, "", names(50_000)),
		whole("a number with a million digits", issues, "", `{"schedule_impact":`+strings.Repeat("9", 1_000_000)+`}`),
		whole("gzip bomb", issues, "Content-Encoding: gzip\r\n",
			bomb(func(out io.Writer) io.WriteCloser { return gzip.NewWriter(out) }, zeros, w.size)),
		whole("deflate bomb", issues, "Content-Encoding: deflate\r\n",
			bomb(func(out io.Writer) io.WriteCloser { return zlib.NewWriter(out) }, zeros, w.size)),
		whole("bomb of an unknown kind", issues, "Content-Encoding: x-bomb\r\n", strings.Repeat("x", 100_000)),
		whole("two lengths", issues, "Content-Length: 5\r\n", `{"title":"a"}`),
		{name: "negative length", head: w.head("POST", issues, typed+"Content-Length: -1\r\n")},
	}
}

func names(n int) string {
	var b strings.Builder
	b.WriteString(`{"x":1`)
	for i := range n {
		fmt.Fprintf(&b, `,"x%d":1`, i)
	}
	b.WriteString("}")
	return b.String()
}

// bomb packs zeros until it would no longer fit into a body, or has packed enough to burst anybody who unpacks it.
func bomb(packer func(io.Writer) io.WriteCloser, zeros []byte, size int) string {
	var b strings.Builder
	p := packer(&b)
	const enough = 1 << 28
	for n := 0; n < min(size, enough) && b.Len() < 1<<20-1<<12; n += len(zeros) {
		if _, err := p.Write(zeros); err != nil {
			panic(err)
		}
	}
	if err := p.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

// strike makes one attack and gives the status of the answer and the time until it came, at most of all in a crowd.
func (w *war) strike(a attack) (status int, took time.Duration, err error) {
	if a.crowds == 0 {
		return w.strikeOnce(a)
	}
	var mu sync.Mutex
	lab.Parallel(a.crowds, func(int) {
		s, t, e := w.strikeOnce(a)
		mu.Lock()
		defer mu.Unlock()
		status, took = max(status, s), max(took, t)
		if e != nil {
			err = e
		}
	})
	return status, took, err
}

func (w *war) strikeOnce(a attack) (status int, took time.Duration, err error) {
	conn, err := net.DialTimeout("tcp", w.address, 5*time.Second)
	if err != nil {
		return 0, 0, err
	}
	if err := conn.SetDeadline(time.Now().Add(lab.RequestTimeout)); err != nil {
		return 0, 0, err
	}
	began := time.Now()
	var wg sync.WaitGroup
	defer wg.Wait()
	defer conn.Close() // first, so that the writer ends
	wg.Go(func() {
		// The server may hang up whenever it has seen enough.
		out := bufio.NewWriterSize(conn, 1<<16)
		_, err := out.WriteString(a.head)
		for sent := 0; err == nil && sent < a.size; sent += len(a.chunk) {
			_, err = out.Write(a.chunk)
		}
		if err == nil {
			_, _ = out.WriteString(a.end)
			_ = out.Flush()
		}
	})
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, 0, fmt.Errorf("no answer after %s: %w", lab.Millis(time.Since(began)), err)
	}
	defer response.Body.Close()
	took = time.Since(began)
	if kind := response.Header.Get("Content-Type"); kind != "application/json" {
		err = fmt.Errorf("the answer %d is %s, not JSON", response.StatusCode, kind)
	}
	return response.StatusCode, took, err
}

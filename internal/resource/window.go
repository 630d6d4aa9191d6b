package resource

import (
	"encoding/base64"
	"encoding/binary"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/api"
	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// MostRows is the greatest limit, and the limit when none is given.
const MostRows = 50

// Window is the part of a list that a request asks for.
type Window struct {
	Limit, Skip int
	After       int64 // store.Always without updated_after
	// Bound and From come from a cursor: the clock before the walk's first page, and the last position shown.
	Bound int64
	From  int64
	// Sorted says that the list is in an order in which records move when they change: there is no walk, only skip.
	Sorted bool
}

// ReadWindow reads limit, skip, updated_after and cursor; fault.Invalid names what is wrong.
func ReadWindow(c *api.Call) (Window, error) {
	w := Window{Limit: MostRows, After: store.Always}
	q := c.Query()
	problems := map[string]string{}
	readLimit(q, &w.Limit, MostRows, problems)
	if q.Has("skip") {
		n, ok := natural(q.Get("skip"))
		if !ok {
			problems["skip"] = "It must be 0 or a positive integer."
		}
		w.Skip = n
	}
	if q.Has("updated_after") {
		// A plus sign that was not escaped arrives as a space.
		micros, ok := document.ParseMoment(strings.ReplaceAll(q.Get("updated_after"), " ", "+"))
		if !ok {
			problems["updated_after"] = "It must be a time such as 2026-03-31T16:00:00Z."
		}
		w.After = micros
		if q.Has("cursor") && !w.resume(q.Get("cursor")) {
			problems["cursor"] = "It must come unchanged from next_page_url."
		}
	}
	if err := fault.Fields(problems); err != nil {
		return w, err
	}
	return w, nil
}

// ReadLimit reads limit of a list that is not windowed by skip, and tells what is wrong with it.
func ReadLimit(c *api.Call, problems map[string]string) int {
	limit := MostRows
	readLimit(c.Query(), &limit, MostRows, problems)
	return limit
}

// readLimit reads limit where it is given, and tells what is wrong with it.
func readLimit(q api.Query, limit *int, most int, problems map[string]string) {
	if !q.Has("limit") {
		return
	}
	n, ok := natural(q.Get("limit"))
	switch {
	case !ok:
		problems["limit"] = "It must be 0 or a positive integer."
	case n > most:
		problems["limit"] = "It may be at most " + strconv.Itoa(most) + "."
	}
	*limit = n
}

// natural reads 0 or a positive integer; a number beyond any list counts as the greatest that fits.
func natural(text string) (int, bool) {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 1<<31 - 1, true
	}
	return int(n), true
}

const cursorSize = 16

func (w *Window) resume(cursor string) bool {
	if len(cursor) != base64.RawURLEncoding.EncodedLen(cursorSize) {
		return false
	}
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(b) != cursorSize { // line breaks inside are passed over
		return false
	}
	w.Bound, w.From = int64(binary.BigEndian.Uint64(b)), int64(binary.BigEndian.Uint64(b[8:]))
	return w.Bound > 0 && w.From > 0
}

// Next is where the list goes on, as JSON: an URL or null. more and last matter only with updated_after, shown is the
// number of records given.
func (w Window) Next(c *api.Call, total, shown int, more bool, bound, last int64) []byte {
	step, walk := w.Limit, w.After != store.Always && !w.Sorted
	if walk {
		step = shown
	} else {
		more = w.Limit > 0 && w.Skip+w.Limit < total
	}
	if !more || w.Limit == 0 {
		return []byte("null")
	}
	cursor := ""
	if walk {
		b := binary.BigEndian.AppendUint64(nil, uint64(bound))
		cursor = base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(b, uint64(last)))
	}
	return quote(c.Base + c.Path() + "?" + c.Query().With("cursor", cursor, "limit", strconv.Itoa(w.Limit), "skip",
		strconv.Itoa(w.Skip+step)))
}

func quote(text string) []byte {
	out, _ := jsontext.AppendQuote(nil, text) // the parts were decoded from a request and are valid UTF-8
	return out
}

// SendList answers with the list envelope; rows appends the records, separated by commas.
func SendList(c *api.Call, total int, next []byte, rows func(buf []byte) []byte) error {
	return sendList(c, total, next, "", rows)
}

// sendList is SendList with further fields of the envelope, each after a comma.
func sendList(c *api.Call, total int, next []byte, more string, rows func(buf []byte) []byte) error {
	return send(c, 200, func(buf []byte) []byte {
		buf = append(buf, `{"data":[`...)
		buf = rows(buf)
		buf = append(buf, `],"total_count":`...)
		buf = strconv.AppendInt(buf, int64(total), 10)
		buf = append(buf, `,"next_page_url":`...)
		buf = append(buf, next...)
		buf = append(buf, more...)
		return append(buf, '}')
	})
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// send answers with what write appends to a buffer that is used again.
func send(c *api.Call, status int, write func(buf []byte) []byte) error {
	const mostKept = 1 << 20
	buf := buffers.Get().(*[]byte)
	*buf = write((*buf)[:0])
	err := c.Send(status, *buf)
	if cap(*buf) <= mostKept {
		buffers.Put(buf)
	}
	return err
}

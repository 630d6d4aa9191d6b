package resource

import (
	"encoding/base64"
	"encoding/binary"
	"io"
	"slices"
	"strconv"

	"groundwork/internal/api"
	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// A walk shows all records of a project as they are, instead of the log that made them so: kind by kind, in order of
// creation. The sequence is read before the first record, so that the log after it tells all that changed meanwhile.

const (
	// walkAtOnce and walkBytes bound what a walk holds of its records at a time, however many an answer has.
	walkAtOnce = 100
	walkBytes  = 256 << 10
)

// wantsLatest reads latest.
func wantsLatest(c *api.Call) (bool, error) {
	switch c.Query().Get("latest") {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fault.Field("latest", notBool)
}

// walker is how far a walk is.
type walker struct {
	*view
	limit int
	seq   int64 // of the project, before the walk
	at    *entry
	from  uint32 // the last ordinal of at that was looked at
	rests bool   // much was passed over that is not shown; the next answer goes on
}

// walk answers with the next records of a walk.
func walk(c *api.Call, all *Catalog) error {
	w, err := newWalker(c, all)
	if err != nil {
		return err
	}
	clock, seq, err := c.Store.Feed(c.Context(), w.project, atEnd, 1, nil)
	if err != nil {
		return err
	}
	if w.at == nil {
		w.seq, w.at = seq, w.kinds[0]
	}
	gone, err := c.Store.TakenBack(c.Context(), w.project, w.seq)
	if err != nil {
		return err
	}
	if w.seq > seq || gone {
		return fault.Field("cursor", "It is from before a backup was restored. Begin the walk again, without cursor.")
	}
	page, err := w.next() // what refuses the request does so before the answer has begun
	if err != nil {
		return err
	}
	c.SetHeader("X-Clock", document.StampText(clock))
	return c.SendFlow(func(out io.Writer) error { return w.send(out, page) })
}

func newWalker(c *api.Call, all *Catalog) (*walker, error) {
	w := &walker{limit: mostChanges}
	q, problems := c.Query(), map[string]string{}
	w.view = readView(c, all, problems)
	if !w.records {
		problems["include"] = "It must be records where latest=true walks them."
	}
	if q.Has("after") {
		problems["after"] = "A walk with latest=true begins with no sequence number; leave it out."
	}
	if w.kinds == nil {
		for i := range all.entries {
			w.kinds = append(w.kinds, &all.entries[i])
		}
	}
	if readLimit(q, &w.limit, mostChanges, problems); w.limit == 0 && problems["limit"] == "" {
		problems["limit"] = "A walk with latest=true gives at least 1."
	}
	if q.Has("cursor") && problems["kinds"] == "" && !w.resume(q.Get("cursor")) {
		problems["cursor"] = "It must come unchanged from next_page_url, with the same kinds."
	}
	if c.InBatch() {
		problems["latest"] = "A walk is sent as it is read and cannot be part of a batch."
	}
	return w, fault.Fields(problems)
}

// walkCursor is the size of a cursor: sequence, kind and ordinal.
const walkCursor = 8 + 1 + 4

func (w *walker) resume(cursor string) bool {
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(b) != walkCursor {
		return false
	}
	w.seq, w.from = int64(binary.BigEndian.Uint64(b)), binary.BigEndian.Uint32(b[9:])
	i := slices.IndexFunc(w.kinds, func(e *entry) bool { return e.number == store.Kind(b[8]) })
	if i < 0 || w.seq < 0 {
		return false
	}
	w.at = w.kinds[i]
	return w.cursor() == cursor // and not another form of it
}

func (w *walker) cursor() string {
	b := binary.BigEndian.AppendUint64(nil, uint64(w.seq))
	b = binary.BigEndian.AppendUint32(append(b, byte(w.at.number)), w.from)
	return base64.RawURLEncoding.EncodeToString(b)
}

// next reads some records that the caller sees; nil where there are no more, or where it rests.
func (w *walker) next() (*store.Page, error) {
	for range mostRounds {
		groups := w.groups(w.at)
		page, last, more, err := w.c.Store.Walk(w.c.Context(), w.project, w.at.number, w.from, walkAtOnce,
			min(walkAtOnce, w.limit), walkBytes, func(terms string) bool { return visible(terms, groups) })
		if err != nil {
			return nil, err
		}
		newest := int64(0)
		for i := range page.Rows {
			newest = max(newest, page.Rows[i].Clock)
		}
		// People and states are shown from memory, which must know those that the records name.
		if err := w.c.Store.Known(w.c.Context(), w.project, newest, w.seq); err != nil {
			page.Release()
			return nil, err
		}
		same, err := w.readmit()
		if err == nil && same {
			w.from = last
			if len(page.Rows) > 0 {
				return page, nil
			}
		}
		page.Release()
		if err != nil {
			return nil, err
		}
		if more || !same { // in another role they see other records
			continue
		}
		i := slices.Index(w.kinds, w.at)
		if i == len(w.kinds)-1 {
			return nil, nil
		}
		w.at, w.from = w.kinds[i+1], 0
	}
	w.rests = true
	return nil, nil
}

// send writes the answer, which begins with the records of a page: no more of it is in memory than those, however many
// follow.
func (w *walker) send(out io.Writer, page *store.Page) (err error) {
	buf := append(make([]byte, 0, 2*walkBytes), `{"data":[`...)
	shown := 0
	for page != nil {
		f, err := w.at.shower(w.c, w.project)
		if err != nil {
			page.Release()
			return err
		}
		for i := range page.Rows {
			if shown++; shown > 1 {
				buf = append(buf, ',')
			}
			buf = appendPresent(buf, w.seq, w.at, latest, f, &page.Rows[i])
		}
		page.Release()
		if _, err := out.Write(buf); err != nil {
			return err
		}
		if buf = buf[:0]; shown >= w.limit {
			break
		}
		left := w.limit
		w.limit -= shown
		page, err = w.next()
		if w.limit = left; err != nil {
			return err
		}
	}
	next := ""
	if page != nil || w.rests {
		next = w.c.Query().With("cursor", w.cursor(), "limit", strconv.Itoa(w.limit))
	}
	_, err = out.Write(appendPageEnd(buf, w.c, w.seq, next))
	return err
}

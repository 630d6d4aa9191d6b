package work

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

const (
	// saidFor is how long a comment waits for a reply.
	saidFor = 14 * 24 * time.Hour
	// mostText is how many characters of a comment are shown.
	mostText = 300
)

// openIssues and openRFIs are the statuses of what is still to be dealt with. Those of RFIs can be renamed and keep
// their order, which is that of their ordinals: draft, open, sent; then answered, void, closed.
var (
	openIssues = []string{"status=open", "status=in_review", "status=pending"}
	openRFIs   = []string{"status=1", "status=2", "status=3"}
)

const draft document.State = 1

// mine is the term of what is assigned to the reader.
func (r *reader) mine() []string {
	return []string{"assigned_to=" + strconv.FormatUint(uint64(r.scope.Person()), 10)}
}

// assigned reads a window of the open records that are assigned to the reader, what is due first at the top.
func (r *reader) assigned(plural string, open []string, skip, limit int) ([]store.Row, int, error) {
	return r.kinds.Window(r.c.Context(), r.c.Store, r.scope, plural, resource.Wanted{
		Terms: [][]string{r.mine(), open}, Sort: "due_at", Skip: skip, Limit: limit, Grow: r.c.Hold,
	})
}

func (r *reader) assignedIssues(skip, limit int) (items []Item, total int, err error) {
	rows, total, err := r.assigned("issues", openIssues, skip, limit)
	for i := range rows {
		v, err := issues.Read(rows[i])
		if err != nil {
			return nil, 0, err
		}
		item, err := r.issue(v, rows[i])
		if err != nil {
			return nil, 0, err
		}
		items = append(items, item)
	}
	return items, total, err
}

func (r *reader) assignedRFIs(skip, limit int) (items []Item, total int, err error) {
	rows, total, err := r.assigned("rfis", openRFIs, skip, limit)
	for i := range rows {
		v, err := rfis.Read(rows[i])
		if err != nil {
			return nil, 0, err
		}
		item, err := r.rfi(v, rows[i])
		if err != nil {
			return nil, 0, err
		}
		// A draft is not sent yet: nobody waits for its answer.
		if v.Status != draft && (v.Answer == nil || strings.TrimSpace(*v.Answer) == "") {
			item.Reason = "answer"
		}
		items = append(items, item)
	}
	return items, total, err
}

// said finds what others said lately on records that the reader made or is assigned to, and to which the reader has not
// replied. It looks at the newest comments of the project only, a page of them.
func (r *reader) said(skip, limit int) (items []Item, total int, err error) {
	rows, _, err := r.kinds.Latest(r.c.Context(), r.c.Store, r.scope, "comments",
		[][]string{{"record_type=issue", "record_type=rfi"}})
	if err != nil {
		return nil, 0, err
	}
	type thread struct {
		on    document.Ref
		last  *remark
		count int64
		over  bool // the reader's own word comes next
	}
	var threads []*thread
	by := map[document.Ref]*thread{}
	since := r.c.Store.Now() - saidFor.Microseconds()
	for _, row := range slices.Backward(rows) {
		v, err := remarks.Read(row)
		if err != nil {
			return nil, 0, err
		}
		own := uint32(v.CreatedBy) == r.scope.Person()
		t := by[v.Subject]
		switch {
		case t == nil:
			t = &thread{on: v.Subject, last: v, over: own || int64(v.CreatedAt) < since}
			by[v.Subject], threads = t, append(threads, t)
		case own:
			t.over = true
		}
		if !t.over {
			t.count++
		}
	}
	for _, t := range threads {
		if t.count == 0 {
			continue
		}
		item, concerned, err := r.concerned(t.on)
		if err != nil {
			return nil, 0, err
		}
		if !concerned {
			continue
		}
		item.Reason = "comment"
		if item.Comment, err = r.remark(t.last); err != nil {
			return nil, 0, err
		}
		item.Comment.Count = t.count
		items = append(items, item)
	}
	total = len(items)
	from := min(skip, total)
	return items[from:min(from+limit, total)], total, nil
}

// concerned reads a record that was commented; false where it is gone, or the reader neither made it nor is assigned to
// it.
func (r *reader) concerned(on document.Ref) (item Item, ok bool, err error) {
	*r.looks--
	plural, uid := on.Split()
	if plural != "issues" && plural != "rfis" {
		return item, false, nil // of a project that came from elsewhere
	}
	row, err := r.kinds.Get(r.c.Context(), r.c.Store, r.scope, plural, uid)
	if fault.Is(err, fault.NotFound) {
		return item, false, nil
	}
	if err != nil {
		return item, false, err
	}
	follows := func(t *task) bool {
		me := document.Person(r.scope.Person())
		return !t.Deleted && (t.CreatedBy == me || slices.Contains(t.AssignedTo, me))
	}
	if plural == "rfis" {
		v, err := rfis.Read(row)
		if err != nil || !follows(&v.task) {
			return item, false, err
		}
		item, err = r.rfi(v, row)
		return item, true, err
	}
	v, err := issues.Read(row)
	if err != nil || !follows(&v.task) {
		return item, false, err
	}
	item, err = r.issue(v, row)
	return item, true, err
}

// item is what issues and RFIs show alike.
func (r *reader) item(plural string, t *task, row store.Row) (Item, error) {
	if err := r.site(); err != nil {
		return Item{}, err
	}
	return Item{
		Reason: "assigned", Project: *r.place, Kind: plural, UID: t.UID, URL: r.url(plural, t.UID),
		Number: numberOf(t, row), Title: t.Title, DueAt: t.DueAt, UpdatedAt: document.Stamp(row.Clock),
		Overdue: t.DueAt != nil && int64(*t.DueAt) < r.late,
	}, nil
}

func (r *reader) issue(v *issue, row store.Row) (Item, error) {
	item, err := r.item("issues", &v.task, row)
	if item.Status = v.Status; v.Status == "closed" {
		item.Overdue = false
	}
	if err == nil && v.Mark != nil && !v.Mark.Deleted {
		item.Sheet, err = r.sheet(v.Mark.Sheet.UID())
	}
	return item, err
}

func (r *reader) rfi(v *rfi, row store.Row) (Item, error) {
	item, err := r.item("rfis", &v.task, row)
	if err != nil {
		return item, err
	}
	if r.labels == nil {
		err := r.kinds.Each(r.c.Context(), r.c.Store, r.scope, "rfi_statuses", func(row store.Row) error {
			v, err := statuses.Read(row)
			if err == nil {
				r.labels = append(r.labels, v.Label)
			}
			return err
		})
		if err != nil {
			return item, err
		}
	}
	if i := int(v.Status) - 1; i >= 0 && i < len(r.labels) {
		item.Status = r.labels[i]
	}
	if int(v.Status) > len(openRFIs) {
		item.Overdue = false
	}
	return item, nil
}

// site reads the project, once.
func (r *reader) site() error {
	if r.place != nil {
		return nil
	}
	p := r.scope.Project()
	row, err := r.kinds.Get(r.c.Context(), r.c.Store, r.scope, "projects", p.UID)
	if err != nil {
		return err
	}
	v, err := sites.Read(row)
	if err != nil {
		return err
	}
	r.place = &Place{UID: p.UID, URL: r.c.Base + "/projects/" + url.PathEscape(p.UID), Name: v.Name, TimeZone: v.TimeZone}
	r.late = v.late(r.c.Store.Now())
	return nil
}

// url is the address of a record.
func (r *reader) url(plural, uid string) string {
	return r.c.Base + "/projects/" + url.PathEscape(r.scope.Project().UID) + "/" + plural + "/" + url.PathEscape(uid)
}

// sheet reads the name of a sheet, once; nil where the reader does not see it.
func (r *reader) sheet(uid string) (*Sheet, error) {
	if s, known := r.sheets[uid]; known {
		return s, nil
	}
	if r.sheets == nil {
		r.sheets = map[string]*Sheet{}
	}
	row, err := r.kinds.Get(r.c.Context(), r.c.Store, r.scope, "sheets", uid)
	if fault.Is(err, fault.NotFound) {
		r.sheets[uid] = nil
		return nil, nil //nolint:nilnil // a sheet that is not there for the reader is null
	}
	if err != nil {
		return nil, err
	}
	v, err := sheetNames.Read(row)
	if err != nil {
		return nil, err
	}
	r.sheets[uid] = &Sheet{UID: uid, URL: r.url("sheets", uid), Name: v.Name}
	return r.sheets[uid], nil
}

// remark shows what was said, and by whom.
func (r *reader) remark(v *remark) (*Remark, error) {
	text := v.Text
	if cut := []rune(text); len(cut) > mostText {
		text = string(cut[:mostText-1]) + "…"
	}
	out := &Remark{UID: v.UID, URL: r.url("comments", v.UID), Text: text, CreatedAt: v.CreatedAt}
	team, err := r.c.Auth.Team(r.c.Context(), r.scope.Project())
	if err != nil {
		return nil, err
	}
	if p := team.Person(uint32(v.CreatedBy)); p != nil {
		address := r.url("users", p.UID)
		out.CreatedBy = User{UID: &p.UID, URL: &address, Email: p.Email, Name: p.Name()}
	}
	return out, nil
}

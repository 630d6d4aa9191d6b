package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/drawing"
	"groundwork/internal/drawing/report"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// How much of a report there is at most.
const (
	// mostPictures is how many pictures a report has. Each issue has one of its place and at least one photo; mostEach
	// is how many an issue has if there are few, mostOfDay a field report.
	mostPictures, mostEach, mostOfDay = 2000, 12, 60
	// fewPictures is up to how many there are large ones.
	fewPictures = 300
	// mostText is how many bytes a report is made of, pictures aside: a child that draws it takes some ten times as
	// much memory.
	mostText = 32 << 20
	// mostLinked is how many photos, snapshots or documents of a record are looked at; of others no more is said than
	// how many there are.
	mostLinked = 500
	// gathering is how much of the way, in percent, reading the records is.
	gatheringShare = 20
)

// checkZone refuses what is no time zone.
func checkZone(zone *string) error {
	if zone == nil {
		return nil
	}
	return document.CheckZone("timezone", *zone)
}

// checkNamed finds all records that are named: fault.NotFound names one that is not there, fault.Invalid one that is
// deleted.
func checkNamed(in *look, plural, field string, uids []string, most int) error {
	what := strings.ReplaceAll(plural, "_", " ")
	switch n := len(uids); {
	case n == 0:
		return fault.Field(field, "It must name at least one of the %s.", what)
	case n > most:
		return fault.Field(field, "It names %d %s; there can be at most %d.", n, what, most)
	}
	return in.kinds.Present(in.ctx, in.store, in.project, plural, field, uids)
}

// gathering is what is read for one report.
type gathering struct {
	*Tools
	ctx     context.Context
	scope   auth.Scope
	team    *auth.Team
	project *site
	// each is how many photos one record may have, text how many bytes of records there are so far, brought how many of
	// files.
	each    int
	text    int
	brought atomic.Int64
	lists   map[string]string
	sheets  map[string]*drawnSheet
	files   []picture
	numbers map[string]int
	shots   map[string]drawing.Shot
}

// picture is a file from which a picture is made.
type picture struct {
	object string
	// small is a smaller one of the same picture, for reports of many.
	small string
	// raw is what was uploaded: nobody has looked at it yet.
	raw bool
	// drawn is a sheet's PDF, which is not cut into tiles yet.
	drawn bool
}

func newGathering(ctx context.Context, t *Tools, scope auth.Scope) (*gathering, error) {
	team, err := t.Auth.Team(ctx, scope.Project())
	if err != nil {
		return nil, err
	}
	row, err := t.All.Get(ctx, t.Store, scope, "projects", scope.Project().UID)
	if err != nil {
		return nil, err
	}
	project, err := sites.Read(row)
	if err != nil {
		return nil, err
	}
	return &gathering{
		Tools: t, ctx: ctx, scope: scope, team: team, project: project,
		lists: map[string]string{}, sheets: map[string]*drawnSheet{}, numbers: map[string]int{},
		shots: map[string]drawing.Shot{},
	}, nil
}

// front is what the report says of itself. Times are shown in the zone that was asked for, or else in the project's.
func (g *gathering) front(title string, zone, paper *string) report.Front {
	ours := orElse(g.project.TimeZone, "")
	return report.Front{
		Title: title, Project: g.project.Name, By: g.person(document.Person(g.scope.Person())), At: g.Store.Now(),
		Zone: orElse(zone, cmp.Or(ours, "UTC")), DueZone: ours, Letter: orElse(paper, "a4") == "letter",
	}
}

// distinct gives each uid once, in the order in which they are named.
func distinct(uids []string) (out []string) {
	known := map[string]bool{}
	for _, uid := range uids {
		if !known[uid] {
			known[uid] = true
			out = append(out, uid)
		}
	}
	return out
}

// weigh counts what is gathered, so that no report takes more memory than there is.
func (g *gathering) weigh(bytes int) error {
	if g.text += bytes; g.text > mostText {
		return fault.New(fault.Invalid, "The report would have more than %d MB of text. Ask for less at once.",
			mostText>>20)
	}
	return nil
}

// person is how somebody is called.
func (g *gathering) person(p document.Person) string {
	m := g.team.Person(uint32(p))
	if m == nil {
		return ""
	}
	if name := strings.TrimSpace(orElse(m.FirstName, "") + " " + orElse(m.LastName, "")); name != "" {
		return name
	}
	return m.Email
}

// list is the name of an issue list.
func (g *gathering) list(ref document.Ref) (string, error) {
	if ref == "" {
		return "", nil
	}
	uid := ref.UID()
	if name, known := g.lists[uid]; known {
		return name, nil
	}
	row, err := g.All.Get(g.ctx, g.Store, g.scope, "issue_lists", uid)
	if err != nil {
		return "", err
	}
	l, err := listNames.Read(row)
	if err == nil {
		g.lists[uid] = l.Name
	}
	return g.lists[uid], err
}

// said is what a report shows of a comment.
type said struct {
	document.Record
	Text string `json:"text"`
}

// comments are the latest of an issue, the oldest of them first, and how many there are before them.
func (g *gathering) comments(issue store.Row) (out []report.Comment, more int, err error) {
	rows, total, err := g.All.Latest(g.ctx, g.Store, g.scope, "comments", [][]string{
		{"record_type=issue"}, {"record=" + issue.UID},
	})
	for _, row := range rows {
		if err != nil {
			return nil, 0, err
		}
		var c *said
		if c, err = comments.Read(row); err == nil {
			out = append(out, report.Comment{By: g.person(c.CreatedBy), At: int64(c.CreatedAt), Text: c.Text})
		}
	}
	return out, total - len(out), err
}

// make has the report made of records of a kind, which one gathers: they are read one by one, and never held together.
func (g *gathering) make(r drawing.Report, front *report.Front, plural string, uids []string,
	one func(store.Row) (any, error), progress func(int),
) (File, error) {
	r.Records = func(r *drawing.Report, put func(any) error) error {
		for i, uid := range uids {
			if err := g.put(plural, uid, one, put); err != nil {
				return err
			}
			progress(gatheringShare * (i + 1) / len(uids))
		}
		r.Shots, r.Side = g.shots, drawing.PreviewSide/2 // to halve a picture is quick
		if g.many() {
			r.Side = drawing.ThumbnailSide
			for name, s := range r.Shots {
				s.Whole = true
				r.Shots[name] = s
			}
		}
		return nil
	}
	f, path, err := g.Drawing.Report(g.ctx, r, g.open, func(percent int) {
		progress(gatheringShare + (100-gatheringShare)*percent/100)
	})
	if err != nil {
		return File{}, err
	}
	name := fmt.Sprintf("%s %s %s.%s", g.project.Name, front.Title, front.Day(), r.Format)
	return File{Path: path, Type: types[r.Format], Name: name, Close: f.Close}, nil
}

// put gathers one record.
func (g *gathering) put(plural, uid string, one func(store.Row) (any, error), put func(any) error) error {
	row, err := g.All.Get(g.ctx, g.Store, g.scope, plural, uid)
	if err != nil {
		return err
	}
	record, err := one(row)
	if err != nil {
		return err
	}
	text, err := json.Marshal(record)
	if err == nil {
		err = g.weigh(len(text))
	}
	if err == nil {
		err = put(jsontext.Value(text))
	}
	return err
}

// many says that there are so many pictures that all are small.
func (g *gathering) many() bool { return len(g.shots) > fewPictures }

// types are the content types of the formats.
var types = map[string]string{
	"pdf":  "application/pdf",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "csv": "text/csv; charset=utf-8",
}

// file is the number of a file.
func (g *gathering) file(p picture) int {
	n, known := g.numbers[p.object]
	if !known {
		n = len(g.files)
		g.numbers[p.object] = n
		g.files = append(g.files, p)
	}
	return n
}

// open gives the file of a number. What nobody has looked at yet is looked at now.
func (g *gathering) open(n int) (io.ReadCloser, error) {
	p := g.files[n]
	if p.small != "" && g.many() {
		p.object = p.small
	}
	in, err := g.Files.Blobs.Open(g.ctx, p.object)
	if fault.Is(err, fault.NotFound) {
		return nil, fault.New(fault.NotFound, "The file is missing in the store of this service.")
	}
	if err != nil {
		return nil, err
	}
	if g.brought.Add(in.Size()) > mostBrought {
		return nil, errors.Join(fault.New(fault.Invalid,
			"This picture is left out, as those of the report are too large together. Ask for less at once."),
			in.Close())
	}
	if !p.raw && !p.drawn {
		return in, nil
	}
	f, err := g.Drawing.Bring(in)
	if closed := in.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	var path string
	if p.drawn {
		var tiles drawing.Picture
		tiles, _, err = f.Tiles(g.ctx, 1)
		path = tiles.Path
	} else {
		var photo drawing.Photo
		photo, err = f.Photo(g.ctx)
		path = photo.Preview.Path
	}
	if err == nil {
		var made *os.File
		if made, err = os.Open(path); err == nil {
			return brought{made, f}, nil
		}
	}
	_ = f.Close() // the error that counts is the first
	return nil, err
}

// brought is a file that was made in the workshop, and is removed there when it is closed.
type brought struct {
	*os.File
	of *drawing.File
}

func (b brought) Close() error {
	err := b.File.Close()
	if gone := b.of.Close(); err == nil {
		err = gone
	}
	return err
}

var comments = &resource.View[said]{Name: "share.comments", Of: []string{"comments"}}

package share

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"groundwork/internal/blob"
	"groundwork/internal/document"
	"groundwork/internal/drawing"
	"groundwork/internal/drawing/packet"
	"groundwork/internal/fault"
	"groundwork/internal/pyramid"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// binding is a packet for which everything is gathered.
type binding struct {
	*Order[Packet]
	// sheets are those that were asked for, each once; order is the packet, by their places there.
	sheets []*drawnSheet
	order  []int
	// known is where a sheet is among sheets, histories where a version of a drawing is.
	known, histories map[string]int
	// versions are all sheets of the project.
	versions map[string]version
	// brought is how many bytes of files were opened.
	brought atomic.Int64
}

// version is one version of a drawing.
type version struct {
	UID           string   `json:"uid"`
	HistorySetUID string   `json:"history_set_uid"`
	Width         float64  `json:"width"`
	Height        float64  `json:"height"`
	Scale         *float64 `json:"scale"`
	id            store.ID
}

// collect reads the sheets.
func (b *binding) collect(ctx context.Context) error {
	for _, uid := range b.Ask.SheetUIDs {
		at, have := b.known[uid]
		if !have {
			row, err := b.All.Get(ctx, b.Store, b.Scope, "sheets", uid)
			if err != nil {
				return err
			}
			s, err := drawnSheets.Read(row)
			if err != nil {
				return err
			}
			if s.FileURL == "" {
				return fault.New(fault.Invalid, "Sheet %s has no file.", s.Name)
			}
			at = len(b.sheets)
			b.known[uid] = at
			b.sheets = append(b.sheets, s)
			if _, have := b.histories[s.HistorySetUID]; !have {
				b.histories[s.HistorySetUID] = at
			}
		}
		b.order = append(b.order, at)
	}
	b.versions = map[string]version{}
	return b.All.Each(ctx, b.Store, b.Scope, "sheets", func(row store.Row) error {
		v, err := versions.Read(row)
		if err == nil {
			v.id = row.ID
			b.versions[v.UID] = *v
		}
		return err
	})
}

// packet says what is to be put together.
func (b *binding) packet(ctx context.Context) (*packet.Packet, error) {
	row, err := b.All.Get(ctx, b.Store, b.Scope, "projects", b.Scope.Project().UID)
	if err != nil {
		return nil, err
	}
	project, err := sites.Read(row)
	if err != nil {
		return nil, err
	}
	day := project.day(b.Store.Now())
	p := &packet.Packet{Title: fmt.Sprintf("%s sheets %s", project.Name, day.Format(time.DateOnly))}
	if b.Ask.Cover != nil && *b.Ask.Cover {
		p.Cover = &packet.Cover{
			Project: project.Name, Note: fmt.Sprintf("%s, %s", sheetCount(len(b.order)), day.Format("2 January 2006")),
		}
	}
	p.Order = b.order
	for at, s := range b.sheets {
		one := packet.Sheet{File: at, Name: s.Name, Version: s.VersionName}
		if s.Description != nil {
			one.Title = *s.Description
		}
		for _, l := range s.Links {
			if to, in := b.leads(l.Sheet.UID()); in {
				one.Links = append(one.Links, packet.Link{Sheet: to, X0: l.X0, Y0: l.Y0, X1: l.X1, Y1: l.Y1})
			}
		}
		p.Sheets = append(p.Sheets, one)
	}
	return p, nil
}

func sheetCount(n int) string {
	if n == 1 {
		return "1 sheet"
	}
	return fmt.Sprintf("%d sheets", n)
}

// leads is where a reference leads inside the packet: to that sheet, or to the version of the same drawing that is
// there.
func (b *binding) leads(uid string) (int, bool) {
	if at, in := b.known[uid]; in {
		return at, true
	}
	at, in := b.histories[b.versions[uid].HistorySetUID]
	return at, in
}

// within opens files as long as they are not too many bytes for one packet.
func (b *binding) within(open func(n int) (blob.Object, error)) func(int) (io.ReadCloser, error) {
	return func(n int) (io.ReadCloser, error) {
		in, err := open(n)
		if err != nil {
			return nil, err
		}
		if b.brought.Add(in.Size()) > mostBrought {
			_ = in.Close() // nothing was read
			return nil, fault.New(fault.Invalid,
				"The files of these sheets have more than %d GB. Ask for fewer sheets at once.", mostBrought>>30)
		}
		return in, nil
	}
}

// annotation is what a packet shows of one.
type annotation struct {
	Kind     string       `json:"kind"`
	Color    string       `json:"color"`
	Stamp    *string      `json:"stamp"`
	Text     *string      `json:"text"`
	Width    *float64     `json:"width"`
	Measure  *string      `json:"measure"`
	Sheet    document.Ref `json:"sheet"`
	Issue    document.Ref `json:"issue"`
	Geometry *struct {
		Points []struct {
			X float64 `json:"x"`
			Y float64 `json:"y"`
		} `json:"points"`
	} `json:"geometry"`
}

// placedMark is a mark that is written already.
type placedMark struct {
	number int
	sheet  string
	issue  document.Ref
}

// mark writes what the asker sees on each sheet, in the order in which it was drawn. Of a mark it keeps no more than
// where it is.
func (b *binding) mark(ctx context.Context, book *drawing.MarkBook) error {
	shown := b.shownOn()
	var all []placedMark
	marks, strokes := 0, 0
	// Whatever is read counts before it is kept, also marks of deleted issues, which are not drawn.
	err := b.All.Each(ctx, b.Store, b.Scope, "annotations", func(row store.Row) error {
		if row.Deleted {
			return nil
		}
		a, err := annotations.Read(row)
		if err != nil || a.Geometry == nil || len(shown[a.Sheet.UID()]) == 0 {
			return err
		}
		m := a.mark(b.versions[a.Sheet.UID()])
		times := len(shown[a.Sheet.UID()])
		marks, strokes = marks+times, strokes+times*m.Strokes()
		if marks > mostMarks || strokes > mostStrokes {
			return fault.New(fault.Invalid,
				"More is drawn on these sheets than a packet can hold: at most %d annotations and %d points. "+
					"Ask for fewer sheets at once, or leave the annotations out (include_annotations false).",
				mostMarks, mostStrokes)
		}
		number, err := book.Add(m)
		all = append(all, placedMark{number, strings.Clone(a.Sheet.UID()), a.Issue})
		return err
	})
	if err != nil {
		return err
	}
	gone := map[string]bool{}
	for _, m := range all {
		if deleted, err := b.deleted(ctx, m.issue, gone); err != nil {
			return err
		} else if deleted {
			continue
		}
		for _, at := range shown[m.sheet] {
			book.Put(m.number, at)
		}
	}
	return nil
}

// mark is the annotation as it is drawn; it was made on a sheet.
func (a *annotation) mark(on version) *packet.Mark {
	m := &packet.Mark{
		Kind: a.Kind, Color: a.Color, Stamp: orElse(a.Stamp, ""), Text: orElse(a.Text, ""), Width: orElse(a.Width, 0),
	}
	for _, at := range a.Geometry.Points {
		m.Points = append(m.Points, packet.Point{X: at.X, Y: at.Y})
	}
	if a.Measure != nil {
		m.Closed = *a.Measure == "area"
		m.Text = packet.Measured(m.Points, on.Width, on.Height, orElse(on.Scale, 0), m.Closed)
	}
	return m
}

// shownOn gives the sheets of the packet on which the annotations of a sheet are drawn: it itself, and later versions
// of the same size.
func (b *binding) shownOn() map[string][]int {
	family := map[string][]version{}
	for _, v := range b.versions {
		family[v.HistorySetUID] = append(family[v.HistorySetUID], v)
	}
	out := map[string][]int{}
	for at, s := range b.sheets {
		own := b.versions[s.UID]
		for _, v := range family[own.HistorySetUID] {
			if v.id <= own.id && math.Abs(v.Width-own.Width) < 1 && math.Abs(v.Height-own.Height) < 1 {
				out[v.UID] = append(out[v.UID], at)
			}
		}
	}
	return out
}

// deleted tells whether the issue whose place is shown is; known remembers.
func (b *binding) deleted(ctx context.Context, issue document.Ref, known map[string]bool) (bool, error) {
	if issue == "" {
		return false, nil
	}
	uid := issue.UID()
	if was, have := known[uid]; have {
		return was, nil
	}
	row, err := b.All.Get(ctx, b.Store, b.Scope, "issues", uid)
	if err != nil {
		return false, err
	}
	i, err := deletions.Read(row)
	if err == nil {
		known[uid] = i.Deleted
	}
	return err == nil && i.Deleted, err
}

var (
	annotations = &resource.View[annotation]{Name: "share.annotations", Of: []string{"annotations"}}
	versions    = &resource.View[version]{Name: "share.versions", Of: []string{"sheets"}}
)

// drawnSheet is what a packet shows of a sheet.
type drawnSheet struct {
	UID           string        `json:"uid"`
	Name          string        `json:"name"`
	Description   *string       `json:"description"`
	VersionName   string        `json:"version_name"`
	HistorySetUID string        `json:"history_set_uid"`
	FileURL       document.File `json:"file_url"`
	TilesURL      pyramid.Tiles `json:"tiles_url"`
	Width         float64       `json:"width"`
	Height        float64       `json:"height"`
	Links         []callout     `json:"links"`
}

// callout is a place on a sheet that refers to another one.
type callout struct {
	Sheet document.Ref `json:"sheet"`
	X0    float64      `json:"x0"`
	Y0    float64      `json:"y0"`
	X1    float64      `json:"x1"`
	Y1    float64      `json:"y1"`
}

var drawnSheets = &resource.View[drawnSheet]{Name: "share.drawnSheets", Of: []string{"sheets"}}

// How much of a packet there is at most.
const (
	// mostSheets is how many pages of sheets there may be.
	mostSheets = 1000
	// mostMarks is how many annotations there may be on all sheets together, mostStrokes how many lines it may take to
	// draw them: some 60 MB before they are packed. A sheet that is there again counts once.
	mostMarks, mostStrokes = 100_000, 1_000_000
	// mostBrought is how many bytes of files are copied to where a packet or a report is put together.
	mostBrought = 4 << 30
)

package share

import (
	"context"
	"fmt"
	"math"
	"time"

	"groundwork/internal/drawing/packet"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// binding is a packet for which everything is gathered.
type binding struct {
	*Order[Packet]
	// sheets are those that were asked for, each once; order is the packet, by their places there.
	sheets []*drawnSheet
	order  []int
	// pages is where a sheet is first in the packet, histories where a version of a drawing is.
	pages, histories map[string]int
	// versions are all sheets of the project.
	versions map[string]version
}

// version is one version of a drawing.
type version struct {
	UID           string  `json:"uid"`
	HistorySetUID string  `json:"history_set_uid"`
	Width         float64 `json:"width"`
	Height        float64 `json:"height"`
	id            store.ID
}

// collect reads the sheets.
func (b *binding) collect(ctx context.Context) error {
	known := map[string]int{}
	for page, uid := range b.Ask.SheetUIDs {
		at, have := known[uid]
		if !have {
			row, err := b.All.Get(ctx, b.Store, b.Scope, "sheets", uid)
			if err != nil {
				return err
			}
			s, err := resource.Load[drawnSheet](row)
			if err != nil {
				return err
			}
			if s.FileURL == "" {
				return fault.New(fault.Invalid, "Sheet %s has no file.", s.Name)
			}
			at = len(b.sheets)
			known[uid] = at
			b.sheets = append(b.sheets, s)
			b.pages[uid] = page
			if _, have := b.histories[s.HistorySetUID]; !have {
				b.histories[s.HistorySetUID] = page
			}
		}
		b.order = append(b.order, at)
	}
	b.versions = map[string]version{}
	return b.All.Each(ctx, b.Store, b.Scope, "sheets", func(row store.Row) error {
		v, err := resource.Load[version](row)
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
	project, err := resource.Load[struct {
		Name string `json:"name"`
	}](row)
	if err != nil {
		return nil, err
	}
	day := time.UnixMicro(b.Store.Now()).UTC()
	p := &packet.Packet{Title: fmt.Sprintf("%s sheets %s", project.Name, day.Format(time.DateOnly))}
	if b.Ask.Cover != nil && *b.Ask.Cover {
		p.Cover = &packet.Cover{Project: project.Name, Note: fmt.Sprintf("%s, %s", sheetCount(len(b.order)), day.Format("2 January 2006"))}
	}
	marks := map[string][]packet.Mark{}
	if b.Ask.IncludeAnnotations == nil || *b.Ask.IncludeAnnotations {
		if marks, err = b.marks(ctx); err != nil {
			return nil, err
		}
	}
	for _, at := range b.order {
		s := b.sheets[at]
		one := packet.Sheet{File: at, Name: s.Name, Version: s.VersionName, Marks: marks[s.UID]}
		if s.Description != nil {
			one.Title = *s.Description
		}
		for _, l := range s.Links {
			if page, in := b.page(l.Sheet.UID()); in {
				one.Links = append(one.Links, packet.Link{Sheet: page, X0: l.X0, Y0: l.Y0, X1: l.X1, Y1: l.Y1})
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

// page is where a reference leads inside the packet: to that sheet, or to the version of the same drawing that is there.
func (b *binding) page(uid string) (int, bool) {
	if page, in := b.pages[uid]; in {
		return page, true
	}
	page, in := b.histories[b.versions[uid].HistorySetUID]
	return page, in
}

// annotation is what a packet shows of one.
type annotation struct {
	Kind     string       `json:"kind"`
	Color    string       `json:"color"`
	Stamp    *string      `json:"stamp"`
	Text     *string      `json:"text"`
	Sheet    resource.Ref `json:"sheet"`
	Issue    resource.Ref `json:"issue"`
	Geometry *struct {
		Points []struct {
			X float64 `json:"x"`
			Y float64 `json:"y"`
		} `json:"points"`
	} `json:"geometry"`
}

// marks gives what the asker sees on each sheet, by its uid, in the order in which it was drawn.
func (b *binding) marks(ctx context.Context) (map[string][]packet.Mark, error) {
	shown := b.shownOn()
	var all []*annotation
	err := b.All.Each(ctx, b.Store, b.Scope, "annotations", func(row store.Row) error {
		if row.Deleted {
			return nil
		}
		a, err := resource.Load[annotation](row)
		if err == nil && a.Geometry != nil && len(shown[a.Sheet.UID()]) > 0 {
			all = append(all, a)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	gone := map[string]bool{}
	out := map[string][]packet.Mark{}
	for _, a := range all {
		if deleted, err := b.deleted(ctx, a.Issue, gone); err != nil {
			return nil, err
		} else if deleted {
			continue
		}
		m := packet.Mark{Kind: a.Kind, Color: a.Color}
		if a.Stamp != nil {
			m.Stamp = *a.Stamp
		}
		if a.Text != nil {
			m.Text = *a.Text
		}
		for _, at := range a.Geometry.Points {
			m.Points = append(m.Points, packet.Point{X: at.X, Y: at.Y})
		}
		for _, uid := range shown[a.Sheet.UID()] {
			out[uid] = append(out[uid], m)
		}
	}
	return out, nil
}

// shownOn gives the sheets of the packet on which the annotations of a sheet are drawn: it itself, and later versions of the same size.
func (b *binding) shownOn() map[string][]string {
	out := map[string][]string{}
	for _, s := range b.sheets {
		own := b.versions[s.UID]
		for _, v := range b.versions {
			if v.HistorySetUID == own.HistorySetUID && v.id <= own.id && math.Abs(v.Width-own.Width) < 1 && math.Abs(v.Height-own.Height) < 1 {
				out[v.UID] = append(out[v.UID], s.UID)
			}
		}
	}
	return out
}

// deleted tells whether the issue whose place is shown is; known remembers.
func (b *binding) deleted(ctx context.Context, issue resource.Ref, known map[string]bool) (bool, error) {
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
	i, err := resource.Load[struct {
		Deleted bool `json:"deleted"`
	}](row)
	if err == nil {
		known[uid] = i.Deleted
	}
	return err == nil && i.Deleted, err
}

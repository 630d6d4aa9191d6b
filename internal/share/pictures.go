package share

import (
	"fmt"
	"strconv"

	"groundwork/internal/document"
	"groundwork/internal/drawing"
	"groundwork/internal/drawing/report"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// reportedPhoto is what a report shows of a photo, or of a snapshot, which has less.
type reportedPhoto struct {
	document.Record
	Title        *string        `json:"title"`
	URL          document.File  `json:"url"`
	TakenAt      *document.Time `json:"taken_at" of:"photos"`
	TakenOffset  *int64         `json:"taken_offset" of:"photos"`
	PreviewURL   document.File  `json:"preview_url" of:"photos"`
	ThumbnailURL document.File  `json:"thumbnail_url" of:"photos"`
	ImageError   *string        `json:"image_error" of:"photos"`
	Size         int64          `json:"size"`
}

// photos are the pictures of a record, photos and then snapshots, and how many more there are.
func (g *gathering) photos(owner store.Row, plural string, pictured bool) (out []report.Photo, more int, err error) {
	for _, collection := range []string{"photos", "snapshots"} {
		rows, left, err := g.All.Linked(g.ctx, g.Store, g.scope, plural, owner, collection, mostLinked)
		if err != nil {
			return nil, 0, err
		}
		more += left
		for _, row := range rows {
			p, err := photos.Read(row)
			switch {
			case err != nil:
				return nil, 0, err
			case p.Deleted:
			case len(out) >= g.each:
				more++
			default:
				out = append(out, g.photo(p, pictured))
			}
		}
	}
	return out, more, nil
}

func (g *gathering) photo(p *reportedPhoto, pictured bool) report.Photo {
	out := report.Photo{
		Title: orElse(p.Title, ""), By: g.person(p.CreatedBy), Taken: (*int64)(p.TakenAt), Local: p.TakenOffset == nil,
	}
	if !pictured {
		return out
	}
	shot := drawing.Shot{}
	switch {
	case p.ImageError != nil:
		shot.Problem = *p.ImageError
	case p.PreviewURL != "":
		shot.File = g.file(picture{object: string(p.PreviewURL), small: string(p.ThumbnailURL)})
	case drawing.TooLarge(p.Size) != nil:
		shot.Problem = drawing.TooLarge(p.Size).Error()
	default:
		shot.File = g.file(picture{object: string(p.URL), raw: true})
	}
	out.Picture = g.shoot(shot)
	return out
}

// shoot names a picture.
func (g *gathering) shoot(s drawing.Shot) string {
	name := strconv.Itoa(len(g.shots))
	g.shots[name] = s
	return name
}

// place is where an issue is.
func (g *gathering) place(mark string, sheet document.Ref, color, stamp string, pictured bool) (*report.Place, error) {
	s, known := g.sheets[sheet.UID()]
	if !known {
		row, err := g.All.Get(g.ctx, g.Store, g.scope, "sheets", sheet.UID())
		if err != nil {
			return nil, err
		}
		if s, err = drawnSheets.Read(row); err != nil {
			return nil, err
		}
		g.sheets[sheet.UID()] = s
	}
	out := &report.Place{Sheet: s.Name, Title: orElse(s.Description, ""), Color: color, Stamp: stamp}
	if !pictured {
		return out, nil
	}
	row, err := g.All.Get(g.ctx, g.Store, g.scope, "annotations", mark)
	if err != nil {
		return nil, err
	}
	a, err := annotations.Read(row)
	if err != nil {
		return nil, err
	}
	view := &drawing.View{Width: s.Width, Height: s.Height, Kind: a.Kind}
	if a.Geometry != nil {
		for _, p := range a.Geometry.Points {
			view.Points = append(view.Points, report.Point{X: p.X, Y: p.Y})
		}
	}
	shot := drawing.Shot{View: view}
	switch {
	case s.TilesURL != "":
		shot.File = g.file(picture{object: s.TilesURL.Object()})
	case s.FileURL == "":
		shot.Problem = fmt.Sprintf("Sheet %s has no file.", s.Name)
	default:
		shot.File = g.file(picture{object: string(s.FileURL), drawn: true})
	}
	out.Picture = g.shoot(shot)
	return out, nil
}

// documents are the names of the documents of a record.
func (g *gathering) documents(owner store.Row, plural string) (out []string, err error) {
	rows, left, err := g.All.Linked(g.ctx, g.Store, g.scope, plural, owner, "attachments", mostLinked)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		d, err := filed.Read(row)
		switch {
		case err != nil:
			return nil, err
		case d.Deleted:
		case d.Folder == nil:
			out = append(out, d.Name)
		default:
			out = append(out, fmt.Sprintf("%s (%s)", d.Name, *d.Folder))
		}
	}
	if left > 0 {
		out = append(out, fmt.Sprintf("and %d more", left))
	}
	return out, nil
}

var photos = &resource.View[reportedPhoto]{Name: "share.photos", Of: []string{"photos", "snapshots"}}

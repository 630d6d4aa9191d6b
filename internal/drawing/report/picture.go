package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"groundwork/internal/drawing/print"
)

// shot is a picture with its caption, as it is asked for.
type shot struct {
	name, caption string
	place         *Place
}

// gallery shows pictures in rows: each whole in a box of four to three, under it what it is.
func (p *paper) gallery(shots []shot) {
	columns, w, h := p.frames(len(shots))
	for len(shots) > 0 {
		row := shots[:min(columns, len(shots))]
		shots = shots[len(row):]
		lines, high := make([][]print.Line, len(row)), 0
		for i, s := range row {
			if s.caption != "" {
				lines[i] = p.Most(2, s.caption, caption, w)
			}
			high = max(high, len(lines[i]))
		}
		under := float64(high)*leading(caption) + 1.2
		p.need(h + under)
		for i, s := range row {
			x := p.left + float64(i)*(w+frameGap)
			p.show(s, x, p.y, w, h)
			p.block(lines[i], caption, grey, x, p.y+h+1.2, w)
		}
		p.y += h + under + 3
	}
}

const frameGap = 5.0

// frames says how so many pictures are laid out: in how many columns, and how large each box is.
func (p *paper) frames(n int) (columns int, w, h float64) {
	columns = 2
	if n == 3 || n > 4 {
		columns = 3
	}
	w = (p.width() - frameGap*float64(columns-1)) / float64(columns)
	return columns, w, w * 3 / 4
}

// galleryHeight is how high the first row of a gallery is, captions included.
func (p *paper) galleryHeight(n int) float64 {
	if n == 0 {
		return 0
	}
	_, _, h := p.frames(n)
	return h + 2*leading(caption) + 4
}

// show draws a picture into a box, as large as it fits, or says why there is none.
func (p *paper) show(s shot, x, y, w, h float64) {
	p.fill(shade, x, y, w, h)
	picture := p.pictures(s.name)
	if len(picture.JPEG) == 0 {
		text := picture.Problem
		if text == "" {
			text = "The picture is not there."
		}
		lines := p.Most(5, text, small, w-12)
		p.block(lines, small, grey, x+6, y+(h-float64(len(lines))*leading(small))/2, w-12)
		return
	}
	scale := min(w/float64(picture.Width), h/float64(picture.Height))
	pw, ph := float64(picture.Width)*scale, float64(picture.Height)*scale
	x, y = x+(w-pw)/2, y+(h-ph)/2
	// Two equal pictures under two names would be written as one name twice.
	sum := sha256.Sum256(picture.JPEG)
	name, options := hex.EncodeToString(sum[:]), fpdf.ImageOptions{ImageType: "JPEG"}
	if p.pdf.GetImageInfo(name) == nil {
		p.pdf.RegisterImageOptionsReader(name, options, bytes.NewReader(picture.JPEG))
	}
	p.pdf.ImageOptions(name, x, y, pw, ph, false, options, 0, "")
	if s.place != nil {
		p.place(s.place, picture, x, y, pw, ph)
	}
}

// place draws the mark of an issue on its surroundings.
func (p *paper) place(place *Place, picture Picture, x, y, w, h float64) {
	c := parse(place.Color)
	p.pdf.ClipRect(x, y, w, h, false)
	p.pdf.SetDrawColor(c[0], c[1], c[2])
	p.pdf.SetLineWidth(0.5)
	for _, m := range picture.Marks {
		for i, a := range m.Points {
			if i > 0 || m.Closed {
				b := m.Points[(i+len(m.Points)-1)%len(m.Points)]
				p.pdf.Line(x+b.X*w, y+b.Y*h, x+a.X*w, y+a.Y*h)
			}
		}
	}
	if picture.Pin != nil {
		p.pin(c, place.Stamp, x+picture.Pin.X*w, y+picture.Pin.Y*h)
	}
	p.pdf.ClipEnd()
	p.pdf.SetDrawColor(line[0], line[1], line[2])
	p.pdf.SetLineWidth(0.2)
	p.pdf.Rect(x, y, w, h, "D")
}

// pin draws the head of a pin with up to two letters on it.
func (p *paper) pin(c ink, stamp string, x, y float64) {
	const r = 3.0
	p.pdf.SetAlpha(0.25, "Normal")
	p.pdf.SetFillColor(c[0], c[1], c[2])
	p.pdf.Circle(x, y, 2*r, "F")
	p.pdf.SetAlpha(1, "Normal")
	p.pdf.SetDrawColor(255, 255, 255)
	p.pdf.SetLineWidth(0.5)
	p.pdf.Circle(x, y, r, "FD")
	if stamp != "" {
		st := print.Style{Bold: true, Size: 7}
		l := p.Line(stamp)
		p.color(on(c))
		p.Set(x-p.Width(l, st)/2, y+0.9, l, st)
	}
}

// on is the colour of letters that can be read on another.
func on(c ink) ink {
	if 299*c[0]+587*c[1]+114*c[2] > 160_000 {
		return black
	}
	return white
}

// parse reads a colour such as #ff0000.
func parse(color string) ink {
	var c ink
	if n, err := fmt.Sscanf(strings.ToLower(color), "#%02x%02x%02x", &c[0], &c[1], &c[2]); n != 3 || err != nil {
		return alarm
	}
	return c
}

// about is the caption of a photo.
func (p *paper) about(f Photo) string {
	var parts []string
	if t := strings.TrimSpace(f.Title); t != "" {
		parts = append(parts, t)
	}
	if f.Taken != nil {
		if f.Local {
			parts = append(parts, at(*f.Taken, time.UTC).Format(timeForm))
		} else {
			parts = append(parts, at(*f.Taken, p.zone).Format(timeForm))
		}
	}
	if f.By != "" {
		parts = append(parts, f.By)
	}
	return strings.Join(parts, " · ")
}

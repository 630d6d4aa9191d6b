package demo

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"time"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

const (
	photoWidth  = 1024
	photoHeight = 768
)

// picture is a surface on a site, seen from the front: nothing was photographed, all of it is drawn.
type picture struct {
	*image.RGBA
	chance *rand.Rand
	grid   [64][64]float64 // of the noise
}

// photograph draws a surface and lays a card with what it is beside it.
func photograph(seed uint64, title string, taken time.Time, show func(*picture)) ([]byte, error) {
	p := &picture{
		RGBA: image.NewRGBA(image.Rect(0, 0, photoWidth, photoHeight)), chance: rand.New(rand.NewPCG(seed, 2)),
	}
	for y := range p.grid {
		for x := range p.grid[y] {
			p.grid[y][x] = p.chance.Float64()
		}
	}
	show(p)
	if err := p.card(title, taken); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, p.RGBA, &jpeg.Options{Quality: 80}); err != nil {
		return nil, err
	}
	return exif(out.Bytes(), taken), nil
}

// noise is between 0 and 1, and smooth over so many pixels.
func (p *picture) noise(x, y int, over float64) float64 {
	fx, fy := float64(x)/over, float64(y)/over
	x0, y0 := float64(int(fx)), float64(int(fy)) // nothing is below zero
	dx, dy := fx-x0, fy-y0
	i, j := int(x0)&63, int(y0)&63
	one, next := &p.grid[j], &p.grid[(j+1)&63]
	top := one[i] + (one[(i+1)&63]-one[i])*dx
	low := next[i] + (next[(i+1)&63]-next[i])*dx
	return top + (low-top)*dy
}

// shade paints every pixel: a colour made lighter or darker by what of gives, grain, and less light towards the edges.
func (p *picture) shade(of func(x, y int) (base color.RGBA, light float64)) {
	for y := range photoHeight {
		for x := range photoWidth {
			base, light := of(x, y)
			cx, cy := float64(x)/photoWidth-.45, float64(y)/photoHeight-.4
			light *= 1.08 - .55*(cx*cx+cy*cy) + (p.grid[(x*7+y*13)&63][(y*5+x/3)&63]-.5)*.07
			i := p.PixOffset(x, y)
			p.Pix[i], p.Pix[i+1], p.Pix[i+2], p.Pix[i+3] = dim(base.R, light), dim(base.G, light), dim(base.B,
				light), 255
		}
	}
}

func dim(c uint8, light float64) uint8 { return uint8(max(0, min(255, float64(c)*light))) }

// cloudy is unevenness at three sizes.
func (p *picture) cloudy(x, y int) float64 {
	return .8 + .22*p.noise(x, y, 260) + .12*p.noise(x, y, 61) + .06*p.noise(x, y, 13)
}

var grey = color.RGBA{R: 168, G: 165, B: 158, A: 255}

// concrete is a wall with the joints of its formwork and the holes of its ties.
func (p *picture) concrete() {
	const panel, lift = 420, 310
	p.shade(func(x, y int) (color.RGBA, float64) {
		light := p.cloudy(x, y)
		if x%panel < 4 || y%lift < 4 {
			light *= .82
		}
		dx, dy := x%panel-panel/2, y%lift-lift/2
		if r := dx*dx + dy*dy; r < 170 {
			light *= .45
		} else if r < 260 {
			light *= .8
		}
		return grey, light
	})
}

// cracked is concrete with a crack from side to side.
func (p *picture) cracked() {
	path, branch := p.walk(photoHeight/3), p.walk(photoHeight/2)
	p.shade(func(x, y int) (color.RGBA, float64) {
		light := p.cloudy(x, y)
		width := 1.5 + 3*p.noise(x, 7, 90)
		if math.Abs(float64(y)-path[x]) < width || x > photoWidth/2 && math.Abs(float64(y)-branch[x]) < width/2 {
			light *= .35
		}
		return grey, light
	})
}

// walk is a line that wanders from left to right.
func (p *picture) walk(from float64) []float64 {
	line, y, slope := make([]float64, photoWidth), from, .1
	for x := range line {
		slope = max(-1.4, min(1.6, slope+(p.chance.Float64()-.49)*.35))
		y += slope
		line[x] = y
	}
	return line
}

// brick is running bond; each brick has its own colour.
func (p *picture) brick() {
	const long, high, joint = 156, 52, 9
	p.shade(func(x, y int) (color.RGBA, float64) {
		row := y / high
		at := x + row%2*long/2
		if at%long < joint || y%high < joint {
			return color.RGBA{R: 186, G: 178, B: 164, A: 255}, .85 + .2*p.noise(x, y, 5)
		}
		own := p.grid[row&63][at/long&63]
		return color.RGBA{
			R: uint8(132 + 50*own), G: uint8(66 + 26*own), B: uint8(50 + 18*own), A: 255,
		}, .82 + .3*p.noise(x, y, 9)
	})
}

// ceiling is a grid with tiles, one of them stained.
func (p *picture) ceiling() {
	const tile, bar = 250, 10
	cx, cy := 250+250*p.chance.IntN(3)+120, 250+130
	p.shade(func(x, y int) (color.RGBA, float64) {
		if x%tile < bar || y%tile < bar {
			light := 1.
			if x%tile < 2 || y%tile < 2 {
				light = .75
			}
			return color.RGBA{R: 240, G: 240, B: 236, A: 255}, light
		}
		light := .9 + .1*p.noise(x, y, 40)
		if p.noise(x*3, y*3, 7) > .83 {
			light *= .8
		}
		base := color.RGBA{R: 226, G: 225, B: 218, A: 255}
		far := math.Hypot(float64(x-cx), float64(y-cy)) + 40*p.noise(x, y, 30)
		switch {
		case far > 96 && far < 112:
			base = color.RGBA{R: 164, G: 132, B: 88, A: 255}
		case far <= 96:
			base = color.RGBA{R: 205, G: 188, B: 152, A: 255}
		}
		return base, light
	})
}

// rebar is a mat of bars over dark ground, tied at the crossings.
func (p *picture) rebar() {
	const over, bar = 128, 15
	rust := color.RGBA{R: 150, G: 98, B: 64, A: 255}
	p.shade(func(x, y int) (color.RGBA, float64) {
		ax, ay := (x+y/9)%over, (y+x/14)%over
		ribs := .78 + .3*math.Abs(math.Sin(float64(x+y)/4))
		switch {
		case ax < bar:
			return rust, ribs * (1.25 - math.Abs(float64(ax)-bar/2)/bar)
		case ay < bar:
			return rust, ribs * (1.1 - math.Abs(float64(ay)-bar/2)/bar)
		case ax < bar+7 || ay < bar+7:
			return color.RGBA{R: 58, G: 54, B: 50, A: 255}, .6
		}
		return color.RGBA{R: 112, G: 104, B: 94, A: 255}, .55 + .4*p.noise(x, y, 22)
	})
}

// board is gypsum board with taped joints and screws.
func (p *picture) board() {
	p.shade(func(x, y int) (color.RGBA, float64) {
		base, light := color.RGBA{R: 205, G: 203, B: 196, A: 255}, .93+.07*p.noise(x, y, 80)
		mud := color.RGBA{R: 236, G: 234, B: 228, A: 255}
		edge := 46 + 22*p.noise(x, y, 33)
		if math.Abs(float64(x-520)) < edge || math.Abs(float64(y-610)) < edge {
			base, light = mud, .95+.08*p.noise(x, y, 11)
		}
		dx, dy := float64(x%210-105), float64(y%160-80)
		if math.Hypot(dx, dy) < 17+6*p.noise(x, y, 9) {
			base = mud
		}
		return base, light
	})
}

// tile is a wall of square tiles, one cracked from corner to corner.
func (p *picture) tile() {
	const side, joint = 160, 6
	col, row := 2+p.chance.IntN(4), 1+p.chance.IntN(4)
	p.shade(func(x, y int) (color.RGBA, float64) {
		if x%side < joint || y%side < joint {
			return color.RGBA{R: 150, G: 150, B: 146, A: 255}, .9
		}
		own := p.grid[y/side&63][x/side&63]
		light := .96 + .06*own + .12*(1-float64(x%side+y%side)/(2*side))
		if x/side == col && y/side == row && math.Abs(float64(x%side-y%side)+14*(p.noise(x, y, 18)-.5)) < 2.5 {
			light = .3
		}
		return color.RGBA{R: 196, G: 212, B: 214, A: 255}, light
	})
}

// card writes what is shown, where and when, on white paper.
func (p *picture) card(title string, taken time.Time) error {
	face, err := opentype.Parse(gomedium.TTF)
	if err != nil {
		return err
	}
	paper := image.Rect(40, photoHeight-190, 720, photoHeight-40)
	draw.Draw(p, paper.Add(image.Pt(6, 8)), image.NewUniform(color.RGBA{A: 90}), image.Point{}, draw.Over)
	draw.Draw(p, paper, image.NewUniform(color.RGBA{R: 250, G: 249, B: 244, A: 255}), image.Point{}, draw.Src)
	for i, line := range []string{title, Name, taken.Format("Monday, 2 January 2006")} {
		size := 24.
		if i == 0 {
			size = 32
		}
		f, err := opentype.NewFace(face, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingFull})
		if err != nil {
			return err
		}
		d := font.Drawer{
			Dst: p, Src: image.NewUniform(color.RGBA{R: 30, G: 34, B: 40, A: 255}), Face: f,
			Dot: fixed.P(paper.Min.X+28, paper.Min.Y+50+i*40),
		}
		d.DrawString(line)
	}
	return nil
}

package draft

import (
	"fmt"
	"math/rand/v2"
)

// building is what the sheets of a set show: a bar of rooms along a corridor, perhaps with a wing at a right angle.
// Lengths are in feet, y runs south.
type building struct {
	seed   uint64
	use    use
	floors int
	storey float64
	bars   []bar
	xs, ys []float64 // grid lines
	wings  bool      // room numbers begin with a letter of the wing
}

// bar is a double-loaded corridor: u runs along it, v across.
type bar struct {
	x, y               float64
	length             float64
	north, hall, south float64 // depths of the bands
	upright            bool    // u runs south instead of east
	stub               float64 // where the wing's corridor passes through the south band; 0 when none does
	stubWidth          float64
}

func (b bar) depth() float64 { return b.north + b.hall + b.south }

func (b bar) at(u, v float64) point {
	if b.upright {
		return point{b.x + v, b.y + u}
	}
	return point{b.x + u, b.y + v}
}

type room struct {
	name, number string
	lo, hi       point
	furniture    string
	door         point
}

func (r room) mid() point    { return point{(r.lo.x + r.hi.x) / 2, (r.lo.y + r.hi.y) / 2} }
func (r room) w() float64    { return r.hi.x - r.lo.x }
func (r room) h() float64    { return r.hi.y - r.lo.y }
func (r room) area() float64 { return r.w() * r.h() }

type wall struct {
	a, b    point
	outside bool
}

// opening is a door or a window in a wall; to points into the room it opens to.
type opening struct {
	at     point
	to     point
	wide   float64
	hinge  float64 // -1 or 1: on which side of the opening the door hangs
	tag    string
	window bool
}

// level is one storey as built, or as last revised.
type level struct {
	rooms    []room
	walls    []wall
	openings []opening
	stairs   []room
	lifts    []room
	halls    []room
	cloud    *[2]point // what the last revision changed
}

func newBuilding(seed uint64, floors int) *building {
	r := rand.New(rand.NewPCG(seed, 11))
	b := &building{
		seed: seed, use: uses[r.IntN(len(uses))], floors: floors,
		storey: []float64{11, 12, 13, 14}[r.IntN(4)], wings: r.IntN(3) == 0,
	}
	bay := []float64{24, 26, 28, 30}[r.IntN(4)]
	bays := 4 + r.IntN(3)
	main := bar{
		length: bay * float64(bays), north: 20 + float64(r.IntN(4))*2, hall: 7 + float64(r.IntN(3)),
		south: 20 + float64(r.IntN(4))*2,
	}
	for i := range bays + 1 {
		b.xs = append(b.xs, bay*float64(i))
	}
	b.ys = []float64{0, main.north, main.north + main.hall, main.depth()}
	if bays > 5 || r.IntN(2) == 0 {
		wing := bar{
			length: bay * float64(2+r.IntN(2)), north: bay - 4, hall: 8, south: bay - 4, upright: true, y: main.depth(),
		}
		if r.IntN(2) == 0 {
			wing.x = main.length - wing.depth()
		}
		main.stub, main.stubWidth = wing.x+wing.north, wing.hall
		for y := main.depth() + bay; y <= main.depth()+wing.length+1; y += bay {
			b.ys = append(b.ys, y)
		}
		b.bars = []bar{main, wing}
	} else {
		b.bars = []bar{main}
	}
	return b
}

// size is the extent of the building.
func (b *building) size() (w, h float64) { return b.xs[len(b.xs)-1], b.ys[len(b.ys)-1] }

// level makes a storey, numbered from 1. The same number is the same storey on every sheet; a revision moves one wall.
func (b *building) level(n, revision int) *level {
	l := &level{}
	r := rand.New(rand.NewPCG(b.seed, 100+uint64(n)))
	count := 0
	for i, k := range b.bars {
		b.fill(l, k, i, n, r, &count, revision)
	}
	return l
}

// piece is a stretch of a band: a room, a stair, a shaft.
type piece struct {
	from, to float64
	what     string
}

// cut divides a band between its fixed pieces into rooms.
func cut(length float64, fixed []piece, u use, r *rand.Rand) []piece {
	var out []piece
	at := 0.0
	rooms := func(to float64) {
		for to-at > 0.5 {
			wide := u.widths[r.IntN(len(u.widths))]
			if to-at < wide+9 {
				wide = to - at
			}
			out = append(out, piece{at, at + wide, ""})
			at += wide
		}
	}
	for _, f := range fixed {
		rooms(f.from)
		out = append(out, f)
		at = f.to
	}
	rooms(length)
	return out
}

func (b *building) fill(l *level, k bar, wing, n int, r *rand.Rand, count *int, revision int) {
	mid := k.length/2 - 6
	north := []piece{
		{0, 10, "stair"}, {mid, mid + 8, "lift"}, {mid + 8, mid + 16, "lift"}, {k.length - 10, k.length, "stair"},
	}
	south := []piece{{mid - 8, mid + 6, "men"}, {mid + 6, mid + 20, "women"}, {mid + 20, mid + 27, "janitor"}}
	if wing > 0 {
		north, south = []piece{{k.length - 10, k.length, "stair"}}, nil
	}
	if k.stub > 0 {
		gap := piece{k.stub, k.stub + k.stubWidth, "gap"}
		if k.stub < mid {
			south = append([]piece{gap}, south...)
		} else {
			south = append(south, gap)
		}
		if gap.from < mid+27 && gap.to > mid-8 {
			south = []piece{gap}
		}
	}
	l.halls = append(l.halls, rect2(k.at(0, k.north), k.at(k.length, k.north+k.hall)))
	v1, v2, v3 := k.north, k.north+k.hall, k.depth()
	moved := revision > 0
	for side, pieces := range [][]piece{cut(k.length, north, b.use, r), cut(k.length, south, b.use, r)} {
		for i := 0; i+1 < len(pieces) && moved && wing == 0; i++ {
			p, q := &pieces[i], &pieces[i+1]
			if p.what == "" && q.what == "" && q.to-q.from > 13 && (i+n+revision)%2 == 0 {
				p.to, q.from, moved = p.to+3, q.from+3, false
				v := []float64{0, v2}[side]
				cloud := [2]point{k.at(p.to-7, v+2), k.at(p.to+4, v+k.north-4)}
				l.cloud = &cloud
			}
		}
		for i, p := range pieces {
			va, vb, door, out := 0.0, v1, v1, 0.0
			if side == 1 {
				va, vb, door, out = v2, v3, v2, v3
			}
			if i > 0 {
				l.walls = append(l.walls, wall{a: k.at(p.from, va), b: k.at(p.from, vb)})
			}
			b.room(l, k, p, [4]float64{va, vb, door, out}, wing, n, r, count)
		}
	}
	for _, w := range [][4]float64{
		{0, 0, k.length, 0},
		{0, v3, k.length, v3},
		{0, 0, 0, v3},
		{k.length, 0, k.length, v3},
	} {
		if k.upright && w[0] == 0 && w[2] == 0 {
			continue // the main bar's own wall closes the wing
		}
		l.walls = append(l.walls, wall{k.at(w[0], w[1]), k.at(w[2], w[3]), true})
	}
	for _, v := range []float64{v1, v2} {
		from := 0.0
		if v == v2 && k.stub > 0 {
			l.walls = append(l.walls, wall{a: k.at(0, v), b: k.at(k.stub, v)})
			from = k.stub + k.stubWidth
		}
		l.walls = append(l.walls, wall{a: k.at(from, v), b: k.at(k.length, v)})
	}
	if !k.upright {
		hall := k.north + k.hall/2
		for _, u := range []float64{0, k.length} {
			if n == 1 {
				l.openings = append(l.openings, opening{
					at: k.at(u, hall), to: point{
						map[bool]float64{true: -1, false: 1}[u == 0], 0,
					}, wide: 4, hinge: 1,
					tag: fmt.Sprintf("%s%s", b.numbered(wing, n, 0), map[bool]string{true: "A", false: "B"}[u == 0]),
				})
			} else {
				l.openings = append(l.openings, opening{at: k.at(u, hall), to: point{1, 0}, wide: 4, window: true})
			}
		}
	}
}

func rect2(a, b point) room { return room{lo: a, hi: b} }

func (b *building) numbered(wing, n, i int) string {
	if b.wings {
		return fmt.Sprintf("%c%d%02d", 'A'+wing, n, i)
	}
	return fmt.Sprintf("%d%02d", n, i)
}

// room places one piece of a band: v holds its two edges, the corridor's side and the outer side.
func (b *building) room(l *level, k bar, p piece, v [4]float64, wing, n int, r *rand.Rand, count *int) {
	m := room{lo: k.at(p.from, v[0]), hi: k.at(p.to, v[1])}
	switch p.what {
	case "gap":
		l.halls = append(l.halls, m)
		return
	case "lift":
		m.name = "ELEV."
		l.lifts = append(l.lifts, m)
	case "stair":
		m.name = "STAIR " + string(rune('1'+len(l.stairs)))
		l.stairs = append(l.stairs, m)
	}
	*count++
	m.number = b.numbered(wing, n, *count)
	wide := p.to - p.from
	switch p.what {
	case "men", "women":
		m.name, m.furniture = map[string]string{"men": "MEN", "women": "WOMEN"}[p.what], "toilet"
	case "janitor":
		m.name = "JAN."
	case "":
		choice := b.use.rooms[r.IntN(len(b.use.rooms))]
		if wide > 22 {
			choice = b.use.large[r.IntN(len(b.use.large))]
		}
		m.name, m.furniture = choice[0], choice[1]
	}
	in := 1.0
	if v[2] > v[0] {
		in = -1
	}
	toward := func(s float64) point {
		if k.upright {
			return point{s, 0}
		}
		return point{0, s}
	}
	if p.what != "lift" {
		hinge := []float64{-1, 1}[r.IntN(2)]
		at := p.from + 3
		if hinge > 0 {
			at = p.to - 3
		}
		m.door = k.at(at, v[2])
		l.openings = append(l.openings, opening{at: m.door, to: toward(in), wide: 3, hinge: hinge, tag: m.number})
		if wide > 26 {
			l.openings = append(l.openings, opening{
				at: k.at(p.from+p.to-at, v[2]), to: toward(in), wide: 3, hinge: -hinge, tag: m.number + "A",
			})
		}
	}
	if p.what == "" || p.what == "stair" {
		panes := int(wide / 9)
		for i := range max(panes, 1) {
			gap := wide / float64(max(panes, 1))
			l.openings = append(l.openings, opening{
				at: k.at(p.from+gap*(float64(i)+0.5), v[3]), to: toward(in), wide: min(6, gap-3), window: true,
			})
		}
	}
	l.rooms = append(l.rooms, m)
}

// Points, boxes and lines on the paper. Records hold places as parts of the sheet, from 0 to 1; everything here counts
// in points of the page (72 to the inch), as the packets do, so that a circle is round and a length can be measured.

export interface Point {
	x: number
	y: number
}

export interface Box {
	x0: number
	y0: number
	x1: number
	y1: number
}

/** Size is that of a sheet, in points. */
export interface Size {
	width: number
	height: number
}

export const toPaper = (parts: readonly Point[], size: Size): Point[] =>
	parts.map((p) => ({ x: p.x * size.width, y: p.y * size.height }))

/** toParts gives places as records keep them: inside the sheet, and no finer than anybody can see. */
export const toParts = (points: readonly Point[], size: Size): Point[] =>
	points.map((p) => ({ x: part(p.x / size.width), y: part(p.y / size.height) }))

const part = (n: number) => Math.round(clamp(n, 0, 1) * 1e6) / 1e6

export const clamp = (n: number, least: number, most: number): number => Math.min(Math.max(n, least), most)
export const away = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y)
export const middle = (a: Point, b: Point): Point => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 })

export function boundsOf(points: readonly Point[]): Box {
	const box = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity }
	for (const { x, y } of points) {
		if (x < box.x0) box.x0 = x
		if (y < box.y0) box.y0 = y
		if (x > box.x1) box.x1 = x
		if (y > box.y1) box.y1 = y
	}
	return box
}

export const grown = (box: Box, by: number): Box =>
	({ x0: box.x0 - by, y0: box.y0 - by, x1: box.x1 + by, y1: box.y1 + by })
export const holds = (box: Box, p: Point): boolean => p.x >= box.x0 && p.x <= box.x1 && p.y >= box.y0 && p.y <= box.y1
export const meets = (a: Box, b: Box): boolean => a.x0 <= b.x1 && b.x0 <= a.x1 && a.y0 <= b.y1 && b.y0 <= a.y1
export const inside = (outer: Box, b: Box): boolean =>
	b.x0 >= outer.x0 && b.x1 <= outer.x1 && b.y0 >= outer.y0 && b.y1 <= outer.y1

/**
 * usualLine is how thick lines are on a sheet: as easily seen on a large one as on a small one. Packets have the same.
 */
export const usualLine = (size: Size): number => clamp(Math.max(size.width, size.height) / 1000, 0.8, 4)

const n = (value: number) => Math.round(value * 100) / 100

export const polyline = (points: readonly Point[], closed = false): string =>
	points.map((p, i) => `${i ? 'L' : 'M'}${n(p.x)} ${n(p.y)}`).join('') + (closed ? 'Z' : '')

/** smooth leads a line through the middles between points: a hand draws no corners. */
export function smooth(points: readonly Point[]): string {
	if (points.length < 3) return polyline(points)
	const first = points[0] as Point
	let d = `M${n(first.x)} ${n(first.y)}`
	for (let i = 1; i < points.length - 1; i++) {
		const p = points[i] as Point
		const next = points[i + 1] as Point
		const to = i === points.length - 2 ? next : middle(p, next)
		d += `Q${n(p.x)} ${n(p.y)} ${n(to.x)} ${n(to.y)}`
	}
	return d
}

/**
 * cloud is a rectangle of bows that bulge outwards; a bow is eleven lines wide, or wider where there would be too many.
 */
export function cloud(a: Point, b: Point, line: number): string {
	const { x0, y0, x1, y1 } = boundsOf([a, b])
	const corners = [{ x: x0, y: y0 }, { x: x1, y: y0 }, { x: x1, y: y1 }, { x: x0, y: y1 }, { x: x0, y: y0 }]
	let d = `M${n(x0)} ${n(y0)}`
	for (let i = 0; i < 4; i++) {
		const from = corners[i] as Point
		const to = corners[i + 1] as Point
		const long = away(from, to)
		if (long === 0) continue
		const bows = clamp(Math.round(long / (11 * line)), 1, 500)
		const [dx, dy] = [(to.x - from.x) / bows, (to.y - from.y) / bows]
		const [ox, oy] = [(dy * 2) / 3, (-dx * 2) / 3] // clockwise, y down: outside lies to the left
		for (let k = 0; k < bows; k++) {
			const [x, y] = [from.x + dx * k, from.y + dy * k]
			d += `C${n(x + ox)} ${n(y + oy)} ${n(x + dx + ox)} ${n(y + dy + oy)} ${n(x + dx)} ${n(y + dy)}`
		}
	}
	return `${d}Z`
}

export function ellipse(a: Point, b: Point): string {
	const { x0, y0, x1, y1 } = boundsOf([a, b])
	const [rx, ry, y] = [n((x1 - x0) / 2), n((y1 - y0) / 2), n((y0 + y1) / 2)]
	return `M${n(x0)} ${y}A${rx} ${ry} 0 1 1 ${n(x1)} ${y}A${rx} ${ry} 0 1 1 ${n(x0)} ${y}Z`
}

export function rectangle(a: Point, b: Point): string {
	const { x0, y0, x1, y1 } = boundsOf([a, b])
	return `M${n(x0)} ${n(y0)}H${n(x1)}V${n(y1)}H${n(x0)}Z`
}

/** arrow gives the line of an arrow, which ends where its head begins, and the head. */
export function arrow(from: Point, to: Point, line: number): { line: string; head: string } {
	const long = away(from, to)
	if (long === 0) return { line: '', head: '' }
	const [ux, uy] = [(to.x - from.x) / long, (to.y - from.y) / long]
	const head = Math.min(8 * line, long)
	const back = { x: to.x - ux * head, y: to.y - uy * head }
	const half = head * 0.4
	const left = { x: back.x - uy * half, y: back.y + ux * half }
	const right = { x: back.x + uy * half, y: back.y - ux * half }
	return { line: polyline([from, back]), head: polyline([to, left, right], true) }
}

/** toSegment is how far a point is from a straight line between two others. */
export function toSegment(p: Point, a: Point, b: Point): number {
	const [dx, dy] = [b.x - a.x, b.y - a.y]
	const square = dx * dx + dy * dy
	const along = square === 0 ? 0 : clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / square, 0, 1)
	return Math.hypot(p.x - a.x - dx * along, p.y - a.y - dy * along)
}

export function toPolyline(p: Point, points: readonly Point[], closed = false): number {
	let least = points[0] ? away(p, points[0]) : Infinity
	for (let i = 1; i < points.length; i++) least = Math.min(
		least, toSegment(p, points[i - 1] as Point, points[i] as Point),
	)
	if (closed && points.length > 2) least = Math.min(least, toSegment(p, points.at(-1) as Point, points[0] as Point))
	return least
}

/** within is whether a point lies inside a closed line. */
export function within(p: Point, points: readonly Point[]): boolean {
	let is = false
	for (let i = 0, j = points.length - 1; i < points.length; j = i++) {
		const a = points[i] as Point
		const b = points[j] as Point
		if (a.y > p.y !== b.y > p.y && p.x < ((b.x - a.x) * (p.y - a.y)) / (b.y - a.y) + a.x) is = !is
	}
	return is
}

/**
 * simplified leaves out points that lie on the way between others, and as many more as it takes to have no more than
 * `most`.
 */
export function simplified(points: readonly Point[], tolerance: number, most = 5000): Point[] {
	let out = thin(points, tolerance)
	for (let t = tolerance; out.length > most; ) out = thin(points, (t *= 2))
	return out
}

function thin(points: readonly Point[], tolerance: number): Point[] {
	if (points.length < 3) return [...points]
	const keep = new Uint8Array(points.length)
	keep[0] = keep[points.length - 1] = 1
	const spans: [number, number][] = [[0, points.length - 1]]
	for (let span = spans.pop(); span; span = spans.pop()) {
		const [from, to] = span
		let far = 0
		let at = 0
		for (let i = from + 1; i < to; i++) {
			const d = toSegment(points[i] as Point, points[from] as Point, points[to] as Point)
			if (d > far) [far, at] = [d, i]
		}
		if (far <= tolerance) continue
		keep[at] = 1
		spans.push([from, at], [at, to])
	}
	return points.filter((_, i) => keep[i])
}

export function lengthOf(points: readonly Point[]): number {
	let sum = 0
	for (let i = 1; i < points.length; i++) sum += away(points[i - 1] as Point, points[i] as Point)
	return sum
}

/** areaOf is the area inside of a line whose end is joined to its beginning. */
export function areaOf(points: readonly Point[]): number {
	let twice = 0
	points.forEach((p, i) => {
		const next = points[(i + 1) % points.length] as Point
		twice += p.x * next.y - next.x * p.y
	})
	return Math.abs(twice) / 2
}

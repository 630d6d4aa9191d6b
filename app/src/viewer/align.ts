// How one version of a drawing lies on another: turned, enlarged and moved. Two pairs of points say it.
import { middle, type Point, type Size } from './geometry'

/** Similar takes a point p to a·p + b, with complex numbers: |a| enlarges, its angle turns, b moves. */
export interface Similar {
	a: Point
	b: Point
}

export const same: Similar = { a: { x: 1, y: 0 }, b: { x: 0, y: 0 } }

const times = (a: Point, b: Point): Point => ({ x: a.x * b.x - a.y * b.y, y: a.x * b.y + a.y * b.x })
const over = (a: Point, b: Point): Point => {
	const square = b.x * b.x + b.y * b.y
	return { x: (a.x * b.x + a.y * b.y) / square, y: (a.y * b.x - a.x * b.y) / square }
}
const plus = (a: Point, b: Point): Point => ({ x: a.x + b.x, y: a.y + b.y })
const minus = (a: Point, b: Point): Point => ({ x: a.x - b.x, y: a.y - b.y })

export const at = (s: Similar, p: Point): Point => plus(times(s.a, p), s.b)
export const enlarges = (s: Similar): number => Math.hypot(s.a.x, s.a.y)
/** turns is by how many degrees, clockwise on the screen. */
export const turns = (s: Similar): number => (Math.atan2(s.a.y, s.a.x) * 180) / Math.PI

export function inverse(s: Similar): Similar {
	const a = over({ x: 1, y: 0 }, s.a)
	return { a, b: times(a, { x: -s.b.x, y: -s.b.y }) }
}

/** after does one and then another. */
export const after = (first: Similar, then: Similar): Similar => ({ a: times(then.a, first.a), b: at(then, first.b) })

/** through takes two points to two others. */
export function through(from: readonly [Point, Point], to: readonly [Point, Point]): Similar {
	const a = over(minus(to[1], to[0]), minus(from[1], from[0]))
	return { a, b: minus(middle(to[0], to[1]), times(a, middle(from[0], from[1]))) }
}

/** Version is what is asked of a sheet here. */
export interface Version extends Size {
	uid: string
	supersedes: { uid: string | null } | null
	alignment: { points: { x: number; y: number; before_x: number; before_y: number }[] } | null
}

/** onBefore takes a place of a sheet to the same place of the one that it supersedes, both in points. */
export function onBefore(sheet: Version, before: Size): Similar {
	const [p, q] = sheet.alignment?.points ?? []
	if (!p || !q) {
		const alike = Math.abs(sheet.width - before.width) <= 2 && Math.abs(sheet.height - before.height) <= 2
		return alike ? same : { a: { x: before.width / sheet.width, y: 0 }, b: { x: 0, y: 0 } }
	}
	const here = (r: typeof p): Point => ({ x: r.x * sheet.width, y: r.y * sheet.height })
	const there = (r: typeof p): Point => ({ x: r.before_x * before.width, y: r.before_y * before.height })
	return through([here(p), here(q)], [there(p), there(q)])
}

/** onto takes a place of one version to that of another, older or newer, by all versions between them. */
export function onto(from: Version, to: Version, versions: ReadonlyMap<string, Version>): Similar {
	const down = older(from, to, versions)
	if (down) return down
	const up = older(to, from, versions)
	return up ? inverse(up) : onBefore({ ...from, alignment: null }, to)
}

function older(from: Version, to: Version, versions: ReadonlyMap<string, Version>): Similar | undefined {
	let way = same
	let now: Version | undefined = from
	for (const seen = new Set<string>(); now && now.uid !== to.uid; ) {
		if (seen.has(now.uid)) return undefined
		seen.add(now.uid)
		const before: Version | undefined = now.supersedes?.uid ? versions.get(now.supersedes.uid) : undefined
		if (before) way = after(way, onBefore(now, before))
		now = before
	}
	return now ? way : undefined
}

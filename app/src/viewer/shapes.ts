// What marks are made of: how each kind is drawn, hit, moved and reshaped. A mark here has its points on the paper.
import type { Annotation } from '../data'
import {
	away, boundsOf, clamp, grown, holds, inside, toPolyline, usualLine, within, type Box, type Point, type Size,
} from './geometry'

export type Kind = Annotation['kind']

/** Look is how a pin shows a state: by colour and by shape. */
export type Look = 'open' | 'in_review' | 'pending' | 'closed'

/** Mark is a mark as it is drawn. */
export interface Mark {
	uid: string
	kind: Kind
	color: string
	/** A multiple of the usual thickness. */
	width: number
	points: readonly Point[]
	/** What is written: of a text, a measure. */
	text: string
	/** The one or two letters of a pin. */
	stamp: string
	/** Of a measure: it is closed. */
	area: boolean
	/** It is of an earlier version. */
	faint: boolean
	/** It is the author's own and nobody else sees it. */
	personal: boolean
	/** Of the place of an issue: the issue, and its state. */
	issue?: { uid: string; look: Look }
	/** The small picture of a photo. */
	picture?: string
	/** Whether the reader may change it. */
	mine: boolean
	/** How it is called to those who listen. */
	name: string
}

/** spot are kinds that are one point and keep their size on the screen. */
export const isSpot = (kind: Kind): boolean => kind === 'stamp' || kind === 'photo'
const cornered = new Set<Kind>(['rectangle', 'cloud', 'ellipse', 'highlight'])

/** How large pins are on the screen. */
export const pinRadius = 13

/** lettersOf is how large the letters of a text are, and the room around them. */
export const lettersOf = (size: Size) => ({ high: 8 * usualLine(size), pad: 2.5 * usualLine(size) })

/** textBox is the ground that a text stands on: as many lines as it has, as wide as they are, or as its box is. */
export function textBox(mark: Pick<Mark, 'points' | 'text'>, size: Size): { box: Box; lines: string[] } {
	const { high, pad } = lettersOf(size)
	const [a, b] = mark.points as [Point, Point?]
	const at = b ? boundsOf([a, b]) : { x0: a.x, y0: a.y, x1: size.width, y1: a.y }
	const room = Math.max(at.x1 - at.x0 - 2 * pad, high)
	const lines = wrapped(mark.text, Math.max(1, Math.floor(room / (high * 0.55))))
	const widest = Math.max(...lines.map((l) => l.length), 1) * high * 0.55
	const box = { x0: at.x0, y0: at.y0, x1: at.x0 + widest + 2 * pad, y1: at.y0 + lines.length * high * 1.3 + 2 * pad }
	if (b) return { box: { ...box, x1: Math.max(box.x1, at.x1), y1: Math.max(box.y1, at.y1) }, lines }
	return { box, lines }
}

/** wrapped breaks a text into lines of at most so many letters. */
export function wrapped(text: string, most: number): string[] {
	const out: string[] = []
	for (const line of text.split('\n')) {
		let now = ''
		for (let word of line.split(' ')) {
			if (now && now.length + 1 + word.length > most) {
				out.push(now)
				now = ''
			}
			for (; word.length > most; word = word.slice(most)) out.push(word.slice(0, most))
			now = now ? `${now} ${word}` : word
		}
		out.push(now)
	}
	return out.slice(0, 200)
}

/** The boxes of marks that were asked for: a mouse asks for all of them with every step. Marks never change. */
const boxes = new WeakMap<Mark, Box>()

/** boxOf is the room that a mark takes; pins take as much as the screen gives them. */
export function boxOf(mark: Mark, size: Size, scale: number): Box {
	if (isSpot(mark.kind)) return grown(boundsOf(mark.points), pinRadius / scale)
	let box = boxes.get(mark)
	if (!box) {
		box = mark.kind === 'text' ? textBox(mark, size).box
			: grown(boundsOf(mark.points), usualLine(size) * mark.width * (mark.kind === 'cloud' ? 6 : 1))
		boxes.set(mark, box)
	}
	return box
}

/** hits is how far a place is from what is drawn, in points of the paper; Infinity where it is farther than near. */
export function hits(mark: Mark, p: Point, near: number, size: Size, scale: number): number {
	const box = boxOf(mark, size, scale)
	if (!holds(grown(box, near), p)) return Infinity
	const edge = (usualLine(size) * mark.width) / 2
	const d = Math.max(0, distance(mark, p, box, near) - edge)
	return d <= near ? d : Infinity
}

function distance(mark: Mark, p: Point, box: Box, near: number): number {
	const [a, b] = [mark.points[0] as Point, mark.points.at(-1) as Point]
	if (isSpot(mark.kind)) return Math.max(0, away(a, p) - (box.x1 - box.x0) / 2)
	if (mark.kind === 'text' || mark.kind === 'highlight') return holds(box, p) ? 0 : toPolyline(p, corners(box), true)
	if (mark.kind === 'measure' && mark.area) return within(p, mark.points) ? 0 : toPolyline(p, mark.points, true)
	if (!cornered.has(mark.kind)) return toPolyline(p, mark.points)
	const own = boundsOf([a, b])
	const small = Math.min(own.x1 - own.x0, own.y1 - own.y0) < near * 3
	if (small && holds(own, p)) return 0 // nobody can hit its edge
	if (mark.kind !== 'ellipse') return toPolyline(p, corners(own), true)
	const [rx, ry] = [(own.x1 - own.x0) / 2 || 1, (own.y1 - own.y0) / 2 || 1]
	const [dx, dy] = [p.x - (own.x0 + rx), p.y - (own.y0 + ry)]
	const out = Math.hypot(dx / rx, dy / ry)
	return out === 0 ? Math.min(rx, ry) : Math.hypot(dx, dy) * Math.abs(1 - 1 / out)
}

const corners = ({ x0, y0, x1, y1 }: Box): Point[] =>
	[{ x: x0, y: y0 }, { x: x1, y: y0 }, { x: x1, y: y1 }, { x: x0, y: y1 }]

/**
 * hit is the mark that is meant by a place: the nearest, and of equal ones that which lies on top: pins, of these the
 * ones whose issues are open, and of equal ones that which was drawn last.
 */
export function hit(marks: readonly Mark[], p: Point, near: number, size: Size, scale: number): Mark | undefined {
	let best: Mark | undefined
	let least = Infinity
	for (const mark of marks) {
		const d = hits(mark, p, near, size, scale)
		if (d === Infinity) continue
		const order = d + (isSpot(mark.kind) ? 0 : near / 2) + (mark.faint ? near : 0)
		if (order < least || order === least && (!done(mark) || !best || done(best))) [best, least] = [mark, order]
	}
	return best
}

/** done tells whether a pin's issue is closed: it lies below those that are open. */
export const done = (mark: Mark): boolean => mark.issue?.look === 'closed'

/** framed are the marks that lie wholly inside a frame. */
export const framed = (marks: readonly Mark[], frame: Box, size: Size, scale: number): Mark[] =>
	marks.filter((m) => inside(frame, isSpot(m.kind) ? boundsOf(m.points) : boxOf(m, size, scale)))

/** handlesOf are the places by which a mark is reshaped. */
export function handlesOf(mark: Pick<Mark, 'kind' | 'points' | 'text'>, size: Size): Point[] {
	switch (mark.kind) {
		case 'stamp':
		case 'photo':
			return []
		case 'line':
		case 'arrow':
		case 'measure':
			return [...mark.points]
		case 'text': {
			const { x1, y1 } = textBox(mark, size).box
			return [{ x: x1, y: y1 }]
		}
		default:
			return corners(boundsOf(mark.points))
	}
}

/** reshaped gives the points of a mark when one of its handles is dragged to a place. */
export function reshaped(mark: Pick<Mark, 'kind' | 'points' | 'text'>, handle: number, to: Point, size: Size): Point[] {
	const p = { x: clamp(to.x, 0, size.width), y: clamp(to.y, 0, size.height) }
	const points = [...mark.points]
	switch (mark.kind) {
		case 'stamp':
		case 'photo':
			return points
		case 'line':
		case 'arrow':
		case 'measure':
			points[handle] = p
			return points
		case 'text': {
			const a = points.length > 1 ? { x: boundsOf(points).x0, y: boundsOf(points).y0 } : (points[0] as Point)
			const least = lettersOf(size).high * 3
			return [a, { x: Math.max(p.x, a.x + least), y: Math.max(p.y, a.y + least / 2) }]
		}
		case 'pen': {
			const box = boundsOf(points)
			const fixed = corners(box)[(handle + 2) % 4] as Point
			const from = corners(box)[handle] as Point
			const sx = from.x === fixed.x ? 1 : (p.x - fixed.x) / (from.x - fixed.x)
			const sy = from.y === fixed.y ? 1 : (p.y - fixed.y) / (from.y - fixed.y)
			return points.map((q) => ({ x: fixed.x + (q.x - fixed.x) * sx, y: fixed.y + (q.y - fixed.y) * sy }))
		}
		default: {
			const fixed = corners(boundsOf(points))[(handle + 2) % 4] as Point
			return [fixed, p]
		}
	}
}

/** moved gives points moved together, as far as they stay on the sheet. */
export function moved(points: readonly Point[], dx: number, dy: number, size: Size): Point[] {
	const box = boundsOf(points)
	const x = clamp(dx, -box.x0, Math.max(-box.x0, size.width - box.x1))
	const y = clamp(dy, -box.y0, Math.max(-box.y0, size.height - box.y1))
	return points.map((p) => ({ x: p.x + x, y: p.y + y }))
}

/** squared keeps a shape square, or a line on one of eight directions. */
export function squared(kind: Kind, from: Point, to: Point): Point {
	const [dx, dy] = [to.x - from.x, to.y - from.y]
	if (cornered.has(kind)) {
		const side = Math.max(Math.abs(dx), Math.abs(dy))
		return { x: from.x + Math.sign(dx || 1) * side, y: from.y + Math.sign(dy || 1) * side }
	}
	const angle = (Math.round(Math.atan2(dy, dx) / (Math.PI / 4)) * Math.PI) / 4
	const long = dx * Math.cos(angle) + dy * Math.sin(angle)
	return { x: from.x + long * Math.cos(angle), y: from.y + long * Math.sin(angle) }
}

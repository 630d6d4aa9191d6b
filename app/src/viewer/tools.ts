// The tools: what each draws, and by which key it is chosen.
import type { Mode } from './gestures'
import { away, boundsOf, clamp, simplified, usualLine, type Box, type Point, type Size } from './geometry'
import { squared, type Kind } from './shapes'

export type Tool =
	| 'hand' | 'select' | 'pin' | 'cloud' | 'rectangle' | 'ellipse' | 'line' | 'arrow' | 'pen' | 'highlight' | 'text'
	| 'photo'
	| 'measure' | 'area'

export const tools: readonly Tool[] = [
	'hand', 'select', 'pin', 'cloud', 'rectangle', 'ellipse', 'line', 'arrow', 'pen', 'highlight', 'text', 'photo',
	'measure',
	'area',
]

export const keyOf: Record<Tool, string> = {
	hand: 'h', select: 'v', pin: 'p', cloud: 'c', rectangle: 'r', ellipse: 'e', line: 'l', arrow: 'a', pen: 'd',
	highlight: 'g', text: 't', photo: 'o', measure: 'm', area: 'k',
}

export const modeOf = (tool: Tool): Mode => (tool === 'hand' || tool === 'select' ? tool : 'draw')

export const kindOf = (tool: Tool): Kind =>
	tool === 'pin' || tool === 'hand' || tool === 'select' ? 'stamp' : tool === 'area' ? 'measure' : tool

/** One place makes these: a tap is enough. */
export const byTap = (tool: Tool): boolean => tool === 'pin' || tool === 'photo' || tool === 'text'
/** These are made of several taps, too. */
export const byTaps = (tool: Tool): boolean => tool === 'measure' || tool === 'area'

export const colors = ['#E02D1B', '#F08C00', '#F2C500', '#2B8A3E', '#1971C2', '#7048E8', '#111111'] as const
export const widths = [0.5, 1, 2, 4] as const

/** Stroke is a mark while it is being drawn. */
export class Stroke {
	readonly tool: Tool
	readonly #size: Size
	readonly #first: Point
	#points: Point[]
	#pressure: number[] = []

	constructor(tool: Tool, at: Point, size: Size, pressure = 0.5) {
		this.tool = tool
		this.#size = size
		this.#first = onSheet(at, size)
		this.#points = [this.#first]
		this.#pressure.push(pressure)
	}

	to(at: Point, shift: boolean, pressure = 0.5): void {
		const p = onSheet(at, this.#size)
		if (this.tool === 'pen') {
			if (away(p, this.#points.at(-1) as Point) < usualLine(this.#size) / 4) return
			this.#points.push(p)
			this.#pressure.push(pressure)
			return
		}
		this.#points = [this.#first, onSheet(shift ? squared(kindOf(this.tool), this.#first, p) : p, this.#size)]
	}

	/** The points as they are now; an area that is dragged is a rectangle. */
	get points(): Point[] {
		const [a, b] = this.#points
		if (this.tool !== 'area' || !a || !b) return this.#points
		return [a, { x: b.x, y: a.y }, b, { x: a.x, y: b.y }]
	}

	/** How much thicker or thinner the hand that pressed made it. */
	get press(): number {
		const mean = this.#pressure.reduce((s, p) => s + p, 0) / this.#pressure.length
		return clamp(Math.round((0.4 + 1.2 * mean) * 20) / 20, 0.4, 1.6)
	}

	/** done gives the points to be kept; undefined where it is too small to be meant. */
	done(near: number): Point[] | undefined {
		const { x0, y0, x1, y1 } = boundsOf(this.#points)
		if (this.#points.length < 2 || Math.hypot(x1 - x0, y1 - y0) < near) return undefined
		return this.tool === 'pen' ? simplified(this.#points, usualLine(this.#size) / 6) : this.points
	}
}

const onSheet = (p: Point, size: Size): Point => ({ x: clamp(p.x, 0, size.width), y: clamp(p.y, 0, size.height) })

/** inMiddle is what a tool draws for somebody who uses the keyboard: in the middle of what is seen. */
export function inMiddle(tool: Tool, seen: Box, size: Size): Point[] {
	const box = {
		x0: clamp(seen.x0, 0, size.width), y0: clamp(seen.y0, 0, size.height),
		x1: clamp(seen.x1, 0, size.width), y1: clamp(seen.y1, 0, size.height),
	}
	const [x, y] = [(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2]
	const half = Math.max(Math.min(box.x1 - box.x0, box.y1 - box.y0) / 8, 1)
	if (byTap(tool)) return [{ x, y }]
	const [a, b] = [{ x: x - half, y: y - half }, { x: x + half, y: y + half }]
	if (tool === 'area') return [a, { x: b.x, y: a.y }, b, { x: a.x, y: b.y }]
	if (tool === 'line' || tool === 'arrow' || tool === 'measure' || tool === 'pen') return [
		{ x: x - half, y }, { x: x + half, y },
	]
	return [a, b]
}

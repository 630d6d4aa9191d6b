// What hands do on the drawing: it takes what the arbiter says a gesture means, and draws, selects, moves and reshapes.
import { boundsOf, holds, type Box, type Point, type Size } from './geometry'
import type { Meaning, Mode, Pointer } from './gestures'
import type { Layer } from './layer'
import { framed, handlesOf, hit, moved, reshaped, squared, type Mark } from './shapes'
import type { Tiles } from './tiles'
import { byTap, byTaps, kindOf, modeOf, Stroke, type Tool } from './tools'
import { onPaper, onStage } from './view'

/** Link is a place that leads elsewhere. */
export interface Link {
	box: Box
	name: string
	uid: string
}

/** Change is a mark that has other points now. */
export interface Change {
	uid: string
	points: Point[]
}

/** Bench is what hands work on, and whom they tell. */
export interface Bench {
	readonly tiles: Tiles
	readonly layer: Layer
	size(): Size
	marks(): readonly Mark[]
	selected(): readonly Mark[]
	links(): readonly Link[]
	tool(): Tool
	/** How what is drawn next looks. */
	style(): { color: string; width: number }
	/** What a measure tells. */
	measures(points: readonly Point[], of: 'length' | 'area'): string
	drawn(tool: Tool, points: Point[], press: number): void
	changed(changes: Change[]): void
	select(uids: string[]): void
	open(mark: Mark): void
	follow(link: Link): void
	/** How many points a measure has so far. */
	measuring(points: number): void
}

type Work =
	| { is: 'stroke'; stroke: Stroke }
	| { is: 'move'; from: Point; marks: readonly Mark[]; now: readonly Mark[] }
	| { is: 'shape'; mark: Mark; handle: number; now: Mark }
	| { is: 'frame'; from: Point; to: Point }

export class Hands {
	readonly #bench: Bench
	#work: Work | undefined
	#taps: Point[] = []
	#over: Point | undefined

	constructor(bench: Bench) {
		this.#bench = bench
	}

	mode(): Mode {
		return modeOf(this.#bench.tool())
	}

	#near(type: Pointer = 'touch'): number {
		return (type === 'mouse' ? 6 : 14) / this.#bench.tiles.view.scale
	}

	#paper(p: Point): Point {
		return onPaper(this.#bench.tiles.view, p)
	}

	/** at is the mark at a place of the stage. */
	at(p: Point, type: Pointer = 'mouse'): Mark | undefined {
		const { tiles, marks, size } = this.#bench
		return hit(marks(), this.#paper(p), this.#near(type), size(), tiles.view.scale)
	}

	linkAt(p: Point): Link | undefined {
		const at = this.#paper(p)
		return this.#bench.links().find((l) => holds(l.box, at))
	}

	#handleAt(p: Point, type: Pointer): { mark: Mark; handle: number } | undefined {
		const [mark, more] = this.#bench.selected()
		if (!mark || more || !mark.mine) return undefined
		const view = this.#bench.tiles.view
		const reach = type === 'mouse' ? 10 : 22
		const handle = handlesOf(mark, this.#bench.size()).findIndex((h) => {
			const q = onStage(view, h)
			return Math.hypot(q.x - p.x, q.y - p.y) <= reach
		})
		return handle < 0 ? undefined : { mark, handle }
	}

	grabs(p: Point, type: Pointer): boolean {
		if (this.#handleAt(p, type)) return true
		const mark = this.at(p, type)
		if (!mark?.mine) return false
		return this.mode() === 'select' || this.#bench.selected().some((m) => m.uid === mark.uid)
	}

	hear(m: Meaning): void {
		const { tiles } = this.#bench
		switch (m.do) {
			case 'pan':
				return tiles.pan(m.dx, m.dy)
			case 'fling':
				return tiles.pan(m.vx * 160, m.vy * 160, false)
			case 'zoom':
				tiles.zoom(m.by, m.at, true)
				return tiles.pan(m.dx, m.dy)
			case 'start':
				return this.#start(m)
			case 'drag':
				return this.#drag(m.at, m.shift, m.pressure)
			case 'end':
				return this.#end(m.shift)
			case 'cancel':
				return this.cancel()
			case 'tap':
				return this.#tap(m)
			case 'pick': {
				const mark = this.at(m.at, 'touch')
				if (mark) this.#bench.select([mark.uid])
				else if (this.mode() === 'draw' || !this.#put('pin', m.at)) return
				navigator.vibrate?.(15)
			}
		}
	}

	/** put draws what takes one point, unless that lies beside the paper. */
	#put(tool: Tool, p: Point): boolean {
		const at = this.#paper(p)
		const { width, height } = this.#bench.size()
		if (!holds({ x0: 0, y0: 0, x1: width, y1: height }, at)) return false
		this.#bench.drawn(tool, [at], 1)
		return true
	}

	#start(m: Meaning & { do: 'start' }): void {
		const { size } = this.#bench
		const at = this.#paper(m.at)
		if (m.what === 'frame') {
			this.#work = { is: 'frame', from: at, to: at }
			return
		}
		if (m.what === 'draw') {
			const tool = this.#bench.tool()
			const pen = modeOf(tool) !== 'draw' ? 'pen' : tool
			this.#taps = []
			this.#work = { is: 'stroke', stroke: new Stroke(pen, at, size(), m.pressure) }
			return
		}
		const type: Pointer = m.pen ? 'pen' : 'touch'
		const shape = this.#handleAt(m.at, type)
		if (shape) {
			this.#work = { is: 'shape', ...shape, now: shape.mark }
			return
		}
		const mark = this.at(m.at, type)
		let marks = this.#bench.selected()
		if (mark && !marks.some((one) => one.uid === mark.uid)) {
			this.#bench.select([mark.uid])
			marks = [mark]
		}
		marks = marks.filter((one) => one.mine)
		this.#work = { is: 'move', from: at, marks, now: marks }
	}

	#drag(p: Point, shift: boolean, pressure: number): void {
		const work = this.#work
		if (!work) return
		const { layer, size } = this.#bench
		const at = this.#paper(p)
		switch (work.is) {
			case 'stroke':
				work.stroke.to(at, shift, pressure)
				return layer.draft([this.#sketch(work.stroke.tool, work.stroke.points)])
			case 'frame':
				work.to = at
				return layer.lasso(boundsOf([work.from, at]))
			case 'shape': {
				const points = [...work.mark.points]
				const across = points.length === 2 ? (points[1 - work.handle] as Point | undefined) : undefined
				const to = shift && across ? squared(work.mark.kind, across, at) : at
				work.now = this.#with(work.mark, reshaped(work.mark, work.handle, to, size()))
				layer.draft([work.now])
				return layer.select([work.now])
			}
			case 'move': {
				const [dx, dy] = [at.x - work.from.x, at.y - work.from.y]
				const all = moved(work.marks.flatMap((m) => m.points), dx, dy, size())
				let i = 0
				work.now = work.marks.map((m) => this.#with(m, m.points.map(() => all[i++] as Point)))
				layer.draft(work.now)
				layer.select(work.now)
			}
		}
	}

	#with(mark: Mark, points: Point[]): Mark {
		const text = mark.kind === 'measure' ? this.#bench.measures(points, mark.area ? 'area' : 'length') : mark.text
		return { ...mark, points, text }
	}

	/** sketch is what is drawn at the moment, as a mark. */
	#sketch(tool: Tool, points: readonly Point[]): Mark {
		const kind = kindOf(tool)
		const area = tool === 'area'
		const text = kind === 'measure' && points.length > 1 ? this.#bench.measures(points, area ? 'area' : 'length') : ''
		const base = { uid: 'sketch', kind, points, text, stamp: '', faint: false, personal: false, mine: true, name: '' }
		if (kind === 'text') return { ...base, kind: 'rectangle', area, ...this.#bench.style() }
		return { ...base, area: area && points.length > 2, ...this.#bench.style() }
	}

	#end(_shift: boolean): void {
		const work = this.#work
		this.#work = undefined
		if (!work) return
		const { layer, tiles, size, marks } = this.#bench
		layer.draft([])
		switch (work.is) {
			case 'stroke': {
				const points = work.stroke.done(6 / tiles.view.scale)
				if (points) this.#bench.drawn(work.stroke.tool, points, work.stroke.tool === 'pen' ? work.stroke.press : 1)
				return
			}
			case 'frame':
				layer.lasso(undefined)
				return this.#bench.select(
					framed(marks(), boundsOf([work.from, work.to]), size(), tiles.view.scale).map((m) => m.uid)
				)
			case 'shape':
				if (work.now !== work.mark) this.#bench.changed([{ uid: work.mark.uid, points: [...work.now.points] }])
				return
			case 'move':
				if (work.now !== work.marks) {
					this.#bench.changed(work.now.map((m) => ({ uid: m.uid, points: [...m.points] })))
				}
		}
	}

	cancel(): void {
		if (this.#work?.is === 'frame') this.#bench.layer.lasso(undefined)
		this.#work = undefined
		this.#taps = []
		this.#bench.measuring(0)
		this.#bench.layer.draft([])
		this.#bench.layer.select(this.#bench.selected())
	}

	/** Whether something is half done. */
	get busy(): boolean {
		return this.#work !== undefined || this.#taps.length > 0
	}

	#tap(m: Meaning & { do: 'tap' }): void {
		const tool = this.#bench.tool()
		if (byTap(tool)) {
			this.#put(tool, m.at)
			return
		}
		if (byTaps(tool)) return this.#measure(tool, m)
		const mark = this.at(m.at, m.type)
		if (mark) {
			const now = this.#bench.selected().map((s) => s.uid)
			const has = now.includes(mark.uid)
			this.#bench.select(m.shift ? (has ? now.filter((u) => u !== mark.uid) : [...now, mark.uid]) : [mark.uid])
			if (!m.shift && (mark.issue || m.twice)) this.#bench.open(mark)
			return
		}
		const link = this.linkAt(m.at)
		if (link && this.mode() !== 'draw') return this.#bench.follow(link)
		if (m.twice && this.mode() === 'hand') return this.#bench.tiles.zoom(2.2, m.at, false)
		this.#bench.select([])
	}

	/** measure adds a point; the same place again, or the first one of an area, ends it. */
	#measure(tool: Tool, m: Meaning & { do: 'tap' }): void {
		const at = this.#paper(m.at)
		const near = this.#near(m.type)
		const [first, last] = [this.#taps[0], this.#taps.at(-1)]
		const close = (q: Point | undefined) => q && Math.hypot(q.x - at.x, q.y - at.y) < near
		if (close(last) || (tool === 'area' && this.#taps.length > 2 && close(first))) return this.finish()
		const shifted = m.shift && last ? squared('line', last, at) : at
		this.#taps.push(shifted)
		this.#over = undefined
		this.#bench.measuring(this.#taps.length)
		this.#bench.layer.draft([this.#sketch(tool, this.#taps)])
	}

	/** hover shows the measure as it would be with a point here. */
	hover(p: Point): void {
		if (this.#taps.length === 0 || this.#work) return
		this.#over = this.#paper(p)
		this.#bench.layer.draft([this.#sketch(this.#bench.tool(), [...this.#taps, this.#over])])
	}

	/** finish ends what is made of several taps. */
	finish(): void {
		const tool = this.#bench.tool()
		const points = this.#taps
		this.#taps = []
		this.#bench.measuring(0)
		this.#bench.layer.draft([])
		if (points.length >= (tool === 'area' ? 3 : 2)) this.#bench.drawn(tool, points, 1)
	}
}

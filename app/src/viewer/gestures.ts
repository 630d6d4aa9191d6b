// The one arbiter of gestures. Fingers, pens and mice come in, and what they mean goes out: a chosen tool or a pen
// draws, two fingers always move and zoom, a long press picks or pins, a drag without a tool moves the drawing, or what
// is selected when it begins there. It knows no DOM and no clock: it is told the time.
import { away, middle, type Point } from './geometry'

export type Pointer = 'mouse' | 'touch' | 'pen'

export interface Touch extends Point {
	id: number
	type: Pointer
	/** In milliseconds. */
	time: number
	/** From 0 to 1; 0.5 where the device does not tell. */
	pressure?: number
	/** Of a mouse: 0 is the main one, 1 the wheel. */
	button?: number
	/** Shift adds to what is selected, or keeps a shape square. */
	shift?: boolean
}

/** Mode is what the chosen tool wants of one finger. */
export type Mode = 'hand' | 'select' | 'draw'

export type Meaning =
	| { do: 'pan'; dx: number; dy: number }
	| { do: 'fling'; vx: number; vy: number }
	| { do: 'zoom'; by: number; at: Point; dx: number; dy: number }
	/** What is drawn, moved or framed: `what` says which. */
	| { do: 'start'; what: 'draw' | 'grab' | 'frame'; at: Point; pressure: number; shift: boolean; pen: boolean }
	| { do: 'drag'; at: Point; pressure: number; shift: boolean }
	| { do: 'end'; at: Point; shift: boolean }
	| { do: 'cancel' }
	| { do: 'tap'; at: Point; shift: boolean; twice: boolean; type: Pointer }
	| { do: 'pick'; at: Point }

/** World is what the arbiter asks when a gesture begins. */
export interface World {
	mode(): Mode
	/** Whether a drag that begins here takes hold of something: what is selected, one of its handles, or any mark. */
	grabs(at: Point, type: Pointer): boolean
	/** Whether the space bar is held: the mouse moves the drawing. */
	space(): boolean
}

export const slop: Record<Pointer, number> = { mouse: 4, touch: 10, pen: 3 }
export const longPress = 500
const twiceWithin = 350
const still = 60

type State =
	| { is: 'none' }
	| { is: 'pressed'; first: Touch; grab: boolean }
	| { is: 'pan'; id: number }
	| { is: 'work'; id: number; type: Pointer; begun: number }
	| { is: 'pinch' }
	/** Until all fingers are up. */
	| { is: 'spent' }

export class Arbiter {
	readonly #world: World
	readonly #say: (meaning: Meaning) => void
	#state: State = { is: 'none' }
	#down = new Map<number, Touch>()
	#trail: Touch[] = []
	#tapped: Touch | undefined
	#pen = false

	constructor(world: World, say: (meaning: Meaning) => void) {
		this.#world = world
		this.#say = say
	}

	/** How long to wait from now until tick is due; undefined where nothing waits. */
	due(now: number): number | undefined {
		return this.#state.is === 'pressed' && this.#state.first.type !== 'mouse'
			? Math.max(0, this.#state.first.time + longPress - now) : undefined
	}

	/** Whether something is under way. */
	get busy(): boolean {
		return this.#down.size > 0
	}

	press(t: Touch): void {
		const palm = t.type === 'touch' && this.#pen
		if (palm) return
		if (t.type === 'pen') {
			// The hand that holds the pen lies on the glass: what fingers had begun was not meant.
			if (this.#state.is !== 'none') this.#stop()
			this.#down.clear()
			this.#pen = true
		}
		this.#down.set(t.id, t)
		this.#trail = [t]
		if (this.#down.size > 2 || this.#state.is === 'spent') return
		if (this.#down.size === 2) {
			this.#stop()
			this.#state = { is: 'pinch' }
			return
		}
		if (t.type === 'mouse' && t.button !== 0) {
			this.#state = t.button === 1 ? { is: 'pan', id: t.id } : { is: 'spent' }
			return
		}
		if (t.type === 'mouse' && this.#world.space()) {
			this.#state = { is: 'pan', id: t.id }
			return
		}
		this.#state = { is: 'pressed', first: t, grab: this.#grabs(t) }
	}

	#grabs(t: Touch): boolean {
		return this.#world.mode() !== 'draw' && this.#world.grabs(t, t.type)
	}

	move(t: Touch): void {
		const before = this.#down.get(t.id)
		if (!before) return
		const state = this.#state
		if (state.is === 'pinch') {
			const [one, two] = [...this.#down.keys()]
			const other = this.#down.get(t.id === one ? (two as number) : (one as number))
			this.#down.set(t.id, t)
			if (!other || (t.id !== one && t.id !== two)) return
			const [was, now] = [middle(before, other), middle(t, other)]
			const by = away(t, other) / Math.max(1, away(before, other))
			this.#say({ do: 'zoom', by, at: now, dx: now.x - was.x, dy: now.y - was.y })
			return
		}
		this.#down.set(t.id, t)
		this.#trail.push(t)
		if (this.#trail.length > 8) this.#trail.shift()
		if (state.is === 'pressed' && state.first.id === t.id) this.#leave(state, t)
		else if (state.is === 'pan' && state.id === t.id) this.#say({ do: 'pan', dx: t.x - before.x, dy: t.y - before.y })
		else if (state.is === 'work' && state.id === t.id) this.#drag(t)
	}

	/** leave decides what a finger that moved away from where it came down meant. */
	#leave(state: State & { is: 'pressed' }, t: Touch): void {
		const { first, grab } = state
		if (away(first, t) < slop[t.type]) return
		const mode = this.#world.mode()
		const what = mode === 'draw' ? 'draw' : grab ? 'grab' : t.type === 'pen' ? 'draw'
			: mode === 'select' && t.type === 'mouse' ? 'frame' : undefined
		if (!what) {
			this.#state = { is: 'pan', id: t.id }
			this.#say({ do: 'pan', dx: t.x - first.x, dy: t.y - first.y })
			return
		}
		this.#state = { is: 'work', id: t.id, type: t.type, begun: first.time }
		const pen = t.type === 'pen'
		this.#say({ do: 'start', what, at: spot(first), pressure: first.pressure ?? 0.5, shift: first.shift ?? false, pen })
		this.#drag(t)
	}

	#drag(t: Touch): void {
		this.#say({ do: 'drag', at: spot(t), pressure: t.pressure ?? 0.5, shift: t.shift ?? false })
	}

	lift(t: Touch): void {
		if (!this.#down.delete(t.id)) return
		if (t.type === 'pen') this.#pen = false
		const state = this.#state
		if (this.#down.size > 0) {
			if (state.is === 'pinch' && this.#down.size < 2) this.#state = { is: 'spent' }
			return
		}
		this.#state = { is: 'none' }
		if (state.is === 'pressed') this.#tap(t)
		else if (state.is === 'work') this.#say({ do: 'end', at: spot(t), shift: t.shift ?? false })
		else if (state.is === 'pan') this.#fling(t)
	}

	#tap(t: Touch): void {
		const last = this.#tapped
		const twice = !!last && t.time - last.time < twiceWithin && away(last, t) < 24
		this.#tapped = twice ? undefined : t
		this.#say({ do: 'tap', at: spot(t), shift: t.shift ?? false, twice, type: t.type })
	}

	#fling(t: Touch): void {
		const recent = this.#trail.filter((p) => t.time - p.time < 100)
		const [from, to] = [recent[0], recent.at(-1)]
		if (!from || !to || t.time - to.time > still) return
		const long = Math.max(8, to.time - from.time)
		const [vx, vy] = [(to.x - from.x) / long, (to.y - from.y) / long]
		if (Math.hypot(vx, vy) > 0.15) this.#say({ do: 'fling', vx, vy })
	}

	/** lost is when the system takes a pointer away. */
	lost(id: number): void {
		const t = this.#down.get(id)
		if (!t) return
		this.#down.delete(id)
		if (t.type === 'pen') this.#pen = false
		if (this.#state.is !== 'pinch') this.#stop()
		this.#state = this.#down.size > 0 ? { is: 'spent' } : { is: 'none' }
	}

	/** tick looks whether a press was long enough to pick what lies under it, or to pin. */
	tick(now: number): void {
		const state = this.#state
		if (state.is !== 'pressed' || state.first.type === 'mouse' || now - state.first.time < longPress) return
		this.#state = { is: 'spent' }
		this.#say({ do: 'pick', at: spot(state.first) })
	}

	/** stop gives up what is under way, as when a tool is put away. */
	stop(): void {
		this.#stop()
		this.#state = this.#down.size > 0 ? { is: 'spent' } : { is: 'none' }
	}

	#stop(): void {
		if (this.#state.is === 'work') this.#say({ do: 'cancel' })
	}
}

const spot = ({ x, y }: Point): Point => ({ x, y })

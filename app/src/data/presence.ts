// Who else is at a record right now. The stream of the project tells it; the person tells the service where they are.

import { Cut, type Line } from '../api/line'
import { Cell, type Live } from './live'
import type { Ports } from './ports'
import type { Attendee, Filling, Kind, PresentState } from './types'

/** Attendance is what the service tells of a record. */
export interface Attendance {
	kind: string
	uid: string
	people: Attendee[]
}

/** How often it is said where the person is: the service forgets it after 45 seconds. */
const beat = 20_000

interface World {
	ports: Ports
	line: Line
	project: string
	/** The uid of the person. */
	me: string
	filling: Live<Filling>
}

/** Place is a record at which the person is, in one or several parts of a screen. */
interface Place {
	parts: PresentState[]
	said: PresentState | 'left' | undefined
	stop: AbortController
}

export class Presence {
	readonly #world: World
	readonly #people = new Map<string, Cell<readonly Attendee[]>>()
	readonly #places = new Map<string, Place>()
	readonly #end: () => void

	constructor(world: World) {
		this.#world = world
		// Without a line nobody knows who is there; with a new one it is told anew.
		this.#end = world.filling.subscribe(({ phase }) => {
			if (phase !== 'live') for (const cell of this.#people.values()) cell.set([])
		})
	}

	/** Who else is at a record. */
	present(kind: Kind, uid: string): Live<readonly Attendee[]> {
		return this.#cell(`${kind}/${uid}`)
	}

	/** Says that the person is at a record, until what it gives is called. Who edits in one part of a screen edits. */
	attend(kind: Kind, uid: string, state: PresentState): () => void {
		const key = `${kind}/${uid}`
		let place = this.#places.get(key)
		if (!place) {
			place = { parts: [], said: undefined, stop: new AbortController() }
			this.#places.set(key, place)
			void this.#beat(kind, uid, place)
		}
		const here = place
		here.parts.push(state)
		void this.#say(kind, uid, here)
		let open = true
		return () => {
			if (!open) return
			open = false
			here.parts.splice(here.parts.indexOf(state), 1)
			if (here.parts.length === 0) {
				here.stop.abort()
				if (this.#places.get(key) === here) this.#places.delete(key)
			}
			void this.#say(kind, uid, here)
		}
	}

	/** Takes what the stream told. */
	hear(told: readonly Attendance[]): void {
		for (const { kind, uid, people } of told) {
			const key = `${kind}/${uid}`
			const others = people.filter((one) => one.uid !== this.#world.me)
			if (others.length || this.#people.has(key)) this.#cell(key).set(others)
		}
	}

	close(): void {
		this.#end()
		for (const place of this.#places.values()) place.stop.abort()
		this.#places.clear()
	}

	#cell(key: string): Cell<readonly Attendee[]> {
		const there = this.#people.get(key) ?? new Cell<readonly Attendee[]>([])
		this.#people.set(key, there)
		return there
	}

	async #beat(kind: Kind, uid: string, place: Place): Promise<void> {
		for (;;) {
			await this.#world.ports.sleep(beat, place.stop.signal)
			if (place.stop.signal.aborted) return
			place.said = undefined
			await this.#say(kind, uid, place)
		}
	}

	/** Tells the service where the person is, unless it knows; what does not arrive is said again with the next beat. */
	async #say(kind: Kind, uid: string, place: Place): Promise<void> {
		const state = place.parts.includes('editing') ? 'editing' : place.parts.length ? 'viewing' : 'left'
		if (place.said === state) return
		place.said = state
		const { line, project } = this.#world
		const body = JSON.stringify({ kind, record_uid: uid, state })
		const headers = { 'Content-Type': 'application/json' }
		try {
			const reply = await line.send({ method: 'PUT', path: `/projects/${project}/presence`, body, headers })
			if (reply.status === 200) this.hear([reply.body as Attendance])
			else place.said = undefined // a record that was just made is not there yet
		} catch (e) {
			if (!(e instanceof Cut)) throw e
			place.said = undefined
		}
	}
}

// Keeps the copy of a project right: a walk over all records once, then the feed by its sequence. One tab of a browser
// does it; the others hear from it.

import { chunks } from '../api/events'
import { Cut, pathOf, type Line, type Reply } from '../api/line'
import type { ProjectBase, State } from './base'
import { equal, type Any } from './fields'
import { Cell } from './live'
import { keyOf, newer, stale, type Key, type Memory, type Row } from './memory'
import type { Ports } from './ports'
import type { Attendance } from './presence'
import { refusalOf } from './refusal'
import { kinds, type Filling, type Kind } from './types'

/** first are the kinds of the first part of a walk: what a person needs to begin. */
const first = kinds.slice(0, kinds.indexOf('sheets') + 1)
/** many are kinds of which there may be more than a device should hold. */
const many: readonly Kind[] = [
	'issues', 'annotations', 'rfis', 'comments', 'photos', 'snapshots', 'attachments', 'field_reports',
]
export const most = 50_000

/** page is how many records one answer of a walk has: many, and few enough that no step is long. */
const page = 500
/** step is how often somebody who waits sees more, in milliseconds. */
const step = 200

/** silence is how long a stream may be silent: the service sends a comment every 15 seconds. */
const silence = 45_000
/** pollFor is how long changes are asked for after streams were silent twice: somebody on the way gathers them. */
const pollFor = 600_000

interface Change {
	sequence: number
	kind: string
	uid: string
	operation: string
	record?: Any | null
	etag?: string | null
}

/** Told is what the tab that follows tells the others. */
export type Told =
	| { type: 'rows'; from: number | undefined; to: number | undefined; rows: Row[] }
	| { type: 'answer'; row: Row }
	| { type: 'filling'; filling: Filling }
	| { type: 'again' }
	| { type: 'presence'; told: Attendance[] }

export interface World {
	ports: Ports
	line: Line
	base: ProjectBase
	memory: Memory
	project: string
	tell(told: Told): void
	/** The session ended. */
	locked(): void
	online: Cell<boolean>
	/** Who is at which record right now. */
	attended(told: Attendance[]): void
}

export class Follower {
	readonly filling = new Cell<Filling>({ phase: 'reading', filled: new Set(), large: new Set(), arrived: 0 })
	readonly #world: World
	readonly #closed = new AbortController()
	#state: State = { key: 'state', walk: 1, filled: [], large: [] }
	#failures = 0
	#silences = 0
	#pollUntil = 0
	#wake: (() => void) | undefined
	#held = false // by a locked session
	#leads = false
	#reading = 0
	readonly #told: Told[] = [] // while the copy is being read

	constructor(world: World) {
		this.#world = world
	}

	/** Reads what the device kept, then follows when it is this tab's turn. */
	async start(): Promise<void> {
		await this.read()
		const { signal } = this.#closed
		await this.#world.ports.lock(`groundwork/${this.#world.base.name}`, signal, async () => {
			this.#leads = true
			await this.#catchUp()
			while (!signal.aborted) await this.#round(signal)
			this.#leads = false
		})
	}

	/** Reads the copy again where the tab before died between writing and telling. */
	async #catchUp(): Promise<void> {
		const now = await this.#world.base.states.get('state').catch(() => undefined)
		if (now && !equal(now, this.#state)) await this.read()
	}

	/** Reads the copy on the device into memory, a few rows at a time; what is told meanwhile comes after it. */
	async read(): Promise<void> {
		this.#reading++
		try {
			await this.#read()
		} catch (e) {
			// A device that keeps nothing (a private window, a full disk): memory alone is enough to work.
			if (!this.#closed.signal.aborted) console.error('store', e)
		} finally {
			if (--this.#reading === 0) for (const told of this.#told.splice(0)) this.hear(told)
		}
	}

	async #read(): Promise<void> {
		const { base, memory, ports } = this.#world
		const { signal } = this.#closed
		const before = [...memory.rows.keys()]
		const first = this.filling.get().phase === 'reading'
		const there = new Set<Key>()
		let arrived = 0
		let shown = ports.now()
		let state: State | undefined
		await base.read((rows, done, now) => {
			if (signal.aborted) throw new Error('closed')
			state = now
			if (before.length > 0) for (const row of rows) there.add(keyOf(row.kind, row.uid))
			memory.take(rows.filter((row) => !row.record || !stale(row.record, memory.row(row.kind, row.uid))))
			arrived += rows.length
			if (!first || ports.now() - shown < step) return
			shown = ports.now()
			memory.tell()
			this.#say({ arrived, filled: new Set(now?.filled.filter((kind) => done.includes(kind))) })
		})
		if (signal.aborted) return
		if (state) this.#state = state
		memory.retain(before, there)
		memory.tell()
		this.#say({ arrived })
	}

	/** Hears the tab that follows. */
	hear(told: Told): void {
		if (this.#leads && told.type !== 'answer') return
		if (this.#reading > 0) return void this.#told.push(told)
		const { memory } = this.#world
		switch (told.type) {
			case 'answer':
				if (told.row.record && newer(told.row.record, memory.row(told.row.kind, told.row.uid))) memory.put([told.row])
				break
			case 'filling':
				this.filling.set(told.filling)
				break
			case 'again':
				void this.read()
				break
			case 'rows':
				if (told.from === this.#state.sequence) {
					this.#state.sequence = told.to
					memory.put(told.rows)
				} else {
					void this.read()
				}
		}
	}

	get walk(): number {
		return this.#state.walk
	}

	get sequence(): number | undefined {
		return this.#state.sequence
	}

	/** The line may be back, or the session. */
	hurry(): void {
		this.#failures = 0
		this.#held = false
		this.#wake?.()
	}

	close(): void {
		this.#closed.abort()
		this.#wake?.()
	}

	/** One try to be up to date and to stay so. Whatever ends it, the next round goes on from what is kept. */
	async #round(signal: AbortSignal): Promise<void> {
		let wait: number | undefined
		try {
			if (this.#held) await this.#sleep(Number.POSITIVE_INFINITY, signal)
			if (signal.aborted) return
			if (this.#lacks()) this.#begin()
			if (this.#state.sequence === undefined) await this.#fill(signal)
			else this.#say({})
			if (this.#world.ports.now() < this.#pollUntil) await this.#poll(signal)
			else wait = await this.#stream(signal)
		} catch (e) {
			if (signal.aborted) return
			if (e instanceof Cut) {
				this.#world.online.set(false)
				this.#say({ phase: 'behind' })
			} else if (e instanceof Refused) {
				wait = await this.#refused(e.reply)
			} else {
				console.error('store', e)
			}
			this.#failures++
		}
		if (signal.aborted) return
		const backoff = Math.min(30_000, 500 * 2 ** Math.min(this.#failures, 10))
		await this.#sleep(
			Math.max(wait ?? 0, this.#failures > 0 ? backoff * (0.5 + this.#world.ports.random() / 2) : 0), signal,
		)
	}

	async #refused(reply: Reply): Promise<number | undefined> {
		const { status } = reply
		if (status === 401) {
			this.#held = true
			this.#say({ phase: 'behind' })
			this.#world.locked()
			return undefined
		}
		if (status === 403 || status === 404) {
			await this.#forget()
			this.#say({ phase: 'gone', sentence: refusalOf(reply).sentence })
			return 30_000
		}
		if (status === 400) { // a sequence from before a backup was restored, or a cursor that is not known any more
			this.#begin()
			return undefined
		}
		this.#say({ phase: 'behind', sentence: refusalOf(reply).sentence })
		return (reply.retryAfter ?? 0) * 1000
	}

	/** Forgets the whole project, in memory and on the device. */
	async #forget(): Promise<void> {
		const { base, memory, tell } = this.#world
		this.#state = { key: 'state', walk: this.#state.walk + 1, filled: [], large: [] }
		memory.forget()
		await base.wipe().catch(() => {})
		tell({ type: 'again' })
	}

	/** Has the next round walk over all records; what is there stays until then. */
	#begin(): void {
		this.#state = { key: 'state', walk: this.#state.walk + 1, filled: [], large: this.#state.large }
	}

	/** Whether a copy that is followed was filled by a release that did not know all kinds of this one. */
	#lacks(): boolean {
		const { sequence, filled, large } = this.#state
		return sequence !== undefined && kinds.some((kind) => !filled.includes(kind) && !large.includes(kind))
	}

	/** Walks over all records: what people need first, then the rest. A walk that was cut goes on where it was. */
	async #fill(signal: AbortSignal): Promise<void> {
		const { base, memory, project, tell } = this.#world
		const state = this.#state
		this.#say({ phase: memory.rows.size > 0 && state.next === undefined ? 'behind' : 'filling' })
		const counted = state.part === 1 ? Promise.resolve(state.large) : this.#tooMany(signal)
		counted.catch(() => {})
		for (let part = state.part ?? 0; part < 2; part++) {
			if (part === 1) state.large = await counted
			const all = part === 0 ? first : kinds.filter((kind) => !first.includes(kind) && !state.large.includes(kind))
			const path = state.part === part && state.next
				? state.next
				: `/projects/${project}/changes?include=records&latest=true&limit=${page}&kinds=${all.join(',')}`
			// A walk that an earlier release began does not bring the kinds that came since.
			const wanted = (new URLSearchParams(path.slice(path.indexOf('?'))).get('kinds')?.split(',') ?? []) as Kind[]
			for (let coming = this.#get(path, signal);;) {
				const { data, next_page_url: next, next_after: after } = await coming
				if (next) {
					coming = this.#get(pathOf(next), signal) // while this page is being kept
					coming.catch(() => {})
				}
				const rows = this.#rows(data)
				const last = data[data.length - 1]?.kind
				// Kinds come in the order of the wish: those before the last one are all here.
				const done = next ? wanted.slice(0, Math.max(0, wanted.indexOf(last as Kind))) : wanted
				state.filled = [...new Set([...state.filled, ...done])]
				state.part = next ? part : part + 1
				state.next = next ? pathOf(next) : undefined
				if (!next) state.from = Math.min(state.from ?? after, after)
				memory.put(rows)
				this.#say({ arrived: this.filling.get().arrived + rows.length })
				await base.keep(rows, { ...state }).catch((e) => console.error('store', e))
				tell({ type: 'rows', from: undefined, to: undefined, rows })
				if (!next) break
			}
		}
		state.sequence = state.from
		delete state.part
		delete state.next
		delete state.from
		memory.forget(state.walk)
		await base.sweep({ ...state }, (kind, uid) => memory.row(kind, uid) !== undefined)
			.catch((e) => console.error('store', e))
		tell({ type: 'again' })
	}

	/** Gives the kinds that have more records than a device keeps. */
	async #tooMany(signal: AbortSignal): Promise<Kind[]> {
		const counts = await Promise.all(many.map(async (kind) => {
			const path = `/projects/${this.#world.project}/${kind}?limit=0`
			const reply = await this.#world.line.send({ method: 'GET', path, signal })
			if (reply.status !== 200) throw new Refused(reply)
			return (reply.body as { total_count: number }).total_count
		}))
		return many.filter((_, i) => (counts[i] as number) > most)
	}

	async #get(path: string, signal: AbortSignal, headers: Record<string, string> = {}) {
		const reply = await this.#world.line.send({ method: 'GET', path, signal, headers })
		if (reply.status !== 200) throw new Refused(reply)
		if (reply.body === undefined) throw new Cut('the answer broke off')
		this.#world.online.set(true)
		return reply.body as { data: Change[]; next_page_url: string | null; next_after: number }
	}

	#query(): string {
		const { large, sequence } = this.#state
		const chosen = large.length > 0 ? `&kinds=${kinds.filter((kind) => !large.includes(kind)).join(',')}` : ''
		return `include=records&after=${sequence}${chosen}`
	}

	/** Follows the stream until it ends; gives when to come back. */
	async #stream(signal: AbortSignal): Promise<number | undefined> {
		const { line, project, ports, online } = this.#world
		const stop = new AbortController()
		const both = AbortSignal.any([signal, stop.signal])
		const opened = await line.open(`/projects/${project}/events?presence=true&${this.#query()}`, {}, both)
		if (!(opened instanceof Response)) throw new Refused(opened)
		online.set(true)
		this.#failures = 0
		this.#say({ phase: 'live' })
		let heard = ports.now()
		let silent = false
		const watch = async () => {
			while (!stop.signal.aborted) {
				await ports.sleep(silence / 3, stop.signal)
				if (ports.now() - heard < silence) continue
				silent = true
				stop.abort()
			}
		}
		void watch()
		let retry: number | undefined
		let started = false
		try {
			for await (const chunk of chunks(opened.body as ReadableStream<Uint8Array>, both)) {
				heard = ports.now()
				started = true
				retry = chunk.retry ?? retry
				const told = <T>(name: string) => chunk.events.filter((e) => e.event === name).map((e) => JSON.parse(e.data) as T)
				const people = told<Attendance>('presence')
				if (people.length) this.#world.attended(people)
				const changes = told<Change>('change')
				// The id is told with the last entry of a number: whoever has not got it gets all of them again.
				await this.#take(changes, chunk.id === '' ? undefined : Number(chunk.id))
			}
		} catch (e) {
			if (signal.aborted) return undefined
			if (!silent && !(e instanceof TypeError || (e as Error).name === 'AbortError')) throw e
		} finally {
			stop.abort()
		}
		if (silent) {
			this.#silences = started ? 0 : this.#silences + 1
			if (this.#silences >= 2) this.#pollUntil = ports.now() + pollFor
		}
		this.#say({ phase: 'behind' })
		return retry ?? 200
	}

	/** Asks for changes, waiting for them; for lines on which streams do not arrive. */
	async #poll(signal: AbortSignal): Promise<void> {
		const path = `/projects/${this.#world.project}/changes?${this.#query()}`
		const page = await this.#get(path, signal, { Prefer: 'wait=25' })
		this.#failures = 0
		this.#say({ phase: 'live' })
		await this.#take(page.data, page.next_after)
	}

	/** Takes changes into memory and onto the device, and tells the other tabs. */
	async #take(changes: Change[], to: number | undefined): Promise<void> {
		const { base, memory, tell } = this.#world
		const state = this.#state
		if (changes.length === 0 && (to === undefined || to === state.sequence)) return
		const rows = this.#rows(changes)
		const from = state.sequence
		if (to !== undefined) state.sequence = to
		memory.put(rows)
		await base.keep(rows, { ...state }).catch((e) => console.error('store', e))
		tell({ type: 'rows', from, to: state.sequence, rows })
	}

	/** Makes rows of changes, the last of each record. */
	#rows(changes: Change[]): Row[] {
		const { memory } = this.#world
		const { walk } = this.#state
		const rows = new Map<string, Row>()
		for (const { kind, uid, operation, record, etag } of changes) {
			if (!known.has(kind)) continue
			const key = `${kind}/${uid}`
			const one = { kind: kind as Kind, uid, walk }
			if (operation === 'hide' || !record) {
				rows.set(key, { ...one, record: null, etag: null })
				continue
			}
			const there = rows.get(key) ?? memory.row(one.kind, uid)
			if (stale(record, there)) rows.set(key, { ...(there as Row), walk })
			else rows.set(key, { ...one, record, etag: etag ?? null })
		}
		return [...rows.values()]
	}

	#say(now: Partial<Filling>): void {
		const { filled, large } = this.#state
		const { sentence: _, ...before } = this.filling.get()
		const filling: Filling = { ...before, filled: new Set(filled), large: new Set(large), ...now }
		this.filling.set(filling)
		if (this.#leads) this.#world.tell({ type: 'filling', filling })
	}

	async #sleep(ms: number, signal: AbortSignal): Promise<void> {
		if (ms <= 0) return
		const stop = new AbortController()
		const woken = new Promise<void>((done) => {
			this.#wake = done
		})
		const timer = Number.isFinite(ms)
			? this.#world.ports.sleep(ms, AbortSignal.any([signal, stop.signal]))
			: new Promise<void>((done) => signal.addEventListener('abort', () => done(), { once: true }))
		await Promise.race([woken, timer])
		stop.abort()
		this.#wake = undefined
	}
}

const known: ReadonlySet<string> = new Set(kinds)

/** Refused is an answer that is not what was asked for. */
class Refused extends Error {
	readonly reply: Reply
	constructor(reply: Reply) {
		super(`status ${reply.status}`)
		this.reply = reply
	}
}

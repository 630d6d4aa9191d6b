// The outbox: what a person did and the server has not confirmed yet. It is kept on the device before anything is sent,
// shown at once, and sent in order, record by record. An entry leaves it only when the answer is in the store, or when
// the person gives it up.

import { Cut, type Line, type Reply } from '../api/line'
import type { AccountBase, Kept, Sent } from './base'
import { afresh, asFile, blocks, merge, needs, pathOfRecord, requestOf, withThoseThatNeed, type New } from './entry'
import type { Any, Fields } from './fields'
import { Cell } from './live'
import { keyOf, type Row } from './memory'
import type { Ports } from './ports'
import { refusalOf } from './refusal'
import type { Entry, Kind, Outbox } from './types'

/** Where the answers go, and what was last known of a record. */
export interface Shelves {
	row(project: string, kind: Kind, uid: string): Promise<Row | undefined>
	/** Keeps the answer to a request; resolves when it is on the device. */
	answer(project: string, kind: Kind, record: Any, etag: string | null): Promise<void>
}

/** keyLife is how long a repetition is safe by its key alone; the service keeps keys for 24 hours. */
const keyLife = 23 * 3_600_000
const lanes = 4
const shortest = 1_000
const longest = 60_000

export class Sender implements Outbox {
	readonly entries = new Cell<readonly Entry[]>([])
	/** Whether the device keeps what is entered; false in some private windows, and where the disk is full. */
	readonly kept = new Cell(true)
	/** Whether the last request got an answer. */
	readonly online = new Cell(true)
	readonly #kept = new Map<number, Kept>()
	readonly #sending = new Set<number>()
	readonly #unsaved = new Map<number, number>() // how many changes of an entry are on their way to the device
	readonly #gone = new Set<number>() // entries that left the outbox here
	readonly #ports: Ports
	readonly #line: Line
	readonly #base: AccountBase
	readonly #shelves: Shelves
	readonly #account: string
	readonly #on: { locked(): void; changed(): void }
	readonly #closed = new AbortController()
	#saves: Promise<void> = Promise.resolve()
	#lastId = 0
	#leads = false
	#paused = true // until it is known who is signed in
	#wake: (() => void) | undefined
	#failures = 0
	#quietUntil = 0 // while the line is down, or the service wants to be left alone

	constructor(ports: Ports, line: Line, base: AccountBase, shelves: Shelves, account: string, on: {
		/** The session ended. */
		locked(): void
		/** The kept entries changed: other tabs should look. */
		changed(): void
	}) {
		this.#ports = ports
		this.#line = line
		this.#base = base
		this.#shelves = shelves
		this.#account = account
		this.#on = on
	}

	/** Reads what is kept, and sends from now on while this tab is the one that does. */
	async start(): Promise<void> {
		await this.reload()
		const { signal } = this.#closed
		void this.#ports.lock(`groundwork/${this.#account}/outbox`, signal, async () => {
			this.#leads = true
			await this.reload() // what the tab before left
			await this.#run(signal)
			this.#leads = false
		})
	}

	/** Reads the kept entries again: another tab changed them. */
	async reload(): Promise<void> {
		await this.#saves
		if (this.#closed.signal.aborted) return
		let all: Kept[]
		try {
			all = await this.#base.outbox.toArray()
		} catch (e) {
			this.#unkept(e)
			return
		}
		const there = new Set(all.map((one) => one.id))
		const busy = (id: number) => this.#sending.has(id) || this.#unsaved.has(id)
		for (const id of this.#kept.keys()) if (!there.has(id) && !busy(id)) this.#kept.delete(id)
		for (const one of all) {
			if (one.account !== this.#account || this.#gone.has(one.id)) continue
			if (!this.#kept.has(one.id) || !busy(one.id)) this.#kept.set(one.id, one)
		}
		this.#publish()
		this.#wake?.()
	}

	/** Takes something that a person did. It shows at once; settled() tells when it is on the device. */
	add(one: New): void {
		if (this.#closed.signal.aborted) throw new Error('The outbox is closed: whoever wrote is no longer signed in here.')
		if (this.#kept.size === 0) this.#ports.persist?.()
		if (one.verb === 'update' && this.#fold(one)) return
		const now = this.#ports.now()
		// Ids are in order, also between tabs but for the same millisecond.
		this.#lastId = Math.max(this.#lastId + 1, now * 4096 + Math.floor(this.#ports.random() * 4096))
		const kept: Kept = {
			id: this.#lastId, account: this.#account, project: one.project, verb: one.verb, kind: one.kind, uid: one.uid,
			fields: one.fields, base: one.base ?? {}, at: now, state: 'waiting', tries: 0, due: 0, on: one.on,
			needs: needs(one, this.#kept.values()),
		}
		this.#kept.set(kept.id, kept)
		this.#publish()
		void this.#store(kept)
		this.#wake?.()
	}

	async settled(): Promise<void> {
		await this.#saves
		if (!this.kept.get()) throw new Error('This device does not keep what is entered.')
	}

	/** Whoever is signed in is the one whose work this is: it may be sent. */
	resume(): void {
		this.#paused = false
		this.#wake?.()
	}

	pause(): void {
		this.#paused = true
	}

	/** The line may be back: nothing waits for its time. */
	hurry(): void {
		this.#failures = 0
		this.#quietUntil = 0
		for (const kept of this.#kept.values()) kept.due = 0
		this.#wake?.()
	}

	async close(): Promise<void> {
		this.#closed.abort()
		this.#wake?.()
		await this.#saves
	}

	async mend(id: number, fields: Fields): Promise<void> {
		await this.#change(id, (kept) => {
			kept.fields = { ...kept.fields, ...fields }
			afresh(kept)
		})
	}

	async retry(id: number): Promise<void> {
		await this.#change(id, (kept) => {
			if (kept.state === 'refused') afresh(kept)
			kept.due = 0
		})
	}

	async resolve(id: number, choice: Record<string, 'mine' | 'theirs'>): Promise<void> {
		await this.#change(id, (kept) => {
			for (const { field, theirs } of kept.disputed ?? []) {
				if (choice[field] === 'theirs') {
					const { [field]: _, ...others } = kept.fields
					kept.fields = others
				} else if (choice[field] === 'mine') {
					kept.base = { ...kept.base, [field]: theirs }
				}
			}
			afresh(kept)
			return Object.keys(kept.fields).length > 0
		})
	}

	async discard(id: number): Promise<readonly Entry[]> {
		const first = this.#kept.get(id)
		if (!first) return []
		const gone = withThoseThatNeed(first, [...this.#kept.values()])
		const given = gone.map((kept) => this.#entry(kept))
		await this.#drop(gone)
		return given
	}

	async asFile(): Promise<{ name: string; text: string }> {
		return asFile(this.#account, this.#ports.now(), this.#inOrder())
	}

	/** Whoever writes a field again whose change was refused mends that change. */
	#fold(one: New): boolean {
		for (const kept of this.#kept.values()) {
			if (kept.verb !== 'update' || kept.state !== 'refused' || kept.project !== one.project) continue
			if (kept.kind !== one.kind || kept.uid !== one.uid) continue
			if (!Object.keys(one.fields).some((field) => field in kept.fields)) continue
			kept.fields = { ...kept.fields, ...one.fields }
			kept.base = { ...one.base, ...kept.base }
			afresh(kept)
			this.#publish()
			void this.#store(kept)
			this.#wake?.()
			return true
		}
		return false
	}

	/** Changes a kept entry at a person's wish; change gives false where nothing of it is left. */
	async #change(id: number, change: (kept: Kept) => boolean | void): Promise<void> {
		const kept = this.#kept.get(id)
		if (!kept || this.#sending.has(id)) return
		if (change(kept) === false) return this.#drop([kept])
		this.#publish()
		await this.#store(kept)
		this.#wake?.()
	}

	/** Writes an entry to the device as it is now. */
	#store(kept: Kept): Promise<void> {
		const { id } = kept
		const copy = { ...kept }
		this.#unsaved.set(id, (this.#unsaved.get(id) ?? 0) + 1)
		return this.#save(() => this.#base.outbox.put(copy)).finally(() => {
			const left = (this.#unsaved.get(id) ?? 1) - 1
			if (left > 0) this.#unsaved.set(id, left)
			else this.#unsaved.delete(id)
		})
	}

	/** Takes entries out. */
	#drop(all: Kept[]): Promise<void> {
		for (const { id } of all) {
			this.#kept.delete(id)
			this.#gone.add(id)
		}
		this.#publish()
		return this.#save(() => this.#base.outbox.bulkDelete(all.map((kept) => kept.id)))
	}

	/** Writes to the device, one after the other, and tells the other tabs. What it does not take is sent all the same. */
	#save(write: () => PromiseLike<unknown>): Promise<void> {
		const saved = this.#saves.then(async () => {
			try {
				await write()
				this.kept.set(true)
				this.#on.changed()
			} catch (e) {
				this.#unkept(e)
			}
		})
		this.#saves = saved
		return saved
	}

	#unkept(e: unknown): void {
		if (this.#closed.signal.aborted) return
		console.error('outbox', e)
		this.kept.set(false)
	}

	#entry(kept: Kept): Entry {
		const { id, project, verb, kind, uid, on, fields, at, tries, refusal, disputed } = kept
		const state = this.#sending.has(id) ? 'sending' : kept.state
		return { id, project, verb, kind, uid, on, fields, at, state, tries, refusal, disputed }
	}

	#publish(): void {
		this.entries.set(this.#inOrder().map((kept) => this.#entry(kept)))
	}

	#inOrder(): Kept[] {
		return [...this.#kept.values()].sort((a, b) => a.id - b.id)
	}

	/** Sends, a few records at a time, for as long as this tab leads. */
	async #run(signal: AbortSignal): Promise<void> {
		const under = new Set<Promise<void>>()
		while (!signal.aborted) {
			// One look at the clock for both: between two, an entry could become due and be neither sent nor waited for.
			const now = this.#ports.now()
			const next = this.#paused || under.size >= lanes ? undefined : this.#next(now)
			if (next) {
				this.#sending.add(next.id)
				this.#publish()
				const one = this.#send(next).catch((e: unknown) => {
					// A bug, or a device that keeps nothing any more: the entry stays, and waits.
					console.error('outbox', e)
					this.#later(next, undefined)
				}).finally(() => {
					this.#sending.delete(next.id)
					under.delete(one)
					this.#publish()
					this.#wake?.()
				})
				under.add(one)
				continue
			}
			await this.#idle(now, signal)
		}
		await Promise.allSettled(under)
	}

	/** Waits for something to do: what is due later than now, or whoever wakes it. */
	async #idle(now: number, signal: AbortSignal): Promise<void> {
		const stop = new AbortController()
		const woken = new Promise<void>((done) => {
			this.#wake = done
		})
		const waiting = [...this.#kept.values()].filter((kept) => kept.state === 'waiting' && !this.#sending.has(kept.id))
		const due = Math.min(...waiting.map((kept) => Math.max(kept.due, this.#quietUntil)).filter((at) => at > now))
		const timer = Number.isFinite(due) && !this.#paused
			? this.#ports.sleep(due - now, AbortSignal.any([stop.signal, signal]))
			: new Promise<void>(() => {})
		await Promise.race([woken, timer])
		stop.abort()
		this.#wake = undefined
	}

	/** The next entry that can be sent now: in order for each record, and after those that it needs. */
	#next(now: number): Kept | undefined {
		if (now < this.#quietUntil || (!this.online.get() && this.#sending.size > 0)) return undefined
		const all = this.#inOrder()
		const unmade = new Set(all.filter((one) => one.verb === 'create').map((one) => one.project + keyOf(one.kind, one.uid)))
		const before = new Map<string, Kept[]>()
		for (const kept of all) {
			const key = kept.project + keyOf(kept.kind, kept.uid)
			const earlier = before.get(key) ?? []
			before.set(key, [...earlier, kept])
			if (kept.state !== 'waiting' || this.#sending.has(kept.id) || kept.due > now) continue
			if (earlier.some((other) => blocks(other, kept, this.#sending.has(other.id)))) continue
			if (kept.needs.some((need) => unmade.has(kept.project + need))) continue
			return kept
		}
		return undefined
	}

	/** Sends an entry once, and does what the answer says. */
	async #send(kept: Kept): Promise<void> {
		if (kept.sent && this.#ports.now() - kept.sent.at > keyLife && !(await this.#compare(kept))) return
		if (!kept.sent && !(await this.#prepare(kept))) return
		const sent = kept.sent as Sent
		let reply: Reply
		try {
			reply = await this.#line.send({ ...sent, signal: this.#closed.signal })
		} catch (e) {
			if (!(e instanceof Cut)) throw e
			if (this.#closed.signal.aborted) return
			this.online.set(false)
			return this.#later(kept, undefined)
		}
		this.online.set(true)
		this.#failures = 0
		await this.#judge(kept, reply)
	}

	async #judge(kept: Kept, reply: Reply): Promise<void> {
		const { status } = reply
		if (status >= 200 && status < 300) return this.#done(kept, reply)
		if (status === 401) {
			this.#paused = true
			this.#on.locked()
			return
		}
		if (again.has(status) || status >= 500) return this.#later(kept, reply.retryAfter)
		if (status === 412) {
			const now = await this.#fetch(kept)
			if (now === undefined) return // no answer: it is tried later, and is 412 again
			if (now.status !== 200) return this.#refuse(kept, now)
			await this.#learn(kept, now)
			await this.#prepare(kept, now) // and the next round sends it
			return
		}
		if (status === 422) {
			kept.sent = undefined // the key was used for something else: a new one
			return this.#keep(kept)
		}
		if (status === 409 && kept.verb === 'create' && typeof (reply.body as { url?: unknown })?.url === 'string') {
			const now = await this.#fetch(kept)
			if (now === undefined) return
			if (now.status === 200) return this.#done(kept, now)
		}
		return this.#refuse(kept, reply)
	}

	/** Puts the answer into the store, and only then takes the entry out. */
	async #done(kept: Kept, reply: Reply): Promise<void> {
		let now: Reply | undefined = reply
		// A delete is answered with nothing, a link with what was linked: what became of the record has to be asked.
		if (kept.verb === 'remove' || kept.verb === 'link' || kept.verb === 'unlink') now = await this.#fetch(kept)
		if (now === undefined) return // it is tried later, and changes nothing then
		if (now.status === 200 || now.status === 201) await this.#learn(kept, now)
		await this.#drop([kept])
	}

	async #learn(kept: Kept, reply: Reply): Promise<void> {
		const record = reply.body as Any | undefined
		if (!record || record.uid !== kept.uid || typeof record.updated_at !== 'string') return
		await this.#shelves.answer(kept.project, kept.kind, record, reply.etag ?? null)
	}

	/** Says when an entry is tried again: later and later, and not before the service wants it. */
	#later(kept: Kept, retryAfter: number | undefined): void {
		kept.tries++
		this.#failures++
		const backoff = Math.min(longest, shortest * 2 ** Math.min(this.#failures - 1, 10))
		const wait = Math.max((retryAfter ?? 0) * 1000, backoff * (0.5 + this.#ports.random() / 2))
		kept.due = this.#ports.now() + wait
		if (retryAfter !== undefined || !this.online.get()) this.#quietUntil = kept.due
		void this.#keep(kept)
	}

	async #refuse(kept: Kept, reply: Reply): Promise<void> {
		kept.state = 'refused'
		kept.refusal = refusalOf(reply)
		kept.tries++
		kept.sent = undefined
		await this.#keep(kept)
	}

	/** Keeps an entry as it is now, unless the person gave it up meanwhile. */
	#keep(kept: Kept): Promise<void> {
		if (!this.#kept.has(kept.id)) return Promise.resolve()
		return this.#store(kept)
	}

	/** Reads the record of an entry; undefined where no answer came, and the entry is tried later. */
	async #fetch(kept: Kept): Promise<Reply | undefined> {
		try {
			const reply = await this.#line.send({ method: 'GET', path: pathOfRecord(kept), signal: this.#closed.signal })
			if (reply.status < 500 && !again.has(reply.status) && reply.status !== 401) return reply
			if (reply.status === 401) {
				this.#paused = true
				this.#on.locked()
			} else {
				this.#later(kept, reply.retryAfter)
			}
		} catch (e) {
			if (!(e instanceof Cut)) throw e
			if (!this.#closed.signal.aborted) {
				this.online.set(false)
				this.#later(kept, undefined)
			}
		}
		return undefined
	}

	/** An old entry whose key the service may have forgotten: looks whether it took effect. False: nothing to send now. */
	async #compare(kept: Kept): Promise<boolean> {
		if (kept.verb === 'create' || kept.verb === 'update') {
			const now = await this.#fetch(kept)
			if (now === undefined) return false
			if (now.status === 200) {
				const record = now.body as Any & { created_by?: { uid: string | null } | null }
				if (kept.verb === 'create' && record.created_by?.uid === this.#account) {
					await this.#done(kept, now)
					return false
				}
				await this.#learn(kept, now)
				return kept.verb === 'update' ? this.#prepare(kept, now) : true
			}
		}
		kept.sent = undefined // removals, restorations and links may be repeated
		return true
	}

	/** Makes the request of an entry and keeps it before it is sent. False: nothing to send now. */
	async #prepare(kept: Kept, read?: Reply): Promise<boolean> {
		const headers: Record<string, string> = { 'Idempotency-Key': this.#ports.uid() }
		let fields: Fields = { ...kept.fields }
		kept.sent = undefined
		if (kept.verb === 'update') {
			const row = read
				? { record: read.body as Any, etag: read.etag }
				: await this.#shelves.row(kept.project, kept.kind, kept.uid)
			if (row?.record) {
				const merged = merge(kept, row.record)
				if (merged.disputed.length > 0) {
					kept.state = 'conflict'
					kept.disputed = merged.disputed
					await this.#keep(kept)
					return false
				}
				if (Object.keys(merged.fields).length === 0) { // it is there already
					await this.#drop([kept])
					return false
				}
				fields = merged.fields
				if (row.etag) headers['If-Match'] = row.etag
			}
		}
		const [method, path, body] = requestOf(kept, fields)
		kept.sent = { method, path, body, headers, at: this.#ports.now() }
		await this.#keep(kept)
		return this.#kept.has(kept.id)
	}
}

/** again are statuses after which the same request may succeed. */
const again = new Set([408, 423, 425, 429])

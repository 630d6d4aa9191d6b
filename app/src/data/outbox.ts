// The outbox: what a person did and the server has not confirmed yet. It is kept on the device before anything is sent,
// shown at once, and sent in order, record by record. An entry leaves it only when the answer is in the store, or when
// the person gives it up.

import { Cut, type Line, type Reply } from '../api/line'
import type { AccountBase, Kept, Sent } from './base'
import { Box } from './box'
import { Unreadable } from './copies'
import { afresh, asFile, decide, merge, nextOf, pathOfRecord, refusedBefore, requestOf, type New } from './entry'
import type { Any, Fields } from './fields'
import { Cell, type Live } from './live'
import type { Row } from './memory'
import type { Ports } from './ports'
import { refusalOf } from './refusal'
import type { Entry, EntryFile, Kind, Outbox } from './types'
import { broken, sendFile } from './upload'

/** Where the answers go, and what was last known of a record. */
export interface Shelves {
	row(project: string, kind: Kind, uid: string): Promise<Row | undefined>
	/** Keeps the answer to a request; resolves when it is on the device. */
	answer(project: string, kind: Kind, record: Any, etag: string | null): Promise<void>
}

/** keyLife is how long a repetition is safe by its key alone; the service keeps keys for 24 hours. */
const keyLife = 23 * 3_600_000
const lanes = 4
/** filesAtOnce leaves lanes for what is small. */
const filesAtOnce = 2
const shortest = 1_000
const longest = 60_000

export class Sender implements Outbox {
	readonly entries: Live<readonly Entry[]>
	readonly kept: Live<boolean>
	readonly uploads: Live<ReadonlyMap<string, number>>
	/** Whether the last request got an answer. */
	readonly online = new Cell(true)
	readonly #box: Box
	readonly #ports: Ports
	readonly #line: Line
	readonly #shelves: Shelves
	readonly #account: string
	readonly #on: { locked(): void; moved(uid: string, part: number): void }
	readonly #closed: AbortSignal
	#paused = true // until it is known who is signed in
	#wake: (() => void) | undefined
	#failures = 0
	#quietUntil = 0 // while the line is down, or the service wants to be left alone

	constructor(ports: Ports, line: Line, base: AccountBase, shelves: Shelves, account: string, on: {
		/** The session ended. */
		locked(): void
		/** The kept entries changed: other tabs should look. */
		changed(): void
		/** A file is so far on its way: other tabs should show it. */
		moved(uid: string, part: number): void
	}) {
		this.#ports = ports
		this.#line = line
		this.#shelves = shelves
		this.#account = account
		this.#on = on
		this.#box = new Box(ports, base, account, { changed: on.changed, wake: () => this.#wake?.() })
		this.#closed = this.#box.closed.signal
		this.entries = this.#box.entries
		this.kept = this.#box.kept
		this.uploads = this.#box.uploads
	}

	/** Reads what is kept, and sends from now on while this tab is the one that does. */
	async start(): Promise<void> {
		await this.reload()
		const running = this.#run(this.#closed)
		void this.#ports.lock(`groundwork/${this.#account}/outbox`, this.#closed, async () => {
			await this.#box.lead()
			this.#wake?.()
			await running
		})
	}

	reload(): Promise<void> {
		return this.#box.reload()
	}

	/** Takes something that a person did. It shows at once; settled() tells when it is on the device. */
	add(one: New): void {
		// Whoever writes a field again whose change was refused mends that change.
		const refused = refusedBefore(one, this.#box.all().filter((kept) => !this.#box.givesUp(kept.id)))
		const kept = refused ?? this.#box.enter(one)
		if (refused) {
			refused.fields = { ...refused.fields, ...one.fields }
			refused.base = { ...one.base, ...refused.base }
			afresh(refused)
		}
		this.#box.publish()
		void this.#box.store(kept)
		this.#wake?.()
	}

	addFile(one: New, file: Blob, about: Pick<EntryFile, 'name' | 'type'>): void {
		this.#box.enterFile(one, file, about)
	}

	settled(): Promise<void> {
		return this.#box.settled()
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
		for (const kept of this.#box.all()) kept.due = 0
		this.#wake?.()
	}

	async close(): Promise<void> {
		const closed = this.#box.close()
		this.#wake?.()
		await closed
	}

	async mend(id: number, fields: Fields): Promise<void> {
		await this.#change(id, (kept) => {
			kept.fields = { ...kept.fields, ...fields }
			afresh(kept)
		})
	}

	async retry(id: number): Promise<void> {
		await this.#change(id, (kept) => {
			if (kept.refusal?.reason) return // the server would never take it
			if (kept.state === 'refused') afresh(kept)
			kept.due = 0
		})
	}

	async resolve(id: number, choice: Record<string, 'mine' | 'theirs'>): Promise<void> {
		await this.#change(id, (kept) => {
			decide(kept, choice)
			return Object.keys(kept.fields).length > 0
		})
	}

	hanging(id: number): readonly Entry[] {
		const first = this.#box.get(id)
		return first ? this.#box.hanging(first).map((kept) => this.#box.entry(kept)) : []
	}

	async discard(id: number, told?: readonly number[]): Promise<readonly Entry[]> {
		const first = this.#box.get(id)
		if (!first) return []
		const gone = [first, ...this.#box.hanging(first).filter((kept) => !told || told.includes(kept.id))]
		const given = gone.map((kept) => this.#box.entry(kept))
		const ids = await this.#box.giveUp(gone)
		return given.filter((one) => ids.has(one.id))
	}

	async asFile(): Promise<{ name: string; text: string }> {
		return asFile(this.#account, this.#ports.now(), this.#box.all())
	}

	copy(uid: string): Live<string | undefined> {
		return this.#box.copies.address(uid)
	}

	async file(id: number): Promise<{ name: string; blob: Blob } | undefined> {
		const kept = this.#box.get(id)
		const blob = kept?.file && (await this.#box.copies.read(kept).catch(() => undefined))
		return blob && kept?.file ? { name: kept.file.name, blob } : undefined
	}

	/** Hears how far a file is on its way. */
	moved(uid: string, part: number): void {
		this.#box.moved(uid, part)
	}

	/** Changes a kept entry at a person's wish; change gives false where nothing of it is left. */
	async #change(id: number, change: (kept: Kept) => boolean | void): Promise<void> {
		const kept = this.#box.get(id)
		if (!kept || kept.unwanted || this.#box.sending.has(id)) return
		if (change(kept) === false) return this.#box.drop([kept])
		this.#box.publish()
		await this.#box.store(kept)
		this.#wake?.()
	}

	/** Sends, a few records at a time: all while this tab leads, otherwise what only it has. */
	async #run(signal: AbortSignal): Promise<void> {
		const under = new Set<Promise<void>>()
		while (!signal.aborted) {
			// One look at the clock for both: between two, an entry could become due and be neither sent nor waited for.
			const now = this.#ports.now()
			const next = this.#paused || under.size >= lanes ? undefined : this.#next(now)
			if (next) {
				this.#box.sending.set(next.id, new AbortController())
				this.#box.publish()
				const one = this.#send(next).catch((e: unknown) => {
					// A bug, or a device that keeps nothing any more: the entry stays, and waits.
					console.error('outbox', e)
					this.#later(next, undefined)
				}).finally(() => {
					this.#box.sending.delete(next.id)
					under.delete(one)
					this.#box.publish()
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
		const mine = (kept: Kept) =>
			(kept.state === 'waiting' || kept.unwanted) && !this.#box.sending.has(kept.id) && this.#box.may(kept)
		const waiting = this.#box.all().filter(mine)
		const due = Math.min(...waiting.map((kept) => Math.max(kept.due, this.#quietUntil)).filter((at) => at > now))
		const timer = Number.isFinite(due) && !this.#paused
			? this.#ports.sleep(due - now, AbortSignal.any([stop.signal, signal]))
			: new Promise<void>(() => {})
		await Promise.race([woken, timer])
		stop.abort()
		this.#wake = undefined
	}

	#next(now: number): Kept | undefined {
		if (now < this.#quietUntil || (!this.online.get() && this.#box.sending.size > 0)) return undefined
		const files = [...this.#box.sending.keys()].filter((id) => this.#box.get(id)?.file).length
		return nextOf(this.#box.all(), this.#box.sending, (kept) =>
			kept.due <= now && this.#box.may(kept) && !(kept.file && files >= filesAtOnce))
	}

	/** Sends an entry once, and does what the answer says. */
	async #send(kept: Kept): Promise<void> {
		if (kept.unwanted) return this.#lookFor(kept)
		if (!kept.file && kept.sent && this.#ports.now() - kept.sent.at > keyLife && !(await this.#compare(kept))) return
		if (!kept.file && !kept.sent && !(await this.#prepare(kept))) return
		if (this.#box.givesUp(kept.id)) return // while it was made ready; once the device knows, it is looked for
		if (this.#box.get(kept.id)?.unwanted) return this.#lookFor(kept)
		const signal = AbortSignal.any([this.#closed, this.#box.sending.get(kept.id)?.signal ?? this.#closed])
		let reply: Reply
		try {
			reply = await (kept.file ? this.#sendFile(kept, signal) : this.#line.send({ ...(kept.sent as Sent), signal }))
		} catch (e) {
			if (e instanceof Unreadable) return this.#box.refuse(kept, broken)
			if (!(e instanceof Cut)) throw e
			if (this.#closed.aborted || !this.#box.get(kept.id)) return
			if (signal.aborted) return this.#later(kept, undefined) // called back: it may have arrived all the same
			this.online.set(false)
			return this.#later(kept, undefined)
		}
		this.online.set(true)
		this.#failures = 0
		await this.#judge(kept, reply)
	}

	async #sendFile(kept: Kept, signal: AbortSignal): Promise<Reply> {
		const { uid, file } = kept
		let told = 0
		const move = (part: number) => {
			this.moved(uid, part)
			const now = this.#ports.now()
			if (part > 0 && now - told < 250) return
			told = now
			this.#on.moved(uid, part)
		}
		try {
			return await sendFile(this.#line, kept, {
				read: () => this.#box.copies.read(kept), keep: () => this.#box.keep(kept), signal,
				sent: (bytes) => !signal.aborted && move(Math.min(1, bytes / Math.max(1, file?.size ?? 0))),
			})
		} catch (e) {
			if (this.#box.get(kept.id)) move(0)
			throw e
		}
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
		if (kept.unwanted) return this.#lookFor(kept)
		if (status === 412) {
			const now = await this.#fetch(kept)
			if (now === undefined) return // no answer: it is tried later, and is 412 again
			if (now.status !== 200) return this.#box.refuse(kept, refusalOf(now))
			await this.#learn(kept, now)
			await this.#prepare(kept, now) // and the next round sends it
			return
		}
		if (status === 422) {
			kept.sent = undefined // the key was used for something else: a new one
			await this.#box.keep(kept)
			return
		}
		if (status === 409 && kept.verb === 'create' && typeof (reply.body as { url?: unknown })?.url === 'string') {
			const now = await this.#fetch(kept)
			if (now === undefined) return
			if (now.status === 200) return this.#done(kept, now)
		}
		return this.#box.refuse(kept, refusalOf(reply))
	}

	/** Puts the answer into the store, and only then takes the entry out. */
	async #done(kept: Kept, reply: Reply): Promise<void> {
		let now: Reply | undefined = reply
		// A delete is answered with nothing, a link with what was linked: what became of the record has to be asked.
		// The completion of a file is for whoever has its address: what this reader sees of the record has to be asked too.
		const { verb, file } = kept
		if (verb === 'remove' || verb === 'link' || verb === 'unlink' || file) now = await this.#fetch(kept)
		if (now === undefined) return // it is tried later, and changes nothing then
		if (now.status === 200 || now.status === 201) await this.#learn(kept, now)
		await this.#box.drop([kept])
	}

	/** Takes an entry out that was given up when the server might have it; what the server has, the person sees. */
	async #lookFor(kept: Kept): Promise<void> {
		const now = await this.#fetch(kept)
		if (now === undefined) return
		if (now.status === 200) await this.#learn(kept, now)
		if (now.status === 404) await this.#box.orphan(kept) // what was entered since, before it could be sent
		await this.#box.drop([kept])
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
		void this.#box.keep(kept)
	}

	/** Reads the record of an entry; undefined where no answer came, and the entry is tried later. */
	async #fetch(kept: Kept): Promise<Reply | undefined> {
		try {
			const reply = await this.#line.send({ method: 'GET', path: pathOfRecord(kept), signal: this.#closed })
			if (reply.status < 500 && !again.has(reply.status) && reply.status !== 401) return reply
			if (reply.status === 401) {
				this.#paused = true
				this.#on.locked()
			} else {
				this.#later(kept, reply.retryAfter)
			}
		} catch (e) {
			if (!(e instanceof Cut)) throw e
			if (!this.#closed.aborted) {
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
					await this.#box.keep(kept)
					return false
				}
				if (Object.keys(merged.fields).length === 0) { // it is there already
					await this.#box.drop([kept])
					return false
				}
				fields = merged.fields
				if (row.etag) headers['If-Match'] = row.etag
			}
		}
		const [method, path, body] = requestOf(kept, fields)
		kept.sent = { method, path, body, headers, at: this.#ports.now() }
		await this.#box.keep(kept)
		return this.#box.get(kept.id) !== undefined
	}
}

/** again are statuses after which the same request may succeed. */
const again = new Set([408, 423, 425, 429])

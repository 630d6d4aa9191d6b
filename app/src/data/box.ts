// What waits to be sent, as this tab knows it and the device keeps it. Every change goes to the device at once, one
// after the other, and the other tabs of the browser hear of it.

import { mayBeThere, type AccountBase, type Kept } from './base'
import { Copies, Unreadable } from './copies'
import { needs, orphaned, saysNothing, withThoseThatNeed, type New } from './entry'
import { Cell } from './live'
import type { Ports } from './ports'
import type { Entry, EntryFile, Refusal } from './types'
import { broken } from './upload'

export class Box {
	readonly entries = new Cell<readonly Entry[]>([])
	/** Whether the device keeps what is entered; false in some private windows, and where the disk is full. */
	readonly kept = new Cell(true)
	/** How far files are on their way. */
	readonly uploads = new Cell<ReadonlyMap<string, number>>(new Map())
	/** What is being sent, and how that is called back. */
	readonly sending = new Map<number, AbortController>()
	/** Entries that only this tab has, or whose file only it has. */
	readonly only = new Set<number>()
	readonly copies: Copies
	readonly closed = new AbortController()
	readonly #kept = new Map<number, Kept>()
	readonly #unsaved = new Map<number, number>() // how many changes of an entry are on their way to the device
	readonly #there = new Set<number>() // entries that the device had
	readonly #gone = new Set<number>() // entries that left the outbox here
	readonly #giving = new Set<number>() // entries that the person gives up, until the device knows it
	readonly #writing = new Set<Promise<void>>() // files on their way to the device
	readonly #holds = new Map<number, () => void>() // ends the lock of a file that only this tab has
	readonly #watched = new Set<number>() // files that another tab writes
	readonly #arrived = new Map<string, number>() // how far files are on their way
	readonly #ports: Ports
	readonly #base: AccountBase
	readonly #account: string
	readonly #on: { changed(): void; wake(): void }
	#saves: Promise<void> = Promise.resolve()
	#lastId = 0
	#leads = false

	constructor(ports: Ports, base: AccountBase, account: string, on: {
		/** The kept entries changed: other tabs should look. */
		changed(): void
		/** There may be something to send. */
		wake(): void
	}) {
		this.#ports = ports
		this.#base = base
		this.#account = account
		this.#on = on
		this.copies = new Copies(ports, base, (uid) => [...this.#kept.values()].find((kept) => kept.file && kept.uid === uid))
	}

	get(id: number): Kept | undefined {
		return this.#kept.get(id)
	}

	/** All entries in the order in which they were entered. */
	all(): Kept[] {
		return [...this.#kept.values()].sort((a, b) => a.id - b.id)
	}

	/** From now on this tab is the one that sends. */
	async lead(): Promise<void> {
		await this.reload() // what the tab before left
		this.#leads = true
		this.#watch()
	}

	/** Whether the person gives an entry up, and the device does not know it yet. */
	givesUp(id: number): boolean {
		return this.#giving.has(id)
	}

	/** Whether this tab is the one that sends an entry, and has all that it takes. */
	may(kept: Kept): boolean {
		if (this.#giving.has(kept.id)) return false
		return this.only.has(kept.id) || (this.#leads && (!!kept.unwanted || kept.file?.whole !== false))
	}

	/** Reads the kept entries again: another tab changed them. */
	async reload(): Promise<void> {
		await this.#saves
		if (this.closed.signal.aborted) return
		const known = [...this.#there]
		let all: Kept[]
		try {
			all = await this.#base.outbox.toArray()
		} catch (e) {
			this.#unkept(e)
			return
		}
		const there = new Set(all.map((one) => one.id))
		for (const id of known) if (!there.has(id) && !this.#unsaved.has(id)) this.#forget(id) // another tab is done with it
		const busy = (id: number) => this.sending.has(id) || this.#unsaved.has(id) || this.copies.has(id)
		for (const one of all) {
			if (one.account !== this.#account || this.#gone.has(one.id)) continue
			this.#there.add(one.id)
			if (!this.#kept.has(one.id) || !busy(one.id)) this.#kept.set(one.id, one)
			else if (one.unwanted) this.#callBack(one.id)
		}
		this.publish()
		this.copies.look()
		this.#watch()
		this.#on.wake()
	}

	/** Makes an entry of what a person did; store() keeps it. */
	enter(one: New): Kept {
		if (this.closed.signal.aborted) throw new Error('The outbox is closed: whoever wrote is no longer signed in here.')
		if (this.#kept.size === 0) this.#ports.persist?.()
		const now = this.#ports.now()
		// Ids are in order, also between tabs but for the same millisecond.
		this.#lastId = Math.max(this.#lastId + 1, now * 4096 + Math.floor(this.#ports.random() * 4096))
		const kept: Kept = {
			id: this.#lastId, account: this.#account, project: one.project, verb: one.verb, kind: one.kind, uid: one.uid,
			fields: one.fields, base: one.base ?? {}, at: now, state: 'waiting', tries: 0, due: 0, on: one.on,
			needs: needs(one, this.#kept.values()),
		}
		this.#kept.set(kept.id, kept)
		return kept
	}

	/**
	 * Makes an entry of a file. It can be sent when the device has all of it, or when it is known that it does not take
	 * it.
	 */
	enterFile(one: New, file: Blob, about: Pick<EntryFile, 'name' | 'type'>): void {
		const kept = this.enter(one)
		const { id } = kept
		kept.file = { ...about, size: file.size, whole: false, parts: 0 }
		this.copies.give(id, file)
		this.publish()
		let stored: Promise<boolean> | undefined
		const writing = new Promise<void>((done) => {
			// Other tabs see by the lock, which is asked for before they can see the entry, that somebody has the file.
			this.#ports.lock(this.#lockOf(id), this.closed.signal, async () => {
				await this.#write(kept, await stored).finally(done)
				if (this.only.has(id) && !this.closed.signal.aborted) await new Promise<void>((end) => this.#holds.set(id, end))
			}).catch((e: unknown) => this.#unkept(e)).finally(done)
		}).finally(() => this.#writing.delete(writing))
		this.#writing.add(writing)
		stored = this.store(kept) // before its file: a tab that dies leaves word of it
	}

	async #write(kept: Kept, stored: boolean | undefined): Promise<void> {
		const { id } = kept
		try {
			const parts = stored ? await this.copies.keep(id) : undefined
			if (parts === undefined) return // the device does not take it, or the person gave it up
			kept.file = { ...(kept.file as EntryFile), parts, whole: true }
			if (await this.keep(kept)) this.copies.forget(id)
			else this.only.add(id)
		} catch (e) {
			if (e instanceof Unreadable) {
				this.copies.forget(id)
				return this.refuse(kept, broken)
			}
			this.only.add(id)
			this.#unkept(e)
			await this.#base.dropParts(id).catch(() => {}) // half of a file is of no use, and others need the room
		} finally {
			this.publish()
			this.#on.wake()
		}
	}

	/** Looks after files that other tabs write: those whose tab died before the device had them are broken. */
	#watch(): void {
		if (!this.#leads) return
		for (const { id, file, state } of this.#kept.values()) {
			if (!file || file.whole || state !== 'waiting' || this.copies.has(id) || this.#watched.has(id)) continue
			this.#watched.add(id)
			void this.#ports.lock(this.#lockOf(id), this.closed.signal, async () => {
				await this.reload()
				const now = this.#kept.get(id)
				if (now?.file && !now.file.whole && !this.closed.signal.aborted) await this.refuse(now, broken)
			}).finally(() => this.#watched.delete(id))
		}
	}

	#lockOf(id: number): string {
		return `${this.#base.name}/file/${id}`
	}

	/** Resolves when everything that was entered so far is on the device. */
	async settled(): Promise<void> {
		await Promise.all(this.#writing)
		await this.#saves
		if (!this.kept.get()) throw new Error('This device does not keep what is entered.')
	}

	async close(): Promise<void> {
		this.closed.abort()
		for (const end of this.#holds.values()) end()
		await Promise.all(this.#writing)
		await this.#saves
	}

	/** Puts an entry aside until the person does something about it. */
	async refuse(kept: Kept, refusal: Refusal): Promise<void> {
		kept.state = 'refused'
		kept.refusal = refusal
		kept.tries++
		kept.sent = undefined
		this.moved(kept.uid, 0)
		await this.keep(kept)
		this.publish()
	}

	/** Keeps an entry as it is now, unless the person gave it up meanwhile. */
	keep(kept: Kept): Promise<boolean> {
		return this.#kept.has(kept.id) ? this.store(kept) : Promise.resolve(false)
	}

	/** Writes an entry to the device as it is now, and says whether it has it; unless somebody gave it up. */
	async store(kept: Kept): Promise<boolean> {
		const { id } = kept
		const copy = { ...kept }
		let has = false
		this.#unsaved.set(id, (this.#unsaved.get(id) ?? 0) + 1)
		await this.#save(async () => {
			try {
				has = await this.#base.keepEntry(copy, !this.#there.has(id) && !this.#gone.has(id))
				if (!has) {
					this.#forget(id)
					this.publish()
					return
				}
				this.#there.add(id)
				if (copy.unwanted) this.#callBack(id) // another tab gave it up
				if (!copy.file) this.only.delete(id)
			} catch (e) {
				if (!this.#there.has(id)) this.only.add(id)
				throw e
			}
		})
		const left = (this.#unsaved.get(id) ?? 1) - 1
		if (left > 0) this.#unsaved.set(id, left)
		else this.#unsaved.delete(id)
		this.#on.wake()
		return has
	}

	/** Takes entries out, and their files: the server has them, or refused them. */
	drop(all: Kept[]): Promise<void> {
		for (const { id } of all) this.#forget(id)
		this.publish()
		return this.#save(() => this.#base.dropEntries(all.map((kept) => kept.id)))
	}

	/** What comes to nothing without an entry. */
	hanging(first: Kept): Kept[] {
		return withThoseThatNeed(first, this.all()).filter((kept) => kept.id !== first.id)
	}

	/** Puts aside what hangs on a record that the project does not have, and that nobody gave up with it. */
	async orphan(first: Kept): Promise<void> {
		const left = this.hanging(first).filter((kept) =>
			!kept.unwanted && !this.sending.has(kept.id) && kept.refusal !== orphaned)
		if (left.length === 0) return
		const aside = left.filter((kept) => !saysNothing(kept)).map((kept) => this.refuse(kept, orphaned))
		await Promise.all([...aside, this.drop(left.filter(saysNothing))])
	}

	/**
	 * Gives entries up, and gives the ids of those that the server does not have. Those that it may have are called back.
	 * What else hangs on what the server does not have is put aside. What the device does not let go stays as it was.
	 */
	async giveUp(all: readonly Kept[]): Promise<ReadonlySet<number>> {
		let told: { given: number[]; unwanted: number[] } | undefined
		for (const { id } of all) this.#giving.add(id)
		await this.#save(async () => {
			told = await this.#base.giveUp(all.map((kept) => kept.id))
		})
		for (const { id } of all) this.#giving.delete(id)
		const given = new Set(told?.given)
		const unwanted = new Set(told?.unwanted)
		for (const kept of all) {
			const { id } = kept
			if (this.only.has(id) && !given.has(id) && this.#kept.has(id)) (mayBeThere(kept) ? unwanted : given).add(id)
			if (unwanted.has(id)) this.#callBack(id)
			else if (told || given.has(id)) this.#forget(id) // what is neither was sent by another tab
		}
		const aside = all.filter((kept) => given.has(kept.id)).map((kept) => this.orphan(kept)) // before it could be sent
		this.publish()
		this.#on.wake()
		await Promise.all(aside)
		return given
	}

	/** Has an entry be looked for instead of sent. A file may still be on its way; anything else is answered soon. */
	#callBack(id: number): void {
		const kept = this.#kept.get(id)
		if (!kept || kept.unwanted) return
		kept.unwanted = true
		if (kept.file) this.sending.get(id)?.abort()
	}

	/** Has this tab know no more of an entry; what is on its way of it is called back. */
	#forget(id: number): void {
		this.#arrived.delete(this.#kept.get(id)?.uid ?? '')
		this.#kept.delete(id)
		this.#gone.add(id)
		this.#there.delete(id)
		this.only.delete(id)
		this.copies.forget(id)
		this.sending.get(id)?.abort()
		this.#holds.get(id)?.()
		this.#holds.delete(id)
	}

	/** Writes to the device, one after the other, and tells the other tabs. What it does not take is sent all the same. */
	#save(write: () => PromiseLike<unknown>): Promise<void> {
		const saved = this.#saves.then(async () => {
			try {
				await write()
				this.kept.set(this.only.size === 0)
				this.#on.changed()
			} catch (e) {
				this.#unkept(e)
			}
		})
		this.#saves = saved
		return saved
	}

	#unkept(e: unknown): void {
		if (this.closed.signal.aborted) return
		console.error('outbox', e)
		this.kept.set(false)
	}

	entry(kept: Kept): Entry {
		const { id, project, verb, kind, uid, on, fields, at, tries, refusal, disputed } = kept
		const state = this.sending.has(id) ? 'sending' : kept.state
		const file = kept.file && {
			name: kept.file.name, type: kept.file.type, size: kept.file.size, whole: kept.file.whole && !this.only.has(id),
		}
		const unsure = mayBeThere(kept)
		const unwanted = kept.unwanted === true
		return { id, project, verb, kind, uid, on, fields, file, at, state, unsure, unwanted, tries, refusal, disputed }
	}

	publish(): void {
		this.entries.set(this.all().map((kept) => this.entry(kept)))
		this.#publishUploads()
	}

	/** Notes how far a file is on its way. */
	moved(uid: string, part: number): void {
		this.#arrived.set(uid, part)
		this.#publishUploads()
	}

	#publishUploads(): void {
		const now = new Map<string, number>()
		for (const { file, uid } of this.#kept.values()) if (file) now.set(uid, this.#arrived.get(uid) ?? 0)
		const before = this.uploads.get()
		if (now.size === before.size && [...now].every(([uid, part]) => before.get(uid) === part)) return
		this.uploads.set(now)
	}
}

// What a browser keeps: for each account what waits to be sent and its projects, and for each account and project the
// records. Other accounts have other databases; none is opened but that of who is signed in.

import Dexie, { type Table } from 'dexie'
import { newer, type Row } from './memory'
import type { Ports } from './ports'
import {
	kinds, type Disputed, type Entry, type EntryFile, type Kind, type Me, type Project, type Refusal,
} from './types'

const prefix = 'groundwork'

// On localhost Dexie would also write failures to the console that are handled: a copy that is closed while it is read.
Dexie.debug = false

/** atOnce is how many rows are written or read in one step: all of them at once would keep the page from answering. */
const atOnce = 200

/** Sent is a request as it is, or will be, sent: every retry repeats it. */
export interface Sent {
	method: string
	path: string
	body: string | undefined
	headers: Record<string, string>
	/** When it was sent first; keys are forgotten a day later. */
	at: number
}

/** Kept is an entry of the outbox as it is kept. */
export interface Kept
	extends Omit<Entry, 'state' | 'refusal' | 'disputed' | 'fields' | 'tries' | 'unsure' | 'unwanted'> {
	account: string
	fields: Readonly<Record<string, unknown>>
	tries: number
	state: 'waiting' | 'refused' | 'conflict'
	/** The values that the person saw when they changed them, as they are written. */
	base: Record<string, unknown>
	/** Records that must be made before, by kind and uid. */
	needs: string[]
	sent?: Sent | undefined
	/** Of a file: how many parts the device has, and whether it was once on its way: it may have arrived. */
	file?: (EntryFile & { parts: number }) | undefined
	posted?: boolean | undefined
	/** Given up when the server might have it: it is not sent again, only looked for. */
	unwanted?: boolean | undefined
	/** When it is tried again, in milliseconds. */
	due: number
	refusal?: Refusal | undefined
	disputed?: Disputed[] | undefined
}

/** mayBeThere tells whether the server may have an entry: it was, or is, on its way, and no answer is known. */
export const mayBeThere = ({ state, sent, posted }: Kept): boolean =>
	state === 'waiting' && (sent !== undefined || posted === true)

export interface KeptProject extends Project {
	openedAt?: number | undefined
	/** How far the project was when it was last open here. */
	seen?: number | undefined
	/** How far it is. */
	sequence?: number | undefined
}

/** State is how far the copy of a project is. */
export interface State {
	key: 'state'
	/** The sequence from which the feed goes on; undefined until a walk is done. */
	sequence?: number | undefined
	walk: number
	/** Of a walk that is under way: the part, where it goes on, and the sequence of its beginning once that is known. */
	part?: number | undefined
	next?: string | undefined
	from?: number | undefined
	filled: Kind[]
	large: Kind[]
}

/** Part is a piece of an unsent file. Plain bytes: not every browser keeps blobs everywhere. */
export interface Part {
	entry: number
	n: number
	bytes: ArrayBuffer
}

/** AccountBase is what is kept of an account. */
export class AccountBase extends Dexie {
	declare outbox: Table<Kept, number>
	declare projects: Table<KeptProject, string>
	declare parts: Table<Part, [number, number]>

	constructor(ports: Ports, account: string) {
		super(`${prefix}/${account}`, { indexedDB: ports.indexedDB, IDBKeyRange: ports.keyRange })
		this.version(1).stores({ outbox: 'id', projects: 'uid' })
		this.version(2).stores({ parts: '[entry+n]' })
	}

	/** Keeps an entry that is new, or is still there. False: another tab gave it up. */
	async keepEntry(kept: Kept, isNew: boolean): Promise<boolean> {
		return this.transaction('rw', this.outbox, async () => {
			const there = await this.outbox.get(kept.id)
			if (!isNew && !there) return false
			if (there?.unwanted) kept.unwanted = true
			await this.outbox.put(kept)
			return true
		})
	}

	/**
	 * Forgets entries, and their files with them, that the server cannot have: whoever sends keeps the request before it
	 * leaves. Those that it may have are marked as unwanted.
	 */
	async giveUp(ids: number[]): Promise<{ given: number[]; unwanted: number[] }> {
		return this.transaction('rw', this.outbox, this.parts, async () => {
			const there = (await this.outbox.bulkGet(ids)).filter((kept) => kept !== undefined)
			const unwanted = there.filter(mayBeThere)
			const given = there.filter((kept) => !mayBeThere(kept)).map((kept) => kept.id)
			await this.outbox.bulkPut(unwanted.map((kept) => ({ ...kept, unwanted: true })))
			await this.outbox.bulkDelete(given)
			for (const id of given) await this.dropParts(id)
			return { given, unwanted: unwanted.map((kept) => kept.id) }
		})
	}

	/** Keeps a part of a file whose entry is there. False: it was given up. */
	async keepPart(part: Part): Promise<boolean> {
		return this.transaction('rw', this.outbox, this.parts, async () => {
			if (!(await this.outbox.get(part.entry))) return false
			await this.parts.put(part)
			return true
		})
	}

	/** Forgets entries, and their files with them. */
	async dropEntries(ids: number[]): Promise<void> {
		await this.transaction('rw', this.outbox, this.parts, async () => {
			await this.outbox.bulkDelete(ids)
			for (const id of ids) await this.dropParts(id)
		})
	}

	async dropParts(id: number): Promise<void> {
		await this.parts.where('[entry+n]').between([id, 0], [id, Infinity]).delete()
	}
}

/** ProjectBase is what is kept of a project. */
export class ProjectBase extends Dexie {
	declare records: Table<Row, [Kind, string]>
	declare states: Table<State, 'state'>

	constructor(ports: Ports, account: string, project: string) {
		super(`${prefix}/${account}/${project}`, { indexedDB: ports.indexedDB, IDBKeyRange: ports.keyRange })
		this.version(1).stores({ records: '[kind+uid]', states: 'key' })
	}

	/** Keeps what the feed or a walk told, and how far the copy is now, in one step. */
	async keep(rows: Row[], state: State): Promise<void> {
		await this.transaction('rw', this.records, this.states, async () => {
			for (let from = 0; from < rows.length; from += atOnce) await this.records.bulkPut(rows.slice(from, from + atOnce))
			await this.states.put(state)
		})
	}

	/** Reads all rows, kind by kind, a few at a time, and how far the copy is: all as they were at one moment. */
	async read(take: (rows: Row[], done: Kind[], state: State | undefined) => void): Promise<void> {
		await this.transaction('r', this.records, this.states, async () => {
			const state = await this.states.get('state')
			const done: Kind[] = []
			for (const kind of kinds) {
				for (let last = '';;) {
					const rows: Row[] = await this.records.where('[kind+uid]').between([kind, last], [kind, '\uffff'], false, true)
						.limit(atOnce).toArray()
					if (rows.length < atOnce) done.push(kind)
					take(rows, done, state)
					if (rows.length < atOnce) break
					last = (rows[rows.length - 1] as Row).uid
				}
			}
		})
	}

	/** Keeps the answer to a request, unless the feed was faster. */
	async keepAnswer(row: Row): Promise<void> {
		await this.transaction('rw', this.records, async () => {
			const there = await this.records.get([row.kind, row.uid])
			if (row.record && newer(row.record, there)) await this.records.put(row)
		})
	}

	/** Ends a walk: what it did not meet is not there any more. Keys are enough to see it. */
	async sweep(state: State, met: (kind: Kind, uid: string) => boolean): Promise<void> {
		await this.transaction('rw', this.records, this.states, async () => {
			for (let last: [Kind, string] | undefined;;) {
				const some = last ? this.records.where(':id').above(last) : this.records.toCollection()
				const keys: [Kind, string][] = await some.limit(5 * atOnce).primaryKeys()
				await this.records.bulkDelete(keys.filter(([kind, uid]) => !met(kind, uid)))
				if (keys.length < 5 * atOnce) break
				last = keys[keys.length - 1]
			}
			await this.states.put(state)
		})
	}

	async wipe(): Promise<void> {
		await this.transaction('rw', this.records, this.states, async () => {
			await this.records.clear()
			await this.states.clear()
		})
	}
}

/** DeviceBase knows who was signed in last, so that the application opens without a network. */
export class DeviceBase extends Dexie {
	declare sessions: Table<{ key: 'last'; me: Me }, 'last'>

	constructor(ports: Ports) {
		super(prefix, { indexedDB: ports.indexedDB, IDBKeyRange: ports.keyRange })
		this.version(1).stores({ sessions: 'key' })
	}
}

/** Deletes all that is kept of an account. */
export async function wipeAccount(ports: Ports, account: string, projects: string[]): Promise<void> {
	const own = `${prefix}/${account}`
	const names = new Set([own, `${own}/work`, ...projects.map((project) => `${own}/${project}`)])
	// Not every browser lists its databases; those of projects that were opened are known anyway.
	for (const { name } of (await ports.indexedDB.databases?.()) ?? []) {
		if (name === own || name?.startsWith(own + '/')) names.add(name)
	}
	for (const name of names) await wipe(ports, name)
}

/** Deletes the copy of a project. */
export const wipeProject = (ports: Ports, account: string, project: string) => wipe(
	ports, `${prefix}/${account}/${project}`,
)

async function wipe(ports: Ports, name: string): Promise<void> {
	await new Dexie(name, { indexedDB: ports.indexedDB, IDBKeyRange: ports.keyRange }).delete({ disableAutoOpen: true })
}

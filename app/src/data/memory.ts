// A project in memory: what the server said last of every record, the person's unsent work on top, and ways to find it.

import { applied, fresh, stamp, type Any, type Look } from './fields'
import { Computed, Cell, type Live } from './live'
import type { Entry, Indexes, Kind, Mark, Records } from './types'
import { kinds } from './types'

/** Row is a record as the server told it. A row without a record is one that the reader may see no longer. */
export interface Row {
	kind: Kind
	uid: string
	record: Any | null
	etag: string | null
	/** The walk by which it came, or that was the last when it came otherwise. */
	walk: number
}

export type Key = `${Kind}/${string}`
export const keyOf = (kind: Kind, uid: string): Key => `${kind}/${uid}`

/** newer tells whether the answer to a request may replace what is there. The feed may have been faster, and what it
 * told is not older than any answer with the same updated_at; what it hid stays hidden. */
export function newer(answer: Any, there: Row | undefined): boolean {
	if (!there) return true
	return there.record !== null && answer.updated_at > there.record.updated_at
}

/** stale tells whether an entry of the feed was read before an answer that is there: the feed will tell it again. */
export function stale(told: Any, there: Row | undefined): boolean {
	return there?.record != null && told.updated_at < there.record.updated_at
}

/** Sorted holds the records of a kind in the order of creation. */
class Sorted {
	readonly byUid = new Map<string, Any>()
	#order: Any[] = []
	#loose: Set<string> | undefined // what came since the order was made, where it is to be made anew

	put(record: Any): void {
		const before = this.byUid.get(record.uid)
		this.byUid.set(record.uid, record)
		if (this.#loose) return void this.#loose.add(record.uid)
		if (before && compare(before, record) === 0) {
			this.#order[this.#find(before)] = record
			return
		}
		if (before) this.#order.splice(this.#find(before), 1)
		const last = this.#order[this.#order.length - 1]
		if (!last || compare(last, record) < 0) this.#order.push(record)
		else this.#order.splice(this.#find(record), 0, record)
	}

	remove(uid: string): void {
		const before = this.byUid.get(uid)
		if (!before) return
		this.byUid.delete(uid)
		if (this.#loose) this.#loose.add(uid)
		else this.#order.splice(this.#find(before), 1)
	}

	/** Says that much is about to change, so that sorting once is cheaper. */
	loosen(): void {
		this.#loose ??= new Set()
	}

	/** Only what came is sorted: the rest is in order. */
	order(): readonly Any[] {
		const loose = this.#loose
		this.#loose = undefined
		if (!loose || loose.size === 0) return this.#order
		const came = [...loose].map((uid) => this.byUid.get(uid)).filter((one) => one !== undefined).sort(compare)
		const merged: Any[] = []
		let next = 0
		for (const record of this.#order) {
			if (loose.has(record.uid)) continue
			while (next < came.length && compare(came[next] as Any, record) < 0) merged.push(came[next++] as Any)
			merged.push(record)
		}
		while (next < came.length) merged.push(came[next++] as Any)
		return (this.#order = merged)
	}

	/** Gives where a record is or would be. */
	#find(record: Any): number {
		let low = 0
		let high = this.#order.length
		while (low < high) {
			const mid = (low + high) >>> 1
			if (compare(this.#order[mid] as Any, record) < 0) low = mid + 1
			else high = mid
		}
		return low
	}
}

function compare(a: Any, b: Any): number {
	if (a.created_at !== b.created_at) return a.created_at < b.created_at ? -1 : 1
	return a.uid < b.uid ? -1 : a.uid > b.uid ? 1 : 0
}

interface Finder {
	kind: Kind
	keys(record: Any): (string | null | undefined)[]
}

const reference = (name: string) => (r: Any) => [(r[name] as { uid: string } | null)?.uid]
const assignees = (r: Any) => ((r['assigned_to'] ?? []) as { uid: string | null }[]).map((one) => one.uid)

const finders: Record<keyof Indexes, Finder> = {
	commentsOf: { kind: 'comments', keys: reference('record') },
	annotationsOf: { kind: 'annotations', keys: reference('sheet') },
	issuesOfList: { kind: 'issues', keys: reference('issue_list') },
	issuesOf: { kind: 'issues', keys: assignees },
	issuesOnSheet: {
		kind: 'issues', keys: (r) => [(r['current_annotation'] as { sheet: { uid: string } | null } | null)?.sheet?.uid],
	},
	rfisOf: { kind: 'rfis', keys: assignees },
	versionsOf: { kind: 'sheets', keys: (r) => [r['history_set_uid'] as string] },
	sheetsOfSet: { kind: 'sheets', keys: reference('version_set') },
}

/** Effect is what an entry of the outbox shows on a record. */
interface Effect {
	key: Key
	apply(record: Any | undefined, look: Look): Any | undefined
}

export class Memory {
	readonly rows = new Map<Key, Row>()
	readonly marks = new Cell<ReadonlyMap<string, Mark>>(new Map())
	readonly #shown = new Map<Kind, Sorted>()
	readonly #lists = new Map<string, Computed<readonly Any[]>>()
	readonly #ones = new Map<Key, Computed<Any | undefined>>()
	readonly #indexes = new Map<keyof Indexes, Map<string, Set<string>>>()
	readonly #look: Look
	readonly #untold = new Set<Kind>() // kinds that changed, and nobody heard of it yet
	#effects = new Map<Key, Effect[]>()
	#entries: readonly Entry[] = []

	constructor(look: Omit<Look, 'get'>) {
		this.#look = { ...look, get: (kind, uid) => this.get(kind, uid) }
		for (const kind of kinds) this.#shown.set(kind, new Sorted())
	}

	get<K extends Kind>(kind: K, uid: string): Records[K] | undefined {
		return this.#sorted(kind).byUid.get(uid) as unknown as Records[K] | undefined
	}

	row(kind: Kind, uid: string): Row | undefined {
		return this.rows.get(keyOf(kind, uid))
	}

	list(kind: Kind, deleted: boolean): Live<readonly Any[]> {
		const name = `${kind}/${deleted}`
		let list = this.#lists.get(name)
		if (!list) {
			list = new Computed<readonly Any[]>(() => this.#sorted(kind).order().filter((record) => record.deleted === deleted))
			this.#lists.set(name, list)
		}
		return list
	}

	one(kind: Kind, uid: string): Live<Any | undefined> {
		const key = keyOf(kind, uid)
		let one = this.#ones.get(key)
		if (!one) {
			one = new Computed(() => this.#sorted(kind).byUid.get(uid))
			this.#ones.set(key, one)
		}
		return one
	}

	by(index: keyof Indexes, key: string): readonly Any[] {
		const { kind, keys } = finders[index]
		let map = this.#indexes.get(index)
		if (!map) {
			map = new Map()
			this.#indexes.set(index, map)
			for (const record of this.#sorted(kind).byUid.values()) add(map, keys(record), record.uid)
		}
		const all = this.#sorted(kind).byUid
		const found = [...(map.get(key) ?? [])].map((uid) => all.get(uid)).filter((one) => one !== undefined)
		return found.sort(compare)
	}

	/** Takes what the server told, rows without a record included. */
	put(rows: Iterable<Row>): void {
		this.take(rows)
		this.tell()
	}

	/** Takes a part of much; tell() has those hear of it who listen to lists. */
	take(rows: Iterable<Row>): void {
		const touched: Key[] = []
		for (const row of rows) {
			const key = keyOf(row.kind, row.uid)
			this.rows.set(key, row)
			touched.push(key)
		}
		this.#work(touched)
	}

	tell(): void {
		for (const kind of [...this.#untold]) {
			this.#untold.delete(kind)
			this.#lists.get(`${kind}/false`)?.stale()
			this.#lists.get(`${kind}/true`)?.stale()
		}
	}

	/** Forgets all rows that are not of a walk, or all of them. */
	forget(walk?: number): void {
		const touched: Key[] = []
		for (const [key, row] of this.rows) {
			if (walk !== undefined && row.walk === walk) continue
			this.rows.delete(key)
			touched.push(key)
		}
		this.#show(touched)
	}

	/** Forgets those rows of some that are not there any more. */
	retain(some: Iterable<Key>, there: ReadonlySet<Key>): void {
		const touched = [...some].filter((key) => !there.has(key) && this.rows.delete(key))
		this.#show(touched)
	}

	/** Shows the unsent work of the person, which is all entries of this project in order. */
	overlay(entries: readonly Entry[]): void {
		if (entries.length === 0 && this.#entries.length === 0) return
		const before = this.#effects
		const marks = new Map<string, Mark>()
		this.#entries = entries
		this.#effects = new Map()
		for (const entry of entries) {
			for (const effect of effects(entry)) {
				const all = this.#effects.get(effect.key)
				if (all) all.push(effect)
				else this.#effects.set(effect.key, [effect])
			}
			const key = keyOf(entry.kind, entry.uid)
			const mark: Mark = entry.state === 'sending' ? 'waiting' : entry.state
			if (weight[mark] > (weight[marks.get(key) as Mark] ?? 0)) marks.set(key, mark)
		}
		this.#show([...new Set([...before.keys(), ...this.#effects.keys()])])
		this.marks.set(marks)
	}

	#sorted(kind: Kind): Sorted {
		return this.#shown.get(kind) as Sorted
	}

	/** Works out what is shown of records, and tells those who listen once. */
	#show(touched: readonly Key[]): void {
		this.#work(touched)
		this.tell()
	}

	#work(touched: readonly Key[]): void {
		if (touched.length === 0) return
		if (touched.length > 100) for (const sorted of this.#shown.values()) sorted.loosen()
		for (const key of touched) {
			const kind = key.slice(0, key.indexOf('/')) as Kind
			const sorted = this.#shown.get(kind)
			if (!sorted) continue // a kind that this release does not know
			const uid = key.slice(kind.length + 1)
			let record = this.rows.get(key)?.record ?? undefined
			for (const effect of this.#effects.get(key) ?? []) record = effect.apply(record, this.#look) ?? record
			const before = sorted.byUid.get(uid)
			if (before === record) continue
			this.#reindex(kind, before, record)
			if (record) sorted.put(record)
			else sorted.remove(uid)
			this.#untold.add(kind)
			this.#ones.get(key)?.stale()
		}
	}

	#reindex(kind: Kind, before: Any | undefined, now: Any | undefined): void {
		for (const [name, map] of this.#indexes) {
			const finder = finders[name]
			if (finder.kind !== kind) continue
			if (before) for (const key of finder.keys(before)) if (key) map.get(key)?.delete(before.uid)
			if (now) add(map, finder.keys(now), now.uid)
		}
	}
}

const weight: Record<Mark, number> = { waiting: 1, refused: 2, conflict: 3 }

function add(map: Map<string, Set<string>>, keys: (string | null | undefined)[], uid: string): void {
	for (const key of keys) {
		if (!key) continue
		const all = map.get(key)
		if (all) all.add(uid)
		else map.set(key, new Set([uid]))
	}
}

/** effects are what an entry shows. */
function effects(entry: Entry): Effect[] {
	const key = keyOf(entry.kind, entry.uid)
	const { kind, uid, fields, at } = entry
	const on = (apply: (record: Any, look: Look) => Any): Effect => ({
		key, apply: (record, look) => record && apply(record, look),
	})
	switch (entry.verb) {
		case 'create': {
			// Once the server has it, its own record is shown.
			const all: Effect[] = [{
				key,
				apply: (record, look) => record ?? { ...fresh(kind, uid, fields, at, look), ...place(entry), ...filed(entry) },
			}]
			if (kind === 'annotations' && typeof fields['issue_uid'] === 'string') {
				all.push({
					key: keyOf('issues', fields['issue_uid']),
					apply: (record) => record && { ...record, current_annotation: pin(uid, fields) },
				})
			}
			return all
		}
		case 'update':
			return [on((record, look) => applied(kind, { ...record, updated_at: latest(record, at) }, fields, look))]
		case 'remove':
			return [on((record) => {
				const gone: Any = { ...record, deleted: true }
				if (kind === 'users') Object.assign(gone, { removed: true, role: null })
				return gone
			})]
		case 'restore':
			return [on((record) => ({ ...record, deleted: false }))]
		case 'link':
		case 'unlink':
			return [on((record) => {
				const linked = fields['linked'] as string
				const there = record[linked] as { total_count: number; url: string | null } | undefined
				if (!there) return record
				const count = Math.max(0, there.total_count + (entry.verb === 'link' ? 1 : -1))
				return { ...record, [linked]: { ...there, total_count: count } }
			})]
	}
}

/** place says on which record a comment is. */
function place(entry: Entry) {
	if (!entry.on) return {}
	const types: Partial<Record<Kind, string>> = { issues: 'issue', rfis: 'rfi', sheets: 'sheet' }
	const url = `/projects/${entry.project}/${entry.on.kind}/${entry.on.uid}`
	return { record: { uid: entry.on.uid, url }, record_type: types[entry.on.kind] }
}

/** filed says what is known of the file of a record before the server has it. */
function filed({ file }: Entry) {
	return file ? { content_type: file.type, size: file.size } : {}
}

function latest(record: Any, at: number): string {
	const time = stamp(at)
	return time > record.updated_at ? time : record.updated_at
}

function pin(uid: string, fields: Readonly<Record<string, unknown>>) {
	return {
		uid, deleted: false, color: fields['color'] ?? '#ff0000', stamp: fields['stamp'] ?? null,
		visibility: fields['visibility'] ?? 'user', sheet: { uid: fields['sheet_uid'], url: '' },
	}
}

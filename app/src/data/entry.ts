// An entry of the outbox by itself: what it still has to write, what it holds up, and the request that it becomes.

import type { Kept } from './base'
import { normal, pathOfKind, same, sendable, written, type Any, type Fields } from './fields'
import { keyOf } from './memory'
import type { Disputed, Entry, Refusal } from './types'

/** New is what a person did, before it is an entry. */
export type New = Pick<Kept, 'project' | 'verb' | 'kind' | 'uid' | 'fields'> & { base?: Fields; on?: Entry['on'] }

/** needs are the records that an entry names and that are not made yet. */
export function needs(one: New, all: Iterable<Kept>): string[] {
	const text = JSON.stringify([one.fields, one.on ?? null])
	const found: string[] = []
	for (const kept of all) {
		if (kept.verb !== 'create' || kept.project !== one.project || kept.uid === one.uid) continue
		if (text.includes(kept.uid)) found.push(keyOf(kept.kind, kept.uid))
	}
	return found
}

/** withThoseThatNeed gives an entry and all that come to nothing without it. */
export function withThoseThatNeed(first: Kept, all: readonly Kept[]): Kept[] {
	const found: Kept[] = []
	const add = (kept: Kept) => {
		if (found.includes(kept)) return
		found.push(kept)
		if (kept.verb !== 'create') return
		const key = keyOf(kept.kind, kept.uid)
		for (const other of all) {
			if (other.project !== kept.project) continue
			if (other.needs.includes(key) || keyOf(other.kind, other.uid) === key) add(other)
		}
	}
	add(first)
	return found
}

/** orphaned is the refusal of what belongs to a record that was discarded before the project had it. */
export const orphaned: Refusal = {
	status: 0, reason: 'orphaned', fieldErrors: {},
	sentence: 'What this belongs to was discarded before the project had it, so this cannot be sent. Copy what you still need, then discard it.',
}

/** saysNothing tells entries in which a person entered nothing, and that change nothing where there is no record. */
export const saysNothing = ({ verb }: Kept): boolean =>
	verb === 'remove' || verb === 'restore' || verb === 'link' || verb === 'unlink'

/** asFile is unsent work as a file that a person can keep. */
export function asFile(account: string, now: number, all: readonly Kept[]): { name: string; text: string } {
	const unsent = all.map((kept) => ({
		entered_at: new Date(kept.at).toISOString(), project: kept.project, verb: kept.verb, kind: kept.kind, uid: kept.uid,
		on: kept.on, fields: kept.fields, seen_before: kept.base, state: kept.state, refusal: kept.refusal,
		disputed: kept.disputed, file: kept.file && { name: kept.file.name, type: kept.file.type, size: kept.file.size },
	}))
	const day = new Date(now).toISOString().slice(0, 10)
	return { name: `groundwork-unsent-${day}.json`, text: JSON.stringify({ account, unsent }, null, '\t') }
}

/** Has an entry be made anew when it is sent next. */
export function afresh(kept: Kept): void {
	kept.state = 'waiting'
	kept.refusal = undefined
	kept.disputed = undefined
	kept.sent = undefined
	kept.due = 0
}

/** Has an entry be what the person chose of what both changed. */
export function decide(kept: Kept, choice: Record<string, 'mine' | 'theirs'>): void {
	for (const { field, theirs } of kept.disputed ?? []) {
		if (choice[field] === 'theirs') {
			const { [field]: _, ...others } = kept.fields
			kept.fields = others
		} else if (choice[field] === 'mine') {
			kept.base = { ...kept.base, [field]: theirs }
		}
	}
	afresh(kept)
}

/** refusedBefore gives the refused change that a person mends by writing one of its fields again. */
export function refusedBefore(one: New, all: Iterable<Kept>): Kept | undefined {
	if (one.verb !== 'update') return undefined
	for (const kept of all) {
		if (kept.verb !== 'update' || kept.state !== 'refused' || kept.unwanted) continue
		if (kept.project !== one.project || kept.kind !== one.kind || kept.uid !== one.uid) continue
		if (Object.keys(one.fields).some((field) => field in kept.fields)) return kept
	}
	return undefined
}

/** nextOf gives the next entry that can be sent now: in order for each record, and after those that it needs. */
export function nextOf(
	all: readonly Kept[], sending: { has(id: number): boolean }, may: (kept: Kept) => boolean,
): Kept | undefined {
	const unmade = new Set(all.filter((one) => one.verb === 'create').map((one) => one.project + keyOf(one.kind, one.uid)))
	const before = new Map<string, Kept[]>()
	for (const kept of all) {
		const key = kept.project + keyOf(kept.kind, kept.uid)
		const earlier = before.get(key) ?? []
		before.set(key, [...earlier, kept])
		if ((kept.state !== 'waiting' && !kept.unwanted) || sending.has(kept.id) || !may(kept)) continue
		if (earlier.some((other) => blocks(other, kept, sending.has(other.id)))) continue
		if (kept.needs.some((need) => unmade.has(kept.project + need))) continue
		return kept
	}
	return undefined
}

/**
 * blocks tells whether an earlier entry of a record holds a later one up. A refused change of other fields does not.
 */
export function blocks(earlier: Kept, later: Kept, sending: boolean): boolean {
	if (sending || earlier.state === 'waiting') return true
	if (earlier.verb !== 'update' || later.verb !== 'update') return true
	return Object.keys(later.fields).some((field) => field in earlier.fields)
}

/** merge gives what of an entry is still to be written, given what is there now, and what both changed. */
export function merge(
	kept: Pick<Kept, 'kind' | 'fields' | 'base'>, now: Any,
): { fields: Fields; disputed: Disputed[] } {
	const fields: Fields = {}
	const disputed: Disputed[] = []
	for (const [field, value] of Object.entries(kept.fields)) {
		const mine = normal(kept.kind, field, value)
		const theirs = written(kept.kind, now, field)
		if (same(field, mine, theirs)) continue
		if (!(field in kept.base) || same(field, theirs, kept.base[field])) fields[field] = value
		else disputed.push({ field, base: kept.base[field], mine, theirs })
	}
	return { fields, disputed }
}

export function pathOfRecord({ project, kind, uid }: Pick<Kept, 'project' | 'kind' | 'uid'>): string {
	return kind === 'projects' ? `/projects/${project}` : `/projects/${project}/${pathOfKind(kind)}/${uid}`
}

export function requestOf(kept: Kept, fields: Fields): [method: string, path: string, body: string | undefined] {
	const project = `/projects/${kept.project}`
	const one = pathOfRecord(kept)
	const linked = kept.fields['linked'] as string
	const target = kept.fields['target'] as string
	switch (kept.verb) {
		case 'create': {
			const under = kept.on ? `${project}/${kept.on.kind}/${kept.on.uid}/comments` : `${project}/${pathOfKind(kept.kind)}`
			return ['POST', under, JSON.stringify({ ...fields, uid: kept.uid })]
		}
		case 'update':
			return ['PATCH', one, JSON.stringify(sendable(kept.kind, fields)[0])]
		case 'remove':
			return ['DELETE', one, undefined]
		case 'restore':
			return ['POST', `${one}/restore`, undefined]
		case 'link':
			return ['POST', `${one}/${linked}`, JSON.stringify({ [`${linked.slice(0, -1)}_uid`]: target })]
		case 'unlink':
			return ['DELETE', `${one}/${linked}/${target}`, undefined]
	}
}

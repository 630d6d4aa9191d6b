// What the list of sheets shows: which, in which order, in which groups.
import type { Sheet, VersionSet } from '../data'
import { matches, plain } from '../ui/Combobox.svelte'

export const groupings = ['discipline', 'set', 'none'] as const
export type Grouping = (typeof groupings)[number]

/** What is filtered by; '' is everything. */
export interface Wish {
	discipline: string
	set: string
	tag: string
	/** current: what is built by. all: earlier versions too. deleted: what can be brought back. */
	state: 'current' | 'all' | 'deleted'
	sought: string
}

/** noDiscipline stands for sheets without one, in filters: a discipline is never only a dash. */
export const noDiscipline = '-'

/** wished are the sheets that fit. A set shows all that came with it, also what was superseded since. */
export function wished(all: readonly Sheet[], wish: Wish): Sheet[] {
	return all.filter((s) =>
		(wish.state !== 'current' || wish.set !== '' || s.current) &&
		(wish.discipline === '' || (s.discipline ?? noDiscipline) === wish.discipline) &&
		(wish.set === '' || s.version_set?.uid === wish.set) &&
		(wish.tag === '' || s.tags.includes(wish.tag)) &&
		(wish.sought === '' || matches(`${s.name} ${s.description ?? ''} ${s.tags.join(' ')}`, wish.sought)))
}

/** byKey is the order in which people sort a set; of versions of one drawing the newest comes first. */
export const byKey = (a: Sheet, b: Sheet) =>
	a.sort_key < b.sort_key ? -1 : a.sort_key > b.sort_key ? 1 : (b.published_at ?? '').localeCompare(a.published_at ?? '')

/** best has what begins with the words that are sought first: whoever types A-10 means A-101, not a title. */
export function best(sheets: readonly Sheet[], sought: string): Sheet[] {
	const word = squeezed(sought)
	const rank = (s: Sheet) => {
		const name = squeezed(s.name)
		return name === word ? 0 : name.startsWith(word) ? 1 : name.includes(word) ? 2 : 3
	}
	return [...sheets].sort((a, b) => rank(a) - rank(b) || byKey(a, b))
}

const squeezed = (text: string) => plain(text).replace(/[^\p{L}\p{N}]/gu, '')

export interface Group {
	key: string
	/** '' where the sheets belong to none. */
	label: string
	sheets: Sheet[]
}

/**
 * grouped puts sorted sheets under headings: disciplines in the order of the set, sets with the newest first. named
 * says how a discipline is shown.
 */
export function grouped(sheets: readonly Sheet[], by: Grouping, named = (discipline: string) => discipline): Group[] {
	if (by === 'none') return sheets.length ? [{ key: '', label: '', sheets: [...sheets] }] : []
	const found = new Map<string, Group>()
	for (const s of sheets) {
		const key = by === 'discipline' ? (s.discipline ?? '') : (s.version_set?.uid ?? '')
		let group = found.get(key)
		const label = by === 'discipline' ? named(key) : (s.version_name ?? '')
		if (!group) found.set(key, (group = { key, label, sheets: [] }))
		group.sheets.push(s)
	}
	const groups = [...found.values()]
	if (by === 'set') groups.sort((a, b) => published(b).localeCompare(published(a)))
	else groups.sort((a, b) => Number(!a.key) - Number(!b.key)) // sorted by discipline already; those without come last
	return groups
}

const published = (g: Group) => g.sheets[0]?.published_at ?? ''

/** disciplinesOf are the disciplines that a project's sheets have, each once. */
export const disciplinesOf = (sheets: readonly Sheet[]): string[] =>
	[...new Set(sheets.flatMap((s) => (s.discipline ? [s.discipline] : [])))]

/** counted are the values of a field with how many sheets have them. */
export function counted(
	sheets: readonly Sheet[], of: (s: Sheet) => readonly string[],
): { value: string; count: number }[] {
	const found = new Map<string, number>()
	for (const s of sheets) for (const value of of(s)) found.set(value, (found.get(value) ?? 0) + 1)
	return [...found].map(([value, count]) => ({ value, count }))
}

/** unfinished are the sets that wait for somebody: those that are not published, and those with pages that wait. */
export const unfinished = (sets: readonly VersionSet[]): VersionSet[] =>
	sets.filter((v) => !v.deleted && (!v.published_at || v.pages_waiting > 0))
		.sort((a, b) => b.created_at.localeCompare(a.created_at))

/** range is everything between two sheets in the order that is shown, both included. */
export function range(order: readonly string[], from: string, to: string): string[] {
	const [a, b] = [order.indexOf(from), order.indexOf(to)]
	return a < 0 || b < 0 ? [to] : order.slice(Math.min(a, b), Math.max(a, b) + 1)
}

/** tagsOf are the tags in a text with commas between them, each once. */
export const tagsOf = (text: string): string[] => [...new Set(text.split(/[,;]/).map((x) => x.trim()).filter(Boolean))]

/** marked cuts a line at what was found in it, for showing; a line of a drawing can be long. */
export function marked(line: string, hit: string, around = 60): { before: string; hit: string; after: string } {
	const at = line.toLowerCase().indexOf(hit.toLowerCase())
	if (at < 0) return { before: '', hit, after: '' }
	const end = at + hit.length
	const from = Math.max(0, at - around)
	const to = Math.min(line.length, end + around)
	return {
		before: (from > 0 ? '…' : '') + line.slice(from, at), hit: line.slice(at, end),
		after: line.slice(end, to) + (to < line.length ? '…' : ''),
	}
}

/** beside is where the focus goes in a grid: boxes are where the cards stand, in order. */
export function beside(boxes: readonly { x: number; y: number }[], at: number, key: string): number {
	const here = boxes[at]
	if (!here) return boxes.length ? 0 : -1
	if (key === 'ArrowLeft' || key === 'ArrowRight') {
		return Math.max(0, Math.min(boxes.length - 1, at + (key === 'ArrowRight' ? 1 : -1)))
	}
	const down = key === 'ArrowDown'
	const rows = boxes.map((b, i) => ({ ...b, i })).filter((b) => (down ? b.y > here.y + 4 : b.y < here.y - 4))
	if (rows.length === 0) return at
	const y = down ? Math.min(...rows.map((b) => b.y)) : Math.max(...rows.map((b) => b.y))
	const row = rows.filter((b) => Math.abs(b.y - y) <= 4)
	return row.reduce((a, b) => (Math.abs(b.x - here.x) < Math.abs(a.x - here.x) ? b : a)).i
}

/** unused is a name that no other has: two versions of a sheet are told apart by the names of their sets. */
export function unused(name: string, others: readonly string[]): string {
	if (!others.includes(name)) return name
	for (let n = 2; ; n++) if (!others.includes(`${name} (${n})`)) return `${name} (${n})`
}

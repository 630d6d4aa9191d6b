// Which issues a list shows, in which order and in which groups: plain functions over what the store holds. Twenty
// thousand are looked through at every key that somebody types, so what is asked of an issue again and again is worked
// out once: a record that changes is another object.
import type { Issue } from '../data'
import { lateBefore, shift, weekEnd } from '../records/due'
import { assignees } from '../records/people'
import { statuses } from '../records/rights'
import { day, midnight } from '../ui/dates'
import { plain } from '../ui/Combobox.svelte'
import { t } from '../words/index.svelte'
import { me, none, type Due, type Group, type Query, type Sort } from './query'

/** Known is what records refer to, and the time of day. */
export interface Known {
	me: string
	/** How a person is called. */
	person(uid: string): string
	list(uid: string): string
	/** The drawing that a sheet is a version of, by the uid of its history, and how it is called. */
	drawing(sheet: string): string
	drawingName(drawing: string): string
	times: Times
}

/** Times are where days end on the site, in milliseconds: one comparison for each issue. */
export interface Times {
	/** What was due before is overdue. */
	late: number
	today: number
	tomorrow: number
	weekEnd: number
}

/** timesAt works them out for a moment. */
export function timesAt(now: number, zone: string | null, begins = 1): Times {
	const where = zone ?? 'UTC'
	const date = day(now, where)
	const begin = (of: string) => midnight(midnight(now, where) + (Date.parse(of) - Date.parse(date)) + 43_200_000, where)
	return {
		late: lateBefore(zone, now), today: midnight(now, where), tomorrow: begin(shift(date, 1)),
		weekEnd: begin(shift(weekEnd(date, begins), 1)),
	}
}

interface Facts {
	/** What is searched. */
	text: string
	/** When it is due, in milliseconds; NaN where it is not. */
	due: number
	people: readonly string[]
	title: string
}

const kept = new WeakMap<Issue, Facts>()
const ascii = /^[\u0020-\u007e]*$/

function simple(text: string): string {
	return ascii.test(text) ? text.toLowerCase() : plain(text)
}

function facts(issue: Issue): Facts {
	let found = kept.get(issue)
	if (!found) {
		const title = simple(issue.title ?? '')
		found = {
			text: `#${issue.number} ${title} ${simple(`${issue.room ?? ''} ${issue.description ?? ''}`)}`,
			due: issue.due_at ? Date.parse(issue.due_at) : NaN,
			people: assignees(issue),
			title,
		}
		kept.set(issue, found)
	}
	return found
}

/** warm works out what will be asked of issues, a little at a time, before somebody types. Gives what ends it. */
export function warm(issues: readonly Issue[]): () => void {
	let at = 0
	let timer: ReturnType<typeof setTimeout> | undefined
	const some = () => {
		for (const end = Math.min(issues.length, at + 400); at < end; at++) facts(issues[at] as Issue)
		timer = at < issues.length ? setTimeout(some, 8) : undefined
	}
	timer = setTimeout(some, 300)
	return () => clearTimeout(timer)
}

export const dueMoment = (issue: Issue): number => facts(issue).due

/** overdue tells whether an issue should have been dealt with. */
export const overdue = (issue: Issue, times: Times): boolean =>
	issue.status !== 'closed' && facts(issue).due < times.late

/** dueBucket is in which part of the time an issue is due. What is closed is not overdue. */
export function dueBucket(issue: Issue, times: Times): Due {
	const due = facts(issue).due
	if (Number.isNaN(due)) return 'none'
	if (issue.status !== 'closed' && due < times.late) return 'overdue'
	if (due < times.tomorrow) return due < times.today ? 'later' : 'today'
	return due < times.weekEnd ? 'week' : 'later'
}

function matchesDue(issue: Issue, wanted: ReadonlySet<Due>, times: Times): boolean {
	const bucket = dueBucket(issue, times)
	if (wanted.has(bucket)) return bucket !== 'later' || facts(issue).due >= times.weekEnd
	// What is due today is due this week too.
	return bucket === 'today' && wanted.has('week')
}

const sheetOf = (issue: Issue): string => issue.current_annotation?.sheet?.uid ?? ''

/** test makes one question of all filters. */
export function test(query: Query, known: Known): (issue: Issue) => boolean {
	const checks: ((issue: Issue) => boolean)[] = []
	if (query.status.length) {
		const wanted = new Set(query.status)
		checks.push((i) => wanted.has(i.status))
	}
	if (query.assigned.length) {
		const wanted = new Set(query.assigned.map((uid) => (uid === me ? known.me : uid)))
		const nobody = wanted.has(none)
		checks.push((i) => {
			const people = facts(i).people
			return people.length === 0 ? nobody : people.some((uid) => wanted.has(uid))
		})
	}
	if (query.list.length) {
		const wanted = new Set(query.list)
		checks.push((i) => wanted.has(i.issue_list?.uid ?? none))
	}
	if (query.sheet.length) {
		const wanted = new Set(query.sheet.map((uid) => (uid === none ? none : known.drawing(uid))))
		checks.push((i) => {
			const uid = sheetOf(i)
			return wanted.has(uid ? known.drawing(uid) : none)
		})
	}
	if (query.due.length) {
		const wanted = new Set(query.due)
		checks.push((i) => matchesDue(i, wanted, known.times))
	}
	if (query.author.length) {
		const wanted = new Set(query.author.map((uid) => (uid === me ? known.me : uid)))
		checks.push((i) => wanted.has(i.created_by?.uid ?? ''))
	}
	const words = plain(query.q).split(/\s+/).filter(Boolean)
	if (words.length) checks.push((i) => words.every((word) => facts(i).text.includes(word)))
	return (issue) => checks.every((check) => check(issue))
}

/** keyOf gives what an issue is sorted by; undefined comes last either way. */
function keyOf(sort: Sort, known: Known): (issue: Issue) => string | number | undefined {
	const name = (text: string) => (text ? simple(text) : undefined)
	switch (sort) {
		case 'number': return (i) => i.number || undefined
		case 'title': return (i) => facts(i).title || undefined
		case 'status': return (i) => statuses.indexOf(i.status)
		case 'due': return (i) => (Number.isNaN(facts(i).due) ? undefined : facts(i).due)
		case 'assignee': return (i) => name(known.person(facts(i).people[0] ?? ''))
		case 'author': return (i) => name(known.person(i.created_by?.uid ?? ''))
		case 'list': return (i) => name(known.list(i.issue_list?.uid ?? ''))
		case 'sheet': return (i) => name(sheetOf(i) && known.drawingName(known.drawing(sheetOf(i))))
		case 'room': return (i) => name(i.room ?? '')
		case 'created': return (i) => i.created_at
		case 'updated': return (i) => i.updated_at
	}
}

/** sorted orders issues; equal ones stay in the order in which they come. What is unsent has no number, and is new. */
export function sorted(issues: readonly Issue[], query: Pick<Query, 'sort' | 'desc'>, known: Known): Issue[] {
	const key = keyOf(query.sort, known)
	const way = query.desc ? -1 : 1
	const fresh: Issue[] = []
	const last: Issue[] = []
	const rest: { key: string | number; at: number; issue: Issue }[] = []
	for (const [at, issue] of issues.entries()) {
		const value = key(issue)
		if (value !== undefined) rest.push({ key: value, at, issue })
		else if (query.sort === 'number') fresh.push(issue)
		else last.push(issue)
	}
	rest.sort((a, b) => (a.key === b.key ? a.at - b.at : a.key < b.key ? -way : way))
	const ordered = rest.map((one) => one.issue)
	if (query.sort !== 'number') return [...ordered, ...last]
	return query.desc ? [...fresh.reverse(), ...ordered] : [...ordered, ...fresh]
}

export interface Grouped {
	/** A status, uid or part of the time; none where there is none. */
	key: string
	issues: Issue[]
}

/** grouped parts issues; one that has several assignees is in the groups of all of them. */
export function grouped(issues: readonly Issue[], by: Group, known: Known): Grouped[] {
	const all = new Map<string, Issue[]>()
	const put = (key: string, issue: Issue) => {
		const there = all.get(key)
		if (there) there.push(issue)
		else all.set(key, [issue])
	}
	for (const issue of issues) {
		if (by === 'status') put(issue.status, issue)
		else if (by === 'list') put(issue.issue_list?.uid ?? none, issue)
		else if (by === 'sheet') put(sheetOf(issue) ? known.drawing(sheetOf(issue)) : none, issue)
		else if (by === 'due') put(dueBucket(issue, known.times), issue)
		else {
			const { people } = facts(issue)
			if (people.length === 0) put(none, issue)
			for (const uid of people) put(uid, issue)
		}
	}
	const fixed: readonly string[] | undefined =
		by === 'status' ? statuses : by === 'due' ? ['overdue', 'today', 'week', 'later', 'none'] : undefined
	const name = (key: string) =>
		(by === 'list' ? known.list(key) : by === 'sheet' ? known.drawingName(key) : known.person(key))
	const order = (a: string, b: string): number => {
		if (fixed) return fixed.indexOf(a) - fixed.indexOf(b)
		if (a === none || b === none) return Number(a === none) - Number(b === none)
		if (by === 'assignee' && (a === known.me || b === known.me)) return Number(b === known.me) - Number(a === known.me)
		return name(a).localeCompare(name(b), undefined, { numeric: true })
	}
	return [...all.entries()].sort(([a], [b]) => order(a, b)).map(([key, list]) => ({ key, issues: list }))
}

/** Item is a line of the table: a heading, or an issue in a group. */
export type Item =
	| { kind: 'group'; key: string; group: string; count: number; shut: boolean }
	| { kind: 'issue'; key: string; issue: Issue }

/** lines are what the table shows, from top to bottom. Groups that are shut show their heading only. */
export function lines(issues: readonly Issue[], by: Group | '', known: Known, shut: ReadonlySet<string>): Item[] {
	if (!by) return issues.map((issue) => ({ kind: 'issue', key: issue.uid, issue }))
	const out: Item[] = []
	for (const { key, issues: list } of grouped(issues, by, known)) {
		out.push({ kind: 'group', key: `group ${key}`, group: key, count: list.length, shut: shut.has(key) })
		if (shut.has(key)) continue
		for (const issue of list) out.push({ kind: 'issue', key: `${key} ${issue.uid}`, issue })
	}
	return out
}

/** range are the issues between two lines, both included, each once. */
export function range(items: readonly Item[], from: string, to: string): string[] {
	const a = items.findIndex((i) => i.key === from)
	const b = items.findIndex((i) => i.key === to)
	if (a < 0 || b < 0) return []
	const part = items.slice(Math.min(a, b), Math.max(a, b) + 1)
	return [...new Set(part.flatMap((i) => (i.kind === 'issue' ? [i.issue.uid] : [])))]
}

/** groupName is what stands above a group of issues. */
export function groupName(group: Group | '', key: string, known: Known): string {
	const w = t().issues
	if (group === 'status') return t().status[key] ?? key
	if (group === 'due') return w.due[key] ?? key
	if (key === none) return group === 'list' ? w.noList : group === 'sheet' ? w.noSheet : w.nobody
	const name = group === 'list' ? known.list(key) : group === 'sheet' ? known.drawingName(key) : known.person(key)
	return (group === 'assignee' && key === known.me ? t().records.you(name) : name) || '…'
}

/** stepped is the row so many steps from the one that the keyboard is on, or from the one that is open. */
export function stepped(items: readonly Item[], cursor: string, open: string, down: number): string {
	const rows = items.filter((i) => i.kind === 'issue')
	const at = rows.findIndex((i) => i.key === cursor)
	const start = at >= 0 ? at : open ? rows.findIndex((i) => i.issue.uid === open) : -1
	return rows[start < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, start + down))]?.key ?? ''
}

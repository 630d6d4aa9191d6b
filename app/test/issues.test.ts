// The list of issues as plain functions: what the address says, what is shown, in which order, and what many changes and
// their one way back write.
import { expect, test } from 'vitest'
import type { Entry, Issue, Member } from '../src/data'
import { grouped, lines, overdue, range, sorted, test as tester, timesAt, type Known } from '../src/issues/arrange'
import { plan, removable, wayBack } from '../src/issues/bulk'
import { fitting } from '../src/issues/cells'
import { monthDays, months } from '../src/issues/calendar'
import { pageQuery } from '../src/issues/paged.svelte'
import { altered, filtered, plainQuery, readQuery, usual, viewFields, viewQuery, writeQuery, type Query } from '../src/issues/query'
import { dueAt, dueDay, weekEnd } from '../src/records/due'
import { deeds, type Sayings } from '../src/records/history'
import { merged, unmade } from '../src/records/linked.svelte'
import { crop } from '../src/records/crop'
import { editIssue, statusesFor } from '../src/records/rights'
import { slice, starts } from '../src/ui/window'

const adminRole = '9d139e64-cac9-4f23-b4d5-9fd3688b498e'
const collaboratorRole = '5e7a9c30-41d2-4c8b-8a67-d9f0b2e4c613'
const zone = 'America/New_York'
const now = Date.parse('2026-03-11T15:00:00Z') // a Wednesday

let count = 0
function issue(fields: Partial<Issue> & { people?: string[]; in?: string; on?: string; by?: string } = {}): Issue {
	const { people = [], in: list, on, by = 'ada', ...rest } = fields
	count++
	return {
		uid: `i${count}`, number: count, title: `Issue ${count}`, description: null, room: null, status: 'open', type: null,
		deleted: false, created_at: `2026-01-01T00:00:00.${String(count).padStart(6, '0')}+00:00`,
		updated_at: `2026-01-01T00:00:00.${String(count).padStart(6, '0')}+00:00`, created_by: { uid: by }, updated_by: null,
		assigned_to: people.length ? people.map((uid) => ({ uid })) : null, issue_list: list ? { uid: list } : null,
		current_annotation: on ? { uid: 'a', sheet: { uid: on }, deleted: false } : null, due_at: null,
		...rest,
	} as unknown as Issue
}
const known: Known = {
	me: 'ada',
	person: (uid) => ({ ada: 'Ada', bob: 'Bob', zoe: 'Zoé' })[uid] ?? '',
	list: (uid) => ({ l1: 'Punch', l2: 'Electrical' })[uid] ?? '',
	drawing: (sheet) => sheet.slice(0, 2),
	drawingName: (drawing) => ({ a1: 'A-2', a2: 'A-10' })[drawing] ?? '',
	times: timesAt(now, zone),
}
const ask = (query: Partial<Query>, all: Issue[]) => all.filter(tester({ ...plainQuery, ...query }, known)).map((i) => i.title)

test('the address says what is shown, and says it again', () => {
	const text = '?q=door+swing&status=open,in_review&assigned_to=me,none&due=overdue&layout=board&group_by=list&sort=due&columns=number,due'
	const query = readQuery(new URLSearchParams(text))
	expect(query).toMatchObject({
		q: 'door swing', status: ['open', 'in_review'], assigned: ['me', 'none'], due: ['overdue'], layout: 'board', group: 'list',
		sort: 'due', desc: false, columns: ['number', 'due'],
	})
	expect(readQuery(new URLSearchParams(writeQuery(query)))).toEqual(query)
	expect(writeQuery(plainQuery)).toBe('')
	expect(filtered(plainQuery)).toBe(false)
	expect(filtered(query)).toBe(true)
})

test('what an address should not say is left out', () => {
	const query = readQuery(new URLSearchParams('status=open,banana,open&layout=cube&group_by=mood&sort=-colour&month=2026-13&due=never'))
	expect(query).toEqual({ ...plainQuery, status: ['open'] })
})

test('a saved view keeps what is shown, and tells when something else is', () => {
	const query = readQuery(new URLSearchParams('status=open&group_by=due&sort=-updated&layout=calendar&month=2026-05'))
	const view = { uid: 'v', ...viewFields(query) }
	expect(viewQuery(view)).toEqual({ ...query, month: '', view: 'v' })
	expect(altered({ ...query, view: 'v' }, view)).toBe(false)
	expect(altered({ ...query, view: 'v', month: '2027-01' }, view)).toBe(false)
	expect(altered({ ...query, status: [] }, view)).toBe(true)
})

test('filters', () => {
	const all = [
		issue({ title: 'mine', people: ['ada'], in: 'l1', on: 'a1v1' }),
		issue({ title: 'both', people: ['bob', 'ada'], status: 'closed', on: 'a1v2' }),
		issue({ title: 'nobody’s', in: 'l2', by: 'bob', status: 'pending' }),
	]
	expect(ask({ assigned: ['me'] }, all)).toEqual(['mine', 'both'])
	expect(ask({ assigned: ['none', 'bob'] }, all)).toEqual(['both', 'nobody’s'])
	expect(ask({ status: ['pending', 'closed'] }, all)).toEqual(['both', 'nobody’s'])
	expect(ask({ list: ['none'] }, all)).toEqual(['both'])
	expect(ask({ list: ['l1', 'l2'] }, all)).toEqual(['mine', 'nobody’s'])
	expect(ask({ sheet: ['a1v1'] }, all)).toEqual(['mine', 'both']) // all versions of the drawing
	expect(ask({ sheet: ['none'] }, all)).toEqual(['nobody’s'])
	expect(ask({ author: ['bob'] }, all)).toEqual(['nobody’s'])
	expect(ask({ author: ['me'], status: ['open'] }, all)).toEqual(['mine'])
})

test('the search knows numbers, rooms, accents and the order of no words', () => {
	const all = [
		issue({ number: 412, title: 'Türschließer fehlt', room: 'Foyer' }), issue({ number: 7, title: 'Door', description: 'swings 412 mm' }),
	]
	expect(ask({ q: '#412' }, all)).toEqual(['Türschließer fehlt'])
	expect(ask({ q: 'foy TURSCH' }, all)).toEqual(['Türschließer fehlt'])
	expect(ask({ q: '412' }, all)).toEqual(['Türschließer fehlt', 'Door'])
	expect(ask({ q: 'door foyer' }, all)).toEqual([])
})

test('what is due, by the clock of the site', () => {
	const due = (title: string, due_at: string | null, status: Issue['status'] = 'open') => issue({ title, due_at, status })
	const all = [
		due('yesterday', '2026-03-11T03:59:00+00:00'), // 23:59 of the day before in New York
		due('today', '2026-03-11T04:01:00+00:00'), due('late today', '2026-03-12T03:00:00+00:00'),
		due('Sunday', '2026-03-15T21:00:00+00:00'), due('Monday', '2026-03-16T12:00:00+00:00'), due('never', null),
		due('closed', '2026-01-01T00:00:00+00:00', 'closed'),
	]
	expect(ask({ due: ['overdue'] }, all)).toEqual(['yesterday'])
	expect(ask({ due: ['today'] }, all)).toEqual(['today', 'late today'])
	expect(ask({ due: ['week'] }, all)).toEqual(['today', 'late today', 'Sunday'])
	expect(ask({ due: ['later'] }, all)).toEqual(['Monday'])
	expect(ask({ due: ['none', 'overdue'] }, all)).toEqual(['yesterday', 'never'])
	expect(all.filter((i) => overdue(i, known.times)).map((i) => i.title)).toEqual(['yesterday'])
	expect(grouped(all, 'due', known).map((g) => [g.key, g.issues.length])).toEqual([
		['overdue', 1], ['today', 2], ['week', 1], ['later', 2], ['none', 1],
	])
})

test('a day is that of the site, also where clocks change', () => {
	for (const where of [zone, 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Europe/Lisbon', null]) {
		for (const date of ['2026-03-08', '2026-03-29', '2026-11-01', '2026-12-31']) {
			expect(dueDay(dueAt(date, where), where), `${date} ${where}`).toBe(date)
		}
	}
	expect(weekEnd('2026-03-11')).toBe('2026-03-15')
	expect(weekEnd('2026-03-15')).toBe('2026-03-15')
	expect(weekEnd('2026-03-15', 0)).toBe('2026-03-21')
})

test('orders: what has no value comes last either way, equal ones stay', () => {
	const a = issue({ title: 'b', due_at: '2026-03-02T00:00:00+00:00' })
	const b = issue({ title: 'A', due_at: null })
	const c = issue({ title: 'c', due_at: '2026-03-01T00:00:00+00:00' })
	const by = (sort: Query['sort'], desc: boolean, all = [a, b, c]) => sorted(all, { sort, desc }, known).map((i) => i.title)
	expect(by('due', false)).toEqual(['c', 'b', 'A'])
	expect(by('due', true)).toEqual(['b', 'c', 'A'])
	expect(by('title', false)).toEqual(['A', 'b', 'c'])
	expect(by('status', true)).toEqual(['b', 'A', 'c'])
	expect(by('number', true)).toEqual(['c', 'A', 'b'])
	// What was just made has no number yet, and is the newest.
	expect(by('number', true, [a, issue({ title: 'fresh', number: 0 }), c])).toEqual(['fresh', 'c', 'b'])
})

test('groups: mine first, nobody last, several assignees in all of their groups', () => {
	const all = [issue({ title: 'x', people: ['zoe'] }), issue({ title: 'y' }), issue({ title: 'z', people: ['bob', 'ada'] })]
	expect(grouped(all, 'assignee', known).map((g) => [g.key, g.issues.map((i) => i.title)])).toEqual([
		['ada', ['z']], ['bob', ['z']], ['zoe', ['x']], ['none', ['y']],
	])
	expect(grouped([issue({ on: 'a2x' }), issue({ on: 'a1x' }), issue()], 'sheet', known).map((g) => g.key)).toEqual(['a1', 'a2', 'none'])
	const items = lines(all, 'assignee', known, new Set(['bob']))
	expect(items.map((i) => i.key)).toEqual([
		'group ada', `ada ${all[2]?.uid}`, 'group bob', 'group zoe', `zoe ${all[0]?.uid}`, 'group none', `none ${all[1]?.uid}`,
	])
	expect(range(items, `zoe ${all[0]?.uid}`, `ada ${all[2]?.uid}`)).toEqual([all[2]?.uid, all[0]?.uid])
})

const admin = { uid: 'eve', role: { uid: adminRole } } as unknown as Member
const helper = { uid: 'bob', role: { uid: collaboratorRole } } as unknown as Member

test('rights are those of the contract', () => {
	expect(editIssue(admin, issue())).toBe('all')
	expect(editIssue(admin, issue({ deleted: true }))).toBe('none')
	expect(editIssue(helper, issue({ by: 'bob' }))).toBe('all')
	expect(editIssue(helper, issue({ people: ['bob'] }))).toBe('status')
	expect(statusesFor(helper, issue({ people: ['bob'] }))).toEqual(['open', 'in_review', 'pending'])
	expect(statusesFor(helper, issue({ people: ['bob'], status: 'closed' }))).toEqual(['closed'])
	expect(editIssue(helper, issue())).toBe('none')
	expect(editIssue(undefined, issue())).toBe('none')
})

test('one change of many, and one way back that overwrites nobody', () => {
	const all = [issue({ status: 'open' }), issue({ status: 'closed' }), issue({ status: 'pending' })]
	const { steps, refused } = plan(all, { status: 'closed' }, admin)
	expect(steps.map((s) => [s.uid, s.back.status])).toEqual([[all[0]?.uid, 'open'], [all[2]?.uid, 'pending']])
	expect(refused).toBe(0)
	const later = new Map(all.map((i) => [i.uid, { ...i, status: 'closed' } as Issue]))
	later.set(all[2]?.uid ?? '', { ...all[2], status: 'in_review' } as Issue) // somebody else was there since
	expect(wayBack(steps, (uid) => later.get(uid))).toEqual([{ uid: all[0]?.uid, fields: { status: 'open' } }])
})

test('what somebody may not change is counted and left alone', () => {
	const all = [issue({ people: ['bob'] }), issue({ by: 'bob' }), issue()]
	expect(plan(all, { status: 'in_review' }, helper)).toMatchObject({ steps: [{ uid: all[0]?.uid }, { uid: all[1]?.uid }], refused: 1 })
	expect(plan(all, { status: 'closed' }, helper)).toMatchObject({ steps: [{ uid: all[1]?.uid }], refused: 2 })
	expect(plan(all, { due_at: null, assigned_to_uids: [] }, helper).refused).toBe(1) // the third is so already; the second has nobody too
	expect(removable(all, helper).map((i) => i.uid)).toEqual([all[1]?.uid])
	const due = '2026-03-10T21:00:00.000Z'
	expect(plan([issue({ due_at: '2026-03-10T21:00:00+00:00' })], { due_at: due }, admin).steps).toEqual([])
})

test('the usual columns give way where there is no room', () => {
	expect(fitting(usual, 2000)).toEqual(usual)
	expect(fitting(usual, 1056)).toEqual(['number', 'status', 'assignee', 'due', 'list', 'sheet'])
	expect(fitting(usual, 700)).toEqual(['number', 'status', 'assignee'])
})

test('a calendar has whole weeks', () => {
	const days = monthDays('2026-03', 1)
	expect([days.length, days[0]?.date, days.at(-1)?.date, days.filter((d) => d.inside).length]).toEqual([42, '2026-02-23', '2026-04-05', 31])
	expect(monthDays('2027-02', 1).length).toBe(28)
	expect(monthDays('2026-03', 0)[0]?.date).toBe('2026-03-01')
	expect([months('2026-01', -1), months('2026-12', 1)]).toEqual(['2025-12', '2027-01'])
})

test('a list by pages asks the service for what it can', () => {
	const query = readQuery(new URLSearchParams('q=door&assigned_to=me,none&due=overdue&sort=-updated&created_by=bob'))
	expect(pageQuery(query, 'ada', known.times)).toEqual({
		q: 'door', assigned_to: 'ada', due_before: '2026-03-11T04:00:00.000Z', status: 'open,in_review,pending', sort: '-updated_at',
		deleted: 'false',
	})
	expect(pageQuery(plainQuery, 'ada', known.times)).toEqual({ sort: '-number', deleted: 'false' })
})

test('the window of a long list', () => {
	const offsets = starts([1, 2, 1, 1], (n) => n * 10)
	expect([...offsets]).toEqual([0, 10, 30, 40, 50])
	expect(slice(offsets, 0, 10, 0)).toEqual({ first: 0, end: 2 })
	expect(slice(offsets, 35, 100, 0)).toEqual({ first: 2, end: 4 })
	expect(slice(starts([], () => 1), 0, 10, 5)).toEqual({ first: 0, end: 0 })
})

test('history in words', () => {
	const say = {
		fields: { title: 'title', due_at: 'due', description: 'description', status: 'status' },
		set: (f: string, to: string) => `set ${f} ${to}`, changed: (f: string, a: string, b: string) => `${f} ${a}→${b}`,
		cleared: (f: string) => `cleared ${f}`, rewrote: (f: string) => `rewrote ${f}`, closed: 'closed', reopened: 'reopened',
		deleted: 'deleted', restored: 'restored', assigned: (who: string) => `assigned ${who}`,
		unassigned: (who: string) => `unassigned ${who}`, linked: { photos: 'added a photo' }, unlinked: { photos: 'removed a photo' },
		placed: 'placed', moved: 'moved', unplaced: 'unplaced', yes: 'yes', no: 'no', value: (_: string, v: unknown) => String(v),
		person: known.person,
	} as Sayings
	const line = (field: string, old_value: unknown, new_value: unknown, at = '1', by = 'ada') => ({
		uid: `${field}${at}`, field, old_value, new_value, updated_at: at, updated_by: { uid: by },
	})
	const told = deeds(
		[
			line('status', 'open', 'closed', '3', 'bob'), line('closed_at', null, '2026', '3', 'bob'),
			line('assigned_to', ['ada'], ['bob', 'zoe'], '2'), line('assignees', [], [], '2'), line('title', 'a', 'b', '2'),
			line('due_at', null, 'Monday'), line('photos', null, 'p'), line('mystery', 1, 2),
		],
		say,
	)
	expect(told.map((d) => [d.by, d.acts])).toEqual([
		['bob', ['closed']], ['ada', ['assigned Bob, Zoé', 'unassigned Ada', 'title a→b']], ['ada', ['set due Monday', 'added a photo']],
	])
})

test('own links stand on top of those that the service lists', () => {
	expect(merged(['a', 'b'], [{ verb: 'link', target: 'c' }, { verb: 'unlink', target: 'a' }])).toEqual(['b', 'c'])
	expect(merged(['a'], [{ verb: 'unlink', target: 'a' }, { verb: 'link', target: 'a' }])).toEqual(['a'])
})

test('a crop stays inside of its picture and has the point in it', () => {
	for (const point of [{ x: 0, y: 0 }, { x: 0.5, y: 0.5 }, { x: 1, y: 1 }, { x: 0.05, y: 0.9 }]) {
		const c = crop(1.4, point, 16 / 9, 2.2)
		expect(c.left <= 0 && c.top <= 0 && c.left + c.width >= 99.99 && c.top + c.height >= 99.99).toBe(true)
		expect(c.x >= -0.01 && c.x <= 100.01 && c.y >= -0.01 && c.y <= 100.01).toBe(true)
	}
})

test('twenty thousand issues: every issue is looked at once, and the time is told', () => {
	const words = ['door', 'handrail', 'fire damper', 'paint', 'outlet', 'ceiling', 'lockset', 'grout', 'sprinkler', 'gasket']
	const people = ['ada', 'bob', 'zoe', '']
	const all = Array.from({ length: 20_000 }, (_, n) =>
		issue({
			title: `${words[n % 10]} ${words[(n * 7) % 10]} room ${n % 400}`, description: `Seen near axis ${n % 31}, floor ${n % 9}`,
			people: people[n % 4] ? [people[n % 4] as string] : [], status: (['open', 'in_review', 'pending', 'closed'] as const)[n % 4],
			due_at: n % 3 ? new Date(now + ((n % 90) - 30) * 86_400_000).toISOString() : null, in: n % 2 ? 'l1' : 'l2', on: `a${n % 2}`,
		}),
	)
	const figures: string[] = []
	const timed = <T>(what: string, run: () => T): T => {
		const from = performance.now()
		const out = run()
		figures.push(`${what} ${(performance.now() - from).toFixed(1)} ms`)
		return out
	}
	let asked = 0
	const find = (query: Partial<Query>) => {
		const fits = tester({ ...plainQuery, ...query }, known)
		return all.filter((i) => (asked++, fits(i)))
	}
	const first = timed('search, first time', () => find({ q: 'handrail room' }))
	expect(first.length).toBeGreaterThan(1000)
	expect(timed('search, next key', () => find({ q: 'handrail room axis 30' })).length).toBeLessThan(first.length)
	const open = timed('filter', () => find({ status: ['open', 'pending'], due: ['overdue'], assigned: ['me'] }))
	expect(open.length).toBeGreaterThan(0)
	expect(asked).toBe(60_000)
	for (const sort of ['due', 'title', 'assignee', 'updated'] as const) {
		expect(timed(`sort by ${sort}`, () => sorted(all, { sort, desc: true }, known)).length).toBe(20_000)
	}
	expect(timed('group and lay out', () => lines(all, 'assignee', known, new Set())).length).toBe(20_004)
	expect(timed('starts', () => starts(all, () => 36))[20_000]).toBe(720_000)
	console.log(figures.join(', '))
})

test('a record is unmade until what makes it has arrived', () => {
	const entry = (verb: Entry['verb'], uid: string, project = 'p'): Entry =>
		({
			id: 1, verb, uid, project, kind: 'issues', fields: {}, at: 0, state: 'sending', tries: 1, unsure: true, unwanted: false,
		})
	expect(unmade([entry('create', 'a')], 'p', 'issues', 'a')).toBe(true)
	expect(unmade([entry('update', 'a'), entry('create', 'b'), entry('create', 'a', 'q')], 'p', 'issues', 'a')).toBe(false)
	expect(unmade([], 'p', 'issues', 'a')).toBe(false)
})

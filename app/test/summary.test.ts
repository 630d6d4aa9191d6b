import { expect, test } from 'vitest'
import type { Comment, Issue, Rfi, Sheet } from '../src/data'
import { byAge, byPerson, late, lateBefore, news, overdue, waiting } from '../src/home/summary'
import { day, days, midnight } from '../src/ui/dates'

const noon = Date.parse('2026-03-09T12:00:00Z')
const hour = 3_600_000

const issue = (more: Partial<Issue>): Issue =>
	({
		uid: 'i', number: 1, title: 'A', status: 'open', deleted: false, created_at: '2026-03-09T11:00:00.000000+00:00',
		updated_at: '2026-03-09T11:00:00.000000+00:00', due_at: null, assigned_to: null, created_by: null, updated_by: null, ...more,
	}) as Issue

test.each([
	['UTC', '2026-03-09'], ['Pacific/Kiritimati', '2026-03-10'], ['Pacific/Honolulu', '2026-03-09'], ['Asia/Kathmandu', '2026-03-09'],
])('the day in %s is %s', (zone, date) => {
	expect(day(noon, zone)).toBe(date)
	expect(day(midnight(noon, zone), zone)).toBe(date)
	expect(day(midnight(noon, zone) - 1, zone)).not.toBe(date)
})

test('a day begins where clocks are changed', () => {
	// Lisbon: one hour forward at 01:00 UTC on 29 March; Sao Paulo of 2018 had no midnight on 4 November.
	expect(midnight(Date.parse('2026-03-29T12:00:00Z'), 'Europe/Lisbon')).toBe(Date.parse('2026-03-29T00:00:00Z'))
	const saoPaulo = midnight(Date.parse('2018-11-04T12:00:00Z'), 'America/Sao_Paulo')
	expect(Math.abs(saoPaulo - Date.parse('2018-11-04T03:00:00Z'))).toBeLessThanOrEqual(hour)
})

// The table of the server's own test: what is due is overdue when its day on the site is over.
test.each([
	[null, -1000, true], [null, 0, false], ['UTC', -12 * hour, false], ['UTC', -12 * hour - 1000, true],
	['Europe/Athens', -14 * hour, false], ['Europe/Athens', -14 * hour - 1000, true],
	['Pacific/Honolulu', -2 * hour, false], ['Pacific/Honolulu', -2 * hour - 1000, true],
])('in %s, due %i ms from noon, overdue is %s', (zone, from, is) => {
	const due = new Date(noon + from).toISOString()
	expect(overdue(due, lateBefore(zone, noon))).toBe(is)
	expect((late(due, zone, noon) ?? 0) > 0).toBe(is)
})

test('days between dates', () => {
	expect(days('2026-02-28', '2026-03-01')).toBe(1)
	expect(days('2026-03-09', '2026-03-01')).toBe(-8)
})

test('open issues by age, with those that are overdue', () => {
	const old = new Date(noon - 40 * 24 * hour).toISOString()
	const bars = byAge(
		[issue({}), issue({ created_at: old, due_at: old }), issue({ created_at: old, status: 'closed' }), issue({ deleted: true })],
		['a', 'b', 'c', 'd'], noon, noon,
	)
	expect(bars.map((b) => [b.value, b.part])).toEqual([[1, 0], [0, 0], [1, 1], [0, 0]])
})

test('open issues by assignee: those with most first, then others, then nobody', () => {
	const to = (...uids: string[]) => issue({ assigned_to: uids.map((uid) => ({ uid, url: null, email: '' })) })
	const { bars, others, othersCount, nobody } = byPerson([to('a'), to('b', 'a'), to('c'), to(), to()], (uid) => uid, noon, 1)
	expect(bars.map((b) => [b.label, b.value])).toEqual([['a', 2]])
	expect([others, othersCount, nobody.value]).toEqual([2, 2, 2])
})

test('what waits: the longest overdue first, what has no date last', () => {
	const rfi = { uid: 'r', number: 7, title: 'R', deleted: false, status: { uid: 's', label: 'open' }, due_at: '2026-03-01T00:00:00Z' }
	const list = waiting(
		[issue({ uid: 'none' }), issue({ uid: 'late', due_at: '2026-02-01T00:00:00Z' }), issue({ uid: 'closed', status: 'closed' })],
		[rfi as unknown as Rfi, { ...rfi, uid: 'void', status: { uid: 'x', label: 'void' } } as unknown as Rfi],
		new Set(['s']), 'UTC', noon,
	)
	expect(list.map((w) => w.uid)).toEqual(['late', 'r', 'none'])
	expect(list[0]?.late).toBe(36)
})

test('news: the latest first, what was published together is told once', () => {
	const by = { uid: 'ana', url: null, email: '' }
	const sheet = (n: number) => ({ uid: `s${n}`, version_name: 'Permit', published_at: `2026-03-09T10:00:0${n}Z`, published_by: by })
	const at = '2026-03-09T11:30:00Z'
	const comment = {
		uid: 'c', text: 'Yes', created_at: at, updated_at: at, created_by: by, record_type: 'issue', record: { uid: 'i' },
	}
	const told = news(
		{
			issues: [issue({ title: 'Door' })], rfis: [], comments: [comment as unknown as Comment],
			sheets: [sheet(1), sheet(2)] as unknown as Sheet[], photos: [], attachments: [], field_reports: [],
		},
		'P',
	)
	expect(told.map((n) => [n.what, n.count, n.on])).toEqual([['comment', 1, '#1 Door'], ['issueNew', 1, undefined], ['sheets', 2, undefined]])
	expect(told[0]?.href).toBe('/app/P/issues/i')
})

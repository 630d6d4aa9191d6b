// What the screen of a drawing makes of records: which marks it shows, who may change them, and how work is undone.
import { describe, expect, test } from 'vitest'
import type { Annotation, Issue, Member, ProjectStore, Sheet } from '../src/data'
import { adminRole, collaboratorRole } from '../src/shell/people'
import { Drafting } from '../src/sheets/sheet/drafting.svelte'
import { earlierOf, Marking, mayChange, neighbours } from '../src/sheets/sheet/marks'

const sheet = (uid: string, more: Partial<Sheet> = {}): Sheet => ({
	uid, name: uid, sort_key: uid, current: true, deleted: false, width: 1000, height: 800, scale: null, alignment: null,
	supersedes: null, history_set_uid: 'h', version_set: null, published_at: '2026-01-01', links: [], ...more,
}) as unknown as Sheet
const member = (uid: string, role: string): Member => ({ uid, role: { uid: role } }) as unknown as Member
const mark = (uid: string, more: Partial<Annotation> = {}): Annotation => ({
	uid, kind: 'line', color: '#ff0000', width: null, text: null, stamp: null, visibility: 'user', deleted: false, issue: null, photo: null,
	measure: null, created_by: { uid: 'ada' }, sheet: { uid: 'now' }, geometry: { points: [{ x: 0.1, y: 0.1 }, { x: 0.2, y: 0.2 }] }, ...more,
}) as unknown as Annotation
const issue = (more: Partial<Issue> = {}): Issue =>
	({ uid: 'i', number: 7, title: 'Leak', status: 'pending', deleted: false, created_by: { uid: 'bob' }, assigned_to: null, ...more }) as unknown as Issue

/** store is one that holds annotations and remembers what was done to them. */
function store(all: Annotation[], issues: Issue[] = []) {
	const done: string[] = []
	let next = 0
	const it = {
		uid: 'p',
		by: (_: string, uid: string) => all.filter((a) => a.sheet?.uid === uid),
		get: (kind: string, uid: string) => (kind === 'annotations' ? all : kind === 'issues' ? issues : []).find((r) => r.uid === uid),
		file: () => ({ get: () => undefined }),
		create: (_: string, fields: object) => {
			const uid = `new${++next}`
			all.push(mark(uid, fields as Partial<Annotation>))
			done.push(`create ${uid}`)
			return uid
		},
		update: (_: string, uid: string, fields: object) => {
			done.push(`update ${uid} ${JSON.stringify(fields)}`)
			all.splice(all.findIndex((a) => a.uid === uid), 1, { ...(all.find((a) => a.uid === uid) as Annotation), ...fields })
		},
		remove: (_: string, uid: string) => done.push(`remove ${uid}`),
		restore: (_: string, uid: string) => done.push(`restore ${uid}`),
	}
	return { done, store: it as unknown as ProjectStore }
}

describe('who may change a mark', () => {
	const [admin, collaborator] = [member('ada', adminRole), member('eve', collaboratorRole)]
	test.each([
		['one of their own', admin, mark('m'), undefined, true],
		['a personal one of somebody else', collaborator, mark('m'), undefined, false],
		['a published one, with the right', admin, mark('m', { visibility: 'master', created_by: null }), undefined, true],
		['a published one of their own, without the right', collaborator, mark('m', { visibility: 'master' }), undefined, false],
		['the place of an issue that they made', member('bob', collaboratorRole), mark('m'), issue(), true],
		['the place of an issue of somebody else', collaborator, mark('m'), issue(), false],
		['anything, before it is known who they are', undefined, mark('m'), undefined, false],
	] as const)('%s', (_, who, a, of, may) => expect(mayChange(who, a, of)).toBe(may))
})

test('the sheets beside one are those that are current, or those of its set where it is not', () => {
	const old = { current: false, version_set: { uid: 's' } } as Partial<Sheet>
	const all = [sheet('c'), sheet('a'), sheet('b'), sheet('x', old), sheet('y', old)]
	expect(neighbours(all[2] as Sheet, all)).toMatchObject({ before: { uid: 'a' }, after: { uid: 'c' } })
	expect(neighbours(all[1] as Sheet, all).before).toBeUndefined()
	expect(neighbours(all[3] as Sheet, all)).toMatchObject({ after: { uid: 'y' } })
})

describe('which marks a sheet shows', () => {
	const [now, old, other] = [
		sheet('now', { supersedes: { uid: 'old' } as Sheet['supersedes'] }), sheet('old', { current: false }), sheet('wide', { width: 1200 }),
	]
	const versions = [now, old, other]
	const all = [
		mark('mine'), mark('before', { sheet: { uid: 'old' } as Annotation['sheet'] }), mark('gone', { deleted: true }),
		mark('pin', { kind: 'stamp', issue: { uid: 'i' } as Annotation['issue'], created_by: null, geometry: { points: [{ x: 0.5, y: 0.5 }] } }),
		mark('wide', { sheet: { uid: 'wide' } as Annotation['sheet'] }), mark('nowhere', { geometry: null }),
	]
	const ada = member('ada', adminRole)
	const names = (how: { filter: 'all' | 'mine' | 'issues' | 'none'; earlier: boolean }) =>
		new Marking(store(all, [issue()]).store).of(now, versions, ada, how).map((m) => m.uid)
	test('its own and those of earlier versions of the same size, which are faint and fixed', () => {
		expect(earlierOf(now, versions).map((v) => v.uid)).toEqual(['old'])
		expect(names({ filter: 'all', earlier: true })).toEqual(['before', 'mine', 'pin'])
		expect(names({ filter: 'all', earlier: false })).toEqual(['mine', 'pin'])
		const [first] = new Marking(store(all, [issue()]).store).of(now, versions, ada, { filter: 'all', earlier: true })
		expect(first).toMatchObject({ faint: true, mine: false })
	})
	test('filters', () => {
		expect(names({ filter: 'mine', earlier: true })).toEqual(['before', 'mine'])
		expect(names({ filter: 'issues', earlier: true })).toEqual(['pin'])
		expect(names({ filter: 'none', earlier: true })).toEqual([])
	})
	test('a pin shows the number and the state of its issue, and none where the issue is deleted', () => {
		const show = (of: Issue) => new Marking(store(all, [of]).store).of(now, versions, ada, { filter: 'issues', earlier: false })
		expect(show(issue())).toMatchObject([{ stamp: '7', issue: { look: 'pending' }, name: 'Issue 7: Leak', personal: false }])
		expect(show(issue({ deleted: true }))).toEqual([])
	})
	test('what is as it was is the same object, so that it is not drawn again', () => {
		const { store: it } = store([...all], [issue()])
		const marking = new Marking(it)
		const how = { filter: 'all' as const, earlier: true }
		const before = marking.of(now, versions, ada, how)
		it.update('annotations', 'mine', { color: '#00ff00' })
		const after = marking.of(now, versions, ada, how)
		expect(after.map((m, i) => m === before[i])).toEqual([true, false, true])
	})
	test('marks of an earlier version lie where the alignment says', () => {
		const moved = { ...now, alignment: { points: [0.2, 0.8].map((x) => ({ x, y: 0.5, before_x: x + 0.1, before_y: 0.5 })) } }
		const [first] = new Marking(store(all).store).of(moved, [moved, old], ada, { filter: 'all', earlier: true })
		expect(first?.points[0]?.x).toBeCloseTo(0) // 0.1 of the version before is 0 here
	})
})

describe('work on marks', () => {
	const size = { width: 1000, height: 800 }
	test('what was drawn is undone and done again as the same mark', () => {
		const { store: it, done } = store([])
		const work = new Drafting(it)
		work.add([{ sheet_uid: 'now', kind: 'line', geometry: { points: [] } }])
		expect([work.canUndo, work.canRedo]).toEqual([true, false])
		work.undo()
		work.redo()
		expect(done).toEqual(['create new1', 'remove new1', 'restore new1'])
	})
	test('a move goes back to where it was', () => {
		const { store: it, done } = store([mark('m')])
		const work = new Drafting(it)
		work.place([{ uid: 'm', points: [{ x: 500, y: 400 }, { x: 2000, y: 400 }] }], size)
		work.undo()
		expect(done).toEqual([
			'update m {"geometry":{"points":[{"x":0.5,"y":0.5},{"x":1,"y":0.5}]}}',
			'update m {"geometry":{"points":[{"x":0.1,"y":0.1},{"x":0.2,"y":0.2}]}}',
		])
	})
	test('a copy looks the same, lies beside it, and is nobody\'s place', () => {
		const all = [mark('m', { kind: 'measure', measure: 'area', width: 2, issue: { uid: 'i' } as Annotation['issue'] })]
		const { store: it } = store(all)
		const work = new Drafting(it)
		expect(work.copy(['m', 'unknown'], 'user')).toBe(1)
		work.paste({ uid: 'other', ...size })
		expect(all[1]).toMatchObject({ kind: 'measure', measure: 'area', width: 2, issue: null, sheet_uid: 'other' })
		expect(all[1]?.geometry?.points[0]?.x).toBeGreaterThan(0.1)
	})
	test('what is deleted comes back', () => {
		const { store: it, done } = store([mark('a'), mark('b')])
		const work = new Drafting(it)
		work.remove(['a', 'b'])
		expect(work.undo()).toBe('delete')
		expect(done).toEqual(['remove a', 'remove b', 'restore a', 'restore b'])
	})
})

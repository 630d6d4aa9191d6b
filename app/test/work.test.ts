import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session, WorkItem } from '../src/data'
import { group, nameOf, projectsOf } from '../src/work/groups'
import { Browser } from './browser'
import { Server, until, type Person } from './server'

const pier = { uid: 'p', url: '', name: 'Pier', time_zone: 'Europe/Madrid' }
const attic = { uid: 'a', url: '', name: 'Attic', time_zone: null }
const item = (over: Partial<WorkItem>): WorkItem => ({
	reason: 'assigned', project: pier, kind: 'issues', uid: 'i', url: '', number: 1, title: 'Door', status: 'open', due_at: null,
	overdue: false, sheet: null, comment: null, updated_at: '2026-03-01T00:00:00.000000+00:00', ...over,
})
// Monday, nearly midnight in Madrid.
const now = Date.parse('2026-03-09T22:30:00Z')

test.each([
	['yesterday on the site', { due_at: '2026-03-08T22:00:00Z' }, 'overdue'],
	['today on the site', { due_at: '2026-03-08T23:00:00Z' }, 'week'],
	['in six days', { due_at: '2026-03-15T12:00:00Z' }, 'week'],
	['in seven days', { due_at: '2026-03-16T12:00:00Z' }, 'later'],
	['without a date', {}, 'later'],
	['a moment ago, where there is no time zone', { project: attic, due_at: '2026-03-09T22:29:00Z' }, 'overdue'],
	['to be answered', { reason: 'answer', kind: 'rfis' }, 'answer'],
	['to be answered, and late', { reason: 'answer', kind: 'rfis', due_at: '2026-03-01T00:00:00Z' }, 'overdue'],
] as const)('what is due %s', (_, over, name) => {
	expect(group([item(over as Partial<WorkItem>)], now).map((g) => g.name)).toEqual([name])
})

test('groups come in their order, and projects as what is most urgent in them', () => {
	const said = (at: string) => ({
		uid: at, url: '', text: '', created_at: at, count: 1, created_by: { uid: null, url: null, email: '', name: '' },
	})
	const groups = group([
		item({ uid: '1', reason: 'comment', comment: said('2026-03-01') }), item({ uid: '2', due_at: '2026-03-05T00:00:00Z' }),
		item({ uid: '3', project: attic, due_at: '2026-03-04T00:00:00Z' }), item({ uid: '4', due_at: '2026-03-03T00:00:00Z' }),
		item({ uid: '5', reason: 'comment', comment: said('2026-03-02') }), item({ uid: '6', number: 2 }), item({ uid: '7' }),
	], now)
	expect(groups.map((g) => [g.name, g.count, g.parts.map((p) => [p.project.name, p.lines.map((l) => l.item.uid)])])).toEqual([
		['overdue', 3, [['Pier', ['4', '2']], ['Attic', ['3']]]],
		['comments', 2, [['Pier', ['5', '1']]]],
		['later', 2, [['Pier', ['7', '6']]]],
	])
	expect(projectsOf([item({}), item({ project: attic })]).map((p) => p.name)).toEqual(['Attic', 'Pier'])
	expect(nameOf(item({ reason: 'comment' }), 3)).toBe('comments')
})

let server: Server
let people: Record<string, Person>
let project: string
const browsers: Browser[] = []

beforeAll(async () => {
	;({ server, people } = await Server.start(['ann', 'bob']))
	project = (await server.must(people.ann!, 'POST', '/projects', { name: 'Pier' })).uid
	await server.must(people.ann!, 'POST', `/projects/${project}/users/invites`, { email: people.bob!.email })
})
afterAll(async () => {
	for (const browser of browsers) await browser.close()
	await server?.stop()
})

test('work follows what others do, and is kept', async () => {
	const browser = new Browser(server)
	browsers.push(browser)
	await browser.signIn(people.bob!)
	const tab = browser.tab()
	await tab.desk.ready
	const work = tab.desk.work()
	await until('the list is known', () => work.items.get().known)
	expect(work.items.get().list).toEqual([])
	// More than one part of the list.
	for (let i = 0; i < 60; i++) {
		const body = { title: `Door ${i}`, assigned_to_uids: [people.bob!.uid] }
		await server.must(people.ann!, 'POST', `/projects/${project}/issues`, body)
	}
	await until('all of it is there', () => work.items.get().list.length === 60)
	expect(new Set(work.items.get().list.map((one) => one.title)).size).toBe(60)
	work.close()
	tab.weather = 'down'
	const again = tab.desk.work()
	await until('the last answer is there without a line', () => again.items.get().list.length === 60)
	await until('it says that it could not be read', () => again.items.get().sentence !== undefined)
	tab.weather = 'fair'
	again.refresh()
	await until('it was read', () => again.items.get().sentence === undefined)
	again.close()
	// Nothing of it stays when they leave.
	expect((await tab.desk.signOut()).ok).toBe(true)
	const left = (await browser.indexedDB.databases()).map((base) => base.name ?? '')
	expect(left.filter((name) => name.includes(people.bob!.uid))).toEqual([])
})

const keptOf = async (browser: Browser, who: Person) =>
	(await browser.indexedDB.databases()).map((base) => base.name ?? '').filter((name) => name.includes(who.uid))

test('an answer that comes after signing out is kept nowhere', async () => {
	const browser = new Browser(server)
	browsers.push(browser)
	await browser.signIn(people.bob!)
	const tab = browser.tab()
	await tab.desk.ready
	let asked = false
	let open = () => {}
	const held = new Promise<void>((done) => (open = done))
	tab.onReply = async (_, path) => {
		if (!path.startsWith('/me/work?')) return // the last part
		asked = true
		await held
	}
	const work = tab.desk.work()
	await until('the list was asked for', () => asked)
	expect((await tab.desk.signOut()).ok).toBe(true)
	open()
	await new Promise((done) => setTimeout(done, 300))
	expect(await keptOf(browser, people.bob!)).toEqual([])
	work.close()
})

test('the work of who signs in next is not that of the one before', async () => {
	const browser = new Browser(server)
	browsers.push(browser)
	await browser.signIn(people.bob!)
	const tab = browser.tab()
	await tab.desk.ready
	const work = tab.desk.work()
	await until('the list is known', () => work.items.get().known)
	const before = work.items.get().list
	expect(before.length).toBeGreaterThan(0)
	await browser.signIn(people.ann!)
	await tab.desk.refresh()
	let asked = 0
	tab.onRequest = (_, path) => void (asked += path.startsWith('/me/work') ? 1 : 0)
	work.refresh()
	await new Promise((done) => setTimeout(done, 1500))
	expect(asked).toBe(0)
	expect(work.items.get().list).toEqual(before)
	work.close()
})

test('who signs in while it is being asked who has the session is found', async () => {
	const browser = new Browser(server)
	browsers.push(browser)
	await browser.signIn(people.bob!)
	const tab = browser.tab()
	await tab.desk.ready
	let asked = 0
	let open = () => {}
	const held = new Promise<void>((done) => (open = done))
	tab.onReply = async (_, path) => {
		if (path === '/me' && asked++ === 0) await held
	}
	const before = tab.desk.refresh()
	await until('it was asked', () => asked > 0)
	await browser.signIn(people.ann!)
	const after = [tab.desk.refresh(), tab.desk.refresh()]
	open()
	const who = (session: Session) => (session.state === 'in' ? session.me.uid : session.state)
	expect(who(await before)).toBe(people.bob!.uid)
	for (const session of after) expect(who(await session)).toBe(people.ann!.uid)
	expect(asked).toBe(2)
})

test('of a project that a person was removed from, the device keeps nothing', async () => {
	const attic = (await server.must(people.ann!, 'POST', '/projects', { name: 'Attic' })).uid
	await server.must(people.ann!, 'POST', `/projects/${attic}/users/invites`, { email: people.bob!.email })
	const browser = new Browser(server)
	browsers.push(browser)
	await browser.signIn(people.bob!)
	const tab = browser.tab()
	await tab.desk.ready
	for (const uid of [attic, project]) {
		const store = tab.desk.open(uid)
		await until('the copy is there', () => store.filling.get().phase === 'live')
		store.close()
	}
	await until('the list is known', () => tab.desk.projects.get().list.length > 1)
	expect((await keptOf(browser, people.bob!)).filter((name) => name.includes(attic))).toHaveLength(1)
	await server.must(people.ann!, 'DELETE', `/projects/${attic}/users/${people.bob!.uid}`)
	await until('the copy is gone', async () => !(await keptOf(browser, people.bob!)).some((name) => name.includes(attic)))
	expect((await keptOf(browser, people.bob!)).filter((name) => name.includes(project))).toHaveLength(1)
})

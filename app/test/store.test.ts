import Dexie from 'dexie'
import { IDBKeyRange } from 'fake-indexeddb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Browser } from './browser'
import { settle } from './compare'
import { Server, until, type Person } from './server'

let server: Server
let people: Record<string, Person>
let project: string
const browsers: Browser[] = []

async function signedIn(who: Person): Promise<Browser> {
	const browser = new Browser(server)
	browsers.push(browser)
	await browser.signIn(who)
	return browser
}

beforeAll(async () => {
	;({ server, people } = await Server.start(['ann', 'bob']))
	project = (await server.must(people.ann!, 'POST', '/projects', { name: 'Pier' })).uid
	await server.must(people.ann!, 'POST', `/projects/${project}/users/invites`, { email: people.bob!.email })
})

afterAll(async () => {
	for (const browser of browsers) await browser.close()
	await server?.stop()
})

test('a store fills itself and follows', async () => {
	await server.must(people.ann!, 'POST', `/projects/${project}/issues`, { title: 'Door' })
	const browser = await signedIn(people.bob!)
	const { desk } = browser.tab()
	await desk.ready
	expect(desk.session.get().state).toBe('in')
	const store = desk.open(project)
	await until('the store is live', () => store.filling.get().phase === 'live')
	expect(store.records('issues').get().map((one) => one.title)).toEqual(['Door'])
	const made = await server.must(people.ann!, 'POST', `/projects/${project}/issues`, { title: 'Window' })
	await until('the change arrives', () => store.get('issues', made.uid)?.title === 'Window')
	expect(await settle(server, people.bob!, store)).toEqual([])
	await until('the list of projects is there', () => desk.projects.get().list.length === 1)
	store.close()
})

test('what a person does shows at once and is sent', async () => {
	const browser = await signedIn(people.ann!)
	const { desk } = browser.tab()
	await desk.ready
	const store = desk.open(project)
	await until('the store is live', () => store.filling.get().phase === 'live')
	const list = store.create('issue_lists', { name: 'Punch' })
	const issue = store.create('issues', { title: 'Roof', issue_list_uid: list, assigned_to_uids: [people.bob!.uid] })
	const comment = store.comment('issues', issue, 'Soon.')
	store.update('issues', issue, { status: 'closed', room: '3' })
	const shown = store.get('issues', issue)
	expect(shown).toMatchObject({ title: 'Roof', status: 'closed', room: '3', issue_list: { uid: list }, number: 0 })
	expect(shown?.assigned_to?.[0]?.email).toBe(people.bob!.email)
	expect(store.by('commentsOf', issue).map((one) => one.text)).toEqual(['Soon.'])
	expect(store.by('issuesOf', people.bob!.uid).map((one) => one.uid)).toEqual([issue])
	expect(store.mark('issues', issue)).toBe('waiting')
	await until('all is sent', () => desk.outbox.entries.get().length === 0)
	expect(store.mark('issues', issue)).toBeUndefined()
	expect(store.get('issues', issue)?.number).toBeGreaterThan(0)
	expect((await server.must(people.ann!, 'GET', `/projects/${project}/comments/${comment}`)).text).toBe('Soon.')
	store.remove('issues', issue)
	expect(store.records('issues').get().some((one) => one.uid === issue)).toBe(false)
	await until('all is sent', () => desk.outbox.entries.get().length === 0)
	expect(store.get('issues', issue)?.deleted).toBe(true)
	store.restore('issues', issue)
	await until('all is sent', () => desk.outbox.entries.get().length === 0)
	expect(store.get('issues', issue)?.deleted).toBe(false)
	expect(await settle(server, people.ann!, store)).toEqual([])
})

test('a sequence that the service does not know has the store fill itself again', async () => {
	const browser = await signedIn(people.ann!)
	const first = browser.tab()
	await first.desk.ready
	let store = first.desk.open(project)
	await until('the store is live', () => store.filling.get().phase === 'live')
	await first.close()
	const base = new Dexie(`groundwork/${people.ann!.uid}/${project}`, { indexedDB: browser.indexedDB, IDBKeyRange })
	await base.open()
	await base.table('states').update('state', { sequence: 1_000_000 }) // from before a backup was restored
	await base.table('records').put({
		kind: 'issues', uid: 'gone', etag: null, walk: 1,
		record: { uid: 'gone', deleted: false, created_at: '2026', updated_at: '2026', title: 'Gone' },
	})
	base.close()
	const second = browser.tab()
	await second.desk.ready
	store = second.desk.open(project)
	await until('what is kept is read', () => store.get('issues', 'gone') !== undefined)
	expect(await settle(server, people.ann!, store)).toEqual([])
	expect(store.get('issues', 'gone')).toBeUndefined()
})

test('a copy that a release without a kind filled is filled again', async () => {
	const made = await server.must(people.ann!, 'POST', `/projects/${project}/views`, { name: 'Before', of: 'issues' })
	const browser = await signedIn(people.ann!)
	const first = browser.tab()
	await first.desk.ready
	let store = first.desk.open(project)
	await until('the store is live', () => store.filling.get().phase === 'live')
	await first.close()
	const base = new Dexie(`groundwork/${people.ann!.uid}/${project}`, { indexedDB: browser.indexedDB, IDBKeyRange })
	await base.open()
	const { filled } = await base.table('states').get('state')
	await base.table('states').update('state', { filled: filled.filter((kind: string) => kind !== 'views') })
	await base.table('records').where('[kind+uid]').equals(['views', made.uid]).delete()
	base.close()
	const second = browser.tab()
	await second.desk.ready
	store = second.desk.open(project)
	await until('the view is there', () => store.get('views', made.uid)?.name === 'Before')
	await until('the store is live', () => store.filling.get().phase === 'live')
	expect(store.filled('views')).toBe(true)
	expect(await settle(server, people.ann!, store)).toEqual([])
})

test('where streams do not arrive it asks, and waits for answers', async () => {
	const browser = await signedIn(people.ann!)
	const tab = browser.tab()
	tab.onAnswer = (_, path) =>
		/\/projects\/.*\/events/.test(path) ? new Response(new ReadableStream({}), { status: 200 }) : undefined
	let polls = 0
	tab.onRequest = (_, path) => {
		if (/changes\?include=records&after/.test(path)) polls++
	}
	await tab.desk.ready
	const store = tab.desk.open(project)
	await until('it is filled', () => store.filled('field_reports'))
	const made = await server.must(people.bob!, 'POST', `/projects/${project}/issues`, { title: 'Polled' })
	await until('the change arrives', () => store.get('issues', made.uid) !== undefined)
	expect(polls).toBeGreaterThan(0)
	const again = await server.must(people.bob!, 'POST', `/projects/${project}/issues`, { title: 'Polled again' })
	await until('the next change arrives', () => store.get('issues', again.uid) !== undefined)
	expect(await settle(server, people.ann!, store)).toEqual([])
})

test('nothing of a project stays with who left it, and it is there again when they are back', async () => {
	const browser = await signedIn(people.bob!)
	const { desk } = browser.tab()
	await desk.ready
	const store = desk.open(project)
	await until('the store is live', () => store.filling.get().phase === 'live')
	await server.must(people.ann!, 'DELETE', `/projects/${project}/users/${people.bob!.uid}`)
	await until('it is gone', () => store.filling.get().phase === 'gone')
	expect(store.filling.get().sentence).toMatch(/\./)
	expect(await settle(server, people.bob!, store)).toEqual([])
	const base = new Dexie(`groundwork/${people.bob!.uid}/${project}`, { indexedDB: browser.indexedDB, IDBKeyRange })
	await base.open()
	expect(await base.table('records').count()).toBe(0)
	base.close()
	await server.must(people.ann!, 'POST', `/projects/${project}/users/invites`, { email: people.bob!.email })
	await until('it is back', () => store.filling.get().phase === 'live')
	expect(await settle(server, people.bob!, store)).toEqual([])
})

test('a walk that was cut goes on where it was', async () => {
	for (let i = 0; i < 24; i++) {
		await server.must(people.ann!, 'POST', '/batch', Array.from({ length: 50 }, (_, n) => ({
			method: 'POST', path: `/projects/${project}/issues`, body: JSON.stringify({ title: `Many ${i} ${n}` }),
		})))
	}
	const browser = await signedIn(people.ann!)
	const first = browser.tab()
	let pages = 0
	first.onRequest = (_, path) => {
		if (path.includes('latest=true') && ++pages === 4) first.kill() // when one page of the second part is kept
	}
	await first.desk.ready
	first.desk.open(project)
	await until('the tab is dead', () => first.dead.signal.aborted)
	const second = browser.tab()
	const asked: string[] = []
	second.onRequest = (_, path) => void asked.push(path)
	await second.desk.ready
	const store = second.desk.open(project)
	await until('it shows what arrived', () => store.filled('sheets'))
	expect(await settle(server, people.ann!, store)).toEqual([])
	const walked = asked.filter((path) => path.includes('latest=true'))
	expect(walked.length).toBeGreaterThan(0)
	for (const path of walked) expect(path).toContain('cursor=')
	expect(store.records('issues').get().length).toBeGreaterThan(1200)
})

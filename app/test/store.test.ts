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

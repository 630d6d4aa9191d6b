import { afterAll, beforeAll, expect, test } from 'vitest'
import { Browser } from './browser'
import { Server, until, type Person } from './server'

let server: Server
let people: Record<string, Person>
let project: string
const browsers: Browser[] = []

async function opened(who: Person) {
	const browser = new Browser(server)
	browsers.push(browser)
	await browser.signIn(who)
	const tab = browser.tab()
	await tab.desk.ready
	const store = tab.desk.open(project)
	await until('the store is live', () => store.filling.get().phase === 'live')
	return { browser, tab, store }
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

test('two people at one issue see each other', async () => {
	const issue = (await server.must(people.ann!, 'POST', `/projects/${project}/issues`, { title: 'Door' })).uid as string
	const ann = await opened(people.ann!)
	const bob = await opened(people.bob!)
	// Another tab of Bob's hears it from the one that follows.
	const second = bob.browser.tab()
	await second.desk.ready
	const beside = second.desk.open(project)
	await until('the second tab shows it', () => beside.get('issues', issue) !== undefined)
	const seen = (of: typeof beside) => of.present('issues', issue).get().map((one) => `${one.name} ${one.state}`)

	const leave = ann.store.attend('issues', issue, 'viewing')
	for (const of of [bob.store, beside]) {
		await until('Bob sees Ann', () => seen(of).join() === 'ann Test viewing')
	}
	expect(seen(ann.store)).toEqual([]) // herself she does not see
	const done = ann.store.attend('issues', issue, 'editing')
	await until('Bob sees that she edits', () => seen(bob.store).join() === 'ann Test editing')
	const stay = bob.store.attend('issues', issue, 'viewing')
	await until('Ann sees Bob', () => seen(ann.store).join() === 'bob Test viewing')
	done()
	await until('she looks only', () => seen(bob.store).join() === 'ann Test viewing')
	leave()
	leave()
	await until('she has left', () => seen(bob.store).length === 0 && seen(beside).length === 0)
	// Without a line nobody knows who is there, and with it again it is told anew.
	ann.tab.set('down')
	await until('Ann knows of nobody', () => seen(ann.store).length === 0)
	ann.tab.set('fair')
	await until('she sees Bob again', () => seen(ann.store).join() === 'bob Test viewing')
	stay()
	await until('he has left', () => seen(ann.store).length === 0)
})

// A project that two people share, and browsers in which they are signed in: what most tests of the data room begin with.
import { afterAll, afterEach, beforeAll } from 'vitest'
import { Browser } from './browser'
import { Server, type Person } from './server'

export let server: Server
export let ann: Person
export let bob: Person
export let project: string
export const browsers: Browser[] = []

/** begin has a service of its own for the tests of a file; more are settings of it. */
export function begin(more: string[] = []): void {
	beforeAll(async () => {
		const started = await Server.start(['ann', 'bob'], more)
		server = started.server
		ann = started.people['ann'] as Person
		bob = started.people['bob'] as Person
		project = (await server.must(ann, 'POST', '/projects', { name: 'Pier' })).uid
		await server.must(ann, 'POST', `/projects/${project}/users/invites`, { email: bob.email })
		await server.must(bob, 'GET', `/projects/${project}`)
	})
	afterEach(async () => {
		for (const browser of browsers.splice(0)) await browser.close()
	})
	afterAll(() => server?.stop())
}

/** signedIn is a browser of somebody; it closes after the test. */
export async function signedIn(who: Person): Promise<Browser> {
	const browser = new Browser(server)
	browsers.push(browser)
	await browser.signIn(who)
	return browser
}

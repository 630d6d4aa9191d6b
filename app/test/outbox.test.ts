// The outbox loses nothing: lines that break before and after the server acts, tabs that die, two devices, other
// accounts, and phones that come back after weeks.
import Dexie from 'dexie'
import { IDBKeyRange } from 'fake-indexeddb'
import { expect, test, vi } from 'vitest'
import type { Entry, ProjectStore } from '../src/data'
import { Browser, type Tab } from './browser'
import { settle } from './compare'
import { ann, begin, bob, project, server, signedIn } from './pier'
import { until } from './server'
begin()

async function work(browser: Browser): Promise<{ tab: Tab; store: ProjectStore }> {
	const tab = browser.tab()
	await tab.desk.ready
	const store = tab.desk.open(project)
	await until('the store is live', () => store.filling.get().phase === 'live')
	return { tab, store }
}

const left = (tab: Tab) => tab.desk.outbox.entries.get()
const sent = (tab: Tab) => until('all is sent', () => left(tab).length === 0)
const only = (tab: Tab): Entry => {
	expect(left(tab)).toHaveLength(1)
	return left(tab)[0] as Entry
}
const issue = (uid: string) => server.must(ann, 'GET', `/projects/${project}/issues/${uid}`)
const issues = async (title: string) =>
	(await server.must(ann, 'GET', `/projects/${project}/issues?q=${title}`)).data as { uid: string; title: string }[]

test('what was entered without a line is sent when it is back', async () => {
	const { tab, store } = await work(await signedIn(ann))
	tab.set('down')
	const uid = store.create('issues', { title: 'Offline1' })
	store.update('issues', uid, { room: 'B2' })
	await until('it was tried', () => (left(tab)[0]?.tries ?? 0) > 0)
	expect(tab.desk.online.get()).toBe(false)
	expect(store.get('issues', uid)).toMatchObject({ title: 'Offline1', room: 'B2' })
	tab.set('fair')
	await sent(tab)
	expect(await issue(uid)).toMatchObject({ title: 'Offline1', room: 'B2' })
})

test('a view that was saved without a line is sent, and is for nobody else until it is published', async () => {
	const { tab, store } = await work(await signedIn(ann))
	const { store: others } = await work(await signedIn(bob))
	tab.set('down')
	const uid = store.create('views', { name: 'Open', of: 'issues', query: 'status=open', columns: ['title'] })
	store.update('views', uid, { layout: 'board', group_by: 'room', columns: null, visibility: null })
	expect(store.get('views', uid)).toMatchObject({
		name: 'Open', of: 'issues', layout: 'board', query: 'status=open', group_by: 'room', columns: null, visibility: 'user',
	})
	tab.set('fair')
	await sent(tab)
	expect(await settle(server, ann, store)).toEqual([])
	expect(store.get('views', uid)).toMatchObject({ layout: 'board', columns: null, visibility: 'user' })
	// What comes after it has arrived with the other person, and it has not.
	const after = store.create('views', { name: 'For all', of: 'rfis', visibility: 'master' })
	await until('the published one arrives', () => others.get('views', after) !== undefined)
	expect(others.get('views', uid)).toBeUndefined()
	expect(await settle(server, bob, others)).toEqual([])
	store.update('views', uid, { visibility: 'master' })
	await until('published, it arrives', () => others.get('views', uid)?.name === 'Open')
	store.remove('views', uid)
	store.restore('views', uid)
	await sent(tab)
	expect(await settle(server, bob, others)).toEqual([])
	expect(others.get('views', uid)?.deleted).toBe(false)
})

test('a clock that moves between two looks at it holds nothing up', async () => {
	const browser = await signedIn(ann)
	const { tab, store } = await work(browser)
	let clock = browser.now()
	browser.now = () => (clock += 50)
	for (let n = 1; n <= 8; n++) {
		tab.onAnswer = (method) => {
			if (method !== 'POST') return undefined
			tab.onAnswer = undefined
			return new Response('{"message": "Not now."}', { status: 503 })
		}
		const uid = store.create('issues', { title: `Clock${n}` })
		await sent(tab)
		expect(await issue(uid)).toMatchObject({ title: `Clock${n}` })
	}
})

test('an answer that was lost is asked for with the same bytes and the same key', async () => {
	const { tab, store } = await work(await signedIn(ann))
	tab.set('lossy')
	const uid = store.create('issues', { title: 'Lost2' })
	await until('it was tried twice', () => (left(tab)[0]?.tries ?? 0) > 1)
	tab.set('fair')
	await sent(tab)
	const posts = tab.sent.filter((one) => one.method === 'POST')
	expect(new Set(posts.map((one) => one.key + one.body)).size).toBe(1)
	expect(await issues('Lost2')).toHaveLength(1)
	expect(store.get('issues', uid)?.number).toBeGreaterThan(0)
})

test.each(['down', 'lossy'] as const)('a tab that dies while the line is %s loses nothing', async (weather) => {
	const browser = await signedIn(ann)
	const first = await work(browser)
	const uid = first.store.create('issues', { title: `Died${weather}` })
	await sent(first.tab)
	first.tab.set(weather)
	first.store.update('issues', uid, { description: 'kept' })
	const comment = first.store.comment('issues', uid, 'kept too')
	await first.store.settled()
	await until('it was tried', () => left(first.tab).some((one) => one.tries > 0))
	first.tab.kill()
	const second = await work(browser)
	await sent(second.tab)
	expect(await issue(uid)).toMatchObject({ description: 'kept' })
	expect((await server.must(ann, 'GET', `/projects/${project}/comments/${comment}`)).text).toBe('kept too')
	const all = await server.must(ann, 'GET', `/projects/${project}/issues/${uid}/comments`)
	expect(all.total_count).toBe(1)
})

test('a tab that dies before the answer is in the store sends it again', async () => {
	const browser = await signedIn(ann)
	const first = await work(browser)
	first.tab.onRequest = (method) => {
		if (method === 'POST') first.tab.kill()
	}
	first.store.create('issues', { title: 'Killed3' })
	await first.store.settled()
	await until('the tab is dead', () => first.tab.dead.signal.aborted)
	const second = await work(browser)
	await sent(second.tab)
	expect(await issues('Killed3')).toHaveLength(1)
})

test('control: an outbox that removes an entry before the answer loses it', async () => {
	const browser = await signedIn(ann)
	const first = await work(browser)
	first.tab.onRequest = async (method) => {
		if (method !== 'POST') return
		const base = new Dexie(`groundwork/${ann.uid}`, { indexedDB: browser.indexedDB, IDBKeyRange })
		await base.open()
		await base.table('outbox').clear()
		base.close()
		first.tab.kill()
	}
	first.store.create('issues', { title: 'Control4' })
	await first.store.settled()
	await until('the tab is dead', () => first.tab.dead.signal.aborted)
	const second = await work(browser)
	await sent(second.tab)
	expect(await issues('Control4')).toHaveLength(0)
})

test('chained edits of one person never conflict with each other', async () => {
	const { tab, store } = await work(await signedIn(ann))
	const uid = store.create('issues', { title: 'Chain5' })
	for (let i = 0; i < 10; i++) store.update('issues', uid, { title: `Chain5 ${i}`, room: String(i) })
	await sent(tab)
	expect(await issue(uid)).toMatchObject({ title: 'Chain5 9', room: '9' })
	expect(await settle(server, ann, store)).toEqual([])
})

test('two devices that change different fields are merged', async () => {
	const one = await work(await signedIn(ann))
	const two = await work(await signedIn(bob))
	const uid = two.store.create('issues', { title: 'Two6', room: 'A' })
	await sent(two.tab)
	await until('it arrived', () => one.store.get('issues', uid) !== undefined)
	one.tab.set('down')
	two.tab.set('down')
	one.store.update('issues', uid, { room: 'B' })
	two.store.update('issues', uid, { title: 'Two6 later' })
	one.tab.set('fair')
	await sent(one.tab)
	two.tab.set('fair')
	await sent(two.tab)
	expect(await issue(uid)).toMatchObject({ room: 'B', title: 'Two6 later' })
	expect(await settle(server, ann, one.store)).toEqual([])
	expect(await settle(server, bob, two.store)).toEqual([])
})

test('a change that the feed has not told yet is 412, and is merged under a new key', async () => {
	const { tab, store } = await work(await signedIn(ann))
	const uid = store.create('issues', { title: 'Tag7', room: 'A', description: 'x' })
	await sent(tab)
	let once = true
	tab.onRequest = async (method) => {
		if (method !== 'PATCH' || !once) return
		once = false
		await server.must(bob, 'POST', `/projects/${project}/issues/${uid}/comments`, { text: 'hm' })
		await server.must(ann, 'PATCH', `/projects/${project}/issues/${uid}`, { description: 'theirs' })
	}
	store.update('issues', uid, { room: 'C' })
	await sent(tab)
	const patches = tab.sent.filter((sent) => sent.method === 'PATCH')
	expect(patches).toHaveLength(2)
	expect(patches[0]?.match).toBeTruthy()
	expect(patches[0]?.key).not.toBe(patches[1]?.key)
	expect(patches[0]?.match).not.toBe(patches[1]?.match)
	expect(await issue(uid)).toMatchObject({ room: 'C', description: 'theirs' })
})

test.each(['mine', 'theirs'] as const)('both changed the same field: the person decides for %s', async (choice) => {
	const { tab, store } = await work(await signedIn(ann))
	const uid = store.create('issues', { title: 'Same8', room: 'A' })
	await sent(tab)
	tab.set('down')
	store.update('issues', uid, { room: 'mine', description: 'only mine' })
	await server.must(ann, 'PATCH', `/projects/${project}/issues/${uid}`, { room: 'theirs' })
	tab.set('fair')
	await until('it is asked', () => left(tab)[0]?.state === 'conflict')
	expect(only(tab).disputed).toEqual([{ field: 'room', base: 'A', mine: 'mine', theirs: 'theirs' }])
	expect(store.mark('issues', uid)).toBe('conflict')
	expect(store.get('issues', uid)?.room).toBe('mine')
	await tab.desk.outbox.resolve(only(tab).id, { room: choice })
	await sent(tab)
	expect(await issue(uid)).toMatchObject({ room: choice, description: 'only mine' })
	expect(await settle(server, ann, store)).toEqual([])
})

test('what the server refuses is put aside with its sentence, and can be mended', async () => {
	const browser = await signedIn(ann)
	const { tab, store } = await work(browser)
	const uid = store.create('issues', { title: 'x'.repeat(300) })
	store.update('issues', uid, { room: 'R' })
	await until('it is refused', () => left(tab)[0]?.state === 'refused')
	expect(left(tab)).toHaveLength(2) // the edit waits for its record
	expect(left(tab)[0]?.refusal?.fieldErrors['title']).toMatch(/255/)
	expect(left(tab)[0]?.refusal?.sentence).toMatch(/\./)
	expect(store.mark('issues', uid)).toBe('refused')
	tab.kill()
	const again = await work(browser)
	expect(left(again.tab)[0]?.state).toBe('refused')
	const file = JSON.parse((await again.tab.desk.outbox.asFile()).text)
	expect(file.unsent[0].fields.title).toHaveLength(300)
	await again.tab.desk.outbox.mend((left(again.tab)[0] as Entry).id, { title: 'Mended9' })
	await sent(again.tab)
	expect(await issue(uid)).toMatchObject({ title: 'Mended9', room: 'R' })
})

test('a refused change holds up no other field, and is mended by writing it again', async () => {
	const { tab, store } = await work(await signedIn(ann))
	const uid = store.create('issues', { title: 'Fold10' })
	await sent(tab)
	store.update('issues', uid, { title: 'x'.repeat(300) })
	await until('it is refused', () => left(tab)[0]?.state === 'refused')
	store.update('issues', uid, { room: 'free' })
	await until('the other field is sent', () => left(tab).length === 1)
	expect(await issue(uid)).toMatchObject({ title: 'Fold10', room: 'free' })
	store.update('issues', uid, { title: 'Fold10 again' })
	expect(left(tab)).toHaveLength(1)
	await sent(tab)
	expect(await issue(uid)).toMatchObject({ title: 'Fold10 again' })
})

test('to give up a record that was never made gives up what needs it', async () => {
	const { tab, store } = await work(await signedIn(ann))
	tab.set('down')
	const list = store.create('issue_lists', { name: 'Given11' })
	const uid = store.create('issues', { title: 'Given11', issue_list_uid: list })
	store.comment('issues', uid, 'Given11')
	const gone = await tab.desk.outbox.discard((left(tab)[0] as Entry).id)
	expect(gone.map((one) => one.kind)).toEqual(['issue_lists', 'issues', 'comments'])
	expect(left(tab)).toEqual([])
	expect(store.get('issues', uid)).toBeUndefined()
})

test('a session that ends locks and keeps; another account sees and sends nothing', async () => {
	const browser = await signedIn(ann)
	const { tab, store } = await work(browser)
	const kept = browser.cookie
	await fetch(`${server.base}/sign-out`, {
		method: 'POST', redirect: 'manual', headers: { Cookie: kept, Origin: server.base, 'Sec-Fetch-Site': 'same-origin' },
		body: new URLSearchParams({}),
	})
	const uid = store.create('issues', { title: 'Locked12' })
	await until('it is locked', () => tab.desk.session.get().state === 'locked')
	expect(left(tab)).toHaveLength(1)
	// Somebody else signs in in another tab of the same browser; the first tab is still open.
	await browser.signIn(bob)
	await tab.desk.outbox.retry((left(tab)[0] as Entry).id)
	const other = await work(browser)
	expect(left(other.tab)).toEqual([])
	expect(other.store.get('issues', uid)).toBeUndefined()
	other.store.create('issues', { title: 'Others12' })
	await sent(other.tab)
	expect(await issues('Locked12')).toHaveLength(0)
	await other.tab.close()
	await tab.close()
	await browser.signIn(ann)
	const back = await work(browser)
	await sent(back.tab)
	expect(await issues('Locked12')).toHaveLength(1)
	expect((await issue(uid)).created_by.uid).toBe(ann.uid)
})

test('an open tab sends nothing in the name of who signed in elsewhere in the browser', async () => {
	const browser = await signedIn(ann)
	const { tab, store } = await work(browser)
	await browser.signIn(bob)
	store.create('issues', { title: 'Mixed13' })
	await until('it is locked', () => tab.desk.session.get().state === 'locked')
	expect(await issues('Mixed13')).toHaveLength(0)
	expect(left(tab)).toHaveLength(1)
})

test.each([
	['before', 'down'],
	['after', 'lossy'],
] as const)('a phone that comes back after two weeks, cut %s the server acted', async (_, weather) => {
	const browser = await signedIn(ann)
	const first = await work(browser)
	const there = first.store.create('issues', { title: 'Weeks14', room: 'A' })
	await sent(first.tab)
	first.tab.set(weather)
	const uid = first.store.create('issues', { title: `Weeks14${weather}` })
	first.store.update('issues', there, { room: 'B' })
	await first.store.settled()
	await until('both were tried', () => left(first.tab).every((one) => one.tries > 0))
	first.tab.kill()
	browser.ahead += 14 * 86_400_000
	const second = await work(browser)
	await sent(second.tab)
	expect(await issues(`Weeks14${weather}`)).toHaveLength(1)
	expect(await issue(there)).toMatchObject({ room: 'B' })
	expect(await issue(uid)).toMatchObject({ title: `Weeks14${weather}` })
	// What was done already is only looked at.
	const writes = second.tab.sent.filter((one) => one.method !== 'GET')
	expect(writes.length).toBe(weather === 'lossy' ? 0 : 2)
})

test('what somebody else wrote during two weeks is not overwritten', async () => {
	const browser = await signedIn(ann)
	const first = await work(browser)
	const there = first.store.create('issues', { title: 'Over15', room: 'A' })
	await sent(first.tab)
	first.tab.set('down')
	first.store.update('issues', there, { room: 'B' })
	await first.store.settled()
	await until('it was tried', () => (left(first.tab)[0]?.tries ?? 0) > 0)
	first.tab.kill()
	await server.must(ann, 'PATCH', `/projects/${project}/issues/${there}`, { room: 'C' })
	browser.ahead += 14 * 86_400_000
	const second = await work(browser)
	await until('it is asked', () => left(second.tab)[0]?.state === 'conflict')
	expect(await issue(there)).toMatchObject({ room: 'C' })
})

test('tabs share one stream and one outbox', async () => {
	const browser = await signedIn(ann)
	const one = await work(browser)
	const tab = browser.tab()
	await tab.desk.ready
	let streams = 0
	tab.onRequest = (_, path) => {
		if (path.includes('/events')) streams++
	}
	const store = tab.desk.open(project)
	await until('it has the project', () => store.filled('field_reports'))
	const uid = store.create('issues', { title: 'Tabs16' })
	await until('the other tab shows and sends it', () => one.store.get('issues', uid)?.number !== undefined)
	await sent(tab)
	expect(tab.sent.filter((it) => it.method === 'POST')).toHaveLength(0)
	await until('it is in both', () => (store.get('issues', uid)?.number ?? 0) > 0)
	expect(streams).toBe(0)
	one.tab.kill() // the leader dies: the other takes over
	const later = store.create('issues', { title: 'Tabs16 later' })
	await sent(tab)
	expect(await issue(later)).toMatchObject({ title: 'Tabs16 later' })
	const made = await server.must(bob, 'POST', `/projects/${project}/issues`, { title: 'Tabs16 bob' })
	await until('it follows', () => store.get('issues', made.uid) !== undefined)
	expect(await settle(server, ann, store)).toEqual([])
})

test('signing out warns of unsent work and wipes', async () => {
	const browser = await signedIn(ann)
	const { tab, store } = await work(browser)
	tab.onRequest = (method, path) => {
		if (method === 'POST' && path.endsWith('/issues')) throw new TypeError('fetch failed')
	}
	store.create('issues', { title: 'Out17' })
	await until('it was tried', () => (left(tab)[0]?.tries ?? 0) > 0)
	const warned = await tab.desk.signOut()
	expect(warned).toMatchObject({ ok: false, sentence: 'One change is not sent yet, and would be lost.' })
	expect(await tab.desk.unsent()).toHaveLength(1)
	expect(await tab.desk.signOut({ discard: true })).toMatchObject({ ok: true })
	expect(tab.desk.session.get()).toEqual({ state: 'out' })
	const names = (await browser.indexedDB.databases()).map((one) => one.name)
	expect(names.filter((name) => name?.includes(ann.uid))).toEqual([])
	const again = browser.tab()
	expect(await again.desk.ready).toEqual({ state: 'out' })
})

test('without a network nobody is shown what is kept of another account', async () => {
	const browser = await signedIn(ann)
	const first = await work(browser)
	await first.tab.close()
	await browser.signIn(bob)
	const tab = browser.tab()
	tab.set('down')
	await tab.desk.ready
	expect(tab.desk.session.get()).toEqual({ state: 'unknown' })
	expect(() => tab.desk.open(project)).toThrow()
	tab.set('fair')
	await until('it is known who it is', () => tab.desk.session.get().state === 'in')
	expect(tab.desk.session.get()).toMatchObject({ me: { uid: bob.uid } })
})

test('without a network what is kept is shown, and work goes on', async () => {
	const browser = await signedIn(ann)
	const first = await work(browser)
	const uid = first.store.create('issues', { title: 'Cold18' })
	await sent(first.tab)
	await until('the list is kept', () => first.tab.desk.projects.get().list.length > 0)
	await first.tab.close()
	const tab = browser.tab()
	tab.set('down')
	await tab.desk.ready
	expect(tab.desk.session.get().state).toBe('in')
	const store = tab.desk.open(project)
	await until('what is kept is read', () => store.get('issues', uid) !== undefined)
	expect(store.filled('issues')).toBe(true)
	expect(tab.desk.projects.get().list.map((one) => one.name)).toContain('Pier')
	store.update('issues', uid, { title: 'Cold18 later' })
	await store.settled()
	tab.set('fair')
	await sent(tab)
	expect(await issue(uid)).toMatchObject({ title: 'Cold18 later' })
})

test('a uid that is taken by the same create, whose key was forgotten, counts as done', async () => {
	const { tab, store } = await work(await signedIn(ann))
	let once = true
	tab.onRequest = async (method, path) => {
		if (method !== 'POST' || !path.endsWith('/issues') || !once) return
		once = false // it arrived before, under a key that nobody remembers
		await server.must(ann, 'POST', path, JSON.parse(tab.sent.at(-1)?.body as string))
	}
	const uid = store.create('issues', { title: 'Taken19' })
	await sent(tab)
	expect(tab.sent.filter((one) => one.method === 'POST')).toHaveLength(1)
	expect(await issues('Taken19')).toHaveLength(1)
	expect(store.get('issues', uid)?.number).toBeGreaterThan(0)
})

test('a device that keeps nothing still works, and says so', async () => {
	const browser = await signedIn(ann)
	const tab = browser.tab()
	await tab.desk.ready
	await tab.close()
	browser.indexedDB.open = () => {
		throw new DOMException('not in a private window', 'SecurityError')
	}
	const quiet = vi.spyOn(console, 'error').mockImplementation(() => {})
	const { tab: other, store } = await work(browser)
	expect(other.desk.outbox.kept.get()).toBe(false)
	const uid = store.create('issues', { title: 'Private21' })
	await expect(store.settled()).rejects.toThrow('does not keep')
	store.update('issues', uid, { room: '1' })
	await sent(other)
	expect(await issue(uid)).toMatchObject({ title: 'Private21', room: '1' })
	expect(await settle(server, ann, store)).toEqual([])
	quiet.mockRestore()
})

test('the service says when to come back, and is left alone until then', async () => {
	const browser = await signedIn(ann)
	const { tab, store } = await work(browser)
	const times: number[] = []
	tab.onAnswer = (method) => {
		if (method !== 'POST') return undefined
		times.push(browser.now())
		if (times.length > 1) return undefined
		return new Response('{"message":"Too much at once."}', { status: 503, headers: { 'Retry-After': '30' } })
	}
	store.create('issues', { title: 'Busy20' })
	await until('it was tried', () => (left(tab)[0]?.tries ?? 0) > 0)
	store.create('issues', { title: 'Busy20' })
	await sent(tab)
	const [first, ...others] = times as [number, ...number[]]
	expect(others).toHaveLength(2)
	for (const other of others) expect(other - first).toBeGreaterThan(29_000)
	expect(new Set(tab.sent.map((one) => one.key)).size).toBe(2)
	expect(await issues('Busy20')).toHaveLength(2)
})

test('a form that changes every field of a document still blanks one', async () => {
	const { tab, store } = await work(await signedIn(ann))
	store.update('projects', project, {
		name: 'Pier', custom_id: 'P-1', type: 'general', status: 'x', owner: 'o', start_date: '2026-01-01', end_date: '2026-02-01',
		street_1: 'a', street_2: 'b', city: 'c', region: 'd', postal_code: 'e', country: 'DE',
	})
	await sent(tab)
	store.update('projects', project, {
		name: 'Pier 2', custom_id: 'P-2', type: 'general', status: 'y', owner: 'p', start_date: null, end_date: null, street_1: 'a2',
		street_2: null, city: 'c2', region: 'd2', postal_code: 'e2', country: 'FR',
	})
	await sent(tab)
	expect(await server.must(ann, 'GET', `/projects/${project}`)).toMatchObject(
		{ name: 'Pier 2', start_date: null, end_date: null, street_2: null, country: 'FR' })
})

// Files are entries of the outbox: cut at any point they are neither lost nor doubled.
import { IDBObjectStore } from 'fake-indexeddb'
import { afterEach, expect, test, vi } from 'vitest'
import { partSize } from '../src/data/copies'
import type { Tab } from './browser'
import { settle } from './compare'
import { bytes, hash, hashOf, left, parts, photos, picture, posts, refused, sent, work } from './files'
import { ann, begin, project, server, signedIn } from './pier'
import { until } from './server'

begin(['--max-file', '8MB'])

afterEach(() => void vi.restoreAllMocks())

test('a photo shows at once, and becomes the record that the server has', async () => {
	const browser = await signedIn(ann)
	const { tab, store } = await work(browser)
	tab.set('down')
	const file = picture('first.jpg', 3 * partSize + 7)
	const uid = store.upload('photos', file, { title: 'First1' })
	expect(store.get('photos', uid)).toMatchObject({
		title: 'First1', content_type: 'image/jpeg', size: file.size, deleted: false, thumbnail_url: null,
	})
	expect(store.records('photos').get().map((one) => one.uid)).toContain(uid)
	expect(store.mark('photos', uid)).toBe('waiting')
	expect(store.uploads.get().get(uid)).toBe(0)
	expect(left(tab)[0]?.file).toMatchObject({ name: 'first.jpg', type: 'image/jpeg', size: file.size })
	let address: string | undefined
	const end = store.file('photos', uid, 'file').subscribe((now) => (address = now))
	await until('it has an address', () => address !== undefined)
	expect(await hashOf(tab.addresses.get(address as string) as Blob)).toBe(await hashOf(file))
	await store.settled()
	expect(left(tab)[0]?.file?.whole).toBe(true)
	expect(await parts(browser, ann)).toBe(4)
	const far: number[] = []
	const stop = store.uploads.subscribe((all) => far.push(all.get(uid) ?? -1))
	tab.set('fair')
	await sent(tab)
	stop()
	expect(far.some((part) => part > 0.4 && part < 1)).toBe(true)
	expect(far.at(-1)).toBe(-1)
	expect(await photos('First1')).toMatchObject([{ uid, size: file.size, sha256: await hashOf(file) }])
	expect(address).toMatch(new RegExp(`^/projects/${project}/photos/${uid}/files/file/`))
	expect(tab.addresses.size).toBe(0)
	expect(await parts(browser, ann)).toBe(0)
	expect(store.mark('photos', uid)).toBeUndefined()
	end()
	expect(await settle(server, ann, store)).toEqual([])
})

test('documents and snapshots are made of files too', async () => {
	const { tab, store } = await work(await signedIn(ann))
	await server.drawing(ann, project, 'A-101', true)
	await until('the sheet is there', () => store.records('sheets').get().length > 0)
	const sheet = store.records('sheets').get()[0]?.uid as string
	tab.set('down')
	const named = store.upload('attachments', new File([bytes(10)], 'plan.dwg'), { folder: 'Plans' })
	const blank = store.upload('attachments', new Blob([], { type: 'text/plain' }), { name: 'empty.txt' })
	const shot = store.upload('snapshots', new Blob([bytes(20)], { type: 'image/png' }), { title: 'Shot2', sheet })
	expect(store.get('attachments', named)).toMatchObject({ name: 'plan.dwg', folder: 'Plans', size: 10 })
	expect(store.get('snapshots', shot)?.sheet?.uid).toBe(sheet)
	tab.set('fair')
	await sent(tab)
	expect(await settle(server, ann, store)).toEqual([])
	expect(store.get('attachments', named)).toMatchObject({
		name: 'plan.dwg', folder: 'Plans', size: 10, content_type: 'application/octet-stream', sha256: hash(bytes(10)),
	})
	expect(store.get('attachments', blank)).toMatchObject({ name: 'empty.txt', folder: null, size: 0 })
	expect(store.get('snapshots', shot)).toMatchObject({ title: 'Shot2', sheet: { uid: sheet }, sha256: hash(bytes(20)) })
})

const steps = [
	['the form is asked for', (method: string, path: string) => method === 'POST' && path.endsWith('/photos/uploads')],
	['the file is sent', (_: string, path: string) => path.includes('/storage/')],
	['it is completed', (_: string, path: string) => path.includes('/completions/')],
	['the record is read', (method: string, path: string) => method === 'GET' && /\/photos\/[^/?]+$/.test(path)],
] as const
const cuts = steps.flatMap(([name, is], step) => (['before', 'after'] as const).map((when) => ({ name, is, step, when })))

test.each(cuts)('cut $when $name: neither lost nor doubled', async ({ name, is, step, when }) => {
	const { tab, store } = await work(await signedIn(ann))
	let cut = 0
	const hook = (method: string, path: string) => {
		if (!is(method, path) || cut++ > 0) return
		throw new TypeError('terminated')
	}
	if (when === 'before') tab.onRequest = hook
	else tab.onReply = hook
	const title = `Cut3 ${when} ${name}`
	const file = picture('cut.jpg')
	const uid = store.upload('photos', file, { title })
	await sent(tab)
	expect(cut).toBeGreaterThan(0)
	expect(await photos(title)).toMatchObject([{ uid, sha256: await hashOf(file) }])
	// What has arrived is not sent again.
	expect(posts(tab, '/storage/')).toBe(step === 1 && when === 'before' ? 2 : 1)
})

test.each(cuts)('the tab dies $when $name: neither lost nor doubled', async ({ name, is, when }) => {
	const browser = await signedIn(ann)
	const first = await work(browser)
	const die = (method: string, path: string) => {
		if (is(method, path)) first.tab.kill()
	}
	if (when === 'before') first.tab.onRequest = die
	else first.tab.onReply = die
	const title = `Died4 ${when} ${name}`
	const file = picture('died.jpg')
	const uid = first.store.upload('photos', file, { title })
	await first.store.settled()
	await until('the tab is dead', () => first.tab.dead.signal.aborted)
	const second = await work(browser)
	await sent(second.tab)
	expect(await photos(title)).toMatchObject([{ uid, sha256: await hashOf(file) }])
	expect(await parts(browser, ann)).toBe(0)
})

test.each(steps.slice(0, 3))('the server is killed while %s: neither lost nor doubled', async (name, is) => {
	const { tab, store } = await work(await signedIn(ann))
	let killed = false
	tab.onReply = async (method, path) => {
		if (!is(method, path) || killed) return
		killed = true
		await server.kill()
		await server.serve()
		throw new TypeError('terminated')
	}
	const file = picture('power.jpg', partSize + 1)
	const uid = store.upload('photos', file, { title: `Power5 ${name}` })
	await sent(tab)
	expect(killed).toBe(true)
	expect(await photos(`Power5 ${name}`)).toMatchObject([{ uid, sha256: await hashOf(file) }])
})

test.each(['down', 'lossy'] as const)('a phone that comes back after two weeks, its line %s before', async (weather) => {
	const browser = await signedIn(ann)
	const first = await work(browser)
	let completed = 0
	first.tab.onReply = (_, path) => {
		if (!path.includes('/completions/') || weather === 'down') return
		completed++
		throw new TypeError('terminated')
	}
	if (weather === 'down') first.tab.set('down')
	const file = picture('weeks.jpg')
	const uid = first.store.upload('photos', file, { title: `Weeks6 ${weather}` })
	await first.store.settled()
	await until('it was tried', () => (left(first.tab)[0]?.tries ?? 0) > 0 && (weather === 'down' || completed > 0))
	first.tab.kill()
	browser.ahead += 14 * 86_400_000
	const second = await work(browser)
	await sent(second.tab)
	expect(await photos(`Weeks6 ${weather}`)).toMatchObject([{ uid, sha256: await hashOf(file) }])
	expect(posts(second.tab, '/storage/')).toBe(weather === 'down' ? 1 : 0)
})

/** Slow is a file of which only so many parts can be read for now. */
class Slow extends File {
	readonly readable: number
	#read = 0
	constructor(size: number, readable: number) {
		super([bytes(size)], 'slow.jpg', { type: 'image/jpeg' })
		this.readable = readable
	}
	override slice(from?: number, to?: number, type?: string): Blob {
		const part = super.slice(from, to, type)
		if (this.#read++ >= this.readable) part.arrayBuffer = () => new Promise(() => {})
		return part
	}
}

test('a tab that dies with half of a file on the device: the person is told, and half is not sent', async () => {
	const browser = await signedIn(ann)
	const { tab, store } = await work(browser)
	const uid = store.upload('photos', new Slow(4 * partSize, 2), { title: 'Half7' })
	const issue = store.create('issues', { title: 'Half7' })
	store.link('issues', issue, 'photos', uid)
	await until('half of it is there', async () => (await parts(browser, ann)) === 2)
	await until('the issue is sent', () => left(tab).length === 2)
	expect(left(tab)[0]).toMatchObject({ state: 'waiting', file: { whole: false } })
	tab.kill()
	const second = await work(browser)
	const entry = await refused(second.tab)
	expect(entry.refusal).toMatchObject({ status: 0, reason: 'broken' })
	expect(second.store.mark('photos', uid)).toBe('refused')
	await second.tab.desk.outbox.retry(entry.id) // which cannot help
	expect(left(second.tab)[0]?.state).toBe('refused')
	expect(await second.tab.desk.outbox.file(entry.id)).toBeUndefined()
	expect(posts(second.tab, '/uploads')).toBe(0)
	const gone = await second.tab.desk.outbox.discard(entry.id)
	expect(gone.map((one) => one.verb)).toEqual(['create', 'link'])
	await second.store.settled()
	expect(await parts(browser, ann)).toBe(0)
	expect(await photos('Half7')).toEqual([])
})

test('another tab writes a file: the one that sends waits for all of it', async () => {
	const browser = await signedIn(ann)
	const first = await work(browser)
	const second = await work(browser)
	const slow = new Slow(2 * partSize, 1)
	let go = () => {}
	const held = new Promise<void>((done) => (go = done))
	const whole = await slow.arrayBuffer()
	slow.slice = (from?: number, to?: number) => {
		const part = new Blob([whole]).slice(from, to)
		if (from) {
			const read = part.arrayBuffer.bind(part)
			part.arrayBuffer = () => held.then(read)
		}
		return part
	}
	const uid = second.store.upload('photos', slow, { title: 'Wait8' })
	await until('the first tab knows of it', () => first.store.get('photos', uid) !== undefined)
	first.store.create('issues', { title: 'Wait8' }) // and is not idle
	await until('the issue is sent', () => left(first.tab).length === 1)
	expect(left(first.tab)[0]).toMatchObject({ state: 'waiting', tries: 0 })
	go()
	await sent(first.tab)
	expect(await photos('Wait8')).toMatchObject([{ uid, sha256: hash(new Uint8Array(whole)) }])
	expect(posts(first.tab, '/storage/')).toBe(1)
	expect(posts(second.tab, '/storage/')).toBe(0)
})

test('tabs: one sends, all show how far it is and the picture', async () => {
	const browser = await signedIn(ann)
	const first = await work(browser)
	const second = await work(browser)
	let go = () => {}
	const held = new Promise<void>((done) => (go = done))
	first.tab.onRequest = (_, path) => (path.includes('/storage/') ? held : undefined)
	const file = picture('tabs.jpg')
	const uid = second.store.upload('photos', file, { title: 'Tabs9' })
	await until('it is on its way', () => first.store.uploads.get().get(uid) === 0.5)
	await until('the other tab hears of it', () => second.store.uploads.get().get(uid) === 0.5)
	for (const { tab, store } of [first, second]) {
		let address: string | undefined
		const end = store.file('photos', uid, 'thumbnail').subscribe((now) => (address = now))
		await until('it has an address', () => address !== undefined)
		expect(await hashOf(tab.addresses.get(address as string) as Blob)).toBe(await hashOf(file))
		end()
		expect(tab.addresses.size).toBe(0)
	}
	go()
	await sent(first.tab)
	await sent(second.tab)
	expect(posts(second.tab, '/storage/')).toBe(0)
	expect(second.store.uploads.get().size).toBe(0)
	expect(await photos('Tabs9')).toHaveLength(1)
})

test.each(['the tab that leads', 'another tab'])('no room on the device: %s sends it, and says so', async (which) => {
	const browser = await signedIn(ann)
	const one = await work(browser)
	const two = await work(browser)
	const { tab, store } = which === 'another tab' ? two : one
	const put = IDBObjectStore.prototype.put
	let room = 2
	vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, ...args) {
		if (this.name === 'parts' && room-- <= 0) throw new DOMException('full', 'QuotaExceededError')
		return put.apply(this, args)
	})
	vi.spyOn(console, 'error').mockImplementation(() => {})
	for (const each of [one, two]) each.tab.set('down')
	const file = picture('quota.jpg', 3 * partSize)
	const uid = store.upload('photos', file, { title: `Quota10 ${which}` })
	await expect(store.settled()).rejects.toThrow('does not keep')
	expect(tab.desk.outbox.kept.get()).toBe(false)
	expect(left(tab)[0]?.file?.whole).toBe(false)
	await until('half of it is gone', async () => (await parts(browser, ann)) === 0)
	for (const each of [one, two]) each.tab.set('fair')
	await sent(tab)
	expect(await photos(`Quota10 ${which}`)).toMatchObject([{ uid, sha256: await hashOf(file) }])
	expect(posts(tab, '/storage/')).toBe(1)
	store.create('issues', { title: 'Quota10' })
	await store.settled() // small things have room again
	expect(tab.desk.outbox.kept.get()).toBe(true)
	await sent(tab)
})

test('a device that keeps nothing: the tab that does not lead sends what only it has', async () => {
	const browser = await signedIn(ann)
	browser.indexedDB.open = () => {
		throw new DOMException('not in a private window', 'SecurityError')
	}
	const quiet = vi.spyOn(console, 'error').mockImplementation(() => {})
	const tabs = [browser.tab(), browser.tab()]
	for (const tab of tabs) await tab.desk.ready
	const [, second] = tabs as [Tab, Tab]
	const store = second.desk.open(project)
	const file = picture('private.jpg')
	const uid = store.upload('photos', file, { title: 'Private11' })
	const issue = store.create('issues', { title: 'Private11' })
	store.link('issues', issue, 'photos', uid)
	await sent(second)
	expect(await photos('Private11')).toMatchObject([{ uid, sha256: await hashOf(file) }])
	expect((await server.must(ann, 'GET', `/projects/${project}/issues/${issue}/photos`)).total_count).toBe(1)
	await browser.close()
	quiet.mockRestore()
})

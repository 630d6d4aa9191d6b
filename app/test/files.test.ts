// Files are entries of the outbox: cut at any point they are neither lost nor doubled.
import { createHash } from 'node:crypto'
import Dexie from 'dexie'
import { IDBKeyRange, IDBObjectStore } from 'fake-indexeddb'
import { afterEach, expect, test, vi } from 'vitest'
import type { Entry, ProjectStore } from '../src/data'
import { partSize } from '../src/data/copies'
import { Browser, type Tab } from './browser'
import { settle } from './compare'
import { ann, begin, bob, project, server, signedIn } from './pier'
import { until, type Person } from './server'

begin(['--max-file', '8MB'])

afterEach(() => void vi.restoreAllMocks())

async function work(browser: Browser): Promise<{ tab: Tab; store: ProjectStore }> {
	const tab = browser.tab()
	await tab.desk.ready
	const store = tab.desk.open(project)
	await until('the store has the project', () => store.filled('field_reports'))
	return { tab, store }
}

const left = (tab: Tab) => tab.desk.outbox.entries.get()
const sent = (tab: Tab) => until('all is sent', () => left(tab).length === 0)
const refused = async (tab: Tab): Promise<Entry> => {
	await until('it is refused', () => left(tab).some((one) => one.state === 'refused'))
	return left(tab).find((one) => one.state === 'refused') as Entry
}

/** bytes are as many as wanted, and no two of them are like the others. */
function bytes(size: number, seed = 1): Uint8Array<ArrayBuffer> {
	const out = new Uint8Array(size)
	for (let i = 0, state = seed; i < size; i++) out[i] = (state = (state * 1103515245 + 12345) & 0x7fffffff) >>> 16
	return out
}

const picture = (name: string, size = 5000) => new File([bytes(size, name.length)], name, { type: 'image/jpeg' })
const hash = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')
const hashOf = async (file: Blob) => hash(new Uint8Array(await file.arrayBuffer()))
const photos = async (title: string) => (await server.must(ann, 'GET', `/projects/${project}/photos?limit=50`)).data.filter(
	(one: { title: string }) => one.title === title) as { uid: string; sha256: string; size: number }[]
const posts = (tab: Tab, part: string) => tab.sent.filter((one) => one.method === 'POST' && one.path.includes(part)).length

async function parts(browser: Browser, who: Person): Promise<number> {
	const base = new Dexie(`groundwork/${who.uid}`, { indexedDB: browser.indexedDB, IDBKeyRange })
	await base.open()
	const count = await base.table('parts').count()
	base.close()
	return count
}

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

test('what the server does not take is refused with its sentence, and can be saved', async () => {
	const browser = await signedIn(ann)
	const { tab, store } = await work(browser)
	const file = picture('large.jpg', 9_000_000)
	const uid = store.upload('photos', file, { title: 'Large12' })
	const entry = await refused(tab)
	expect(entry.refusal?.status).toBe(400)
	expect(entry.refusal?.sentence).toMatch(/larger|at most|bytes/i)
	expect(store.mark('photos', uid)).toBe('refused')
	expect(store.uploads.get().get(uid)).toBe(0)
	tab.kill()
	const again = await work(browser)
	const kept = left(again.tab)[0] as Entry
	expect(kept.refusal?.sentence).toBe(entry.refusal?.sentence)
	const saved = await again.tab.desk.outbox.file(kept.id)
	expect(saved?.name).toBe('large.jpg')
	expect(await hashOf(saved?.blob as Blob)).toBe(await hashOf(file))
	expect((await again.tab.desk.outbox.asFile()).text).toContain('"large.jpg"')
	await again.tab.desk.outbox.discard(kept.id)
	expect(await parts(browser, ann)).toBe(0)
	expect(await photos('Large12')).toEqual([])
})

test('a project without room: 413 is put aside, and sent when there is room', async () => {
	const { tab, store } = await work(await signedIn(ann))
	let full = true
	tab.onAnswer = (_, path) => {
		if (!path.includes('/storage/') || !full) return undefined
		return Response.json({ message: 'The project has no room for this file.' }, { status: 413 })
	}
	const uid = store.upload('photos', picture('full.jpg'), { title: 'Full13' })
	const entry = await refused(tab)
	expect(entry.refusal).toMatchObject({ status: 413, sentence: 'The project has no room for this file.' })
	full = false
	await tab.desk.outbox.retry(entry.id)
	await sent(tab)
	expect(await photos('Full13')).toMatchObject([{ uid }])
})

test('a type that photos do not have is refused by the server, before the file is sent', async () => {
	const { tab, store } = await work(await signedIn(ann))
	store.upload('photos', new File([bytes(10)], 'film.mov', { type: 'video/quicktime' }), { title: 'Film14' })
	expect((await refused(tab)).refusal?.fieldErrors['content_type']).toBeTruthy()
	expect(posts(tab, '/storage/')).toBe(0)
})

test('a file that cannot be read any more is refused', async () => {
	const { tab, store } = await work(await signedIn(ann))
	const file = picture('gone.jpg')
	file.slice = () => {
		const part = new Blob(['x'])
		part.arrayBuffer = () => Promise.reject(new DOMException('gone', 'NotReadableError'))
		return part
	}
	store.upload('photos', file, { title: 'Gone15' })
	expect((await refused(tab)).refusal?.reason).toBe('broken')
	expect(posts(tab, '/uploads')).toBe(0)
})

test('parts that the device erased: half is not sent', async () => {
	const browser = await signedIn(ann)
	const { tab, store } = await work(browser)
	tab.set('down')
	store.upload('photos', picture('erased.jpg', 3 * partSize), { title: 'Erased16' })
	await store.settled()
	const base = new Dexie(`groundwork/${ann.uid}`, { indexedDB: browser.indexedDB, IDBKeyRange })
	await base.open()
	await base.table('parts').where(':id').equals([left(tab)[0]?.id as number, 1]).delete()
	base.close()
	tab.set('fair')
	expect((await refused(tab)).refusal?.reason).toBe('broken')
	expect(await photos('Erased16')).toEqual([])
})

test('a link to a photo that is unsent waits for it', async () => {
	const browser = await signedIn(ann)
	const { tab, store } = await work(browser)
	tab.set('down')
	const issue = store.create('issues', { title: 'Link17' })
	const uid = store.upload('photos', picture('link.jpg'), { title: 'Link17' })
	store.link('issues', issue, 'photos', uid)
	store.update('photos', uid, { title: 'Link17 later' })
	expect(store.get('issues', issue)?.photos.total_count).toBe(1)
	expect(store.get('photos', uid)?.title).toBe('Link17 later')
	await store.settled()
	tab.kill()
	const slow = browser.tab()
	slow.onRequest = async (_, path) => {
		if (!path.includes('/storage/')) return
		await until('the issue is there', () => left(slow).length > 0 && left(slow).every((one) => one.uid !== issue || one.verb === 'link'))
		await new Promise((done) => setTimeout(done, 200)) // in which the link would go
	}
	await slow.desk.ready
	const second = { tab: slow, store: slow.desk.open(project) }
	await sent(second.tab)
	expect((await server.must(ann, 'GET', `/projects/${project}/issues/${issue}/photos`)).data).toMatchObject([{ uid }])
	expect(await photos('Link17 later')).toHaveLength(1)
	const order = second.tab.sent.map((one) => one.path)
	expect(order.findIndex((path) => path.endsWith(`/issues/${issue}/photos`)))
		.toBeGreaterThan(order.findIndex((path) => path.includes('/storage/')))
	expect(await settle(server, ann, second.store)).toEqual([])
})

test('a form that has expired is asked for anew; one that is refused twice is put aside', async () => {
	const { tab, store } = await work(await signedIn(ann))
	let no = 1
	tab.onAnswer = (_, path) => {
		if (!path.includes('/storage/') || no-- <= 0) return undefined
		return Response.json({ message: 'The form is not accepted: it has expired; begin a new upload.' }, { status: 403 })
	}
	store.upload('photos', picture('form.jpg'), { title: 'Form18' })
	await sent(tab)
	expect(tab.sent.filter((one) => one.path.endsWith('/photos/uploads'))).toHaveLength(2)
	expect(await photos('Form18')).toHaveLength(1)
	no = 2
	store.upload('photos', picture('form.jpg'), { title: 'Form18 again' })
	expect((await refused(tab)).refusal?.sentence).toContain('expired')
})

test('another account neither sees nor sends a file; signing out wipes it', async () => {
	const browser = await signedIn(ann)
	const { tab, store } = await work(browser)
	tab.set('down')
	const uid = store.upload('photos', picture('own.jpg'), { title: 'Own19' })
	await store.settled()
	await tab.close()
	await browser.signIn(bob)
	const other = await work(browser)
	expect(left(other.tab)).toEqual([])
	expect(other.store.get('photos', uid)).toBeUndefined()
	let address: string | undefined
	other.store.file('photos', uid, 'file').subscribe((now) => (address = now))()
	expect(address).toBeUndefined()
	await other.tab.close()
	await browser.signIn(ann)
	const back = browser.tab()
	back.onRequest = (method, path) => {
		if (method === 'POST' && path.includes('/uploads')) throw new TypeError('fetch failed')
	}
	await back.desk.ready
	expect(await back.desk.unsent()).toMatchObject([{ kind: 'photos', uid }])
	expect(await back.desk.signOut()).toMatchObject({ ok: false })
	expect(await back.desk.signOut({ discard: true })).toMatchObject({ ok: true })
	const names = (await browser.indexedDB.databases()).map((one) => one.name)
	expect(names.filter((name) => name?.includes(ann.uid))).toEqual([])
	expect(await photos('Own19')).toEqual([])
})

test.each(['issues', 'photos'] as const)('%s: what another tab is sending can be given up, and does not come back', async (kind) => {
	const browser = await signedIn(ann)
	const first = await work(browser)
	const second = await work(browser)
	let reached = false
	let go = () => {}
	const held = new Promise<void>((done) => (go = done))
	first.tab.onRequest = async (method, path) => {
		if (method !== 'POST' || !/\/issues$|\/storage\//.test(path)) return
		reached = true
		await held
		throw new TypeError('fetch failed')
	}
	const uid = kind === 'issues'
		? second.store.create('issues', { title: 'Given20' })
		: second.store.upload('photos', picture('given.jpg'), { title: 'Given20' })
	await until('it is being sent', () => reached)
	await until('the second tab knows it', () => left(second.tab).length === 1)
	await second.tab.desk.outbox.discard((left(second.tab)[0] as Entry).id)
	await until('the first tab knows that it is given up', () => left(first.tab).length === 0)
	go()
	first.tab.onRequest = undefined
	const after = first.store.create('issues', { title: 'Given20 after' })
	await until('what comes after is sent', () => (first.store.get('issues', after)?.number ?? 0) > 0)
	await sent(first.tab)
	await sent(second.tab)
	await first.store.settled()
	expect(left(first.tab)).toEqual([])
	expect(first.store.get(kind, uid)).toBeUndefined()
	await first.tab.close()
	await second.tab.close()
	const later = await work(browser)
	expect(left(later.tab)).toEqual([])
	expect(await parts(browser, ann)).toBe(0)
})

test('what was given up does not come back through a tab that has not heard of it', async () => {
	const browser = await signedIn(ann)
	const first = await work(browser)
	const second = await work(browser)
	let reached = false
	let go = () => {}
	const held = new Promise<void>((done) => (go = done))
	first.tab.onRequest = async (method, path) => {
		if (method !== 'POST' || !path.endsWith('/issues')) return
		reached = true
		await held
		first.tab.onRequest = undefined
		throw new TypeError('fetch failed')
	}
	const uid = second.store.create('issues', { title: 'Deaf22' })
	await until('it is being sent', () => reached)
	first.tab.deaf = true
	await second.tab.desk.outbox.discard((left(second.tab)[0] as Entry).id)
	await second.store.settled()
	go()
	await until('the first tab sees that it is given up', () => left(first.tab).length === 0)
	await first.tab.close()
	await second.tab.close()
	const later = await work(browser)
	expect(left(later.tab)).toEqual([])
	expect(later.store.get('issues', uid)).toBeUndefined()
	expect((await server.api(ann, 'GET', `/projects/${project}/issues/${uid}`)).status).toBe(404)
})

test('a store that is closed while an answer is being kept tells nobody, and nothing fails', async () => {
	const browser = await signedIn(ann)
	const tab = browser.tab()
	tab.onRequest = (_, path) => (path.includes('/events') ? new Promise(() => {}) : undefined) // only answers tell
	await tab.desk.ready
	const store = tab.desk.open(project)
	await until('the store has the project', () => store.filled('field_reports'))
	const failed = vi.spyOn(console, 'error')
	const uid = store.create('issues', { title: 'Closing23' })
	let closed = false
	store.one('issues', uid).subscribe((record) => {
		if (!record?.number || closed) return
		closed = true
		store.close()
	})
	await sent(tab)
	expect(closed).toBe(true)
	expect(failed).not.toHaveBeenCalled()
	expect(posts(tab, '/issues')).toBe(1)
	const again = tab.desk.open(project)
	await until('the answer was kept', () => (again.get('issues', uid)?.number ?? 0) > 0)
})

test('a store that is closed while an answer is on its way tells nobody, and nothing fails', async () => {
	const { tab, store } = await work(await signedIn(ann))
	const failed = vi.spyOn(console, 'error')
	await until('it is live', () => store.filling.get().phase === 'live')
	tab.onReply = (method) => {
		if (method === 'POST') setTimeout(() => store.close())
	}
	store.create('issues', { title: 'Closed21' })
	await sent(tab)
	const again = tab.desk.open(project)
	await until('it is live', () => again.filling.get().phase === 'live')
	again.close()
	await new Promise((done) => setTimeout(done, 50))
	expect(failed).not.toHaveBeenCalled()
})

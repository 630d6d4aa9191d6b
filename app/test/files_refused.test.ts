// Files that the server refuses, that a device lost, that wait for others, or that somebody gives up.
import Dexie from 'dexie'
import { IDBKeyRange } from 'fake-indexeddb'
import { afterEach, expect, test, vi } from 'vitest'
import type { Entry } from '../src/data'
import { partSize } from '../src/data/copies'
import { settle } from './compare'
import { bytes, hashOf, left, parts, photos, picture, posts, refused, sent, work } from './files'
import { ann, begin, bob, project, server, signedIn } from './pier'
import { until } from './server'

begin(['--max-file', '8MB'])

afterEach(() => void vi.restoreAllMocks())

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
	const given = await second.tab.desk.outbox.discard((left(second.tab)[0] as Entry).id)
	expect(given).toEqual([]) // whether the server has it is not known yet
	expect(left(second.tab)).toMatchObject([{ uid, unwanted: true }])
	go()
	first.tab.onRequest = undefined
	await until('the first tab knows that it is given up', () => left(first.tab).length === 0)
	expect(posts(first.tab, kind === 'issues' ? '/issues' : '/storage/')).toBe(1)
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

test.each(['held', 'lost'])('what the server has is not told as given up: its answer is %s', async (answer) => {
	const browser = await signedIn(ann)
	const first = await work(browser)
	const second = await work(browser)
	let acted = false
	let go = () => {}
	const held = new Promise<void>((done) => (go = done))
	first.tab.onReply = async (method, path) => {
		if (method !== 'POST' || !path.endsWith('/issues')) return
		acted = true
		await held
		if (answer === 'lost') throw new TypeError('terminated')
	}
	const uid = second.store.create('issues', { title: 'Late21' })
	const comment = second.store.comment('issues', uid, 'Late21')
	await until('the server has it', () => acted)
	await until('the second tab knows both', () => left(second.tab).length === 2)
	const { id } = left(second.tab)[0] as Entry
	const given = await second.tab.desk.outbox.discard(id)
	expect(given.map((one) => one.uid)).toEqual([comment])
	expect(left(second.tab)).toMatchObject([{ id, unsure: true, unwanted: true }])
	await second.tab.desk.outbox.retry(id) // which changes nothing
	go()
	for (const { tab, store } of [first, second]) {
		await sent(tab)
		await until('the record is there', () => (store.get('issues', uid)?.number ?? 0) > 0)
		expect(await settle(server, ann, store)).toEqual([])
	}
	expect(posts(first.tab, '/issues')).toBe(1)
	expect(posts(first.tab, '/comments')).toBe(0)
	expect(posts(second.tab, '/issues')).toBe(0)
	expect(await second.tab.desk.outbox.discard(id)).toEqual([])
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

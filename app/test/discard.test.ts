// What somebody discards: what goes with it is named before, and what was not named is put aside, never dropped.
import { IDBObjectStore } from 'fake-indexeddb'
import { expect, test, vi } from 'vitest'
import type { Entry } from '../src/data'
import { left, posts, sent, work } from './files'
import { ann, begin, project, server, signedIn } from './pier'
import { until } from './server'

begin()

const issues = (uid: string) => server.api(ann, 'GET', `/projects/${project}/issues/${uid}`)
const aside = (text: string) => ({
	kind: 'comments', fields: { text }, state: 'refused', unwanted: false, refusal: { reason: 'orphaned', fieldErrors: {} },
})

test('what comes to nothing without a record is named, and nothing else goes with it', async () => {
	const { tab, store } = await work(await signedIn(ann))
	const { outbox } = tab.desk
	tab.set('down')
	const list = store.create('issue_lists', { name: 'Named1' })
	const uid = store.create('issues', { title: 'Named1', issue_list_uid: list })
	store.comment('issues', uid, 'before')
	const other = store.create('issues', { title: 'Other1' })
	const [first, , comment] = left(tab) as [Entry, Entry, Entry]
	const named = outbox.hanging(first.id)
	expect(named.map((one) => one.kind)).toEqual(['issues', 'comments'])
	expect(outbox.hanging(comment.id)).toEqual([])
	// Another tab, or the same person in a hurry, adds something before the answer to the question.
	store.comment('issues', uid, 'meanwhile')
	store.update('issues', uid, { room: 'B2' })
	store.remove('issues', uid)
	const gone = await outbox.discard(first.id, named.map((one) => one.id))
	expect(gone.map((one) => one.kind)).toEqual(['issue_lists', 'issues', 'comments'])
	const kept = left(tab).filter((one) => one.uid !== other)
	expect(kept).toMatchObject([
		aside('meanwhile'), { verb: 'update', fields: { room: 'B2' }, state: 'refused', refusal: { reason: 'orphaned' } },
	])
	expect(kept[0]?.refusal?.sentence).toMatch(/discarded before the project had it/)
	expect((await outbox.asFile()).text).toContain('meanwhile')
	for (const one of kept) await outbox.retry(one.id) // which changes nothing
	tab.set('fair')
	await until('the other one is sent', () => left(tab).length === 2)
	expect(left(tab).every((one) => one.state === 'refused')).toBe(true)
	expect((await issues(uid)).status).toBe(404)
	expect((await issues(other)).status).toBe(200)
	for (const one of kept) await outbox.discard(one.id)
	expect(left(tab)).toEqual([])
})

test('what was entered on a record that was called back, and is not there, is put aside', async () => {
	const browser = await signedIn(ann)
	const { tab, store } = await work(browser)
	tab.set('down')
	const uid = store.create('issues', { title: 'Called2' })
	await until('it was tried', () => (left(tab)[0]?.tries ?? 0) > 0)
	const given = await tab.desk.outbox.discard((left(tab)[0] as Entry).id)
	expect(given).toEqual([])
	expect(left(tab)).toMatchObject([{ uid, unwanted: true }])
	store.comment('issues', uid, 'later')
	tab.set('fair')
	await until('it is known', () => left(tab).every((one) => one.uid !== uid))
	expect(left(tab)).toMatchObject([aside('later')])
	await store.settled()
	tab.kill()
	const again = await work(browser)
	expect(left(again.tab)).toMatchObject([aside('later')])
	expect(posts(tab, '/comments') + posts(again.tab, '/comments')).toBe(0)
	expect((await issues(uid)).status).toBe(404)
})

test('what was entered on a record that was called back, and had arrived, is sent', async () => {
	const { tab, store } = await work(await signedIn(ann))
	tab.set('lossy')
	const uid = store.create('issues', { title: 'Arrived3' })
	await until('it was tried', () => (left(tab)[0]?.tries ?? 0) > 0)
	await tab.desk.outbox.discard((left(tab)[0] as Entry).id)
	const comment = store.comment('issues', uid, 'later')
	tab.set('fair')
	await sent(tab)
	expect((await issues(uid)).status).toBe(200)
	expect((await server.must(ann, 'GET', `/projects/${project}/comments/${comment}`)).text).toBe('later')
	expect(posts(tab, '/issues')).toBeGreaterThan(0)
})

test('what is discarded is not sent any more, though the device does not know it yet', async () => {
	const { tab, store } = await work(await signedIn(ann))
	tab.set('down')
	const uid = store.create('issues', { title: 'Hurried4' })
	await until('it was tried', () => (left(tab)[0]?.tries ?? 0) > 0)
	const before = posts(tab, '/issues')
	const given = tab.desk.outbox.discard((left(tab)[0] as Entry).id)
	tab.set('fair')
	await tab.desk.outbox.retry((left(tab)[0] as Entry).id) // as when the line comes back
	await given
	await sent(tab)
	expect(posts(tab, '/issues')).toBe(before)
	expect((await issues(uid)).status).toBe(404)
})

test('what is discarded while it is made ready is not sent', async () => {
	const { tab, store } = await work(await signedIn(ann))
	const { outbox } = tab.desk
	const given = new Promise<unknown>((done) => {
		outbox.entries.subscribe(([first]) => {
			if (first?.state === 'sending') queueMicrotask(() => done(outbox.discard(first.id))) // its request is not made yet
		})
	})
	const uid = store.create('issues', { title: 'Ready5' })
	await given
	await sent(tab)
	expect(posts(tab, '/issues')).toBe(0)
	expect((await issues(uid)).status).toBe(404)
})

test('what the device does not let go stays, and is sent', async () => {
	const { tab, store } = await work(await signedIn(ann))
	tab.set('down')
	const uid = store.create('issues', { title: 'Held6' })
	await until('it was tried', () => (left(tab)[0]?.tries ?? 0) > 0)
	await store.settled()
	const [first] = left(tab) as [Entry]
	const quiet = vi.spyOn(console, 'error').mockImplementation(() => {})
	const full = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
		throw new DOMException('full', 'QuotaExceededError')
	})
	expect(await tab.desk.outbox.discard(first.id)).toEqual([])
	full.mockRestore()
	expect(left(tab)).toMatchObject([{ id: first.id, unwanted: false }])
	tab.set('fair')
	await sent(tab)
	quiet.mockRestore()
	expect((await issues(uid)).status).toBe(200)
})

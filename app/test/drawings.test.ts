// A set of drawings is sent with its progress; what does not arrive is told, and sent again when the person wishes.
import { expect, test } from 'vitest'
import type { Sending } from '../src/data'
import type { Tab } from './browser'
import { ann, begin, bob, project, server, signedIn } from './pier'
import { until, type Person } from './server'

begin()

async function tabOf(who: Person): Promise<Tab> {
	const browser = await signedIn(who)
	const tab = browser.tab()
	await tab.desk.ready
	return tab
}

const pdf = (name: string, size: number) => new File([`%PDF-1.4\n${'x'.repeat(size)}`], name, { type: 'application/pdf' })
const one = (tab: Tab) => tab.desk.direct.drawings.sendings.get()[0] as Sending
const consumed = async (uid: string) =>
	(await server.must(ann, 'GET', `/projects/${project}/sheets/uploads/${uid}`)).file_upload_requests.map((r: { status: string }) => r.status)

test('a set arrives whole, waits for its review, and tells how far it is', async () => {
	const tab = await tabOf(ann)
	const seen: number[] = []
	tab.desk.direct.drawings.sendings.subscribe((all) => seen.push(all[0]?.files[0]?.sent ?? 0))
	tab.desk.direct.drawings.send(project, 'Issue 1', [pdf('a.pdf', 50_000), pdf('b.pdf', 10)])
	await until('it is sent', () => one(tab).state === 'sent')
	expect(one(tab).files.map((f) => [f.name, f.state, f.sent === f.size])).toEqual([['a.pdf', 'sent', true], ['b.pdf', 'sent', true]])
	expect(seen.some((n) => n > 0)).toBe(true)
	expect(await consumed(one(tab).upload as string)).toEqual(['consumed', 'consumed'])
	const set = await server.must(ann, 'GET', `/projects/${project}/version_sets/${one(tab).upload}`)
	expect([set.version_name, set.published_at]).toEqual(['Issue 1', null])
})

test('a file whose line is cut is sent again by itself, and by hand where that does not help', async () => {
	const tab = await tabOf(ann)
	let cuts = 1
	tab.onRequest = (method, path) => {
		if (method === 'POST' && path.startsWith('/storage/') && cuts-- > 0) throw new TypeError('fetch failed')
	}
	tab.desk.direct.drawings.send(project, 'Issue 2', [pdf('a.pdf', 100)])
	await until('it is sent', () => one(tab).state === 'sent')
	tab.desk.direct.drawings.forget(one(tab).id)

	cuts = 99
	tab.desk.direct.drawings.send(project, 'Issue 3', [pdf('a.pdf', 100), pdf('b.pdf', 100)])
	await until('it is given up', () => one(tab).state === 'failed')
	expect(one(tab).sentence).toBeTruthy()
	cuts = 0
	tab.desk.direct.drawings.retry(one(tab).id)
	await until('it is sent', () => one(tab).state === 'sent')
	expect(await consumed(one(tab).upload as string)).toEqual(['consumed', 'consumed'])
})

test('who may not upload is told so, and nothing is sent', async () => {
	const tab = await tabOf(bob)
	tab.desk.direct.drawings.send(project, 'Issue 4', [pdf('a.pdf', 100)])
	await until('it is refused', () => one(tab).state === 'failed')
	expect(one(tab).sentence).toMatch(/Admin|role|may/)
	expect(tab.sent.some((r) => r.path.startsWith('/storage/'))).toBe(false)
	tab.desk.direct.drawings.forget(one(tab).id)
	expect(tab.desk.direct.drawings.sendings.get()).toEqual([])
})

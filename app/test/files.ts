// What the tests of files begin with: a store that has its project, files of any size, and what the server has of them.
import { createHash } from 'node:crypto'
import Dexie from 'dexie'
import { IDBKeyRange } from 'fake-indexeddb'
import type { Entry, ProjectStore } from '../src/data'
import type { Browser, Tab } from './browser'
import { ann, project, server } from './pier'
import { until, type Person } from './server'

export async function work(browser: Browser): Promise<{ tab: Tab; store: ProjectStore }> {
	const tab = browser.tab()
	await tab.desk.ready
	const store = tab.desk.open(project)
	await until('the store has the project', () => store.filled('field_reports'))
	return { tab, store }
}

export const left = (tab: Tab) => tab.desk.outbox.entries.get()
export const sent = (tab: Tab) => until('all is sent', () => left(tab).length === 0)
export const refused = async (tab: Tab): Promise<Entry> => {
	await until('it is refused', () => left(tab).some((one) => one.state === 'refused'))
	return left(tab).find((one) => one.state === 'refused') as Entry
}

/** bytes are as many as wanted, and no two of them are like the others. */
export function bytes(size: number, seed = 1): Uint8Array<ArrayBuffer> {
	const out = new Uint8Array(size)
	for (let i = 0, state = seed; i < size; i++) out[i] = (state = (state * 1103515245 + 12345) & 0x7fffffff) >>> 16
	return out
}

export const picture = (name: string, size = 5000) => new File([bytes(size, name.length)], name, { type: 'image/jpeg' })
export const hash = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')
export const hashOf = async (file: Blob) => hash(new Uint8Array(await file.arrayBuffer()))
export const photos = async (title: string) => (await server.must(ann, 'GET', `/projects/${project}/photos?limit=50`)).data.filter(
	(one: { title: string }) => one.title === title) as { uid: string; sha256: string; size: number }[]
export const posts = (tab: Tab, part: string) => tab.sent.filter((one) => one.method === 'POST' && one.path.includes(part)).length

export async function parts(browser: Browser, who: Person): Promise<number> {
	const base = new Dexie(`groundwork/${who.uid}`, { indexedDB: browser.indexedDB, IDBKeyRange })
	await base.open()
	const count = await base.table('parts').count()
	base.close()
	return count
}

// Holds a store against what its reader may GET, record by record.
import { pathOfKind } from '../src/data/fields'
import { kinds, type Kind, type ProjectStore } from '../src/data/types'
import type { Person, Server } from './server'

/** What a reader may GET of a kind; undefined where the project is closed to them. */
async function readable(server: Server, who: Person, project: string, kind: Kind): Promise<Map<string, any> | undefined> {
	const all = new Map<string, any>()
	const path = kind === 'projects' ? `/projects/${project}` : `/projects/${project}/${pathOfKind(kind)}?limit=50`
	for (let next: string | null = path; next;) {
		const { status, body } = await server.api(who, 'GET', next)
		if (status === 403 || status === 404) return undefined
		if (status !== 200) throw new Error(`${next}: ${status}`)
		const records = kind === 'projects' ? [body] : body.data
		for (const record of records) all.set(record.uid, record)
		next = body.next_page_url ?? null
	}
	return all
}

/** Signed addresses end and are given anew; the label of a status is looked up in its own record. */
function plain(record: any): string {
	return JSON.stringify(record, (name, value) => {
		if (/(^|_)url$/.test(name) && typeof value === 'string') return value.replace(/\/(files|tiles)\/.*$/, '').replace(/\?.*$/, '')
		return name === 'status' && value?.label !== undefined ? value.uid : value
	})
}

type Have = (kind: Kind) => readonly { uid: string }[] | Promise<readonly { uid: string }[]>

/** Gives what differs, one line for each record; nothing where the store is right. */
async function differencesWith(server: Server, who: Person, project: string, records: Have): Promise<string[]> {
	const out: string[] = []
	for (const kind of kinds) {
		const want = (await readable(server, who, project, kind)) ?? new Map()
		const have = new Map((await records(kind)).map((one) => [one.uid, one]))
		for (const [uid, record] of want) {
			const own = have.get(uid)
			if (!own) out.push(`${kind}/${uid} is missing`)
			else if (plain(own) !== plain(record)) out.push(`${kind}/${uid} differs:\n  have ${plain(own)}\n  want ${plain(record)}`)
		}
		for (const uid of have.keys()) if (!want.has(uid)) out.push(`${kind}/${uid} should not be there`)
	}
	return out
}

/** Waits until what a device has is right; gives what differs in the end. */
export async function settleWith(
	server: Server, who: Person, project: string, records: Have, seconds = 60,
): Promise<string[]> {
	const end = Date.now() + seconds * 1000
	for (;;) {
		const different = await differencesWith(server, who, project, records)
		if (different.length === 0 || Date.now() > end) return different
		await new Promise((done) => setTimeout(done, 50))
	}
}

const recordsOf = (store: ProjectStore): Have => (kind) => [...store.records(kind).get(), ...store.deleted(kind).get()]

export function differences(server: Server, who: Person, store: ProjectStore): Promise<string[]> {
	return differencesWith(server, who, store.uid, recordsOf(store))
}

/** Waits until a store is right; gives what differs in the end. */
export function settle(server: Server, who: Person, store: ProjectStore, seconds = 60): Promise<string[]> {
	return settleWith(server, who, store.uid, recordsOf(store), seconds)
}

// What waits for a person in all of their projects. The service works it out; the last answer is kept, so that it can
// be read without a line.

import Dexie, { type Table } from 'dexie'
import { pathOf } from '../api/line'
import { Cell, type Live } from './live'
import type { Ports } from './ports'
import type { Answer, Projects, Work, WorkItem, WorkList } from './types'

/** What moves in a project is gathered for this long, and no two readings follow each other sooner than that. */
const gather = 1_500
const apart = 4_000
/** So many parts are read at most: a person with more has other worries. */
const mostParts = 100

interface Kept extends Work {
	key: 'last'
}

/** WorkBase keeps the last answer. Its name begins as that of all databases of an account: they are wiped together. */
class WorkBase extends Dexie {
	declare answers: Table<Kept, 'last'>

	constructor(ports: Ports, account: string) {
		super(`groundwork/${account}/work`, { indexedDB: ports.indexedDB, IDBKeyRange: ports.keyRange })
		this.version(1).stores({ answers: 'key' })
	}
}

type Ask = <T>(path: string) => Promise<Answer<T>>

/** OpenWork reads the list while somebody looks at it: at first, and again when a project moved or the line is back. */
export class OpenWork implements WorkList {
	readonly items = new Cell<Work>({ known: false, list: [] })
	readonly #ports: Ports
	readonly #ask: Ask
	readonly #base: WorkBase
	readonly #stop = new AbortController()
	readonly #ends: (() => void)[] = []
	#moved = true
	#wake: (() => void) | undefined

	/** With the end of gone, that of the person's desk, nothing more is read or kept: they have signed out. */
	constructor(
		ports: Ports, account: string, ask: Ask, projects: Live<Projects>, online: Live<boolean>, gone: AbortSignal,
	) {
		this.#ports = ports
		this.#ask = ask
		this.#base = new WorkBase(ports, account)
		let begun = false
		const again = () => begun && this.refresh()
		this.#ends.push(projects.subscribe(again))
		this.#ends.push(online.subscribe((is) => is && again()))
		begun = true
		const close = () => this.close()
		gone.addEventListener('abort', close)
		this.#ends.push(() => gone.removeEventListener('abort', close))
		void this.#run()
	}

	refresh(): void {
		this.#moved = true
		this.#wake?.()
	}

	close(): void {
		for (const end of this.#ends.splice(0)) end()
		this.#stop.abort()
		this.#wake?.()
	}

	async #run(): Promise<void> {
		const { signal } = this.#stop
		const kept = await this.#base.answers.get('last').catch(() => undefined)
		if (kept && !this.items.get().known) this.items.set({ known: true, list: kept.list, at: kept.at })
		while (!signal.aborted) {
			if (this.#moved) {
				this.#moved = false
				await this.#read()
				await this.#ports.sleep(apart, signal)
				continue
			}
			await new Promise<void>((done) => {
				this.#wake = done
			})
			this.#wake = undefined
			await this.#ports.sleep(gather, signal)
		}
		this.#base.close()
	}

	async #read(): Promise<void> {
		const list: WorkItem[] = []
		let path: string | undefined = '/me/work'
		for (let part = 0; path && part < mostParts; part++) {
			const page: Answer<{ data: WorkItem[]; next_page_url: string | null }> = await this.#ask(path)
			if (this.#stop.signal.aborted) return
			if (!page.ok) {
				this.items.set({ ...this.items.get(), sentence: page.sentence })
				return
			}
			list.push(...page.value.data)
			path = page.value.next_page_url ? pathOf(page.value.next_page_url) : undefined
		}
		const at = this.#ports.now()
		this.items.set({ known: true, list, at })
		await this.#base.answers.put({ key: 'last', known: true, list, at }).catch(() => {})
	}
}

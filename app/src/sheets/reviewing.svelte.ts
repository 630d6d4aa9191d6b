// One set while it is sent, read and looked through: how far it is, what its pages hold, and what somebody changed.
import { SvelteMap, SvelteSet } from 'svelte/reactivity'
import type { Desk, VersionUpload } from '../data'
import { correction, idOf, inOrder, rowsOf, untrue, type Field, type Row } from './review'

export class Reviewing {
	/** What the service said last; undefined before it said anything. */
	upload = $state.raw<VersionUpload>()
	/** Why there is nothing to show. */
	sentence = $state('')
	missing = $state(false)
	/** The pages by id; a row is replaced when something of it changes. */
	readonly rows = new SvelteMap<string, Row>()
	/** Ids in the order in which they are shown: it stays while somebody works through it. */
	order = $state.raw<readonly string[]>([])
	readonly accepted = new SvelteSet<string>()
	/** Changes that the service does not have yet, by id; and what it refused. */
	readonly unsaved = new SvelteMap<string, ReadonlySet<Field | 'skip'>>()
	readonly refused = new SvelteMap<string, string>()
	saving = $state(false)
	readonly #desk: Desk
	readonly #project: string
	readonly #uid: string
	#ended = false
	#sending: Promise<void> | undefined

	constructor(desk: Desk, project: string, uid: string) {
		this.#desk = desk
		this.#project = project
		this.#uid = uid
		void this.#follow()
	}

	end(): void {
		this.#ended = true
	}

	get read(): boolean {
		return this.upload?.processing.status === 'complete'
	}

	get published(): boolean {
		return this.upload?.processing.published ?? false
	}

	/** Asks until everything is read. */
	async #follow(): Promise<void> {
		for (let wait = 700; !this.#ended;) {
			const done = await this.load()
			if (done || this.#ended) return
			await new Promise((next) => setTimeout(next, wait))
			wait = Math.min(wait * 1.15, 3000)
		}
	}

	/** Asks once; gives whether nothing more comes by itself. */
	async load(): Promise<boolean> {
		const answer = await this.#desk.direct.call<VersionUpload>(
			'GET', `/projects/${this.#project}/sheets/uploads/${this.#uid}`,
		)
		if (this.#ended) return true
		if (!answer.ok) {
			this.missing = answer.status === 404 || answer.status === 403
			this.sentence = answer.sentence
			return this.missing
		}
		this.sentence = ''
		this.upload = answer.value
		const { status, published } = answer.value.processing
		if (status === 'complete') this.#take(rowsOf(answer.value).filter((row) => !published || row.read.waits))
		return status === 'complete' || status === 'errored'
	}

	/** Takes what was read; what somebody is about to change stays as they have it. */
	#take(rows: readonly Row[]): void {
		const now = new Set(rows.map((row) => row.id))
		for (const id of [...this.rows.keys()]) if (!now.has(id)) this.rows.delete(id)
		for (const row of rows) if (!this.unsaved.has(row.id)) this.rows.set(row.id, row)
		const kept = this.order.filter((id) => now.has(id))
		if (kept.length !== now.size) this.order = inOrder(rows, this.accepted)
		else if (kept.length !== this.order.length) this.order = kept
	}

	/** The rows in the order in which they are shown. */
	get all(): Row[] {
		return this.order.flatMap((id) => this.rows.get(id) ?? [])
	}

	type(id: string, field: Field, value: string): void {
		const row = this.rows.get(id)
		if (!row || row.values[field] === value) return
		this.rows.set(id, { ...row, values: { ...row.values, [field]: value } })
		this.#note(id, field)
	}

	/** Whoever leaves a field, or goes on to the next, has what they typed kept. */
	keep(): void {
		if (this.unsaved.size) void this.save()
	}

	skip(id: string, skip: boolean): void {
		const row = this.rows.get(id)
		if (!row) return
		this.rows.set(id, { ...row, skip })
		this.#note(id, 'skip')
		this.keep()
	}

	/** Says that number and title are right as they stand. */
	accept(id: string): void {
		const row = this.rows.get(id)
		if (!row?.values.name.trim()) return
		this.accepted.add(id)
		this.#note(id, 'name')
		if (untrue(row)) this.#note(id, 'description')
		this.keep()
	}

	#note(id: string, field: Field | 'skip'): void {
		this.unsaved.set(id, new Set([...(this.unsaved.get(id) ?? []), field]))
		this.refused.delete(id)
	}

	/** Sends all changes, one request after the other; gives whether all are kept. */
	async save(): Promise<boolean> {
		while (this.#sending) await this.#sending
		this.#sending = this.#send().finally(() => (this.#sending = undefined))
		await this.#sending
		return this.unsaved.size === 0
	}

	async #send(): Promise<void> {
		const batch = [...this.unsaved].filter(([id, changed]) => {
			// a page without a number is not taken: it stays until there is one
			return !(changed.has('name') && !this.rows.get(id)?.values.name.trim())
		}).slice(0, 200)
		if (batch.length === 0) return
		this.saving = true
		const pages = batch.flatMap(([id, changed]) => {
			const row = this.rows.get(id)
			return row ? [correction(row, [...changed])] : []
		})
		for (const [id] of batch) this.unsaved.delete(id)
		const answer = await this.#desk.direct.call(
			'PATCH', `/projects/${this.#project}/version_sets/${this.#uid}`, { pages }
		)
		this.saving = false
		if (answer.ok) {
			if (this.unsaved.size) await this.#send()
			return
		}
		// What was refused is told at its page; all others are sent once more without it.
		const wrong = new Map<string, string>()
		for (const [field, sentence] of Object.entries(answer.fieldErrors)) {
			const page = pages[Number(/^pages\[(\d+)\]/.exec(field)?.[1] ?? -1)]
			if (page) wrong.set(idOf(Number(page.file), Number(page.page)), sentence)
		}
		for (const [id, changed] of batch) {
			this.unsaved.set(id, new Set([...changed, ...(this.unsaved.get(id) ?? [])]))
			if (wrong.has(id) || wrong.size === 0) this.refused.set(id, wrong.get(id) ?? answer.sentence)
		}
	}
}

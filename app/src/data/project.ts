// One project for the screens of a tab: reads go to memory, writes to the outbox.

import { answered } from './refusal'
import { ProjectBase } from './base'
import { sendable, written, type Any, type Fields } from './fields'
import { Follower, type Told, type World } from './follow'
import { fileAddress, fileLive } from './files'
import { mapped, type Live } from './live'
import { Memory, newer, type Row } from './memory'
import type { Sender } from './outbox'
import { Channel, type Ports } from './ports'
import { Presence } from './presence'
import type {
	Answer, Attendee, Changes, Creates, Entry, Filed, FileForm, Filling, Indexes, Kind, Linked, Mark, Me, Member, Owner,
	Page, PresentState, Project, ProjectStore, Records, Removable, Restorable, Uploadable, UploadFields,
} from './types'
import { nameOf, typeOf, uploadFields } from './upload'

export type Surroundings = Pick<World, 'ports' | 'line' | 'online' | 'locked'> & { me: Me; outbox: Sender }

/** Shelf takes the answers for a project that this tab does not have open. */
export class Shelf {
	readonly #ports: Ports
	readonly #account: string
	readonly #project: string

	constructor(ports: Ports, account: string, project: string) {
		this.#ports = ports
		this.#account = account
		this.#project = project
	}

	async row(kind: Kind, uid: string): Promise<Row | undefined> {
		return this.#with((base) => base.records.get([kind, uid]))
	}

	async answer(kind: Kind, record: Any, etag: string | null): Promise<void> {
		await this.#with(async (base) => {
			const walk = (await base.states.get('state'))?.walk ?? 1
			const row: Row = { kind, uid: record.uid, record, etag, walk }
			await base.keepAnswer(row)
			const channel = new Channel(this.#ports, base.name, () => {})
			channel.tell({ type: 'answer', row } satisfies Told)
			channel.close()
		})
	}

	async #with<T>(use: (base: ProjectBase) => PromiseLike<T>): Promise<T> {
		const base = new ProjectBase(this.#ports, this.#account, this.#project)
		try {
			return await use(base)
		} finally {
			base.close()
		}
	}
}

export class OpenProject implements ProjectStore {
	readonly uid: string
	readonly filling: Live<Filling>
	readonly marks: Live<ReadonlyMap<string, Mark>>
	readonly follower: Follower
	readonly #memory: Memory
	readonly #base: ProjectBase
	readonly #around: Surroundings
	readonly #channel: Channel
	readonly #presence: Presence
	readonly #ends: (() => void)[] = []
	#opened = 0
	#running: Promise<void> | undefined

	constructor(around: Surroundings, uid: string, gone: () => void) {
		const { ports, me, outbox } = around
		this.uid = uid
		this.#around = around
		this.#base = new ProjectBase(ports, me.uid, uid)
		this.#memory = new Memory({ project: uid, me: { uid: me.uid, email: me.email } })
		this.#channel = new Channel(ports, this.#base.name, (message) => {
			const told = message as Told
			if (told.type === 'presence') this.#presence.hear(told.told)
			else this.follower.hear(told)
		})
		this.follower = new Follower({
			...around, base: this.#base, memory: this.#memory, project: uid, tell: (told) => this.#channel.tell(told),
			attended: (told) => {
				this.#presence.hear(told)
				this.#channel.tell({ type: 'presence', told })
			},
		})
		this.filling = this.follower.filling
		this.#presence = new Presence({ ports, line: around.line, project: uid, me: me.uid, filling: this.filling })
		this.marks = this.#memory.marks
		this.#ends.push(outbox.entries.subscribe((all) => this.#memory.overlay(all.filter((one) => one.project === uid))))
		this.#ends.push(gone)
		this.#running = this.follower.start().catch((e) => console.error('store', e))
	}

	/** Counts who has it open. */
	hold(): this {
		this.#opened++
		return this
	}

	close(): void {
		if (--this.#opened <= 0) void this.end()
	}

	async end(): Promise<void> {
		this.follower.close()
		this.#presence.close()
		this.#channel.close()
		for (const end of this.#ends.splice(0)) end()
		await this.#running
		this.#base.close()
	}

	filled(kind: Kind): boolean {
		return this.filling.get().filled.has(kind)
	}

	get project(): Live<Project | undefined> {
		return this.one('projects', this.uid)
	}

	get member(): Live<Member | undefined> {
		return this.one('users', this.#around.me.uid)
	}

	records<K extends Kind>(kind: K): Live<readonly Records[K][]> {
		return this.#memory.list(kind, false) as unknown as Live<readonly Records[K][]>
	}

	deleted<K extends Kind>(kind: K): Live<readonly Records[K][]> {
		return this.#memory.list(kind, true) as unknown as Live<readonly Records[K][]>
	}

	get<K extends Kind>(kind: K, uid: string): Records[K] | undefined {
		return this.#memory.get(kind, uid)
	}

	one<K extends Kind>(kind: K, uid: string): Live<Records[K] | undefined> {
		return this.#memory.one(kind, uid) as unknown as Live<Records[K] | undefined>
	}

	by<I extends keyof Indexes>(index: I, key: string): readonly Records[Indexes[I]][] {
		return this.#memory.by(index, key) as unknown as readonly Records[Indexes[I]][]
	}

	mark(kind: Kind, uid: string): Mark | undefined {
		return this.marks.get().get(`${kind}/${uid}`)
	}

	list<T>(path: string, query: Record<string, string | number | boolean> = {}): Promise<Answer<Page<T>>> {
		const text = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString()
		const address = `/projects/${this.uid}/${path}${text ? `?${text}` : ''}`
		return answered(this.#around.line.send({ method: 'GET', path: address }))
	}

	create<K extends keyof Creates>(kind: K, fields: Creates[K]): string {
		const uid = this.#around.ports.uid()
		this.#write('create', kind, uid, fields as Fields)
		return uid
	}

	comment(on: 'issues' | 'rfis' | 'sheets', uid: string, text: string): string {
		const own = this.#around.ports.uid()
		this.#write('create', 'comments', own, { text }, { kind: on, uid })
		return own
	}

	update<K extends keyof Changes>(kind: K, uid: string, fields: Changes[K]): void {
		const shown = this.#memory.get(kind, uid) as unknown as Any | undefined
		for (const body of sendable(kind, fields as Fields)) {
			const base: Fields = {}
			if (shown) for (const field of Object.keys(body)) base[field] = written(kind, shown, field)
			this.#around.outbox.add({ project: this.uid, verb: 'update', kind, uid, fields: body, base })
		}
	}

	remove(kind: Removable, uid: string): void {
		this.#write('remove', kind, uid, {})
	}

	restore(kind: Restorable, uid: string): void {
		this.#write('restore', kind, uid, {})
	}

	link(kind: Owner, uid: string, linked: Linked, target: string): void {
		this.#write('link', kind, uid, { linked, target })
	}

	unlink(kind: Owner, uid: string, linked: Linked, target: string): void {
		this.#write('unlink', kind, uid, { linked, target })
	}

	get uploads(): Live<ReadonlyMap<string, number>> {
		const { outbox } = this.#around
		const own = () => new Set(outbox.entries.get().filter((one) => one.project === this.uid).map((one) => one.uid))
		return mapped(outbox.uploads, (all) => {
			const mine = own()
			return new Map([...all].filter(([uid]) => mine.has(uid)))
		})
	}

	upload(kind: Uploadable, file: File | Blob, fields: UploadFields = {}): string {
		const uid = this.#around.ports.uid()
		const name = nameOf(file, kind, fields)
		const one = { project: this.uid, verb: 'create', kind, uid, fields: uploadFields(kind, name, fields) } as const
		this.#around.outbox.addFile(one, file, { name, type: typeOf(file, name) })
		return uid
	}

	file(kind: Filed, uid: string, form: FileForm): Live<string | undefined> {
		const record = this.one(kind, uid) as Live<unknown> as Live<Any | undefined>
		return fileLive(record, (it) => fileAddress(this.uid, kind, it, form), this.#around.outbox.copy(uid))
	}

	present(kind: Kind, uid: string): Live<readonly Attendee[]> {
		return this.#presence.present(kind, uid)
	}

	attend(kind: Kind, uid: string, state: PresentState): () => void {
		return this.#presence.attend(kind, uid, state)
	}

	settled(): Promise<void> {
		return this.#around.outbox.settled()
	}

	/** Gives what the server said last of a record. */
	async row(kind: Kind, uid: string): Promise<Row | undefined> {
		return this.#memory.row(kind, uid) ?? (await this.#base.records.get([kind, uid]).catch(() => undefined))
	}

	/** Takes the answer to a request. */
	async answer(kind: Kind, record: Any, etag: string | null): Promise<void> {
		const row: Row = { kind, uid: record.uid, record, etag, walk: this.follower.walk }
		if (newer(record, this.#memory.row(kind, record.uid))) this.#memory.put([row])
		await this.#base.keepAnswer(row).catch((e) => console.error('store', e))
		const kept = this.#memory.row(kind, record.uid)
		if (kept) this.#channel.tell({ type: 'answer', row: kept } satisfies Told)
	}

	#write(verb: Entry['verb'], kind: Kind, uid: string, fields: Fields, on?: Entry['on']): void {
		this.#around.outbox.add({ project: this.uid, verb, kind, uid, fields, on })
	}
}

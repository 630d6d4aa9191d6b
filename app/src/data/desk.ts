// The desk of a person in this browser: who they are, their projects, what waits to be sent.

import { chunks } from '../api/events'
import { Cut, Line, pathOf, type Reply } from '../api/line'
import { AccountBase, DeviceBase, wipeAccount, wipeProject, type KeptProject } from './base'
import { equal } from './fields'
import { SendingDrawings } from './drawings'
import { Cell } from './live'
import { Sender } from './outbox'
import { Channel, type Ports } from './ports'
import { OpenProject, Shelf } from './project'
import { answered, refusalOf, unanswered } from './refusal'
import { OpenWork } from './work'
import type {
	Answer, Desk, Direct, Entry, Invitation, Invited, Live, Me, Outbox, Page, Project, ProjectLine, Projects, ProjectStore,
	Session, WorkList,
} from '.'

/** Place is all that belongs to one account. */
class Place {
	readonly base: AccountBase
	readonly line: Line
	readonly outbox: Sender
	readonly open = new Map<string, OpenProject>()
	readonly stop = new AbortController()
	readonly me: Me

	constructor(desk: OpenDesk, ports: Ports, me: Me) {
		this.me = me
		this.base = new AccountBase(ports, me.uid)
		// Every request names its account: another one may have signed in in another tab.
		this.line = new Line(ports.base, (input, init) =>
			ports.fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), 'X-Account': me.uid } }),
			ports.post)
		this.outbox = new Sender(ports, this.line, this.base, {
			row: (project, kind, uid) => this.shelf(ports, project).row(kind, uid),
			answer: (project, kind, record, etag) => this.shelf(ports, project).answer(kind, record, etag),
		}, me.uid, {
			locked: () => desk.lock(),
			changed: () => desk.tell({ type: 'outbox' }),
			moved: (uid, part) => desk.tell({ type: 'moved', uid, part }),
		})
	}

	/** Where the answers of a project go: the store that is open, or only what the device keeps. */
	shelf(ports: Ports, project: string): Pick<OpenProject, 'row' | 'answer'> {
		return this.open.get(project) ?? new Shelf(ports, this.me.uid, project)
	}
}

type DeskTold =
	| { type: 'outbox' } | { type: 'moved'; uid: string; part: number } | { type: 'projects' } | { type: 'out' }
	| { type: 'in' }

export class OpenDesk implements Desk {
	readonly session = new Cell<Session>({ state: 'unknown' })
	readonly online = new Cell(true)
	readonly projects = new Cell<Projects>({ known: false, list: [] })
	readonly outbox: Outbox
	readonly direct: Direct
	/** Resolves when what the device kept is read, and it was asked once who is signed in. */
	readonly ready: Promise<Session>
	readonly #entries = new Cell<readonly Entry[]>([])
	readonly #kept = new Cell(true)
	readonly #uploads = new Cell<ReadonlyMap<string, number>>(new Map())
	readonly #ports: Ports
	readonly #line: Line
	readonly #device: DeviceBase
	readonly #drawings: SendingDrawings
	readonly #ends: (() => void)[] = []
	readonly #opened = new Map<string, number>()
	#place: Place | undefined
	#channel: Channel | undefined
	#waiting = false
	readonly #end = new AbortController()
	#asking: Promise<Session> | undefined
	#next: Promise<Session> | undefined

	constructor(ports: Ports) {
		this.#ports = ports
		this.#line = new Line(ports.base, ports.fetch, ports.post)
		this.#device = new DeviceBase(ports)
		const box = () => this.#place?.outbox
		this.outbox = {
			entries: this.#entries as Live<readonly Entry[]>,
			kept: this.#kept,
			mend: async (id, fields) => box()?.mend(id, fields),
			retry: async (id) => box()?.retry(id),
			hanging: (id) => box()?.hanging(id) ?? [],
			discard: async (id, told) => (await box()?.discard(id, told)) ?? [],
			resolve: async (id, choice) => box()?.resolve(id, choice),
			asFile: async () => (await box()?.asFile()) ?? { name: 'groundwork-unsent.json', text: '{}' },
			uploads: this.#uploads,
			copy: (uid) => box()?.copy(uid) ?? new Cell<string | undefined>(undefined),
			file: async (id) => box()?.file(id),
		}
		const line = () => this.#place?.line ?? this.#line
		this.#drawings = new SendingDrawings(ports, line, (method, path, body) => this.#call(method, path, body))
		this.direct = {
			createProject: async (fields) => {
				const made = await this.#call<Project>('POST', '/projects', fields)
				if (made.ok) void this.#loadProjects()
				return made
			},
			invite: (project: string, fields: Invitation) =>
				this.#call<Invited>('POST', `/projects/${project}/users/invites`, fields),
			changeMe: async (fields) => {
				const changed = await this.#call<Me>('PATCH', '/me', fields)
				if (changed.ok) await this.refresh()
				return changed
			},
			drawings: this.#drawings,
			call: (method, path, body) => this.#call(method, path, body),
		}
		if (ports.woken) this.#ends.push(ports.woken(() => this.#hurry()))
		this.ready = this.#begin()
	}

	async #begin(): Promise<Session> {
		// Whose session the browser has goes on with what is kept, with or without a network; nothing is sent before the
		// server said who they are.
		const last = await this.#device.sessions.get('last').catch(() => undefined)
		if (last && last.me.uid === this.#ports.account() && !this.#end.signal.aborted) await this.#enter(last.me, false)
		return this.refresh()
	}

	/** Asks who has the session. Somebody else may have it since it was asked last: then it is asked once more. */
	refresh(): Promise<Session> {
		if (this.#asking) {
			this.#next ??= this.#asking.then(() => {
				this.#next = undefined
				return this.refresh()
			})
			return this.#next
		}
		this.#asking = this.#ask().finally(() => {
			this.#asking = undefined
		})
		return this.#asking
	}

	async #ask(): Promise<Session> {
		let reply: Reply
		try {
			reply = await this.#line.send({ method: 'GET', path: '/me' })
		} catch (e) {
			if (!(e instanceof Cut)) throw e
			this.online.set(false)
			void this.#again()
			return this.session.get()
		}
		if (this.#end.signal.aborted) return this.session.get()
		this.online.set(true)
		if (reply.status === 200) await this.#enter(reply.body as Me, true)
		else if (reply.status === 401 || reply.status === 403) this.lock()
		else void this.#again()
		return this.session.get()
	}

	/** Asks once more in a while. */
	async #again(): Promise<void> {
		if (this.#waiting) return
		this.#waiting = true
		await this.#ports.sleep(5_000, this.#end.signal)
		this.#waiting = false
		if (!this.#end.signal.aborted && this.session.get().state !== 'out') await this.refresh()
	}

	/** Opens the place of an account; sure says that the server said so. */
	async #enter(me: Me, sure: boolean): Promise<void> {
		if (this.#place?.me.uid !== me.uid) {
			await this.#leave()
			const place = new Place(this, this.#ports, me)
			this.#place = place
			this.#channel = new Channel(this.#ports, place.base.name, (told) => this.#hear(told as DeskTold))
			this.#ends.push(place.outbox.entries.subscribe((all) => {
				if (this.#place === place) this.#entries.set(all)
			}))
			place.outbox.kept.subscribe((kept) => this.#kept.set(kept))
			this.#ends.push(place.outbox.uploads.subscribe((all) => {
				if (this.#place === place) this.#uploads.set(all)
			}))
			place.outbox.online.subscribe((online) => this.online.set(online))
			this.#ends.push(this.online.subscribe((online) => {
				if (online && !place.outbox.online.get()) place.outbox.hurry()
			}))
			await place.outbox.start()
			await this.#readProjects()
			void this.#followProjects(place)
		}
		const before = this.session.get()
		if (before.state === 'locked') void this.#loadProjects()
		if (before.state !== 'in' || !equal(before.me, me)) this.session.set({ state: 'in', me })
		if (!sure) return
		await this.#device.sessions.put({ key: 'last', me }).catch(() => {})
		this.#place?.outbox.resume()
		for (const store of this.#place?.open.values() ?? []) store.follower.hurry()
	}

	/** Closes the place of an account; what it keeps stays. */
	async #leave(): Promise<void> {
		this.#drawings.end()
		const place = this.#place
		this.#place = undefined
		if (!place) return
		place.stop.abort()
		this.#channel?.close()
		this.#channel = undefined
		for (const store of [...place.open.values()]) await store.end()
		await place.outbox.close()
		place.base.close()
		this.#entries.set([])
		this.#uploads.set(new Map())
		this.projects.set({ known: false, list: [] })
	}

	/** The session ended: nothing is sent, and everything is kept. */
	lock(): void {
		const me = this.#place?.me
		this.#place?.outbox.pause()
		this.session.set(me ? { state: 'locked', me } : { state: 'out' })
	}

	tell(told: DeskTold): void {
		this.#channel?.tell(told)
	}

	#hear(told: DeskTold): void {
		switch (told.type) {
			case 'outbox':
				void this.#place?.outbox.reload()
				break
			case 'moved':
				this.#place?.outbox.moved(told.uid, told.part)
				break
			case 'projects':
				void this.#readProjects()
				break
			case 'in':
				void this.refresh()
				break
			case 'out':
				void this.#leave().then(() => this.session.set({ state: 'out' }))
		}
	}

	#hurry(): void {
		this.#place?.outbox.hurry()
		for (const store of this.#place?.open.values() ?? []) store.follower.hurry()
		void this.refresh()
	}

	open(project: string): ProjectStore {
		const place = this.#place
		if (!place) throw new Error('Nobody is signed in.')
		void this.#note(project)
		return this.#store(place, project).hold()
	}

	#store(place: Place, project: string): OpenProject {
		const there = place.open.get(project)
		if (there) return there
		const store: OpenProject = new OpenProject({
			ports: this.#ports, line: place.line, online: this.online, locked: () => this.lock(), me: place.me,
			outbox: place.outbox,
		}, project, () => place.open.delete(project))
		place.open.set(project, store)
		return store
	}

	work(): WorkList {
		const place = this.#place
		if (!place) throw new Error('Nobody is signed in.')
		const ask = <T>(path: string) => this.#call<T>('GET', path, undefined, place.line)
		return new OpenWork(this.#ports, place.me.uid, ask, this.projects, this.online, place.stop.signal)
	}

	async #call<T>(
		method: string, path: string, body?: unknown, line = this.#place?.line ?? this.#line,
	): Promise<Answer<T>> {
		const headers: Record<string, string> = method === 'POST' ? { 'Idempotency-Key': this.#ports.uid() } : {}
		const text = body === undefined ? undefined : JSON.stringify(body)
		const answer = await answered<T>(line.send({ method, path, body: text, headers }))
		if (!answer.ok && answer.status === 401) this.lock()
		return answer
	}

	async unsent(): Promise<readonly Entry[]> {
		return this.#entries.get()
	}

	async signIn(email: string, password: string): Promise<Answer<Session>> {
		const form = new URLSearchParams({ email, password, next: '/app/' }).toString()
		const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'text/html' }
		try {
			const reply = await this.#line.send({ method: 'POST', path: '/sign-in', body: form, headers })
			if (reply.status !== 303) return { ok: false, ...refusedSignIn(reply) }
		} catch (e) {
			if (!(e instanceof Cut)) throw e
			return { ok: false, ...unanswered }
		}
		const session = await this.refresh()
		this.tell({ type: 'in' })
		return { ok: true, value: session }
	}

	async signOut(how = { discard: false }): Promise<Answer<null>> {
		const place = this.#place
		const unsent = await this.unsent()
		if (unsent.length > 0 && !how.discard) {
			const what = unsent.length === 1 ? 'One change is' : `${unsent.length} changes are`
			return { ok: false, status: 0, fieldErrors: {}, sentence: `${what} not sent yet, and would be lost.` }
		}
		try {
			// Only what the browser itself keeps of files is cleared by the server: other accounts may have unsent work here.
			const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'text/html' }
			const reply = await this.#line.send(
				{ method: 'POST', path: '/sign-out', body: `store=own&account=${place?.me.uid ?? ''}`, headers }
			)
			if (reply.status !== 303 && reply.status !== 200) return { ok: false, ...refusalOf(reply) }
		} catch (e) {
			if (!(e instanceof Cut)) throw e
			return { ok: false, ...unanswered }
		}
		if (place) {
			this.tell({ type: 'out' })
			const projects = this.projects.get().list.map((one) => one.uid)
			await this.#leave()
			await this.#device.sessions.clear().catch(() => {})
			await wipeAccount(this.#ports, place.me.uid, projects)
		}
		this.session.set({ state: 'out' })
		return { ok: true, value: null }
	}

	close(): void {
		void this.end()
	}

	/** Closes everything, and waits for it. */
	async end(): Promise<void> {
		this.#end.abort()
		for (const end of this.#ends.splice(0)) end()
		await this.ready.catch(() => {})
		await this.#leave()
		this.#device.close()
	}

	async #note(project: string): Promise<void> {
		this.#opened.set(project, this.#ports.now()) // a link may lead here before the list is known
		await this.#changeProject(project, { openedAt: this.#ports.now() })
		await this.#readProjects()
	}

	async #changeProject(uid: string, change: Partial<KeptProject>): Promise<void> {
		await this.#place?.base.projects.update(uid, change).catch(() => {})
	}

	async #readProjects(): Promise<void> {
		const place = this.#place
		const all = await place?.base.projects.toArray().catch(() => undefined)
		if (!all || this.#place !== place) return
		const before = this.projects.get()
		const list = all.filter((one) => !one.deleted).map((one): ProjectLine => {
			const { seen, sequence, ...project } = one
			return { ...project, news: sequence !== undefined && seen !== undefined && sequence > seen } as ProjectLine
		}).sort((a, b) => a.name.localeCompare(b.name))
		this.projects.set({ known: before.known || all.length > 0, list })
	}

	/** Asks for the list of projects. */
	async #loadProjects(): Promise<void> {
		const place = this.#place
		if (!place) return
		const all: Project[] = []
		for (let path: string | undefined = '/projects?limit=50'; path;) {
			const page: Answer<Page<Project>> = await answered(place.line.send({ method: 'GET', path }))
			if (!page.ok) {
				if (page.status === 401) this.lock()
				this.projects.set({ ...this.projects.get(), sentence: page.sentence })
				return
			}
			all.push(...page.value.data)
			path = page.value.next_page_url ? pathOf(page.value.next_page_url) : undefined
		}
		if (this.#place !== place) return
		const gone: string[] = []
		await place.base.transaction('rw', place.base.projects, async () => {
			const before = new Map((await place.base.projects.toArray()).map((one) => [one.uid, one]))
			gone.push(...[...before.keys()].filter((uid) => !all.some((one) => one.uid === uid)))
			await place.base.projects.clear()
			await place.base.projects.bulkPut(all.map((one) => {
				const { openedAt, seen, sequence } = before.get(one.uid) ?? {}
				return { ...one, openedAt: openedAt ?? this.#opened.get(one.uid), seen, sequence }
			}))
		}).catch(() => {})
		// Of a project that is no longer theirs nothing stays here; one that is open is told so, and forgets by itself.
		for (const uid of gone) if (!place.open.has(uid)) await wipeProject(this.#ports, place.me.uid, uid).catch(() => {})
		if (this.#place !== place) return
		this.projects.set({ known: true, list: this.projects.get().list })
		await this.#readProjects()
		this.tell({ type: 'projects' })
	}

	/** Follows how far all projects are, in one tab. */
	async #followProjects(place: Place): Promise<void> {
		const { signal } = place.stop
		await this.#ports.lock(`groundwork/${place.me.uid}/projects`, signal, async () => {
			let failures = 0
			while (!signal.aborted) {
				try {
					if (this.session.get().state === 'in') {
						await this.#loadProjects()
						const opened = await place.line.open('/me/events', {}, signal)
						if (opened instanceof Response) {
							failures = 0
							for await (const chunk of chunks(opened.body as ReadableStream<Uint8Array>, signal)) {
								await this.#hearProjects(place, chunk.events.map((e) => JSON.parse(e.data)))
							}
						} else if (opened.status === 401) {
							this.lock()
						}
					}
				} catch {
					// the line is down
				}
				await this.#ports.sleep(Math.min(60_000, 1_000 * 2 ** failures++), signal)
			}
		})
	}

	async #hearProjects(place: Place, told: { project: string; sequence: number | null }[]): Promise<void> {
		if (told.length === 0) return
		let reload = false
		for (const { project, sequence } of told) {
			const kept = await place.base.projects.get(project).catch(() => undefined)
			if (sequence === null || !kept) {
				reload ||= sequence !== null || kept !== undefined
				place.open.get(project)?.follower.hurry()
				continue
			}
			const store = place.open.get(project)
			if (store?.filling.get().phase === 'gone') store.follower.hurry()
			// What is open here is seen; what was never open has nothing new.
			const seen = store || kept.seen === undefined ? sequence : kept.seen
			await this.#changeProject(project, { sequence, seen })
			const shown = store?.get('projects', project)
			if (shown && shown.updated_at !== kept.updated_at) await this.#changeProject(project, { ...shown })
		}
		if (reload) await this.#loadProjects()
		else await this.#readProjects()
		this.tell({ type: 'projects' })
	}
}

function refusedSignIn(reply: Reply) {
	const sentence = reply.status === 403
		? 'This e-mail address and password do not belong together.'
		: reply.status === 429
			? 'Too many attempts. Wait a while before you try again.'
			: `The service answered with status ${reply.status}. Try again in a while.`
	return { status: reply.status, sentence, fieldErrors: {} }
}

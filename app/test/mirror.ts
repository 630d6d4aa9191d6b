// The mirror: several people and devices change a project at random while lines break, tabs die, the server is killed,
// roles change and members leave. In the end each store must be what its reader may GET, record by record, and nothing
// that was entered may be lost.
import type { Entry, Filling, Kind, ProjectStore } from '../src/data'
import { act, Dice, type Entered } from './acts'
import { Browser, type Tab, type Weather } from './browser'
import { settleWith } from './compare'
import { Server, until, type Person } from './server'

const roles = {
	admin: '9d139e64-cac9-4f23-b4d5-9fd3688b498e',
	power: '0b6c1f5e-6d0a-4a52-9f5e-2f1b7c3d8a41',
	collaborator: '5e7a9c30-41d2-4c8b-8a67-d9f0b2e4c613',
}

/** Scene is a server with people and a project with a drawing, on which several seeds play. */
export class Scene {
	readonly server: Server
	readonly people: Record<'ann' | 'bob' | 'cy', Person>
	project = ''
	sheet = ''
	#seeds = 0

	private constructor(server: Server, people: Record<string, Person>) {
		this.server = server
		this.people = people as Scene['people']
	}

	static async open(): Promise<Scene> {
		const { server, people } = await Server.start(['ann', 'bob', 'cy'])
		return new Scene(server, people)
	}

	/** Begins a seed; every so often with a new project, so that none becomes large. */
	async begin(): Promise<void> {
		const { ann, bob, cy } = this.people
		const { server } = this
		if (this.#seeds++ % 10 === 0) {
			this.project = (await server.must(ann, 'POST', '/projects', { name: `Pier ${this.#seeds}` })).uid
			await server.drawing(ann, this.project, 'A-101', true)
			await server.drawing(ann, this.project, 'A-102', false) // which only Admins see
			this.sheet = (await server.must(ann, 'GET', `/projects/${this.project}/sheets`)).data[0].uid
		}
		for (const [who, role] of [[bob, roles.power], [cy, roles.collaborator]] as const) {
			await server.must(ann, 'POST', `/projects/${this.project}/users/invites`, { email: who.email, role_uid: role })
			await server.must(ann, 'PATCH', `/projects/${this.project}/users/${who.uid}`, { role_uid: role })
			await server.must(who, 'GET', `/projects/${this.project}`)
		}
	}

	async close(): Promise<void> {
		await this.server.stop()
	}
}

/** Device is where a person works: a browser of this process, or a real one. */
export interface Device {
	signIn(who: Person): Promise<void>
	/** Opens a tab with the project. */
	open(project: string): Promise<void>
	set(weather: Weather): void
	/** The tab dies, once what was entered is on the device. */
	die(): Promise<void>
	act(seed: number, token: string, sheet: string, own: readonly string[]): Promise<Entered | undefined>
	/** Closes the store and opens it again. */
	reopen(project: string): Promise<void>
	entries(): Promise<readonly Entry[]>
	discard(id: number): Promise<void>
	phase(): Promise<Filling['phase']>
	records(kind: Kind): Promise<readonly { uid: string }[]>
	close(): Promise<void>
}

/** Simulated is a device in this process. */
class Simulated implements Device {
	readonly browser: Browser
	weather: Weather = 'fair'
	tab!: Tab
	store!: ProjectStore

	constructor(server: Server) {
		this.browser = new Browser(server)
	}
	async signIn(who: Person) {
		await this.browser.signIn(who)
	}
	async open(project: string) {
		this.tab = this.browser.tab()
		this.tab.set(this.weather)
		await this.tab.desk.ready
		this.store = this.tab.desk.open(project)
	}
	set(weather: Weather) {
		this.weather = weather
		this.tab.set(weather)
	}
	async die() {
		await this.store.settled()
		this.tab.kill()
	}
	async act(seed: number, token: string, sheet: string, own: readonly string[]) {
		return act(this.store, sheet, new Dice(seed), token, own)
	}
	async reopen(project: string) {
		this.store.close()
		this.store = this.tab.desk.open(project)
	}
	async entries() {
		return this.tab.desk.outbox.entries.get()
	}
	async discard(id: number) {
		await this.tab.desk.outbox.discard(id)
	}
	async phase() {
		return this.store.filling.get().phase
	}
	async records(kind: Kind) {
		return [...this.store.records(kind).get(), ...this.store.deleted(kind).get()]
	}
	close() {
		return this.browser.close()
	}
}

/** Reader is a person on a device, and what they entered. */
class Reader {
	readonly who: Person
	readonly device: Device
	readonly scene: Scene
	/** What must be there in the end, by record. */
	readonly entered = new Map<string, Entered>()

	constructor(scene: Scene, who: Person, device: Device) {
		this.scene = scene
		this.who = who
		this.device = device
	}

	/** The tab dies and is opened again. */
	async die(): Promise<void> {
		await this.device.die()
		await this.device.open(this.scene.project)
	}

	async act(seed: number, token: string): Promise<void> {
		const own = [...this.entered.values()].filter((one) => one.kind === 'issues').map((one) => one.uid)
		const entered = await this.device.act(seed, token, this.scene.sheet, own)
		if (entered) this.entered.set(entered.uid, entered)
	}

	/** What was entered and is neither on the server nor in the outbox. */
	async lost(): Promise<string[]> {
		const { server, project, people } = this.scene
		const waiting = JSON.stringify(await this.device.entries())
		const out: string[] = []
		for (const one of this.entered.values()) {
			const { status, body } = await server.api(people.ann, 'GET', `/projects/${project}/${one.kind}/${one.uid}`)
			const there = one.kind === 'issues' ? body?.description === one.text : body?.title === one.text && body?.size === one.size
			if ((status !== 200 || !there) && !waiting.includes(one.text)) out.push(`${one.kind}/${one.uid}: ${one.text} (${status})`)
		}
		return out
	}
}

/** Does something with another program: as anybody, with whatever right they have. */
async function elsewhere(scene: Scene, dice: Dice, token: string): Promise<void> {
	const { server, people, project, sheet } = scene
	const P = `/projects/${project}`
	const who = dice.of([people.ann, people.bob, people.cy])
	const pick = async (kind: string): Promise<string | undefined> => {
		const { body } = await server.api(people.ann, 'GET', `${P}/${kind}?limit=50&deleted=false`)
		return body?.data?.length ? (dice.of(body.data) as { uid: string }).uid : undefined
	}
	const at = { points: [{ x: dice.next(), y: dice.next() }] }
	switch (dice.below(16)) {
		case 0:
			await server.api(who, 'POST', `${P}/issues`, { title: token })
			return
		case 1:
			await server.api(who, 'PATCH', `${P}/issues/${await pick('issues')}`, { room: token, status: dice.of(['open', 'pending']) })
			return
		case 2:
			await server.api(who, 'POST', `${P}/issues/${await pick('issues')}/comments`, { text: token })
			return
		case 3:
			await server.api(who, 'POST', `${P}/rfis`, { title: token })
			return
		case 4: // a personal mark that all see, for as long as it is where an issue stands
		case 5:
			await server.api(who, 'POST', `${P}/annotations`, {
				kind: 'stamp', sheet_uid: sheet, stamp: 'A', geometry: at, issue_uid: await pick('issues'),
			})
			return
		case 6:
			await server.api(who, 'POST', `${P}/annotations`, { kind: 'stamp', sheet_uid: sheet, stamp: 'P', geometry: at })
			return
		case 7:
			await server.api(who, 'PATCH', `${P}/annotations/${await pick('annotations')}`, { visibility: 'master' })
			return
		case 8:
			await server.api(people.ann, 'PATCH', `${P}/users/${dice.of([people.bob, people.cy]).uid}`,
				{ role_uid: dice.of(Object.values(roles)) })
			return
		case 9:
			await server.api(people.ann, 'DELETE', `${P}/users/${dice.of([people.bob, people.cy]).uid}`)
			return
		case 10:
		case 11:
			await server.api(people.ann, 'POST', `${P}/users/invites`,
				{ email: dice.of([people.bob, people.cy]).email, role_uid: dice.of(Object.values(roles)) })
			return
		case 12:
			await server.api(who, 'PATCH', '/me', { title: token })
			return
		case 13:
			await server.api(people.ann, 'PATCH', P, { custom_id: token })
			return
		case 14: {
			const uid = await pick('rfis')
			await server.api(who, dice.odds(0.5) ? 'DELETE' : 'POST', dice.odds(0.5) ? `${P}/rfis/${uid}` : `${P}/rfis/${uid}/comments`,
				{ text: token })
			return
		}
		case 15: {
			const { body } = await server.api(people.ann, 'GET', `${P}/rfis/statuses`)
			await server.api(people.ann, 'PATCH', `${P}/rfis/statuses/${(dice.of(body.data) as { uid: string }).uid}`, { label: token })
		}
	}
}

export interface Outcome {
	seed: number
	changes: number
	problems: string[]
}

/** Plays one seed; what is wrong in the end is in problems. */
export async function play(scene: Scene, seed: number, steps = 40, devices?: Device[]): Promise<Outcome> {
	const dice = new Dice(seed)
	const { ann, bob, cy } = scene.people
	await scene.begin()
	// ann has two devices
	const readers = [ann, bob, cy, ann].map((who, i) => new Reader(scene, who, devices?.[i] ?? new Simulated(scene.server)))
	const problems: string[] = []
	let changes = 0
	try {
		for (const reader of readers) {
			await reader.device.signIn(reader.who)
			await reader.device.open(scene.project)
		}
		if (dice.odds(0.5)) await until('a store is live', async () => (await readers[0]?.device.phase()) === 'live')
		for (let step = 0; step < steps; step++) {
			const token = `s${seed}t${step}`
			const reader = dice.of(readers)
			const what = dice.next()
			if (what < 0.45) {
				await elsewhere(scene, dice, token)
				changes++
			} else if (what < 0.8) {
				await reader.act(seed * 1000 + step, token)
				changes++
			} else if (what < 0.87) {
				reader.device.set(dice.of(['down', 'lossy', 'fair'] as const))
			} else if (what < 0.92) {
				await reader.die()
			} else if (what < 0.94) {
				await scene.server.kill()
				await scene.server.serve()
			} else {
				await new Promise((done) => setTimeout(done, dice.below(60)))
			}
		}
		for (const reader of readers) {
			reader.device.set('fair')
			await reader.device.reopen(scene.project)
		}
		for (const [i, reader] of readers.entries()) {
			const { device } = reader
			const idle = async () => {
				const all = await device.entries()
				return all.every((one) => one.state === 'refused' || one.state === 'conflict' || blocked(all, one))
			}
			await until(`what reader ${i} entered is sent or refused`, idle, patience).catch(async (e: Error) =>
				problems.push(e.message + JSON.stringify(await device.entries())))
			for (const lost of await reader.lost()) problems.push(`reader ${i} lost ${lost}`)
			for (const entry of await device.entries()) await device.discard(entry.id)
		}
		for (const [i, { who, device }] of readers.entries()) {
			const different = await settleWith(scene.server, who, scene.project, (kind) => device.records(kind), patience)
			const phase = await device.phase()
			problems.push(...different.map((one) => `reader ${i} (${phase}): ${one}`))
		}
	} finally {
		for (const reader of readers) await reader.device.close()
	}
	return { seed, changes, problems }
}

/** patience is how many seconds stores may take to be right: a real browser waits as long as a person's does. */
const patience = 180

type Waits = Pick<Entry, 'id' | 'kind' | 'uid' | 'state' | 'fields' | 'on'>

/** What waits behind something that was refused, or behind what waits for that, waits for the person. */
function blocked(all: readonly Waits[], one: Waits): boolean {
	const text = JSON.stringify([one.fields, one.on, one.uid])
	return all.some((other) => other.id < one.id && text.includes(other.uid) &&
		(other.state === 'refused' || other.state === 'conflict' || blocked(all, other)))
}

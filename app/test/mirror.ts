// The mirror: several people and devices change a project at random while lines break, tabs die, the server is killed,
// roles change and members leave. In the end each store must be what its reader may GET, record by record, and nothing
// that was entered may be lost.
import type { ProjectStore } from '../src/data'
import { Browser, type Tab, type Weather } from './browser'
import { settle } from './compare'
import { Server, until, type Person } from './server'

const roles = {
	admin: '9d139e64-cac9-4f23-b4d5-9fd3688b498e',
	power: '0b6c1f5e-6d0a-4a52-9f5e-2f1b7c3d8a41',
	collaborator: '5e7a9c30-41d2-4c8b-8a67-d9f0b2e4c613',
}

/** Dice are the same for the same seed. */
export class Dice {
	#state: number
	constructor(seed: number) {
		this.#state = (seed * 2654435761 + 1013904223) >>> 0
	}
	next(): number {
		this.#state = (this.#state + 0x6d2b79f5) >>> 0
		let t = this.#state
		t = Math.imul(t ^ (t >>> 15), t | 1)
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296
	}
	below(n: number): number {
		return Math.floor(this.next() * n)
	}
	of<T>(all: readonly T[]): T {
		return all[this.below(all.length)] as T
	}
	odds(p: number): boolean {
		return this.next() < p
	}
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

/** Reader is a person on a device: a browser, its tab, and what they entered. */
class Reader {
	readonly who: Person
	readonly browser: Browser
	readonly scene: Scene
	/** Lines of text that were entered, by the issue that must have them in the end. */
	readonly entered = new Map<string, string>()
	weather: Weather = 'fair'
	tab!: Tab
	store!: ProjectStore

	constructor(scene: Scene, who: Person) {
		this.scene = scene
		this.who = who
		this.browser = new Browser(scene.server)
	}

	async open(): Promise<void> {
		this.tab = this.browser.tab()
		this.tab.set(this.weather)
		await this.tab.desk.ready
		this.store = this.tab.desk.open(this.scene.project)
	}

	set(weather: Weather): void {
		this.weather = weather
		this.tab.set(weather)
	}

	/** The tab dies and is opened again. */
	async die(): Promise<void> {
		await this.store.settled()
		this.tab.kill()
		await this.open()
	}

	/** Does something through the store, as a screen would. */
	act(dice: Dice, token: string): void {
		const { store } = this
		const issues = store.records('issues').get()
		const own = [...this.entered.keys()]
		switch (dice.below(10)) {
			case 0:
			case 1: {
				const uid = store.create('issues', { title: token, description: token })
				this.entered.set(uid, token)
				return
			}
			case 2:
			case 3: // nobody else writes the description of one's own issues
				if (own.length === 0) return
				{
					const uid = dice.of(own)
					if (store.get('issues', uid)?.deleted !== false) return
					store.update('issues', uid, { description: token })
					this.entered.set(uid, token)
				}
				return
			case 4:
				if (issues.length > 0) store.comment('issues', dice.of(issues).uid, token)
				return
			case 5:
				if (issues.length > 0) store.update('issues', dice.of(issues).uid, { room: token })
				return
			case 6:
				store.create('annotations', {
					kind: 'stamp', sheet_uid: this.scene.sheet, stamp: 'X', geometry: { points: [{ x: dice.next(), y: dice.next() }] },
					visibility: dice.odds(0.3) ? 'master' : 'user',
					...(issues.length > 0 && dice.odds(0.5) ? { issue_uid: dice.of(issues).uid } : {}),
				})
				return
			case 7: {
				const marks = store.records('annotations').get()
				if (marks.length > 0) store.update('annotations', dice.of(marks).uid, dice.odds(0.5) ? { visibility: 'master' } : { color: '#00ff00' })
				return
			}
			case 8:
				store.create('views', { name: token, of: 'issues', query: 'status=open', visibility: dice.odds(0.3) ? 'master' : 'user' })
				return
			case 9: {
				const views = store.records('views').get()
				if (views.length > 0) store.update('views', dice.of(views).uid, dice.odds(0.5) ? { visibility: 'master' } : { name: token })
			}
		}
	}

	/** What was entered and is neither on the server nor in the outbox. */
	async lost(): Promise<string[]> {
		const { server, project, people } = this.scene
		const waiting = JSON.stringify(this.tab.desk.outbox.entries.get())
		const out: string[] = []
		for (const [uid, text] of this.entered) {
			const { status, body } = await server.api(people.ann, 'GET', `/projects/${project}/issues/${uid}`)
			if ((status !== 200 || body.description !== text) && !waiting.includes(text)) out.push(`${uid}: ${text} (${status})`)
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
export async function play(scene: Scene, seed: number, steps = 40): Promise<Outcome> {
	const dice = new Dice(seed)
	const { ann, bob, cy } = scene.people
	await scene.begin()
	const readers = [ann, bob, cy, ann].map((who) => new Reader(scene, who)) // ann has two devices
	const problems: string[] = []
	let changes = 0
	try {
		for (const reader of readers) {
			await reader.browser.signIn(reader.who)
			await reader.open()
		}
		if (dice.odds(0.5)) await until('a store is live', () => readers[0]?.store.filling.get().phase === 'live')
		for (let step = 0; step < steps; step++) {
			const token = `s${seed}t${step}`
			const reader = dice.of(readers)
			const what = dice.next()
			if (what < 0.45) {
				await elsewhere(scene, dice, token)
				changes++
			} else if (what < 0.8) {
				reader.act(dice, token)
				changes++
			} else if (what < 0.87) {
				reader.set(dice.of(['down', 'lossy', 'fair'] as const))
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
			reader.set('fair')
			reader.store.close()
			reader.store = reader.tab.desk.open(scene.project)
		}
		for (const [i, reader] of readers.entries()) {
			const { outbox } = reader.tab.desk
			const idle = () => outbox.entries.get().every((one) => one.state === 'refused' || one.state === 'conflict' || blocked(outbox.entries.get(), one))
			await until(`what reader ${i} entered is sent or refused`, idle).catch((e: Error) =>
				problems.push(e.message + JSON.stringify(outbox.entries.get())))
			for (const lost of await reader.lost()) problems.push(`reader ${i} lost ${lost}`)
			for (const entry of outbox.entries.get()) await outbox.discard(entry.id)
		}
		for (const [i, reader] of readers.entries()) {
			const different = await settle(scene.server, reader.who, reader.store)
			problems.push(...different.map((one) => `reader ${i} (${reader.store.filling.get().phase}): ${one}`))
		}
	} finally {
		for (const reader of readers) await reader.browser.close()
	}
	return { seed, changes, problems }
}

/** What waits behind something that was refused, waits for the person. */
function blocked(all: readonly { kind: string; uid: string; state: string; id: number; fields: object; on?: { uid: string } | undefined }[],
	one: { kind: string; uid: string; id: number; fields: object; on?: { uid: string } | undefined }): boolean {
	const text = JSON.stringify([one.fields, one.on, one.uid])
	return all.some((other) => other.id < one.id && (other.state === 'refused' || other.state === 'conflict') && text.includes(other.uid))
}

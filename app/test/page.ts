// The data room in a page of a real browser, for the mirror and for measures: test/pages.ts builds and drives it.
import { browserPorts } from '../src/browser'
import { openDesk, type Kind, type ProjectStore } from '../src/data'
import { act, Dice } from './acts'

const began = performance.now()
const desk = openDesk(browserPorts())
let store: ProjectStore | undefined

const here = (): ProjectStore => {
	if (!store) throw new Error('No project is open.')
	return store
}
const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms))

async function until(is: () => boolean, seconds = 120): Promise<void> {
	const end = Date.now() + seconds * 1000
	while (!is()) {
		if (Date.now() > end) throw new Error('waited in vain')
		await sleep(5)
	}
}

const commands = {
	async signIn(email: string, password: string) {
		const answer = await desk.signIn(email, password)
		if (!answer.ok) throw new Error(answer.sentence)
	},
	async open(project: string) {
		await until(() => desk.session.get().state === 'in' || desk.session.get().state === 'locked')
		store = desk.open(project)
	},
	async reopen(project: string) {
		here().close()
		store = desk.open(project)
	},
	async act(seed: number, token: string, sheet: string, own: string[]) {
		return act(here(), sheet, new Dice(seed), token, own)
	},
	settled: () => here().settled(),
	entries: async () => desk.outbox.entries.get(),
	discard: async (id: number) => void (await desk.outbox.discard(id)),
	phase: async () => here().filling.get().phase,
	records: async (kind: Kind) => [...here().records(kind).get(), ...here().deleted(kind).get()],
	/** Waits until the project is here, and gives how long that took from the script's first line, in milliseconds. */
	async measure(project: string, count: number, live: boolean) {
		await this.open(project)
		const issues = here().records('issues')
		let shown = 0 // somebody looks at the list all the while, as a screen does
		const end = issues.subscribe((all) => (shown = all.length))
		await until(() => shown >= count, 600)
		const took = performance.now() - began
		if (live) await until(() => here().filling.get().phase === 'live', 600)
		await sleep(500)
		end()
		return Math.round(took)
	},
	/** The heap after collection, in megabytes. */
	async heap() {
		for (let i = 0; i < 5; i++) {
			;(globalThis as { gc?: () => void }).gc?.()
			await sleep(50)
		}
		const { usedJSHeapSize: heap } = (performance as unknown as { memory: { usedJSHeapSize: number } }).memory
		return Math.round(heap / 1e6)
	},
}

export type Commands = typeof commands
Object.assign(globalThis, { commands })

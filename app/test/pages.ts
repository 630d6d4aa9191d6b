// Real browsers as devices. Each has an address of its own on loopback, so that none shares anything with another, and
// behind it a gate to the server that can be shut. A tab is a frame, which dies when it is taken out of its page.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request, type IncomingMessage, type Server as Listener, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import type { Entry, Filling, Kind } from '../src/data'
import type { Entered } from './acts'
import type { Weather } from './browser'
import type { Device } from './mirror'
import { password, type Person, type Server } from './server'

/** What runs in the page: it asks what to do next, and does it in the frame. */
const conductor = `<!doctype html><title>device</title><script>
let frame
const own = {
	async tab() {
		frame?.remove()
		frame = document.createElement('iframe')
		frame.src = '/__test/tab'
		const loaded = new Promise((done) => (frame.onload = done))
		document.body.append(frame)
		await loaded
	},
	async kill() { frame.remove(); frame = undefined },
	async forget() {
		frame?.remove()
		frame = undefined
		for (const { name } of await indexedDB.databases()) await new Promise((done) => {
			const gone = indexedDB.deleteDatabase(name)
			gone.onsuccess = gone.onerror = gone.onblocked = done
		})
	},
}
async function loop() {
	for (;;) {
		try {
			const { id, name, args } = await (await fetch('/__test/next')).json()
			if (!name) continue
			let answer
			try {
				const value = await (own[name] ? own[name](...args) : frame.contentWindow.commands[name](...args))
				answer = { id, value: value === undefined ? null : value }
			} catch (e) {
				answer = { id, problem: String(e?.stack ?? e) }
			}
			await fetch('/__test/done', { method: 'POST', body: JSON.stringify(answer) })
		} catch { await new Promise((done) => setTimeout(done, 50)) }
	}
}
addEventListener('load', loop)
</script><body></body>`

interface Asked {
	id: number
	name: string
	args: unknown[]
	done(value: unknown): void
	fail(e: Error): void
}

export class Page implements Device {
	readonly #server: Server
	readonly #script: string
	readonly #host: string
	readonly #gate: Listener
	readonly #open = new Set<Socket>()
	readonly #asked: Asked[] = []
	readonly #under = new Map<number, Asked>()
	#waiting: ServerResponse | undefined
	#weather: Weather = 'fair'
	#ids = 0

	constructor(server: Server, script: string, host: string) {
		this.#server = server
		this.#script = script
		this.#host = host
		this.#gate = createServer((ask, answer) => this.#take(ask, answer))
	}

	async listen(): Promise<string> {
		this.#gate.listen(0, this.#host)
		await once(this.#gate, 'listening')
		return this.#base() + '/__test/device'
	}

	stop(): void {
		this.#gate.close()
		this.#gate.closeAllConnections()
	}

	#base(): string {
		return `http://${this.#host}:${(this.#gate.address() as AddressInfo).port}`
	}

	#take(ask: IncomingMessage, answer: ServerResponse): void {
		const path = ask.url ?? '/'
		const html = { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' }
		if (path === '/__test/device') return void answer.writeHead(200, html).end(conductor)
		if (path === '/__test/tab') return void answer.writeHead(200, html).end(`<!doctype html><script>${this.#script}</script>`)
		if (path === '/__test/next') {
			this.#waiting = answer
			return this.#hand()
		}
		if (path === '/__test/done') {
			let text = ''
			ask.on('data', (part: Buffer) => (text += part.toString()))
			ask.on('end', () => {
				answer.end()
				const { id, value, problem } = JSON.parse(text) as { id: number; value: unknown; problem?: string }
				const asked = this.#under.get(id)
				this.#under.delete(id)
				if (problem === undefined) asked?.done(value === null ? undefined : value)
				else asked?.fail(new Error(problem))
			})
			return
		}
		this.#pass(ask, answer)
	}

	/** Lets a request through to the server, or not. */
	#pass(ask: IncomingMessage, answer: ServerResponse): void {
		const { socket } = ask
		if (this.#weather === 'down') return void socket.destroy()
		this.#open.add(socket)
		answer.on('close', () => this.#open.delete(socket))
		const { host, port } = new URL(this.#server.base)
		const headers = { ...ask.headers, host }
		if (headers.origin) headers.origin = this.#server.base
		const on = request({ host: '127.0.0.1', port, path: ask.url, method: ask.method, headers }, (reply) => {
			if (this.#weather === 'lossy' && ask.method !== 'GET') {
				reply.resume()
				reply.on('end', () => socket.destroy())
				return
			}
			const given = { ...reply.headers }
			if (given.location) given.location = given.location.replace(this.#server.base, this.#base())
			answer.writeHead(reply.statusCode ?? 502, given)
			reply.pipe(answer)
			reply.on('error', () => socket.destroy())
		})
		on.on('error', () => socket.destroy())
		answer.on('close', () => on.destroy())
		ask.pipe(on)
	}

	#hand(): void {
		if (!this.#waiting) return
		const next = this.#asked.shift()
		if (!next) return
		this.#under.set(next.id, next)
		this.#waiting.setHeader('Content-Type', 'application/json')
		this.#waiting.end(JSON.stringify({ id: next.id, name: next.name, args: next.args }))
		this.#waiting = undefined
	}

	/** Has the page do something, and gives what came of it. */
	do<T>(name: string, ...args: unknown[]): Promise<T> {
		return new Promise<T>((done, fail) => {
			this.#asked.push({ id: ++this.#ids, name, args, done: done as (value: unknown) => void, fail })
			this.#hand()
		})
	}

	async signIn(who: Person): Promise<void> {
		this.set('fair')
		await this.do('forget')
		await this.do('tab')
		await this.do('signIn', who.email, password)
	}
	async open(project: string): Promise<void> {
		await this.do('tab')
		await this.do('open', project)
	}
	set(weather: Weather): void {
		this.#weather = weather
		if (weather === 'down') for (const socket of this.#open) socket.destroy()
	}
	async die(): Promise<void> {
		await this.do('settled')
		await this.do('kill')
	}
	act(seed: number, token: string, sheet: string, own: readonly string[]): Promise<Entered | undefined> {
		return this.do('act', seed, token, sheet, own)
	}
	reopen(project: string): Promise<void> {
		return this.do('reopen', project)
	}
	entries(): Promise<readonly Entry[]> {
		return this.do('entries')
	}
	discard(id: number): Promise<void> {
		return this.do('discard', id)
	}
	phase(): Promise<Filling['phase']> {
		return this.do('phase')
	}
	records(kind: Kind): Promise<readonly { uid: string }[]> {
		return this.do('records', kind)
	}
	async close(): Promise<void> {
		await this.do('kill').catch(() => {})
	}
}

export class Chromium {
	readonly pages: Page[]
	readonly #data = mkdtempSync(join(tmpdir(), 'groundwork-pages-'))
	#child: ChildProcess | undefined

	private constructor(pages: Page[]) {
		this.pages = pages
	}

	/** Opens a browser with so many devices. */
	static async open(server: Server, devices: number): Promise<Chromium> {
		const script = await bundle()
		const pages = Array.from({ length: devices }, (_, i) => new Page(server, script, `127.0.1.${i + 1}`))
		const chromium = new Chromium(pages)
		const addresses: string[] = []
		for (const page of pages) addresses.push(await page.listen())
		const child = spawn(process.env['GROUNDWORK_BROWSER'] ?? 'chromium', [
			'--headless=new', '--no-sandbox', '--no-first-run', '--disable-gpu', `--user-data-dir=${chromium.#data}`,
			'--disable-background-timer-throttling', '--disable-renderer-backgrounding',
			'--disable-backgrounding-occluded-windows', '--enable-precise-memory-info', '--js-flags=--expose-gc',
			'--remote-debugging-pipe',
		], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] })
		chromium.#child = child
		chromium.#listen(child.stdio[4] as Readable)
		for (const url of addresses) chromium.#say('Target.createTarget', { url })
		child.on('error', (e) => console.error(e))
		child.on('exit', (code) => code && console.error(`The browser ended: ${code}.`))
		return chromium
	}

	#heard: (told: Told) => void = () => {}
	#ids = 0

	#listen(from: Readable): void {
		let rest = ''
		from.on('data', (part: Buffer) => {
			const all = (rest + part.toString()).split('\0')
			rest = all.pop() as string
			for (const text of all) this.#heard(JSON.parse(text) as Told)
		})
	}

	#say(method: string, params = {}): void {
		;(this.#child?.stdio[3] as Writable).write(JSON.stringify({ id: ++this.#ids, method, params }) + '\0')
	}

	/**
	 * Runs something and gives what the main threads of pages did meanwhile, task by task: in milliseconds of processor time,
	 * so that other programs on the machine do not count.
	 */
	async tasks<T>(run: () => Promise<T>): Promise<{ value: T; tasks: number[] }> {
		const events: TraceEvent[] = []
		const ended = new Promise<void>((done) => {
			this.#heard = ({ method, params }) => {
				if (method === 'Tracing.dataCollected') events.push(...(params?.value ?? []))
				if (method === 'Tracing.tracingComplete') done()
			}
		})
		this.#say('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: ['toplevel'] } })
		const value = await run()
		this.#say('Tracing.end')
		await ended
		const main = new Set(events.filter((e) => e.name === 'thread_name' && e.args?.name === 'CrRendererMain').map(thread))
		const tasks = events.filter((e) => e.name === 'ThreadControllerImpl::RunTask' && e.tdur !== undefined && main.has(thread(e)))
		return { value, tasks: tasks.map((e) => (e.tdur as number) / 1000) }
	}

	async close(): Promise<void> {
		for (const page of this.pages) page.stop()
		if (this.#child && this.#child.exitCode === null) {
			const over = once(this.#child, 'exit')
			this.#say('Browser.close')
			await over
		}
		rmSync(this.#data, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 })
	}
}

interface TraceEvent {
	name: string
	pid: number
	tid: number
	tdur?: number
	args?: { name?: string }
}

interface Told {
	method?: string
	params?: { value?: TraceEvent[] }
}

const thread = (e: TraceEvent) => `${e.pid}/${e.tid}`

/** bundle is test/page.ts and all that it needs as one script. */
async function bundle(): Promise<string> {
	const built = await build({
		configFile: false, logLevel: 'warn',
		build: {
			write: false, minify: true, target: 'es2022',
			lib: { entry: fileURLToPath(new URL('./page.ts', import.meta.url)), formats: ['iife'], name: 'page' },
		},
	})
	const [{ output }] = (Array.isArray(built) ? built : [built]) as [{ output: { code?: string }[] }]
	const code = output.find((one) => one.code !== undefined)?.code
	if (!code) throw new Error('The page was not built.')
	return code.replaceAll('</script', '<\\/script')
}

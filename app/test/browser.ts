// Browsers for tests in Node: cookies, a database, locks and channels that tabs share; tabs whose line breaks and that
// die.
import { setMaxListeners } from 'node:events'
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { OpenDesk } from '../src/data/desk'
import type { Ports } from '../src/data/ports'
import { password, type Person, type Server } from './server'

/** speed is how much faster than the real one the clock of the tabs is, so that no test waits for a backoff. */
const speed = 10

export class Browser {
	readonly server: Server
	readonly indexedDB = new IDBFactory()
	cookie = ''
	account: string | undefined
	/** Added to the clock. */
	ahead = 0
	readonly #locks = new Map<string, Promise<void>>()
	readonly #channels = new Map<string, Set<{ hear(message: unknown): void; open(): boolean }>>()
	readonly tabs = new Set<Tab>()
	readonly #began = Date.now()

	constructor(server: Server) {
		this.server = server
	}

	async signIn(who: Person): Promise<void> {
		const answer = await fetch(`${this.server.base}/sign-in`, {
			method: 'POST', redirect: 'manual', headers: { Origin: this.server.base, 'Sec-Fetch-Site': 'same-origin' },
			body: new URLSearchParams({ email: who.email, password }),
		})
		this.takeCookie(answer)
		if (answer.status === 429) {
			throw new Error('Too many sign-ins at this service: put some of these tests into a file of their own, with a service of its own.')
		}
		if (answer.status !== 303) throw new Error(`sign-in: ${answer.status}`)
	}

	takeCookie(answer: Response): void {
		for (const text of answer.headers.getSetCookie()) {
			const [name, value] = (text.split(';')[0] as string).split('=') as [string, string]
			if (name === 'groundwork') this.cookie = `${name}=${value}`
			if (name === 'groundwork-account') this.account = value || undefined
		}
	}

	now(): number {
		return this.#began + (Date.now() - this.#began) * speed + this.ahead
	}

	tab(): Tab {
		const tab = new Tab(this)
		this.tabs.add(tab)
		return tab
	}

	/** Gives a lock to one tab after the other. */
	async lock(name: string, tab: Tab, signal: AbortSignal, hold: () => Promise<void>): Promise<void> {
		if (tab.dead.signal.aborted) return new Promise(() => {}) // what is left of a dead tab does nothing
		const before = this.#locks.get(name) ?? Promise.resolve()
		let release = () => {}
		const mine = new Promise<void>((done) => (release = done))
		this.#locks.set(name, before.then(() => mine))
		const over = new Promise<'over'>((done) => {
			if (signal.aborted) done('over')
			signal.addEventListener('abort', () => done('over'))
			tab.dead.signal.addEventListener('abort', () => done('over'))
		})
		try {
			if ((await Promise.race([before, over])) === 'over') return
			// A dead tab loses its locks, whatever it was doing.
			const died = new Promise<void>((done) => {
				if (tab.dead.signal.aborted) done()
				tab.dead.signal.addEventListener('abort', () => done())
			})
			await Promise.race([hold(), died])
		} finally {
			release()
		}
	}

	channel(name: string, tab: Tab, hear: (message: unknown) => void) {
		const all = this.#channels.get(name) ?? new Set()
		this.#channels.set(name, all)
		let open = true
		const own = { hear, open: () => open && !tab.deaf && !tab.dead.signal.aborted }
		all.add(own)
		return {
			tell: (message: unknown) => {
				if (tab.dead.signal.aborted) return
				if (!open) throw new DOMException('Channel is closed', 'InvalidStateError')
				const copy = structuredClone(message)
				for (const other of all) if (other !== own) setTimeout(() => other.open() && other.hear(structuredClone(copy)))
			},
			close: () => {
				open = false
				all.delete(own)
			},
		}
	}

	async close(): Promise<void> {
		for (const tab of [...this.tabs]) await tab.close()
	}
}

export type Weather =
	/** All is well. */
	| 'fair'
	/** Nothing gets through. */
	| 'down'
	/** Writes reach the server, and their answers do not come back. */
	| 'lossy'

export class Tab {
	readonly browser: Browser
	readonly dead = new AbortController()
	weather: Weather = 'fair'
	/** Whether it hears nothing of the other tabs. */
	deaf = false
	/** Called before each request; may throw, wait, or change it. */
	onRequest: ((method: string, path: string) => void | Promise<void>) | undefined
	/** Called after each answer; where it throws, the answer was lost. */
	onReply: ((method: string, path: string) => void | Promise<void>) | undefined
	/** Answers in place of the server. */
	onAnswer: ((method: string, path: string) => Response | undefined) | undefined
	/** Changes what the feed tells. */
	onFeed: ((text: string) => string) | undefined
	/** What was sent: method, path, key and body. */
	readonly sent: { method: string; path: string; key: string | null; match: string | null; body: string }[] = []
	/** What has an address of the device. */
	readonly addresses = new Map<string, Blob>()
	readonly #lines = new Set<AbortController>()
	desk: OpenDesk

	constructor(browser: Browser) {
		this.browser = browser
		setMaxListeners(0, this.dead.signal)
		this.desk = new OpenDesk(this.ports())
	}

	ports(): Ports {
		const { browser } = this
		return {
			base: browser.server.base,
			fetch: (input, init) => this.#fetch(String(input), init ?? {}),
			post: (address, form, sent, signal) => this.#post(address, form, sent, signal),
			address: (blob) => {
				const address = `blob:${crypto.randomUUID()}`
				this.addresses.set(address, blob)
				return [address, () => this.addresses.delete(address)]
			},
			indexedDB: browser.indexedDB,
			keyRange: IDBKeyRange,
			lock: (name, signal, hold) => browser.lock(name, this, signal, hold),
			channel: (name, hear) => browser.channel(name, this, hear),
			now: () => browser.now(),
			sleep: (ms, signal) => new Promise((done) => {
				const timer = setTimeout(end, Math.max(1, ms / speed))
				const ended = this.dead.signal
				function end() {
					clearTimeout(timer)
					signal?.removeEventListener('abort', end)
					if (!ended.aborted) done()
				}
				ended.addEventListener('abort', () => clearTimeout(timer), { once: true })
				if (signal?.aborted) end()
				signal?.addEventListener('abort', end)
			}),
			uid: () => crypto.randomUUID(),
			random: () => Math.random(),
			account: () => browser.account,
		}
	}

	async #fetch(address: string, init: RequestInit): Promise<Response> {
		if (this.dead.signal.aborted) return new Promise(() => {})
		const method = init.method ?? 'GET'
		const path = address.slice(this.browser.server.base.length)
		const headers = new Headers(init.headers)
		const write = method !== 'GET'
		if (write) {
			const body = typeof init.body === 'string' ? init.body : ''
			this.sent.push({ method, path, key: headers.get('Idempotency-Key'), match: headers.get('If-Match'), body })
		}
		await this.onRequest?.(method, path)
		if (this.dead.signal.aborted) return new Promise(() => {})
		if (this.weather === 'down') throw new TypeError('fetch failed')
		const answered = this.onAnswer?.(method, path)
		if (answered) return answered
		headers.set('Cookie', this.browser.cookie)
		headers.set('Origin', this.browser.server.base)
		headers.set('Sec-Fetch-Site', 'same-origin')
		const line = new AbortController()
		this.#lines.add(line)
		const signal = init.signal ? AbortSignal.any([init.signal, line.signal]) : line.signal
		try {
			const answer = await fetch(address, { ...init, headers, signal, redirect: 'manual' })
			this.browser.takeCookie(answer)
			if (this.dead.signal.aborted) return new Promise(() => {})
			await this.onReply?.(method, path)
			if (this.dead.signal.aborted) return new Promise(() => {})
			if (this.weather === 'lossy' && write) {
				await answer.arrayBuffer().catch(() => {})
				throw new TypeError('terminated')
			}
			if (!this.onFeed || !/\/(events|changes)\?/.test(path) || !answer.body) return answer
			return new Response(answer.body.pipeThrough(rewriting(this.onFeed)), { status: answer.status, headers: answer.headers })
		} finally {
			if (!/\/events/.test(path)) this.#lines.delete(line)
		}
	}

	/** Sends a form as a browser does: it follows where the answer leads, and says what is on its way. */
	async #post(address: string, form: FormData, sent: (bytes: number) => void, signal: AbortSignal) {
		const size = (form.get('file') as Blob).size
		sent(Math.floor(size / 2))
		let answer = await this.#fetch(address, { method: 'POST', body: form, signal })
		sent(size)
		const next = answer.headers.get('Location')
		if (answer.status === 303 && next) answer = await this.#fetch(next, { signal })
		return { status: answer.status, text: await answer.text(), header: (name: string) => answer.headers.get(name) }
	}

	/** Changes the line; what is on its way breaks. */
	set(weather: Weather): void {
		this.weather = weather
		if (weather !== 'down') return
		for (const line of this.#lines) line.abort(new TypeError('network changed'))
		this.#lines.clear()
	}

	/** Ends the tab as a phone does that needs its memory: without a word, whatever it is doing. */
	kill(): void {
		this.dead.abort()
		for (const line of this.#lines) line.abort()
		this.browser.tabs.delete(this)
	}

	async close(): Promise<void> {
		this.browser.tabs.delete(this)
		if (this.dead.signal.aborted) return
		await this.desk.end()
		this.kill()
	}
}

/** Changes whole lines of a stream. */
function rewriting(change: (text: string) => string): TransformStream<Uint8Array, Uint8Array> {
	const decoder = new TextDecoder()
	const encoder = new TextEncoder()
	let rest = ''
	return new TransformStream({
		transform(chunk, out) {
			rest += decoder.decode(chunk, { stream: true })
			const end = rest.lastIndexOf('\n\n')
			if (end < 0) return
			out.enqueue(encoder.encode(change(rest.slice(0, end + 2))))
			rest = rest.slice(end + 2)
		},
		flush(out) {
			if (rest) out.enqueue(encoder.encode(change(rest)))
		},
	})
}

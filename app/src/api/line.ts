// The line to the service: one request, one answer, and what went wrong in the form that everybody above understands.

/** Reply is an answer, whatever its status. */
export interface Reply {
	status: number
	/** The body as JSON; undefined where there is none, or where it is not JSON. */
	body: unknown
	etag: string | undefined
	/** Seconds, where the service says when to come back. */
	retryAfter: number | undefined
	requestId: string | undefined
}

/** Cut is that no answer came: the line is down, or was cut before the answer was whole. */
export class Cut extends Error {
	constructor(cause: unknown) {
		super('No answer from the service.', { cause })
	}
}

export interface Request {
	method: string
	/** Path and query, from the slash on. */
	path: string
	/** A body that is JSON text already: a retry repeats its bytes. */
	body?: string | undefined
	headers?: Record<string, string>
	signal?: AbortSignal | undefined
}

/** Form is a form that takes a file, as the service gives it out. */
export interface Form {
	action: string
	fields: { name: string; value: string }[]
}

/**
 * Post sends a form with a file as its last part, follows where the answer leads, and says how many bytes are on their
 * way; throws where no answer came.
 */
export type Post =
	(address: string, form: FormData, sent: (bytes: number) => void, signal: AbortSignal) => Promise<Posted>

export interface Posted {
	status: number
	text: string
	header(name: string): string | null
}

/** longest is how long an answer may take. A phone that changes networks does not learn that its connection is dead. */
const longest = 60_000

export class Line {
	readonly #base: string
	readonly #fetch: typeof fetch
	readonly #post: Post

	constructor(base: string, fetcher: typeof fetch, post: Post) {
		this.#base = base
		this.#fetch = fetcher
		this.#post = post
	}

	/** Gives the answer of a request; throws Cut where none came. */
	async send(r: Request): Promise<Reply> {
		const headers: Record<string, string> = { Accept: 'application/json', ...r.headers }
		if (r.body !== undefined) headers['Content-Type'] ??= 'application/json'
		const signal = r.signal ? AbortSignal.any([r.signal, AbortSignal.timeout(longest)]) : AbortSignal.timeout(longest)
		try {
			const answer = await this.#fetch(this.#base + r.path, {
				method: r.method, headers, body: r.body ?? null, signal, credentials: 'same-origin', cache: 'no-store',
				redirect: 'manual',
			})
			const text = await answer.text()
			return {
				status: answer.type === 'opaqueredirect' ? 303 : answer.status, body: parsed(text),
				...told((name) => answer.headers.get(name)),
			}
		} catch (e) {
			throw new Cut(e)
		}
	}

	/** Sends a file with its form, and gives the answer of where that leads; throws Cut where none came. */
	async post(form: Form, file: Blob, name: string, sent: (bytes: number) => void, signal: AbortSignal): Promise<Reply> {
		const body = new FormData()
		for (const field of form.fields) body.append(field.name, field.value)
		body.append('file', file, name)
		try {
			// By its path: the service may know itself under another address than this page does.
			const { status, text, header } = await this.#post(this.#base + pathOf(form.action), body, sent, signal)
			return { status, body: parsed(text), ...told(header) }
		} catch (e) {
			throw new Cut(e)
		}
	}

	/** Opens an answer that goes on; throws Cut where none came. What is not 200 is read like any other answer. */
	async open(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Reply | Response> {
		try {
			const answer = await this.#fetch(this.#base + path, {
				method: 'GET', headers: { Accept: 'text/event-stream', ...headers }, signal, credentials: 'same-origin',
				cache: 'no-store', redirect: 'manual',
			})
			if (answer.status === 200 && answer.body) return answer
			return { status: answer.status, body: parsed(await answer.text()), ...told((name) => answer.headers.get(name)) }
		} catch (e) {
			throw new Cut(e)
		}
	}
}

function told(header: (name: string) => string | null) {
	const after = header('Retry-After')
	return {
		etag: header('ETag') ?? undefined,
		retryAfter: after && /^\d+$/.test(after) ? Number(after) : undefined,
		requestId: header('X-Request-Id') ?? undefined,
	}
}

function parsed(text: string): unknown {
	if (text === '') return undefined
	try {
		return JSON.parse(text)
	} catch {
		return undefined
	}
}

/** Gives path and query of an absolute address, such as next_page_url. */
export function pathOf(address: string): string {
	const url = new URL(address, 'http://localhost')
	return url.pathname + url.search
}

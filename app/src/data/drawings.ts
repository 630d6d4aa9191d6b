// Sets of drawings on their way: PDFs are sent from here, with progress, and go on while the person looks at other
// screens. What was read of them is asked for with Direct.call; a set that was sent is a version set of the store.

import { pathOf, type Form, type Line, type Reply } from '../api/line'
import { Cell } from './live'
import type { Ports } from './ports'
import type { Answer, Drawings, Sending, SendingFile } from './types'

/** atOnce is how many files of a set are sent at the same time. */
const atOnce = 2
/** tries is how often a file is sent before the person is asked. */
const tries = 3

type Call = <T>(method: 'GET' | 'POST', path: string, body?: unknown) => Promise<Answer<T>>

interface Offer {
	webhook_url: string
	storage_post_form_arguments: Form
}

interface Begun {
	uid: string
	file_upload_requests: { uid: string; url: string; status: string }[]
}

/** Work is a set with its files, which only the tab has that was given them. */
interface Work {
	shown: Sending
	files: readonly File[]
	begun?: Begun
	stop: AbortController
}

export class SendingDrawings implements Drawings {
	readonly sendings = new Cell<readonly Sending[]>([])
	readonly #ports: Ports
	readonly #call: Call
	readonly #line: () => Line
	readonly #work = new Map<number, Work>()
	#next = 1

	constructor(ports: Ports, line: () => Line, call: Call) {
		this.#ports = ports
		this.#line = line
		this.#call = call
	}

	send(project: string, name: string, files: readonly File[]): number {
		const id = this.#next++
		const shown: Sending = {
			id, project, name, state: 'sending',
			files: files.map((f) => ({ name: f.name, size: f.size, sent: 0, state: 'waiting' })),
		}
		this.#work.set(id, { shown, files, stop: new AbortController() })
		this.#show()
		void this.#run(id)
		return id
	}

	retry(id: number): void {
		const work = this.#work.get(id)
		if (!work || work.shown.state !== 'failed') return
		this.#change(work, { state: 'sending', sentence: undefined })
		void this.#run(id)
	}

	forget(id: number): void {
		this.#work.get(id)?.stop.abort()
		this.#work.delete(id)
		this.#show()
	}

	/** Ends all of them: whose they are has gone. */
	end(): void {
		for (const id of [...this.#work.keys()]) this.forget(id)
	}

	async #run(id: number): Promise<void> {
		const work = this.#work.get(id)
		if (!work) return
		const { project, name } = work.shown
		if (!work.begun) {
			const begun = await this.#call<Begun>('POST', `/projects/${project}/sheets/uploads`, {
				num_files: work.files.length, version_name: name, publish: false,
			})
			if (!begun.ok) return this.#change(work, { state: 'failed', sentence: begun.sentence })
			work.begun = begun.value
			this.#change(work, { upload: begun.value.uid })
		}
		const left = work.shown.files.flatMap((f, i) => (f.state === 'sent' ? [] : [i]))
		await Promise.all(Array.from({ length: atOnce }, async () => {
			for (let i = left.shift(); i !== undefined && !work.stop.signal.aborted; i = left.shift()) {
				await this.#sendFile(work, i)
			}
		}))
		if (work.stop.signal.aborted) return
		const bad = work.shown.files.find((f) => f.state === 'failed')
		if (bad) return this.#change(work, { state: 'failed', sentence: bad.sentence })
		const done = await this.#call('POST', `/projects/${project}/sheets/uploads/${work.begun.uid}/completions`)
		if (!done.ok) return this.#change(work, { state: 'failed', sentence: done.sentence })
		this.#change(work, { state: 'sent' })
	}

	/** Sends one file. A line that was cut is tried again, from the beginning of the file. */
	async #sendFile(work: Work, i: number): Promise<void> {
		const file = work.files[i] as File
		const request = work.begun?.file_upload_requests[i]
		if (!request) return
		let sentence = ''
		for (let n = 0; n < tries && !work.stop.signal.aborted; n++) {
			if (n > 0) await this.#ports.sleep(1_000 * 2 ** n, work.stop.signal)
			this.#changeFile(work, i, { state: 'sending', sent: 0, sentence: undefined })
			const offer = await this.#call<Offer>('POST', pathOf(request.url), { file_name: file.name })
			if (!offer.ok) {
				sentence = offer.sentence
				if (offer.status >= 400 && offer.status < 500 && offer.status !== 429) break
				continue
			}
			const answer = await this.#post(work, i, file, offer.value)
			if (answer === undefined) return this.#changeFile(work, i, { state: 'sent', sent: file.size })
			sentence = answer
		}
		this.#changeFile(work, i, { state: 'failed', sentence })
	}

	/** Posts the form of a file; gives a sentence where it did not arrive. */
	async #post(work: Work, i: number, file: File, offer: Offer): Promise<string | undefined> {
		const told = (sent: number) => this.#changeFile(work, i, { sent: Math.min(sent, file.size) })
		let reply: Pick<Reply, 'status' | 'body'> = { status: 0, body: undefined }
		try {
			reply = await this.#line().post(offer.storage_post_form_arguments, file, file.name, told, work.stop.signal)
		} catch {
			// it may have arrived all the same: the completion tells
		}
		if (reply.status >= 400) {
			const said = (reply.body as { message?: unknown } | undefined)?.message
			return typeof said === 'string' ? said : `The service answered with status ${reply.status}.`
		}
		const done = await this.#call('GET', pathOf(offer.webhook_url))
		return done.ok ? undefined : done.sentence
	}

	#changeFile(work: Work, i: number, change: Partial<SendingFile>): void {
		this.#change(work, { files: work.shown.files.map((f, at) => (at === i ? { ...f, ...change } : f)) })
	}

	#change(work: Work, change: Partial<Sending>): void {
		work.shown = { ...work.shown, ...change }
		if (this.#work.get(work.shown.id) === work) this.#show()
	}

	#show(): void {
		this.sendings.set([...this.#work.values()].map((work) => work.shown))
	}
}

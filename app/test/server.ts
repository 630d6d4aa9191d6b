// The real program, on loopback, with a data folder that is thrown away.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const program = process.env['GROUNDWORK_PROGRAM'] ?? fileURLToPath(new URL('../../bin/groundwork', import.meta.url))
export const password = 'a password of some length'

export interface Person {
	uid: string
	email: string
	key: string
}

export class Server {
	readonly base: string
	readonly #data: string
	readonly #port: number
	readonly #flags: string[]
	#child: ChildProcess | undefined
	#log = ''

	private constructor(data: string, port: number, flags: string[]) {
		this.#data = data
		this.#flags = flags
		this.#port = port
		this.base = `http://127.0.0.1:${port}`
	}

	/** Makes a data folder with accounts, and serves it. */
	static async start(names: string[], flags: string[] = []): Promise<{ server: Server; people: Record<string, Person> }> {
		if (!existsSync(program)) throw new Error(`${program} is not there. Run make build, or make app-check.`)
		const data = mkdtempSync(join(tmpdir(), 'groundwork-app-'))
		const server = new Server(data, await freePort(), flags)
		const people: Record<string, Person> = {}
		for (const name of names) {
			const email = `${name}@example.com`
			const uid = await server.#command(['account', 'create', '--email', email, '--name', `${name} Test`, '--password-stdin'],
				password + '\n')
			const key = await server.#command(['key', 'create', '--email', email, '--limit', 'all/1=100000'], '')
			people[name] = { uid, email, key }
		}
		await server.serve()
		return { server, people }
	}

	async serve(): Promise<void> {
		const limits = ['--session-limit', 'all/1=100000', '--invitations', '1000000']
		const child = spawn(program,
			['serve', '--data', this.#data, '--listen', `127.0.0.1:${this.#port}`, '--log-level', 'warn', ...limits, ...this.#flags],
			{ stdio: ['ignore', 'ignore', 'pipe'] })
		child.stderr.on('data', (text: Buffer) => {
			this.#log = (this.#log + text.toString()).slice(-20_000)
		})
		this.#child = child
		await until('the server answers', async () => {
			if (child.exitCode !== null) throw new Error(`The server ended:\n${this.#log}`)
			const answer = await fetch(`${this.base}/readyz`).catch(() => undefined)
			await answer?.arrayBuffer()
			return answer?.ok === true
		})
	}

	/** Ends the program as a power cut would. */
	async kill(): Promise<void> {
		const child = this.#child
		if (!child || child.exitCode !== null) return
		child.kill('SIGKILL')
		await once(child, 'exit')
	}

	async stop(): Promise<void> {
		await this.kill()
		rmSync(this.#data, { recursive: true, force: true })
	}

	async #command(args: string[], input: string): Promise<string> {
		const child = spawn(program, [...args, '--data', this.#data], { stdio: ['pipe', 'pipe', 'pipe'] })
		child.stdin.end(input)
		let out = ''
		let problem = ''
		child.stdout.on('data', (text: Buffer) => (out += text.toString()))
		child.stderr.on('data', (text: Buffer) => (problem += text.toString()))
		const [code] = (await once(child, 'close')) as [number]
		if (code !== 0) throw new Error(`groundwork ${args.join(' ')}: ${problem}`)
		return out.trim().split('\n')[0] as string
	}

	/** Calls the API with a key, as another program of a person would. */
	async api(who: Person, method: string, path: string, body?: unknown): Promise<{ status: number; body: any }> {
		const answer = await fetch(path.startsWith('http') ? path : this.base + path, {
			method,
			headers: {
				Authorization: `Basic ${Buffer.from(who.key + ':').toString('base64')}`,
				...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
			},
			body: body === undefined ? null : JSON.stringify(body),
		})
		const text = await answer.text()
		return { status: answer.status, body: text ? JSON.parse(text) : undefined }
	}

	/** Does what must succeed. */
	async must(who: Person, method: string, path: string, body?: unknown): Promise<any> {
		const answer = await this.api(who, method, path, body)
		if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
		return answer.body
	}

	/** Publishes a drawing of one page, or leaves the set unpublished. */
	async drawing(who: Person, project: string, name: string, publish: boolean): Promise<string> {
		const set = await this.must(who, 'POST', `/projects/${project}/sheets/uploads`,
			{ num_files: 1, version_name: name, publish })
		const upload = await this.must(who, 'POST', set.file_upload_requests[0].url, { file_name: `${name}.pdf` })
		const form = new FormData()
		for (const field of upload.storage_post_form_arguments.fields) form.set(field.name, field.value)
		form.set('file', new Blob([page(name)], { type: 'application/pdf' }), `${name}.pdf`)
		const sent = await fetch(upload.storage_post_form_arguments.action, { method: 'POST', body: form })
		if (!sent.ok) throw new Error(`upload: ${sent.status} ${await sent.text()}`)
		await this.must(who, 'POST', set.complete_url)
		await until('the drawing is read', async () => {
			const { processing } = await this.must(who, 'GET', `/projects/${project}/sheets/uploads/${set.uid}`)
			if (processing.status === 'errored') throw new Error(JSON.stringify(processing))
			return processing.status === 'complete' && (processing.published || !publish)
		}, 600)
		return set.uid
	}
}

/** page is a PDF with one small page and a line of text. */
function page(text: string): string {
	const objects = [
		'<< /Type /Catalog /Pages 2 0 R >>',
		'<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
		'<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 396] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
		(() => {
			const content = `BT /F 18 Tf 450 30 Td (${text}) Tj ET`
			return `<< /Length ${content.length} >>\nstream\n${content}\nendstream`
		})(),
		'<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
	]
	let out = '%PDF-1.4\n'
	const places: number[] = []
	objects.forEach((object, i) => {
		places.push(out.length)
		out += `${i + 1} 0 obj\n${object}\nendobj\n`
	})
	const table = out.length
	out += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`
	for (const place of places) out += `${String(place).padStart(10, '0')} 00000 n \n`
	return out + `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`
}

async function freePort(): Promise<number> {
	const listener = createServer()
	listener.listen(0, '127.0.0.1')
	await once(listener, 'listening')
	const { port } = listener.address() as { port: number }
	listener.close()
	await once(listener, 'close')
	return port
}

/** Waits for a condition, however slow the machine is. */
export async function until(what: string, is: () => boolean | Promise<boolean>, seconds = 60): Promise<void> {
	const end = Date.now() + seconds * 1000
	for (;;) {
		if (await is()) return
		if (Date.now() > end) throw new Error(`Waited ${seconds} seconds in vain: ${what}.`)
		await new Promise((done) => setTimeout(done, 20))
	}
}

// Server-sent events, read from the body of an answer: EventSource tells nobody why it was refused.

export interface Event {
	event: string
	data: string
}

/** Chunk is what arrived together: events, and the id from which to go on after them. */
export interface Chunk {
	events: Event[]
	/** The last id that was told, here or before; '' before the first. */
	id: string
	/** Milliseconds after which to come back, where the service said so. */
	retry: number | undefined
}

/** Reads events as they arrive, until the signal ends it. A line that was cut is no event. */
export async function* chunks(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Chunk> {
	const reader = body.getReader()
	const end = () => void reader.cancel().catch(() => {})
	if (signal.aborted) end()
	signal.addEventListener('abort', end)
	const decoder = new TextDecoder()
	let rest = ''
	let id = ''
	let lastId = ''
	let event = ''
	let data: string[] = []
	try {
		for (;;) {
			const { done, value } = await reader.read()
			if (done) return
			rest += decoder.decode(value, { stream: true })
			const lines = rest.split('\n')
			rest = lines.pop() ?? ''
			const chunk: Chunk = { events: [], id, retry: undefined }
			for (const raw of lines) {
				const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
				if (line === '') {
					id = lastId
					if (data.length > 0) chunk.events.push({ event: event || 'message', data: data.join('\n') })
					event = ''
					data = []
					continue
				}
				const colon = line.indexOf(':')
				if (colon === 0) continue
				const name = colon < 0 ? line : line.slice(0, colon)
				let text = colon < 0 ? '' : line.slice(colon + 1)
				if (text.startsWith(' ')) text = text.slice(1)
				if (name === 'id') lastId = text
				else if (name === 'event') event = text
				else if (name === 'data') data.push(text)
				else if (name === 'retry' && /^\d+$/.test(text)) chunk.retry = Number(text)
			}
			chunk.id = id
			yield chunk
		}
	} finally {
		signal.removeEventListener('abort', end)
		await reader.cancel().catch(() => {})
	}
}

// Files that the service makes in the background: packets, reports, archives.

import type { Direct } from './types'

export interface Shareable {
	uid: string
	status: 'incomplete' | 'complete' | 'errored'
	file_url: string | null
	/** From 0 to 100. */
	progress: number
	/** Why it is errored. */
	message: string | null
}

/**
 * Asks how far a file is until it is made. Each state is shown to seen, the first one too; where that says false nobody
 * wants to know any more. A moment without a line, and a service that is busy, are no end.
 */
export async function followShareable(
	direct: Direct, path: string, first: Shareable, seen: (now: Shareable) => boolean,
): Promise<void> {
	let now = first
	for (let wait = 400; seen(now) && now.status === 'incomplete'; wait = Math.min(wait * 1.3, 3000)) {
		await new Promise((done) => setTimeout(done, wait))
		const answer = await direct.call<Shareable>('GET', `${path}/${first.uid}`)
		if (answer.ok) now = answer.value
		else if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) {
			now = { ...now, status: 'errored', message: answer.sentence }
		}
	}
}

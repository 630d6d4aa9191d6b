import { Cut, type Reply } from '../api/line'
import type { Answer, Refusal } from './types'

/** refusalOf gives what an answer refused, in the server's words. */
export function refusalOf(reply: Reply): Refusal {
	const body = (reply.body ?? {}) as { message?: unknown; errors?: Record<string, unknown> }
	const { _general: general, ...errors } = body.errors ?? {}
	const sentence = typeof general === 'string' ? general : body.message
	return {
		status: reply.status,
		sentence: typeof sentence === 'string' ? sentence : `The service answered with status ${reply.status}.`,
		fieldErrors: Object.fromEntries(Object.entries(errors).map(([field, text]) => [field, String(text)])),
		...(reply.requestId === undefined ? {} : { requestId: reply.requestId }),
	}
}

/** unanswered is the refusal of a line that is down. */
export const unanswered: Refusal = {
	status: 0, sentence: 'The service does not answer. Look at your connection, and try again.', fieldErrors: {},
}

/** answered waits for an answer and gives it in the form that screens read. */
export async function answered<T>(asked: Promise<Reply>): Promise<Answer<T>> {
	try {
		const reply = await asked
		if (reply.status >= 200 && reply.status < 300) return { ok: true, value: reply.body as T }
		return { ok: false, ...refusalOf(reply) }
	} catch (e) {
		if (!(e instanceof Cut)) throw e
		return { ok: false, ...unanswered }
	}
}

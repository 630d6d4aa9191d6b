// How a file is sent: ask for a form under the uid of its record, send the file with it, and complete. Each of these
// may be cut before or after the server acted; the next try finds out what was done, and goes on from there.

import type { Form, Line, Reply } from '../api/line'
import { pathOf } from '../api/line'
import type { Kept } from './base'
import type { Fields } from './fields'
import type { Refusal, Uploadable, UploadFields } from './types'

const types: Record<string, string> = {
	jpg: 'image/jpeg', jpeg: 'image/jpeg', png: 'image/png', heic: 'image/heic', heif: 'image/heif',
	pdf: 'application/pdf',
}

/** typeOf gives the content type of a file; not every browser knows those of phones. */
export function typeOf(file: Blob, name: string): string {
	return file.type || types[name.slice(name.lastIndexOf('.') + 1).toLowerCase()] || 'application/octet-stream'
}

/** nameOf gives the name of a file; what a camera or a canvas made has none. */
export function nameOf(file: Blob, kind: Uploadable, fields: UploadFields): string {
	const own = (file as { name?: unknown }).name
	if (typeof own === 'string' && own !== '') return own
	const ending = Object.keys(types).find((one) => types[one] === file.type)
	const name = fields.name ?? fields.title ?? { photos: 'photo', attachments: 'document', snapshots: 'snapshot' }[kind]
	return ending && !name.includes('.') ? `${name}.${ending}` : name
}

/** uploadFields gives what is asked of a file, in the names of the API. */
export function uploadFields(kind: Uploadable, name: string, fields: UploadFields): Fields {
	if (kind === 'attachments') return { name: fields.name ?? name, ...(fields.folder ? { folder: fields.folder } : {}) }
	return {
		...(fields.title === undefined ? {} : { title: fields.title }),
		...(kind === 'snapshots' && fields.sheet ? { sheet_uid: fields.sheet } : {}),
	}
}

/** Steps is what sending needs besides the line. */
export interface Steps {
	read(): Promise<Blob>
	/** Keeps the entry as it is now, before anything is sent. */
	keep(): Promise<unknown>
	/** How many bytes are on their way. */
	sent: (bytes: number) => unknown
	signal: AbortSignal
}

/** sendFile gives the last answer: of the completion where the record is made, 409 where it was made before. */
export async function sendFile(line: Line, kept: Kept, steps: Steps): Promise<Reply> {
	const { signal } = steps
	const file = await steps.read()
	for (let round = 1;; round++) {
		const body = JSON.stringify({ ...kept.fields, content_type: kept.file?.type, uid: kept.uid })
		const path = `/projects/${kept.project}/${kept.kind}/uploads`
		const asked = await line.send({ method: 'POST', path, body, signal })
		if (asked.status !== 201) return asked
		const { storage_post_form_arguments: form, webhook_url: completion } = asked.body as {
			storage_post_form_arguments: Form
			webhook_url: string
		}
		if (kept.posted) { // it may have arrived, and only its answer was lost
			const completed = await line.send({ method: 'POST', path: pathOf(completion), signal })
			if (completed.status !== 400) return completed
		}
		kept.posted = true
		await steps.keep()
		const answer = await line.post(form, file, kept.file?.name ?? '', steps.sent, signal)
		// A form that ended while the phone slept is asked for anew, once.
		if (answer.status !== 403 || round > 1) return answer
	}
}

/** broken is the refusal of a file that is not there any more. */
export const broken: Refusal = {
	status: 0, reason: 'broken', fieldErrors: {},
	sentence: 'This device does not have all of this file: the tab was closed before it was kept, or the device erased it. Choose it again.',
}

// What is written and what is shown are not the same: `issue_list_uid` is written and `issue_list` shown. This is the
// one place that knows both forms: to show a person's own work before the server has it, and to compare what they
// wrote with what is there.

import type { Kind, Member, Records, RfiStatus } from './types'

export type Fields = Record<string, unknown>
export type Any = Record<string, unknown> & { uid: string; deleted: boolean; created_at: string; updated_at: string }

/** Look finds records that a field refers to, to show them. */
export interface Look {
	get<K extends Kind>(kind: K, uid: string): Records[K] | undefined
	project: string
	me: { uid: string; email: string | null }
}

interface Ref {
	uid: string
}

/** references are fields that are written as a uid under another name than they are shown by. */
const references: Partial<Record<Kind, Record<string, { shown: string; of: Kind }>>> = {
	issues: { issue_list_uid: { shown: 'issue_list', of: 'issue_lists' } },
	users: { role_uid: { shown: 'role', of: 'roles' } },
	annotations: {
		sheet_uid: { shown: 'sheet', of: 'sheets' },
		issue_uid: { shown: 'issue', of: 'issues' },
		photo_uid: { shown: 'photo', of: 'photos' },
	},
	snapshots: { sheet_uid: { shown: 'sheet', of: 'sheets' } },
}

/** solid are texts that are never blank: null leaves them as they are. */
const solid = new Set(['status', 'visibility', 'layout', 'query'])

const people = new Set(['assigned_to', 'assigned_to_uids'])

/** paths are where the records of a kind are, where that is not their kind. */
export function pathOfKind(kind: Kind): string {
	return kind === 'rfi_statuses' ? 'rfis/statuses' : kind
}

/** written gives the present value of a field in the form in which it is written. */
export function written(kind: Kind, record: Any, field: string): unknown {
	if (people.has(field)) {
		const all = (record['assigned_to'] ?? []) as { uid: string | null }[]
		return all.map((one) => one.uid)
	}
	const reference = references[kind]?.[field]
	if (reference) return (record[reference.shown] as Ref | null)?.uid ?? null
	if (kind === 'rfis' && field === 'status') return (record['status'] as Ref).uid
	if (kind === 'attachments' && field === 'folder') return record['folder'] ?? ''
	return record[field]
}

/** normal gives what was entered in the form of written, so that both can be compared. */
export function normal(kind: Kind, field: string, value: unknown): unknown {
	if (people.has(field)) {
		if (value === null || value === undefined) return []
		const all = typeof value === 'string'
			? value.split(',').map((one) => one.trim()).filter(Boolean)
			: (value as string[])
		return [...new Set(all)]
	}
	if (kind === 'attachments' && field === 'folder') return value ?? ''
	return value
}

/** same compares two values in the written form. Times are the same when they are the same moment. */
export function same(field: string, a: unknown, b: unknown): boolean {
	if (Object.is(a, b)) return true
	if (people.has(field) && Array.isArray(a) && Array.isArray(b)) {
		return a.length === b.length && a.every((one) => b.includes(one))
	}
	if (field.endsWith('_at') && typeof a === 'string' && typeof b === 'string') return moment(a) === moment(b)
	return equal(a, b)
}

/** moment is a time in microseconds since 1970, as exactly as the service keeps it. */
function moment(text: string): string {
	const parts = /^(.*?)(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)?$/.exec(text.trim())
	const ms = parts ? Date.parse(parts[1] + (parts[3] ?? 'Z')) : Number.NaN
	return Number.isNaN(ms) ? text : `${ms}/${(parts?.[2] ?? '').slice(0, 6).padEnd(6, '0')}`
}

/** equal compares JSON; a null is the same as a field that is not there, since answers leave nothing out. */
export function equal(a: unknown, b: unknown): boolean {
	if (a === b) return true
	if (a === null || a === undefined || b === null || b === undefined) return (a ?? null) === (b ?? null)
	if (typeof a !== 'object' || typeof b !== 'object') return false
	if (Array.isArray(a) !== Array.isArray(b)) return false
	const x = a as Record<string, unknown>
	const y = b as Record<string, unknown>
	if (Array.isArray(a) && Array.isArray(b) && a.length !== b.length) return false
	for (const key of new Set([...Object.keys(x), ...Object.keys(y)])) if (!equal(x[key], y[key])) return false
	return true
}

/** applied gives a record as it is shown with fields that were written and that the server does not have yet. */
export function applied(kind: Kind, record: Any, fields: Fields, look: Look): Any {
	const out: Any = { ...record }
	for (const [field, value] of Object.entries(fields)) {
		if (field === 'uid' || value === undefined) continue
		const reference = references[kind]?.[field]
		if (people.has(field)) {
			const all = normal(kind, field, value) as string[]
			const shown = all.map((uid) => userReference(uid, look))
			out['assigned_to'] = kind === 'issues' && all.length === 0 ? null : shown
			if (kind === 'issues') out['assignees'] = all.map((uid) => ({ type: 'user', uid }))
		} else if (reference) {
			out[reference.shown] = value === null ? null : refer(look, reference.of, value as string)
		} else if (kind === 'rfis' && field === 'status') {
			if (value === null) continue
			const status: RfiStatus | undefined = look.get('rfi_statuses', value as string)
			out['status'] = { uid: value, label: status?.label ?? '', color: status?.color ?? '#828282' }
		} else if (kind === 'attachments' && field === 'folder') {
			out['folder'] = value === '' ? null : value
		} else if (kind === 'field_reports' && field === 'pg_form_values') {
			out[field] = { ...(record[field] as object), ...(value as object) }
		} else if (value === null && (record[field] === true || record[field] === false || solid.has(field))) {
			continue // null on what cannot be blank leaves it as it is
		} else {
			out[field] = value
		}
	}
	if (kind === 'issues' && 'status' in fields) {
		if (out['status'] === 'closed') out['closed_at'] ??= out.updated_at
		else out['closed_at'] = null
	}
	return out
}

function refer(look: Look, kind: Kind, uid: string) {
	return { uid, url: `/projects/${look.project}/${pathOfKind(kind)}/${uid}` }
}

function userReference(uid: string, look: Look) {
	const member: Member | undefined = look.get('users', uid)
	return { ...refer(look, 'users', uid), email: member?.email ?? '' }
}

/**
 * fresh gives a record that was just made as it is shown until the server answers; what only the server gives is 0 or
 * null.
 */
export function fresh(kind: Kind, uid: string, fields: Fields, at: number, look: Look): Any {
	const time = stamp(at)
	const me = { ...refer(look, 'users', look.me.uid), email: look.me.email ?? '' }
	const none = () => ({ total_count: 0, url: null })
	const blank: Any = { uid, deleted: false, created_at: time, updated_at: time, created_by: me, updated_by: me }
	const own: Partial<Record<Kind, Fields>> = {
		issues: {
			number: 0, title: null, description: null, room: null, status: 'open', type: null, assigned_to: null, assignees: [],
			followers: [{ type: 'user', uid: look.me.uid }], issue_list: null, string: null, current_annotation: null,
			start_date: null, due_at: null, closed_at: null, has_cost_impact: false, cost_impact: null, currency_code: null,
			has_schedule_impact: false, schedule_impact: null, photos: none(), comments: none(), attachments: none(),
			snapshots: none(),
		},
		issue_lists: { name: '' },
		views: {
			name: '', of: 'issues', visibility: 'user', layout: 'table', query: '', group_by: null, sort: null, columns: null,
		},
		rfis: {
			number: 0, status: { uid: '', label: '', color: '#828282' }, locked: false, title: null, question: null,
			answer: null, sent_at: null, due_at: null, assigned_to: [], photos: none(), attachments: none(),
			snapshots: none(), comments: none(),
		},
		annotations: {
			kind: 'stamp', stamp: null, text: null, color: '#ff0000', visibility: 'user', geometry: null, sheet: null,
			issue: null,
		},
		comments: { text: '', record: null, record_type: 'issue' },
		photos: {
			title: null, url: null, content_type: '', size: 0, sha256: '', width: null, height: null, taken_at: null,
			taken_offset: null, latitude: null, longitude: null, display_url: null, preview_url: null, thumbnail_url: null,
			image_error: null,
		},
		snapshots: { title: null, url: null, content_type: '', size: 0, sha256: '', sheet: null },
		attachments: {
			name: '', folder: null, url: null, content_type: '', size: 0, sha256: '', version: 1, superseded_by: null,
			first_version: null,
		},
		field_reports: {
			project_uid: look.project, title: null, description: null, report_date: time.slice(0, 10), status: 'draft',
			field_report_type: null, pdf_url: null, pdf_form_values: [],
			pg_form_values: { pg_worklog_entries: [], pg_materials_entries: [], pg_equipment_entries: [] },
			custom_items: [], weather: null, attachments: none(), photos: none(), snapshots: none(),
		},
	}
	return applied(kind, { ...blank, ...own[kind] }, fields, look)
}

/** stamp writes a moment as the service does. */
export function stamp(ms: number): string {
	return new Date(ms).toISOString().replace('Z', '000+00:00')
}

/** wholeForms are the fields that make a PATCH a whole form, in which null means "not given" (docs/contract.md, 4). */
const wholeForms: Partial<Record<Kind, string[]>> = {
	projects: [
		'name', 'custom_id', 'type', 'status', 'owner', 'start_date', 'end_date', 'street_1', 'street_2', 'city', 'region',
		'postal_code', 'country',
	],
	rfis: ['status', 'locked', 'title', 'question', 'answer', 'sent_at', 'due_at'],
	attachments: ['name', 'folder'],
}

/** sendable gives the bodies in which fields are sent: one, or two where one would be taken for a whole form. */
export function sendable(kind: Kind, fields: Fields): Fields[] {
	const body: Fields = { ...fields }
	if (kind === 'attachments' && body['folder'] === null) body['folder'] = ''
	const whole = wholeForms[kind]
	const isWhole = whole?.every((name) => name in body) && (kind !== 'rfis' || [...people].some((name) => name in body))
	const blanks = Object.entries(body).filter(([, value]) => value === null)
	if (!isWhole || blanks.length === 0) return [body]
	return [Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)), Object.fromEntries(blanks)]
}

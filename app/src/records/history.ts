// The history of an issue in words: who changed what, when. What was changed in one go is told in one line.

export interface Line {
	uid: string
	field: string
	old_value: unknown
	new_value: unknown
	updated_at: string
	updated_by: { uid: string | null } | null
}

/** Sayings are how changes are told, in the reader's language. */
export interface Sayings {
	fields: Record<string, string>
	set(field: string, to: string): string
	changed(field: string, from: string, to: string): string
	cleared(field: string, from: string): string
	rewrote(field: string): string
	closed: string
	reopened: string
	deleted: string
	restored: string
	assigned(who: string): string
	unassigned(who: string): string
	linked: Record<string, string>
	unlinked: Record<string, string>
	placed: string
	moved: string
	unplaced: string
	yes: string
	no: string
	/** How a value is written: a status, a list, a day, an amount. */
	value(field: string, value: unknown): string
	person(uid: string): string
}

export interface Deed {
	id: string
	at: string
	by: string | null
	acts: string[]
}

/** follows are fields that follow from others, and say nothing themselves. */
const follows = new Set(['assignees', 'followers', 'closed_at', 'string', 'currency_code', 'updated_at', 'updated_by'])
const long = new Set(['description'])

/** deeds gives what was done, the newest first, as the lines come. */
export function deeds(lines: readonly Line[], say: Sayings): Deed[] {
	const out: Deed[] = []
	for (const line of lines) {
		const act = told(line, say)
		if (!act) continue
		const by = line.updated_by?.uid ?? null
		const last = out.at(-1)
		if (last && last.at === line.updated_at && last.by === by) last.acts.push(...act)
		else out.push({ id: line.uid, at: line.updated_at, by, acts: act })
	}
	return out
}

function told(line: Line, say: Sayings): string[] | undefined {
	const { field, old_value: was, new_value: is } = line
	if (follows.has(field)) return undefined
	if (field === 'deleted') return [is === true ? say.deleted : say.restored]
	if (field === 'status' && is === 'closed') return [say.closed]
	if (field === 'status' && was === 'closed' && is === 'open') return [say.reopened]
	if (field === 'current_annotation') return [is === null ? say.unplaced : was === null ? say.placed : say.moved]
	if (field in say.linked) {
		const said = is === null ? say.unlinked[field] : say.linked[field]
		return said ? [said] : undefined
	}
	if (field === 'assigned_to') {
		const before = people(was)
		const now = people(is)
		const gone = before.filter((p) => !now.includes(p))
		const came = now.filter((p) => !before.includes(p))
		const acts = [
			...(came.length ? [say.assigned(came.map(say.person).join(', '))] : []),
			...(gone.length ? [say.unassigned(gone.map(say.person).join(', '))] : []),
		]
		return acts.length ? acts : undefined
	}
	const name = say.fields[field]
	if (!name) return undefined // a field of a later release
	if (long.has(field)) return [say.rewrote(name)]
	if (blank(is)) return [say.cleared(name, text(field, was, say))]
	if (blank(was)) return [say.set(name, text(field, is, say))]
	return [say.changed(name, text(field, was, say), text(field, is, say))]
}

const blank = (value: unknown) => value === null || value === undefined || value === ''

function text(field: string, value: unknown, say: Sayings): string {
	if (typeof value === 'boolean') return value ? say.yes : say.no
	return say.value(field, value)
}

/** people are uids, alone or in references. */
function people(value: unknown): string[] {
	if (!Array.isArray(value)) return []
	return value.map((p) => (typeof p === 'string' ? p : ((p as { uid?: string } | null)?.uid ?? ''))).filter(Boolean)
}

// What the home of a project says, worked out from its records. All of it is plain functions over what the store holds.
import type { Comment, Document, FieldReport, Issue, Member, Photo, Rfi, RfiStatus, Sheet } from '../data'
import { late, midnight } from '../ui/dates'

export { late }

/** open tells whether an issue is still to be dealt with. */
export const open = (issue: Issue): boolean => !issue.deleted && issue.status !== 'closed'

/** The statuses of RFIs can be renamed, and keep their order: draft, open, sent; then answered, void, closed. */
export function openStatuses(statuses: readonly RfiStatus[]): Set<string> {
	return new Set(statuses.slice(0, 3).map((s) => s.uid))
}

/** lateBefore is the moment before which everything that is due is overdue: one comparison for each of many records. */
export const lateBefore = (zone: string | null, now: number): number => (zone ? midnight(now, zone) : now)

/** overdue tells whether something was due before that moment. */
export const overdue = (due: string | null, before: number): boolean => due !== null && Date.parse(due) < before

export interface Bar {
	uid: string
	label: string
	value: number
	part: number
}

/** The last day of each age, in days; what is older comes last. */
const ends = [7, 30, 90]

/** byAge counts open issues by how long ago they were made, with how many of them are overdue. */
export function byAge(issues: readonly Issue[], labels: readonly string[], before: number, now: number): Bar[] {
	const bars = labels.map((label, i) => ({ uid: String(i), label, value: 0, part: 0 }))
	for (const issue of issues) {
		if (!open(issue)) continue
		const age = (now - Date.parse(issue.created_at)) / 86_400_000
		const at = ends.findIndex((end) => age <= end)
		const bar = bars[at < 0 ? ends.length : at]
		if (!bar) continue
		bar.value++
		if (overdue(issue.due_at, before)) bar.part++
	}
	return bars
}

/** byPerson counts open issues by whom they are assigned to: those with most first, then the rest, then nobody's. */
export function byPerson(
	issues: readonly Issue[], name: (uid: string) => string, before: number, most = 6,
): { bars: Bar[]; others: number; othersCount: number; nobody: Bar } {
	const counts = new Map<string, Bar>()
	const nobody: Bar = { uid: '', label: '', value: 0, part: 0 }
	for (const issue of issues) {
		if (!open(issue)) continue
		const part = overdue(issue.due_at, before) ? 1 : 0
		const people = (issue.assigned_to ?? []).map((p) => p.uid).filter((uid) => uid !== null)
		if (people.length === 0) {
			nobody.value++
			nobody.part += part
		}
		for (const uid of people) {
			const bar = counts.get(uid) ?? { uid, label: name(uid), value: 0, part: 0 }
			bar.value++
			bar.part += part
			counts.set(uid, bar)
		}
	}
	const all = [...counts.values()].sort((a, b) => b.value - a.value || a.label.localeCompare(b.label))
	const rest = all.slice(most)
	return { bars: all.slice(0, most), others: rest.length, othersCount: rest.reduce((n, b) => n + b.value, 0), nobody }
}

export interface Waiting {
	kind: 'issues' | 'rfis'
	uid: string
	number: number
	title: string
	status: string
	due: string | null
	late: number | undefined
}

/** waiting is what is assigned to somebody and open: the longest overdue first, what has no date last. */
export function waiting(
	issues: readonly Issue[], rfis: readonly Rfi[], openRfis: ReadonlySet<string>, zone: string | null, now: number,
): Waiting[] {
	const out: Waiting[] = [
		...issues.filter(open).map((i) => ({
			kind: 'issues' as const, uid: i.uid, number: i.number, title: i.title ?? '', status: i.status, due: i.due_at,
			late: late(i.due_at, zone, now),
		})),
		...rfis
			.filter((r) => !r.deleted && openRfis.has(r.status.uid ?? ''))
			.map((r) => ({
				kind: 'rfis' as const, uid: r.uid, number: r.number, title: r.title ?? '', status: r.status.label ?? '',
				due: r.due_at,
				late: late(r.due_at, zone, now),
			})),
	]
	return out.sort((a, b) => (a.due ?? '9').localeCompare(b.due ?? '9') || a.number - b.number)
}

export interface News {
	id: string
	at: string
	by: string | null
	what:
		| 'issueNew' | 'issueChanged' | 'issueClosed' | 'rfiNew' | 'rfiChanged' | 'comment' | 'report' | 'sheets' | 'photos'
		| 'attachments'
	/** Of how many records it tells. */
	count: number
	title: string
	/** With a comment: what was commented. */
	on?: string
	href?: string
}

interface Sources {
	issues: readonly Issue[]
	rfis: readonly Rfi[]
	comments: readonly Comment[]
	sheets: readonly Sheet[]
	photos: readonly Photo[]
	attachments: readonly Document[]
	field_reports: readonly FieldReport[]
}

const who = (by: { uid: string | null } | null): string | null => by?.uid ?? null

/** latest are the records that changed last, without sorting all. */
function latest<T extends { updated_at: string }>(records: readonly T[], most: number): T[] {
	const best: T[] = []
	for (const r of records) {
		if (best.length === most && r.updated_at <= (best[most - 1]?.updated_at ?? '')) continue
		const at = best.findIndex((b) => b.updated_at < r.updated_at)
		best.splice(at < 0 ? best.length : at, 0, r)
		best.length = Math.min(best.length, most)
	}
	return best
}

/** pages are the kinds that can be commented and have a page, by what a comment calls them. */
const pages: Record<string, 'issues' | 'rfis' | 'sheets' | undefined> = {
	issue: 'issues', rfi: 'rfis', sheet: 'sheets',
}

/**
 * page is where a record is read. RFIs have no screen in the application yet: theirs is the page that mails lead to.
 */
export const page = (project: string, kind: string, uid: string): string =>
	kind === 'rfis' ? `/r/${project}/${kind}/${uid}` : `/app/${project}/${kind}/${uid}`

/** news is what happened last in a project, the latest first. What one person added in one go is told once. */
export function news(from: Sources, project: string, most = 12): News[] {
	const out: News[] = []
	for (const i of latest(from.issues, most)) {
		const fresh = i.created_at === i.updated_at
		out.push({
			id: i.uid, at: i.updated_at, by: who(fresh ? i.created_by : i.updated_by), count: 1,
			what: fresh ? 'issueNew' : i.status === 'closed' ? 'issueClosed' : 'issueChanged',
			title: `#${i.number} ${i.title ?? ''}`, href: page(project, 'issues', i.uid),
		})
	}
	for (const r of latest(from.rfis, most)) {
		const fresh = r.created_at === r.updated_at
		out.push({
			id: r.uid, at: r.updated_at, by: who(fresh ? r.created_by : r.updated_by), count: 1,
			what: fresh ? 'rfiNew' : 'rfiChanged', title: `#${r.number} ${r.title ?? ''}`, href: page(project, 'rfis', r.uid),
		})
	}
	for (const c of latest(from.comments, most)) {
		const uid = c.record?.uid ?? ''
		const of = pages[c.record_type]
		const found = of && from[of].find((r) => r.uid === uid)
		const on = found && ('number' in found ? `#${found.number} ${found.title ?? ''}` : found.name)
		out.push({
			id: c.uid, at: c.created_at, by: who(c.created_by), what: 'comment', count: 1, title: c.text, on,
			href: of && uid ? page(project, of, uid) : undefined,
		})
	}
	for (const f of latest(from.field_reports, most)) {
		const title = f.report_date ?? ''
		out.push({ id: f.uid, at: f.created_at, by: who(f.created_by), what: 'report', count: 1, title })
	}
	// What arrives by the dozen is one piece of news for each person, set and hour.
	const groups = new Map<string, News>()
	const gather = (what: News['what'], key: string, at: string, by: string | null, title: string, href?: string) => {
		const id = `${what} ${key} ${by ?? ''}`
		const had = groups.get(id)
		if (!had) groups.set(id, { id, at, by, what, count: 1, title, href })
		else {
			had.count++
			if (at > had.at) had.at = at
		}
	}
	for (const s of from.sheets) {
		if (!s.published_at) continue
		gather('sheets', s.version_name, s.published_at, who(s.published_by), s.version_name, `/app/${project}/sheets`)
	}
	for (const p of latest(from.photos, 200)) gather(
		'photos', p.created_at.slice(0, 13), p.created_at, who(p.created_by), p.title ?? '',
	)
	for (const d of latest(from.attachments, 200)) {
		gather('attachments', d.created_at.slice(0, 13), d.created_at, who(d.created_by), d.name ?? '')
	}
	out.push(...groups.values())
	return out.sort((a, b) => b.at.localeCompare(a.at)).slice(0, most)
}

/** name finds how somebody is called, by their uid. */
export function namer(members: readonly Member[], called: (m: Member) => string): (uid: string) => string {
	const names = new Map(members.map((m) => [m.uid, called(m)]))
	return (uid) => names.get(uid) ?? ''
}

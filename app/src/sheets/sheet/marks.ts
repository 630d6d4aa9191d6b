// Which marks a sheet shows: its own and those of earlier versions of the same size, as the records say.
import type { Annotation, Issue, Member, ProjectStore, Sheet } from '../../data'
import { editIssue, isManager } from '../../records/rights'
import { personName } from '../../shell/people'
import { t } from '../../words/index.svelte'
import { at, onto, same, type Similar } from '../../viewer/align'
import { toPaper, type Point } from '../../viewer/geometry'
import { measured } from '../../viewer/measure'
import type { Look, Mark } from '../../viewer/shapes'

export type Filter = 'all' | 'mine' | 'issues' | 'none'

/**
 * mayChange follows the contract: one's own that are personal, with more rights those that are published, and the
 * places of issues that one may change.
 */
export function mayChange(who: Member | undefined, a: Annotation, issue: Issue | undefined): boolean {
	if (issue && editIssue(who, issue) === 'all') return true
	return a.visibility === 'master' ? isManager(who) : who !== undefined && a.created_by?.uid === who.uid
}

const alike = (a: Sheet, b: Sheet) => Math.abs(a.width - b.width) <= 2 && Math.abs(a.height - b.height) <= 2

/** versionsOf are all versions of a drawing that are there, the newest first. */
export function versionsOf(store: ProjectStore, sheet: Sheet): Sheet[] {
	return store.by('versionsOf', sheet.history_set_uid)
		.filter((s) => !s.deleted)
		.sort((a, b) =>
			(b.published_at ?? '').localeCompare(a.published_at ?? '') || b.created_at.localeCompare(a.created_at))
}

/** earlierOf are the versions before a sheet, of the same size. */
export function earlierOf(sheet: Sheet, versions: readonly Sheet[]): Sheet[] {
	const from = versions.findIndex((v) => v.uid === sheet.uid)
	return versions.slice(from + 1).filter((v) => alike(v, sheet))
}

/** Marking makes marks of records. One that is as it was stays the same object, so that it is not drawn again. */
export class Marking {
	readonly #store: ProjectStore
	#kept = new Map<
		string, { of: Annotation; issue: Issue | undefined; by: Member | undefined; rest: string; mark: Mark }
	>()

	constructor(store: ProjectStore) {
		this.#store = store
	}

	of(
		sheet: Sheet, versions: readonly Sheet[], reader: Member | undefined, how: { filter: Filter; earlier: boolean },
	): Mark[] {
		if (how.filter === 'none') return []
		const all = new Map(versions.map((v) => [v.uid, v]))
		const out: Mark[] = []
		for (const version of how.earlier ? [...earlierOf(sheet, versions).reverse(), sheet] : [sheet]) {
			const way = version.uid === sheet.uid ? same : onto(version, sheet, all)
			const around = [sheet.uid, version.scale, JSON.stringify(way), reader?.role?.uid, t().viewer.title].join('|')
			for (const a of this.#store.by('annotationsOf', version.uid)) {
				if (a.deleted || !a.geometry || a.geometry.points.length === 0) continue
				if (how.filter === 'mine' && a.created_by?.uid !== reader?.uid) continue
				if (how.filter === 'issues' && !a.issue) continue
				const mark = this.#mark(a, version, sheet, way, reader, around)
				if (mark) out.push(mark)
			}
		}
		const shown = new Set(out.map((m) => m.uid))
		for (const uid of this.#kept.keys()) if (!shown.has(uid)) this.#kept.delete(uid)
		return out
	}

	#mark(
		a: Annotation, version: Sheet, sheet: Sheet, way: Similar, reader: Member | undefined, around: string,
	): Mark | undefined {
		const issue = a.issue?.uid ? this.#store.get('issues', a.issue.uid) : undefined
		if (a.issue && issue?.deleted) return undefined
		const by = a.created_by?.uid ? this.#store.get('users', a.created_by.uid) : undefined
		const picture = a.photo?.uid ? this.#store.file('photos', a.photo.uid, 'thumbnail').get() : undefined
		const rest = picture ? `${around}|${picture}` : around
		const was = this.#kept.get(a.uid)
		if (was && was.of === a && was.issue === issue && was.by === by && was.rest === rest) return was.mark
		const own = toPaper((a.geometry as { points: Point[] }).points, version)
		const points = way === same ? own : own.map((p) => at(way, p))
		const faint = version.uid !== sheet.uid
		const area = a.kind === 'measure' && a.measure === 'area'
		const text = a.kind === 'measure' ? measured(own, version, version.scale, area ? 'area' : 'length') : (a.text ?? '')
		const mark: Mark = {
			uid: a.uid, kind: a.kind, color: a.color, width: a.width ?? 1, points, text, area, faint,
			stamp: issue?.number ? String(issue.number) : (a.stamp ?? ''), personal: a.visibility === 'user' && !a.issue,
			mine: !faint && mayChange(reader, a, issue), name: nameOf(a, issue, by, text),
			...(issue ? { issue: { uid: issue.uid, look: issue.status as Look } } : {}), ...(picture ? { picture } : {}),
		}
		this.#kept.set(a.uid, { of: a, issue, by, rest, mark })
		return mark
	}
}

/** nameOf is how a mark is called in lists and to those who listen. */
function nameOf(a: Annotation, issue: Issue | undefined, by: Member | undefined, text: string): string {
	if (issue) return t().viewer.issue(issue.number, issue.title || t().viewer.untitled)
	const kind = t().viewer.kinds[a.kind] ?? a.kind
	const said = text ? `${kind}: ${text.length > 60 ? `${text.slice(0, 59)}…` : text}` : kind
	return t().viewer.by(said, personName(by))
}

/** neighbours are the sheets before and after one, in the order in which people sort a set. */
export function neighbours(sheet: Sheet, all: readonly Sheet[]): { before?: Sheet; after?: Sheet } {
	const set = sheet.version_set?.uid
	const among = all.filter((s) => s.uid === sheet.uid || (sheet.current ? s.current : s.version_set?.uid === set))
	const order = (a: Sheet, b: Sheet) =>
		(a.sort_key < b.sort_key ? -1 : a.sort_key > b.sort_key ? 1 : a.uid < b.uid ? -1 : 1)
	among.sort(order)
	const here = among.findIndex((s) => s.uid === sheet.uid)
	const [before, after] = [among[here - 1], among[here + 1]]
	return { ...(before ? { before } : {}), ...(after ? { after } : {}) }
}

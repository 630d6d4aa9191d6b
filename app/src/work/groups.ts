// What waits for a person, put in order: by what is urgent, then by project. All of it is plain functions.
import type { WorkItem } from '../data'
import { known, late } from '../ui/dates'

export const names = ['overdue', 'week', 'answer', 'comments', 'later'] as const
export type Name = (typeof names)[number]

/** Line is an item with how many days it is overdue: less than 1 where it is not, undefined where it has no date. */
export interface Line {
	id: string
	item: WorkItem
	late: number | undefined
}

export interface Part {
	project: WorkItem['project']
	lines: Line[]
}

export interface Group {
	name: Name
	count: number
	parts: Part[]
}

/** nameOf is the group that an item belongs to. What is overdue is there first of all, whoever waits for it. */
export function nameOf(item: WorkItem, days: number | undefined): Name {
	if (item.reason === 'comment') return 'comments'
	if (days !== undefined && days > 0) return 'overdue'
	if (item.reason === 'answer') return 'answer'
	return days !== undefined && days > -7 ? 'week' : 'later'
}

/** group puts items into groups, and those of a group under their projects: the most urgent at the top. */
export function group(items: readonly WorkItem[], now: number): Group[] {
	const groups = new Map<Name, Line[]>(names.map((name) => [name, []]))
	for (const item of items) {
		const zone = item.project.time_zone ? known(item.project.time_zone) : null
		const days = late(item.due_at, zone, now)
		groups.get(nameOf(item, days))?.push({ id: `${item.reason}/${item.uid}`, item, late: days })
	}
	return [...groups]
		.filter(([, lines]) => lines.length > 0)
		.map(([name, lines]) => {
			const ordered = lines.sort(name === 'comments' ? newest : due)
			return { name, count: lines.length, parts: byProject(ordered) }
		})
}

const newest = (a: Line, b: Line): number =>
	(b.item.comment?.created_at ?? '').localeCompare(a.item.comment?.created_at ?? '')
const due = (a: Line, b: Line): number =>
	(a.item.due_at ?? '9').localeCompare(b.item.due_at ?? '9') || a.item.number - b.item.number

/** byProject puts lines under their projects, in the order in which these come first. */
function byProject(lines: readonly Line[]): Part[] {
	const parts = new Map<string, Part>()
	for (const line of lines) {
		const { project } = line.item
		const part = parts.get(project.uid)
		if (part) part.lines.push(line)
		else parts.set(project.uid, { project, lines: [line] })
	}
	return [...parts.values()]
}

/** projectsOf are the projects of items, by name. */
export function projectsOf(items: readonly WorkItem[]): WorkItem['project'][] {
	const all = new Map(items.map((i) => [i.project.uid, i.project]))
	return [...all.values()].sort((a, b) => a.name.localeCompare(b.name))
}

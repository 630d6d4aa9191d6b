// How wide the columns of the table are, in rem.
import type { Column } from './query'

export const widths: Record<Column, number> = {
	number: 4.25, status: 7.5, assignee: 11, due: 7, list: 9, sheet: 7, room: 9, type: 8, author: 9, created: 7,
	updated: 7,
	photos: 4.5, comments: 4.5,
}

/** The check box, and the least that the title gets. */
const check = 2.75
const title = 16

/** template is the grid of a row; the title takes what is left, behind number and status. */
export function template(columns: readonly Column[]): string {
	const tracks = ordered(columns).map((c) => (c === 'title' ? `minmax(${title}rem, 1fr)` : `${widths[c]}rem`))
	return [`${check}rem`, ...tracks].join(' ')
}

export const least = (columns: readonly Column[]): number =>
	check + title + columns.reduce((sum, c) => sum + widths[c], 0)

/** Where the table is narrower than so many pixels, a row is two lines and has no columns. */
export const narrowBelow = 680

/** What gives way first, where the usual columns have no room. */
const yielding: readonly Column[] = ['updated', 'sheet', 'list', 'due', 'assignee']

/** fitting are those of the usual columns that a width in pixels has room for. Who chose columns gets them all. */
export function fitting(columns: readonly Column[], width: number): readonly Column[] {
	let left = columns
	for (const one of yielding) if (least(left) * 16 > width) left = left.filter((c) => c !== one)
	return left
}

/** ordered puts the title behind what leads to it. */
export function ordered(columns: readonly Column[]): (Column | 'title')[] {
	const lead = columns.filter((c) => c === 'number' || c === 'status')
	return [...lead, 'title', ...columns.filter((c) => c !== 'number' && c !== 'status')]
}

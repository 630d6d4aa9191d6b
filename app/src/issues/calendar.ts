// The days of a month as a calendar shows them: whole weeks.
import { shift } from '../records/due'

export interface Day {
	date: string
	/** Whether it is of the month itself. */
	inside: boolean
}

/** monthDays are the days of the weeks of a month such as 2026-03. */
export function monthDays(month: string, begins: number): Day[] {
	const first = `${month}-01`
	const lead = (new Date(`${first}T00:00:00Z`).getUTCDay() - begins + 7) % 7
	const out: Day[] = []
	for (let at = shift(first, -lead); out.length % 7 !== 0 || at.slice(0, 7) <= month; at = shift(at, 1)) {
		out.push({ date: at, inside: at.startsWith(month) })
	}
	return out
}

/** months is the month that is some months after another one. */
export function months(month: string, by: number): string {
	const [year = 0, at = 1] = month.split('-').map(Number)
	return new Date(Date.UTC(year, at - 1 + by, 1)).toISOString().slice(0, 7)
}

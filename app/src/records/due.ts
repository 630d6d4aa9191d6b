// When something is due. A person chooses a day; the service keeps a moment. On the site it is the end of the working
// day; where a project has no time zone, it is the last minute of that day, since from then on it counts as overdue.
import { day, days, midnight } from '../ui/dates'

/** dueAt is the moment for a day such as 2026-03-09. */
export function dueAt(date: string, zone: string | null): string {
	if (!zone) return `${date}T23:59:00Z`
	const noon = Date.parse(`${date}T12:00:00Z`)
	// Noon in UTC is the day itself, or the one before or after far from it.
	const off = days(day(noon, zone), date)
	const begins = midnight(noon + off * 86_400_000, zone)
	return new Date(begins + 17 * 3_600_000).toISOString()
}

/** dueDay is the day on which something is due, on the site; blank where it has none. */
export const dueDay = (due: string | null, zone: string | null): string => (due ? day(due, zone ?? 'UTC') : '')

/** lateBefore is the moment before which everything that is due is overdue. */
export const lateBefore = (zone: string | null, now: number): number => (zone ? midnight(now, zone) : now)

/** shift is the day that is some days after another one. */
export function shift(date: string, by: number): string {
	return new Date(Date.parse(`${date}T00:00:00Z`) + by * 86_400_000).toISOString().slice(0, 10)
}

/** weekEnd is the last day of the week of a day. Weeks begin on Monday on most sites; 0 is Sunday. */
export function weekEnd(date: string, begins = 1): string {
	const at = new Date(`${date}T00:00:00Z`).getUTCDay()
	return shift(date, 6 - ((at - begins + 7) % 7))
}

/** weekBegins is the day on which weeks begin where the reader is, as far as the browser knows. */
export function weekBegins(locale: string): number {
	const l = new Intl.Locale(locale) as Intl.Locale & {
		getWeekInfo?: () => { firstDay: number }
		weekInfo?: { firstDay: number }
	}
	return ((l.getWeekInfo?.() ?? l.weekInfo)?.firstDay ?? 1) % 7
}

/** spoken writes a day as its reader does, with the year only where it is another one. */
export function spoken(date: string, today: string, locale: string): string {
	if (!date) return ''
	const year = date.slice(0, 4) === today.slice(0, 4) ? undefined : 'numeric'
	return new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year, timeZone: 'UTC' }).format(
		new Date(`${date}T00:00:00Z`)
	)
}

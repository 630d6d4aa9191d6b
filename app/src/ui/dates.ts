// Days and times as people write them. A day on a site is a day by the site's clock.

const clocks = new Map<string, Intl.DateTimeFormat>()

/** clock reads the time in a zone; making one costs a hundred times as much as asking it. */
function clock(zone: string): Intl.DateTimeFormat {
	let found = clocks.get(zone)
	if (!found) {
		found = new Intl.DateTimeFormat('en-US', {
			timeZone: zone, calendar: 'gregory', hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit',
			hour: '2-digit',
			minute: '2-digit', second: '2-digit',
		})
		clocks.set(zone, found)
	}
	return found
}

/** wall is what the clocks of a zone show at a moment, as if they showed UTC. */
function wall(moment: number, zone: string): number {
	const read: Record<string, number> = {}
	for (const { type, value } of clock(zone).formatToParts(moment)) read[type] = Number(value)
	const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = read
	return Date.UTC(year, month - 1, day, hour, minute, second)
}

/** day is the date of a moment in a zone, as 2026-03-09. */
export function day(moment: number | string | Date, zone: string): string {
	return new Date(wall(new Date(moment).getTime(), zone)).toISOString().slice(0, 10)
}

/** midnight is the moment at which the day of a moment began in a zone. */
export function midnight(moment: number, zone: string): number {
	const begins = Date.parse(`${day(moment, zone)}T00:00:00Z`)
	let at = begins - (wall(begins, zone) - begins)
	at = begins - (wall(at, zone) - at) // the clocks may have been changed in between
	return at
}

/** days is how many days the second date is after the first. */
export function days(from: string, to: string): number {
	return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000)
}

/** ago says how long ago something was, as far back as that helps, and otherwise when. */
export function ago(moment: number, now: number, locale: string): string {
	const past = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' })
	const seconds = Math.round((moment - now) / 1000)
	if (Math.abs(seconds) < 60) return past.format(0, 'minute')
	if (Math.abs(seconds) < 3600) return past.format(Math.trunc(seconds / 60), 'minute')
	if (Math.abs(seconds) < 86_400) return past.format(Math.trunc(seconds / 3600), 'hour')
	if (Math.abs(seconds) < 7 * 86_400) return past.format(Math.trunc(seconds / 86_400), 'day')
	const year = new Date(moment).getFullYear() === new Date(now).getFullYear() ? undefined : 'numeric'
	return new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year }).format(moment)
}

/** known tells whether the browser knows a time zone; one that it does not know is read as UTC. */
export function known(zone: string | null | undefined): string {
	if (!zone) return 'UTC'
	try {
		new Intl.DateTimeFormat('en', { timeZone: zone })
		return zone
	} catch {
		return 'UTC'
	}
}

/**
 * late is how many days something is overdue: 0 and less where it is not. With a time zone it is overdue when the day
 * on which it is due is over on the site, and without one from the moment on, as the contract says.
 */
export function late(due: string | null, zone: string | null, now: number): number | undefined {
	if (!due) return undefined
	const past = days(day(due, zone ?? 'UTC'), day(now, zone ?? 'UTC'))
	return !zone && past === 0 && Date.parse(due) < now ? 1 : past
}

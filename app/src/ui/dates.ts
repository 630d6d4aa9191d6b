// Days and times as people write them. A day on a site is a day by the site's clock.

/** day is the date of a moment in a zone, as 2026-03-09. */
export function day(moment: number | string | Date, zone: string): string {
	const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit', calendar: 'gregory' })
		.formatToParts(new Date(moment))
	const get = (type: string) => parts.find((p) => p.type === type)?.value ?? ''
	return `${get('year').padStart(4, '0')}-${get('month')}-${get('day')}`
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

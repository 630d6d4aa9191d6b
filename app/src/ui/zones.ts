// Time zones to choose from, as the browser knows them.
import type { Choice } from './Combobox.svelte'

/** offset is how far the clocks of a zone are from UTC now, such as +02:00. */
export function offset(zone: string, at: number): string {
	const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(at)
	const name = parts.find((p) => p.type === 'timeZoneName')?.value ?? ''
	return name.replace('GMT', '') || '+00:00'
}

let kept: { key: string; choices: Choice[] } | undefined

/** zoneChoices are all zones with their offset, and first that there is none. */
export function zoneChoices(locale: string, none: string): readonly Choice[] {
	const key = `${locale} ${none}`
	if (kept?.key === key) return kept.choices
	const now = Date.now()
	const zones = Intl.supportedValuesOf('timeZone')
	if (!zones.includes('UTC')) zones.push('UTC')
	const choices = zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' '), note: offset(zone, now) }))
	kept = { key, choices: [{ value: '', label: none }, ...choices] }
	return kept.choices
}

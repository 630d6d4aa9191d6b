// What a line on a drawing measures. Sheets of the A series are measured in metres, others in feet; packets write the
// same.
import { areaOf, lengthOf, type Point, type Size } from './geometry'

const metresPerPoint = 0.0254 / 72
const foot = 0.3048

export const metric = ({ width, height }: Size): boolean =>
	Math.abs(Math.max(width, height) / Math.min(width, height) - Math.SQRT2) < 0.006

/** measured is the length of a line or the area inside of it, in words; '' where the scale is not known. */
export function measured(points: readonly Point[], size: Size, scale: number | null, of: 'length' | 'area'): string {
	if (!scale || scale <= 0) return ''
	const unit = metresPerPoint * scale
	if (of === 'area') {
		const inside = areaOf(points) * unit * unit
		return metric(size) ? `${inside.toFixed(2)} m²` : `${(inside / foot / foot).toFixed(1)} sq ft`
	}
	const long = lengthOf(points) * unit
	if (!metric(size)) return inFeet(long / foot)
	return long < 1 ? `${(long * 1000).toFixed(0)} mm` : `${long.toFixed(2)} m`
}

/** inFeet writes a length in feet and inches, to the eighth of an inch. */
export function inFeet(long: number): string {
	const eighths = Math.round(long * 96)
	const whole = Math.floor(eighths / 96)
	const inches = Math.floor((eighths - whole * 96) / 8)
	let part = eighths - whole * 96 - inches * 8
	let of = 8
	while (part > 0 && part % 2 === 0) [part, of] = [part / 2, of / 2]
	return `${whole}'-${inches}${part ? ` ${part}/${of}` : ''}"`
}

/**
 * distance reads a length as people write it, in metres: `12.5 m`, `340 mm`, `12'-6"`, `12' 6 1/2"`, `6"`. A bare
 * number is in the unit of the sheet. undefined where it cannot be read, or is not more than nothing.
 */
export function distance(text: string, size: Size): number | undefined {
	const said = text.trim().toLowerCase().replace(',', '.')
		.replace(/[′’]|\bft\b|\bfeet\b/g, "'").replace(/[″”]|''|\bin\b/g, '"')
	const plain = /^(\d+(?:\.\d+)?|\.\d+)\s*(m|cm|mm|km|'|")?$/.exec(said)
	const units: Record<string, number> = { m: 1, cm: 0.01, mm: 0.001, km: 1000, "'": foot, '"': foot / 12 }
	if (plain) return positive(Number(plain[1]) * (units[plain[2] ?? (metric(size) ? 'm' : "'")] as number))
	const both = /^(\d+(?:\.\d+)?)\s*'\s*-?\s*(?:(\d+(?:\.\d+)?)(?:\s+(\d+)\/(\d+))?|(\d+)\/(\d+))\s*"?$/.exec(said)
	const inches = /^(?:(\d+)\s+)?(\d+)\/(\d+)\s*"$/.exec(said)
	if (inches) return positive(((Number(inches[1] ?? 0) + Number(inches[2]) / Number(inches[3])) * foot) / 12)
	if (!both) return undefined
	const [, feet, whole = 0, over = both[5] ?? 0, under = both[6] ?? 1] = both
	return positive(Number(feet) * foot + ((Number(whole) + Number(over) / Number(under)) * foot) / 12)
}

const positive = (metres: number) => (Number.isFinite(metres) && metres > 0 ? metres : undefined)

/**
 * scaleOf is how much larger things are than they are drawn, where a line on the paper has a known length in metres.
 */
export function scaleOf(points: readonly Point[], metres: number): number {
	return Math.round((metres / (lengthOf(points) * metresPerPoint)) * 100) / 100
}

/** scaleName is a scale as drawings write it: 1:100, or 1/8" = 1'-0". */
export function scaleName(scale: number, size: Size): string {
	const inch = 12 / scale // how many inches of the paper are a foot
	for (const under of [1, 2, 4, 8, 16, 32]) {
		const over = inch * under
		if (metric(size) || Math.abs(over - Math.round(over)) > 0.001 || over < 0.999) continue
		const whole = Math.floor(Math.round(over) / under)
		const rest = Math.round(over) - whole * under
		return `${[whole || '', rest ? `${rest}/${under}` : ''].filter(Boolean).join(' ')}" = 1'-0"`
	}
	return `1:${Math.round(scale * 100) / 100}`
}

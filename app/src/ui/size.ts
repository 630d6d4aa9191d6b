/** sizeText writes a number of bytes for people: 3.4 MB. */
export function sizeText(bytes: number, locale: string): string {
	const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte']
	const step = Math.min(units.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3))
	const value = bytes / 1000 ** step
	return new Intl.NumberFormat(locale, {
		style: 'unit', unit: units[step] as string, maximumFractionDigits: step > 0 && value < 100 ? 1 : 0,
	}).format(value)
}

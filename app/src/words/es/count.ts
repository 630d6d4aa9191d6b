// How Spanish writes numbers and counts.
const plural = new Intl.PluralRules('es')

export const number = (n: number): string => n.toLocaleString('es')
export const count = (n: number, one: string, other: string): string =>
	`${number(n)} ${plural.select(n) === 'one' ? one : other}`

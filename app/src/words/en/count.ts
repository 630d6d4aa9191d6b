// How English writes numbers and counts.
const plural = new Intl.PluralRules('en')

export const number = (n: number): string => n.toLocaleString('en')
export const count = (n: number, one: string, other: string): string =>
	`${number(n)} ${plural.select(n) === 'one' ? one : other}`

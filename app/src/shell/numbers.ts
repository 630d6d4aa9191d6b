// Numbers of sheets as people type them.

/** bare is a number as it is typed in a hurry: A-101 is a101. */
export const bare = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** begunBy are those that begin with a bare number, in the order of the set: the first one is what Enter opens. */
export function begunBy<T extends { name: string; sort_key: string }>(code: string, sheets: readonly T[]): T[] {
	if (code === '') return []
	return sheets
		.filter((s) => bare(s.name).startsWith(code))
		.sort((a, b) => (a.sort_key < b.sort_key ? -1 : a.sort_key > b.sort_key ? 1 : 0))
}

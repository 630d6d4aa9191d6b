import { expect, test } from 'vitest'
import { en } from '../src/words/en'
import { es } from '../src/words/es'

/** leaves gives every sentence of a catalogue with its path; those with numbers in them are said with 1 and with 2. */
function leaves(of: unknown, path = ''): [string, string][] {
	if (typeof of === 'string') return [[path, of]]
	if (typeof of === 'function') return [1, 2].map((n) => [`${path}(${n})`, String((of as (...a: unknown[]) => unknown)(n, n))])
	return Object.entries(of as object).flatMap(([key, inner]) => leaves(inner, `${path}.${key}`))
}

test('every language says everything', () => {
	const said = new Map(leaves(es))
	expect([...said.keys()]).toEqual(leaves(en).map(([path]) => path))
	for (const [path, text] of said) expect(text.trim(), path).not.toBe('')
})

test('Spanish is Spanish', () => {
	const english = new Map(leaves(en))
	const same = leaves(es).filter(([path, text]) => text === english.get(path) && /[a-z]{4,} [a-z]{4,}/i.test(text))
	expect(same).toEqual([])
})

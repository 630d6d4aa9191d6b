import { expect, test } from 'vitest'
import { looksRight, read } from '../src/team/addresses'

test.each([
	['', []],
	['ana@example.com', ['ana@example.com']],
	['a@x.com, b@x.com;c@x.com\nd@x.com  e@x.com', ['a@x.com', 'b@x.com', 'c@x.com', 'd@x.com', 'e@x.com']],
	['a@x.com\nA@X.com', ['a@x.com']],
	['"Ruiz Ana" <ana@x.com>', ['ana@x.com']],
	['Ana Ruiz <ana@x.com>, nobody', ['ana@x.com', 'nobody']],
])('%j has %j', (text, emails) => {
	expect(read(text).map((one) => one.email)).toEqual(emails)
})

test('names come along', () => {
	expect(read('Ana María Ruiz <ana@x.com>')).toEqual([{ email: 'ana@x.com', first_name: 'Ana', last_name: 'María Ruiz' }])
})

test('what cannot be an address is seen at once', () => {
	expect(['ana@x', 'nobody', 'a b@x', '@x', 'a@'].map(looksRight)).toEqual([true, false, false, false, false])
})

// The sheets' screens: what the list shows, what is told of files, what is doubtful in a set, and how it is sent.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { PageReading, Sheet, VersionUpload } from '../src/data'
import { naming } from '../src/sheets/disciplines'
import { best, beside, byKey, grouped, marked, range, tagsOf, unused, wished, type Wish } from '../src/sheets/list'
import { looked } from '../src/sheets/pdf'
import { correction, doubtsOf, fileLike, inOrder, outcome, replaced, rowsOf } from '../src/sheets/review'
import { bare, begunBy } from '../src/shell/numbers'
import { en } from '../src/words/en'
import { es } from '../src/words/es'

const sheet = (name: string, more: Partial<Sheet> = {}) =>
	({
		uid: name, name, description: null, tags: [], discipline: null, current: true, sort_key: name, version_name: 'Permit',
		history_set_uid: `h${name}`, version_set: { uid: 'v1' }, published_at: '2026-01-01T00:00:00Z', ...more,
	}) as unknown as Sheet
const all: Wish = { discipline: '', set: '', tag: '', state: 'current', sought: '' }

test('filters compose, and a set shows what was superseded since', () => {
	const sheets = [
		sheet('A-101', { discipline: 'Architectural', tags: ['Lobby'] }), sheet('S-201', { discipline: 'Structural' }),
		sheet('A-102', { current: false, version_set: { uid: 'v0' } as never }),
	]
	const names = (wish: Partial<Wish>) => wished(sheets, { ...all, ...wish }).map((s) => s.name)
	expect(names({})).toEqual(['A-101', 'S-201'])
	expect(names({ state: 'all' })).toEqual(['A-101', 'S-201', 'A-102'])
	expect(names({ set: 'v0' })).toEqual(['A-102'])
	expect(names({ discipline: '-' })).toEqual([])
	expect(names({ discipline: '-', state: 'all' })).toEqual(['A-102'])
	expect(names({ tag: 'Lobby', sought: 'a-1' })).toEqual(['A-101'])
})

test('a number that is typed comes before titles with it', () => {
	const sheets = [sheet('E-110', { description: 'See A-10' }), sheet('A-101'), sheet('A-10')]
	expect(best(sheets, 'a10').map((s) => s.name)).toEqual(['A-10', 'A-101', 'E-110'])
})

test('groups keep the order of the set, and what has no discipline comes last', () => {
	const sheets = [sheet('X-1'), sheet('A-2', { discipline: 'Architectural' }), sheet('A-1', { discipline: 'Architectural' })].sort(byKey)
	expect(grouped(sheets, 'discipline').map((g) => [g.label, g.sheets.map((s) => s.name)])).toEqual([
		['Architectural', ['A-1', 'A-2']], ['', ['X-1']],
	])
	expect(grouped(sheets, 'none').length).toBe(1)
	expect(grouped([], 'none')).toEqual([])
})

test('disciplines are shown in the language of whoever reads, and kept and sent as they are', () => {
	const project = naming(['Architectural', 'Structural', 'Rohbau'], es.sheets.disciplines)
	expect(['Architectural', 'Structural', 'Rohbau', ''].map(project.shown)).toEqual(['Arquitectura', 'Estructura', 'Rohbau', ''])
	// What is shown stands for the project's own word; what nobody has yet is a new word of the project.
	expect(['Arquitectura', 'Architectural', 'Rohbau', 'Topografía', ''].map(project.kept))
		.toEqual(['Architectural', 'Architectural', 'Rohbau', 'Topografía', ''])
	expect(naming(['Architectural'], en.sheets.disciplines).shown('Architectural')).toBe('Architectural')
	// Two disciplines are never shown under one name: somebody has to see that there are two.
	const both = naming(['Architectural', 'Arquitectura'], es.sheets.disciplines)
	expect(['Architectural', 'Arquitectura'].map(both.shown)).toEqual(['Architectural', 'Arquitectura'])
	expect(['Architectural', 'Arquitectura'].map(both.kept)).toEqual(['Architectural', 'Arquitectura'])

	const sheets = [sheet('A-1', { discipline: 'Architectural' })]
	expect(grouped(sheets, 'discipline', project.shown)).toEqual([{ key: 'Architectural', label: 'Arquitectura', sheets }])
	expect(wished(sheets, { ...all, discipline: 'Architectural' })).toEqual(sheets) // the address holds what is kept
})

test('every name that the service proposes in English is in the catalogues, in its own words', () => {
	const source = readFileSync(new URL('../../internal/drawing/discipline/words.go', import.meta.url), 'utf8')
	const proposed = [...source.matchAll(/name:\s*\[languages\]string\{([^}]*)\}/g)]
		.map(([, names]) => [...(names as string).matchAll(/"([^"]*)"/g)].map(([, name]) => name as string))
	expect(proposed.length).toBeGreaterThan(15)
	expect(Object.entries(en.sheets.disciplines).sort()).toEqual(proposed.map(([name]) => [name, name]).sort())
	expect(Object.entries(es.sheets.disciplines).sort()).toEqual(proposed.map((names) => [names[0], names[3]]).sort())
})

test('a range runs both ways', () => {
	expect(range(['a', 'b', 'c', 'd'], 'd', 'b')).toEqual(['b', 'c', 'd'])
	expect(range(['a', 'b'], 'gone', 'b')).toEqual(['b'])
})

test('arrows move over a grid with ragged rows', () => {
	const boxes = [0, 100, 200].map((x) => ({ x, y: 0 })).concat([{ x: 0, y: 50 }], [0, 100].map((x) => ({ x, y: 90 })))
	expect(beside(boxes, 2, 'ArrowDown')).toBe(3)
	expect(beside(boxes, 3, 'ArrowDown')).toBe(4)
	expect(beside(boxes, 5, 'ArrowUp')).toBe(3)
	expect(beside(boxes, 0, 'ArrowLeft')).toBe(0)
	expect(beside(boxes, 5, 'ArrowDown')).toBe(5)
	expect(beside([], 0, 'ArrowDown')).toBe(-1)
})

test('a hit is cut out of a long line', () => {
	expect(marked('PROVIDE FIRE DAMPER AT SHAFT', 'fire damper', 8)).toEqual({ before: 'PROVIDE ', hit: 'FIRE DAMPER', after: ' AT SHAF…' })
	expect(marked('other', 'hit').hit).toBe('hit')
})

test('a set that is proposed has a name of its own', () => {
	expect(unused('Set of May 1', [])).toBe('Set of May 1')
	expect(unused('Set of May 1', ['Set of May 1', 'Set of May 1 (2)', 'Permit'])).toBe('Set of May 1 (3)')
})

test('the palette has sheets in the order of the set, in whichever order they came', () => {
	const sheets = ['IE-02', 'IE-01', 'A-01', 'IE-00'].map((name) => ({ name, sort_key: name }))
	expect(begunBy(bare('ie-0'), sheets).map((s) => s.name)).toEqual(['IE-00', 'IE-01', 'IE-02'])
	expect(begunBy(bare('-'), sheets)).toEqual([])
})

test('tags are told once', () => expect(tagsOf(' Lobby, Level 1;Lobby,, ')).toEqual(['Lobby', 'Level 1']))

test('what is no PDF is told before it is sent, whatever it is called', async () => {
	const file = (name: string, text: string) => new File([text], name, { lastModified: 1 })
	const found = await looked([
		file('a.pdf', '%PDF-1.7 …'), file('b.pdf', 'PK\u0003\u0004'), file('c.txt', '\n\n%PDF-1.4'), file('d.pdf', ''), file('a.pdf', '%PDF-1.7 …'),
	])
	expect(found.map((c) => c.wrong)).toEqual([undefined, 'notPDF', undefined, 'empty', 'twice'])
})

const page = (n: number, more: Partial<PageReading>): PageReading => ({
	page: n, name: `A-${n}`, description: null, description_confidence: null, tags: [], discipline: null, date: null,
	number: `A-${n}`, number_confidence: 0.99, waits: false, skip: false, error: null, thumbnail_url: 'http://x/t', title_block_url: null, ...more,
})
const upload = (pages: PageReading[]) =>
	({ processing: { files: [{ file: 1, file_name: 'set.pdf', status: 'complete', error: null, pages }] } }) as unknown as VersionUpload

test('what is doubtful stands first, with its reason', () => {
	const rows = rowsOf(upload([
		page(1, {}), page(2, { number_confidence: 0.7 }), page(3, { name: 'set p003', number: null, number_confidence: 0 }),
		page(4, { name: 'set p004', number: 'A-9', number_confidence: 0.4, waits: true }), page(5, { thumbnail_url: null, error: 'It is damaged.' }),
		page(6, { name: 'A-1', number: 'A-1' }),
	]))
	const doubts = doubtsOf(rows, new Set())
	expect(Object.fromEntries(doubts)).toEqual({
		'1-1': ['double'], '1-2': ['unsure'], '1-3': ['nameless'], '1-4': ['waits'], '1-5': ['unreadable'], '1-6': ['double'],
	})
	expect(inOrder(rows, new Set())).toEqual(['1-1', '1-6', '1-4', '1-5', '1-3', '1-2'])
	expect(rows[3]?.values.name).toBe('A-9') // what was read is proposed
	expect(doubtsOf(rows, new Set(['1-2', '1-4'])).get('1-4')).toEqual([])
})

test('a title that was not read clearly is looked at, until somebody writes or accepts one', () => {
	const rows = rowsOf(upload([
		page(1, { description: 'Roof', description_confidence: 0.95 }), page(2, { description: 'Ro of', description_confidence: 0.7 }),
		page(3, { description: 'Ro of', description_confidence: 0.7 }), page(4, { description: 'Given', description_confidence: 1 }),
		page(5, { description: 'Both', description_confidence: 0.7, number_confidence: 0.7 }),
	]))
	rows[2]!.values.description = 'Roof'
	const doubts = doubtsOf(rows, new Set())
	expect([...doubts.values()]).toEqual([[], ['title'], [], [], ['unsure', 'title']])
	expect(inOrder(rows, new Set())).toEqual(['1-5', '1-2', '1-1', '1-3', '1-4'])
	expect(outcome(rows, new Map(), new Set())).toMatchObject({ made: 5, waiting: 0 })
	expect(doubtsOf(rows, new Set(['1-2'])).get('1-2')).toEqual([])
	rows[4]!.values.name = 'A-50' // who writes a number has said nothing of the title
	expect(doubtsOf(rows, new Set()).get('1-5')).toEqual(['title'])
	const [kept] = rowsOf(upload([page(5, { description: 'Both', description_confidence: 0.7, number_confidence: 1 })]))
	expect(doubtsOf([kept!], new Set()).get('1-5')).toEqual(['title'])
})

test('a page that is skipped is no double, and one that somebody named is not doubted again', () => {
	const rows = rowsOf(upload([
		page(1, {}), page(2, { name: 'A-1', skip: true }),
		page(3, { name: 'Z-1', number: 'A-9', number_confidence: 1, waits: true }),
	]))
	expect([...doubtsOf(rows, new Set()).values()]).toEqual([[], [], []])
	expect(rows[2]?.values.name).toBe('Z-1')
})

test('what a set does is told before it is published', () => {
	const rows = rowsOf(upload([
		page(1, {}), page(2, {}), page(3, { skip: true }), page(4, { waits: true, number_confidence: 0.3 }), page(5, { thumbnail_url: null }),
		page(6, { name: ' ' }),
	]))
	const current = new Map([['A-1', sheet('A-1')], ['A-3', sheet('A-3')]])
	expect(outcome(rows, current, new Set())).toEqual({ made: 3, replace: 1, skipped: 1, waiting: 1, unreadable: 1, double: 0, blank: 1 })
	expect(replaced(rows[2]!, current)).toBeUndefined()
})

test('a correction has the fields that were changed, and no others', () => {
	const [row] = rowsOf(upload([page(1, { tags: ['a'] })]))
	row!.values = { ...row!.values, name: ' B-1 ', tags: 'x, y', date: '' }
	expect(correction(row!, ['name', 'tags', 'date', 'skip'])).toEqual({ file: 1, page: 1, name: 'B-1', tags: ['x', 'y'], date: '', skip: false })
})

test('the name of a file is not a number', () => {
	expect(fileLike('set.pdf', 'set p003')).toBe(true)
	expect(fileLike('A-101.pdf', 'A-101')).toBe(false)
	expect(fileLike('set.pdf', 'A-101')).toBe(false)
})

// The rule of the rooms: arrows run down. Screens stand on the records (an issue, a photo, as several screens show
// them), the shell, the viewer and the pieces, these on the data, and the data on the API. The data room knows no screen, no Svelte and no DOM.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const rooms: Record<string, number> = { api: 0, words: 0, data: 1, ui: 2, viewer: 3, shell: 4, records: 5 }
const screen = 6
const root = 7

const globals = /(?<![.#\w$'"])(window|document|localStorage|sessionStorage|navigator|location|caches|indexedDB|BroadcastChannel)\b(?!\s*[:?(])/
const direct = /(?<![.#\w$])fetch\(/

/** problems gives what breaks the rule in a file, whose path is relative to src. */
export function problems(path: string, text: string): string[] {
	const out: string[] = []
	const room = roomOf(path)
	const bare = text.replace(/\/\*[^]*?\*\//g, '').replace(/(^|[^:'"])\/\/.*$/gm, '$1')
	for (const [, lazy, given] of bare.matchAll(/(?:\bfrom\s*|\bimport\s*(\(\s*)?)['"]([^'"]+)['"]/g)) {
		const name = given as string
		if (!name.startsWith('.')) {
			if (/^(svelte|bits-ui|@lucide|sv-router)\b/.test(name) && rankOf(room) < 2 && room !== 'words') {
				out.push(`${path} imports ${name}: the data room knows no screen`)
			}
			continue
		}
		const target = relative('/src', resolve('/src', dirname(path), name))
		const other = roomOf(target)
		if (other === room) continue
		if (lazy && rankOf(room) >= (rooms['shell'] as number)) continue // the shell loads screens when they are wanted
		if (rankOf(other) >= rankOf(room)) out.push(`${path} imports ${name}: arrows run down`)
		else if (other === 'data' && target !== 'data' && target !== 'data/index') out.push(`${path} imports ${name}: data has one door`)
		else if (other === 'api' && room !== 'data') out.push(`${path} imports ${name}: only the data room asks the service`)
	}
	if (room === 'data' || room === 'api') {
		const plain = bare.replace(/'[^'\n]*'|`[^`]*`/g, "''")
		const found = globals.exec(plain)?.[1] ?? direct.exec(plain)?.[0]
		if (found) out.push(`${path} uses ${found}: what data needs of the world comes through Ports`)
	}
	return out
}

function roomOf(path: string): string {
	const slash = path.indexOf('/')
	if (slash >= 0) return path.slice(0, slash)
	return path in rooms ? path : ''
}

function rankOf(room: string): number {
	return room === '' ? root : (rooms[room] ?? screen)
}

test('arrows run down', () => {
	const src = fileURLToPath(new URL('../src', import.meta.url))
	const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(ts|svelte)$/.test(name))
	expect(files.length).toBeGreaterThan(10)
	expect(files.flatMap((name) => problems(name, readFileSync(join(src, name), 'utf8')))).toEqual([])
})

/** unbroken tells whether a line has an address, or a string that is long by itself: a sentence, an outline. */
const unbroken = (line: string) =>
	line.includes('://') || [...line.matchAll(/'(?:[^'\\]|\\.)*'/g)].some(([one]) => one.length > 80)

/** tooLong gives the lines over 120 columns. What somebody reads or searches for in one piece is not broken. */
const tooLong = (path: string, text: string) =>
	path.startsWith('words/') || path === 'api/schema.ts' ? []
	: text.split('\n').flatMap((line, i) => ([...line].length > 120 && !unbroken(line) ? [`${path}:${i + 1}`] : []))

test('lines end at 120 columns', () => {
	expect(tooLong('ui/x.ts', `${'x'.repeat(121)}\n${'é'.repeat(120)}\n// https://${'x'.repeat(120)}`)).toEqual(['ui/x.ts:1'])
	expect(tooLong('words/en.ts', 'x'.repeat(200))).toEqual([])
	expect(tooLong('data/x.ts', `sentence: '${'x'.repeat(120)}',`)).toEqual([])
	const src = fileURLToPath(new URL('../src', import.meta.url))
	const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(ts|svelte|css)$/.test(name))
	expect(files.flatMap((name) => tooLong(name, readFileSync(join(src, name), 'utf8')))).toEqual([])
})

test.each([
	['data/desk.ts', "import { mount } from 'svelte'", 'knows no screen'],
	['data/desk.ts', "import x from '../ui/Button.svelte'", 'arrows run down'],
	['data/desk.ts', 'const a = document.title', 'Ports'],
	['data/desk.ts', 'await fetch(address)', 'Ports'],
	['api/line.ts', "import { Cell } from '../data/live'", 'arrows run down'],
	['ui/Button.svelte', "import { title } from '../issues/title'", 'arrows run down'],
	['ui/Button.svelte', "import Home from '../home/Home.svelte'", 'arrows run down'],
	['viewer/tiles.ts', "import Home from '../home/Home.svelte'", 'arrows run down'],
	['team/Team.svelte', "import Home from '../home/Home.svelte'", 'arrows run down'],
	['team/Team.svelte', "import { Sender } from '../data/outbox'", 'one door'],
	['team/Team.svelte', "import { Line } from '../api/line'", 'only the data room'],
])('the rule catches %s: %s', (path, text, what) => {
	expect(problems(path, text).join()).toContain(what)
})

test.each([
	['team/Team.svelte', "import type { Issue } from '../data'\nimport Button from '../ui/Button.svelte'"],
	['shell/Project.svelte', "const home = () => import('../home/Home.svelte')"],
	['App.svelte', "import Frame from './shell/Frame.svelte'"],
	['data/desk.ts', "import { Line } from '../api/line' // not the document"],
])('the rule lets %s pass', (path, text) => {
	expect(problems(path, text)).toEqual([])
})

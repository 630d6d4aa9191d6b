// npm run chromium -- --seeds 20: plays seeds of the mirror (test/mirror.ts) on four devices of a real browser.
// npm run chromium -- --issues 20000: measures a store with so many issues: how long it takes, tasks, heap.
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runnerImport } from 'vite'

const { values } = parseArgs({
	options: {
		seeds: { type: 'string' }, from: { type: 'string', default: '1' }, steps: { type: 'string', default: '40' },
		issues: { type: 'string' }, rounds: { type: 'string', default: '3' },
	},
})
process.env.GROUNDWORK_DRAWING_CACHE ??= fileURLToPath(new URL('../../bin/drawing-cache', import.meta.url))
const load = async (name) => (await runnerImport(fileURLToPath(new URL(`../test/${name}.ts`, import.meta.url)))).module

async function mirror() {
	const { Scene, play } = await load('mirror')
	const { Chromium } = await load('pages')
	const scene = await Scene.open()
	const chromium = await Chromium.open(scene.server, 4)
	const failed = []
	let changes = 0
	try {
		const first = Number(values.from)
		for (let seed = first; seed < first + Number(values.seeds); seed++) {
			const outcome = await play(scene, seed, Number(values.steps), chromium.pages)
			changes += outcome.changes
			console.log(`seed ${seed}: ${outcome.changes} changes, ${outcome.problems.length} problems`)
			if (outcome.problems.length > 0) {
				failed.push(seed)
				console.log(outcome.problems.join('\n').slice(0, 4000))
			}
		}
	} finally {
		await chromium.close()
		await scene.close()
	}
	console.log(`${values.seeds} seeds in a browser, ${changes} changes, ${failed.length} failed ${failed.join(' ')}`)
	return failed.length === 0
}

async function measure() {
	const { Server } = await load('server')
	const { Chromium } = await load('pages')
	const { server, people } = await Server.start(['ann'])
	const { ann } = people
	const count = Number(values.issues)
	const project = (await server.must(ann, 'POST', '/projects', { name: 'Tower' })).uid
	const P = `/projects/${project}`
	for (let made = 0; made < count;) {
		const batch = Array.from({ length: Math.min(50, count - made) }, (_, i) => ({
			method: 'POST', path: `${P}/issues`,
			body: JSON.stringify({
				title: `Issue ${made + i + 1}: seal the penetration at the riser`, room: `Level ${(made + i) % 40}`,
				description: 'Fire stopping is missing at the riser. Seal it, take a photo, and ask for the inspection.',
				assigned_to_uids: [ann.uid], due_at: '2026-12-01T12:00:00Z',
			}),
		}))
		await server.must(ann, 'POST', '/batch', batch)
		made += batch.length
	}
	const chromium = await Chromium.open(server, 1)
	const [page] = chromium.pages
	const visit = async (what) => {
		await page.do('tab')
		const { value: took, tasks } = await chromium.tasks(() => page.do('measure', project, count, true))
		const heap = await page.do('heap')
		await page.do('kill')
		const long = tasks.filter((ms) => ms > 20).map(Math.round).sort((a, b) => b - a)
		const all = Math.round(tasks.reduce((sum, ms) => sum + ms, 0))
		console.log(`${count} issues, ${what}: ${took} ms, heap ${heap} MB; processor time of the main thread ${all} ms, ` +
			`longest task ${Math.round(Math.max(...tasks))} ms, over 20 ms: [${long.join(' ')}]`)
	}
	try {
		for (let round = 0; round < Number(values.rounds); round++) {
			await page.signIn(ann)
			await visit('first visit')
			await visit('from the device')
		}
	} finally {
		await chromium.close()
		await server.stop()
	}
	return true
}

const well = values.issues ? await measure() : await mirror()
process.exit(well ? 0 : 1)

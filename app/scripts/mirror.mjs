// npm run mirror -- --seeds 2000: plays many seeds of the mirror (test/mirror.ts). It goes on where it stopped, from
// bin/mirror.json; --from N begins elsewhere, --anew at the beginning.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runnerImport } from 'vite'

const { values } = parseArgs({
	options: {
		seeds: { type: 'string', default: '100' }, steps: { type: 'string', default: '40' }, from: { type: 'string' },
		anew: { type: 'boolean', default: false },
	},
})
const seeds = Number(values.seeds)
const kept = fileURLToPath(new URL('../../bin/mirror.json', import.meta.url))
mkdirSync(fileURLToPath(new URL('../../bin', import.meta.url)), { recursive: true })
process.env.GROUNDWORK_DRAWING_CACHE ??= fileURLToPath(new URL('../../bin/drawing-cache', import.meta.url))

let state = { next: 1, changes: 0, failed: [] }
if (!values.anew) {
	try {
		state = JSON.parse(readFileSync(kept, 'utf8'))
	} catch {
		// the first time
	}
}
if (values.from) state = { next: Number(values.from), changes: 0, failed: [] }

const { module } = await runnerImport(fileURLToPath(new URL('../test/mirror.ts', import.meta.url)))
const scene = await module.Scene.open()
process.on('SIGINT', () => void scene.close().then(() => process.exit(130)))
try {
	for (; state.next <= seeds; state.next++) {
		const outcome = await module.play(scene, state.next, Number(values.steps))
		state.changes += outcome.changes
		if (outcome.problems.length > 0) {
			state.failed.push(state.next)
			console.log(`seed ${state.next}:\n${outcome.problems.join('\n').slice(0, 4000)}`)
		}
		writeFileSync(kept, JSON.stringify({ ...state, next: state.next + 1 }))
		if (state.next % 50 === 0) console.log(`${state.next} seeds, ${state.changes} changes, ${state.failed.length} failed`)
	}
} finally {
	await scene.close()
}
console.log(`${seeds} seeds, ${state.changes} changes, ${state.failed.length} failed ${state.failed.join(' ')}`)
process.exit(state.failed.length > 0 ? 1 : 0)

import { afterAll, beforeAll, expect, test } from 'vitest'
import { Browser } from './browser'
import { differences, settle } from './compare'
import { play, Scene } from './mirror'
import { until } from './server'

let scene: Scene

beforeAll(async () => {
	scene = await Scene.open()
})

afterAll(() => scene?.close())

test.each([1, 2, 3, 4, 5, 6])('seed %i: the stores are what their readers may GET, and nothing is lost', async (seed) => {
	expect((await play(scene, seed)).problems).toEqual([])
})

/** A mark that bob sees only while it is where an issue stands. */
async function hidden(onFeed?: (text: string) => string): Promise<string[]> {
	await scene.begin()
	const { server, project, sheet, people: { ann, bob } } = scene
	const issue = (await server.must(ann, 'POST', `/projects/${project}/issues`, { title: 'Pinned' })).uid
	const pin = () => server.must(ann, 'POST', `/projects/${project}/annotations`,
		{ kind: 'stamp', stamp: 'A', sheet_uid: sheet, geometry: { points: [{ x: 0.5, y: 0.5 }] }, issue_uid: issue })
	const first = await pin()
	const browser = new Browser(server)
	await browser.signIn(bob)
	const tab = browser.tab()
	tab.onFeed = onFeed
	await tab.desk.ready
	const store = tab.desk.open(project)
	await until('the mark is there', () => store.get('annotations', first.uid) !== undefined && store.filling.get().phase === 'live')
	const second = await pin()
	await until('the next mark is there', () => store.get('annotations', second.uid) !== undefined)
	const last = await server.must(ann, 'POST', `/projects/${project}/issues`, { title: 'Last' })
	await until('all was told', () => store.get('issues', last.uid) !== undefined)
	const different = onFeed ? await differences(server, bob, store) : await settle(server, bob, store)
	await browser.close()
	return different
}

test('what a reader may see no longer leaves the store', async () => {
	expect(await hidden()).toEqual([])
})

test('control: a feed without hide leaves it there', async () => {
	const mute = (text: string) => text.split('\n\n').filter((event) => !event.includes('"operation":"hide"')).join('\n\n')
	const different = await hidden(mute)
	expect(different).toHaveLength(1)
	expect(different[0]).toMatch(/^annotations\/.* should not be there$/)
})

import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, test } from 'vitest'
import { AccountBase, type Kept } from '../src/data/base'
import { Box } from '../src/data/box'
import { nextOf, refusedBefore, type New } from '../src/data/entry'
import type { Ports } from '../src/data/ports'

const ports = {
	indexedDB: new IDBFactory(), keyRange: IDBKeyRange, now: () => Date.now(), random: () => 0.5,
} as unknown as Ports
const one: New = { project: 'p', verb: 'create', kind: 'issues', uid: 'u', fields: { title: 'Crack' } }

test('what was given up does not come back, though its request was being made ready', async () => {
	const base = new AccountBase(ports, 'ann')
	const box = new Box(ports, base, 'ann', { changed: () => {}, wake: () => {} })
	const kept = box.enter(one)
	expect(await box.store(kept)).toBe(true)
	const giving = box.giveUp([kept])
	kept.sent = { at: 1 } as Kept['sent'] // what sends chose it before the device had forgotten it
	const stored = box.keep(kept)
	expect([...(await giving)]).toEqual([kept.id])
	expect(await stored).toBe(false)
	expect(await base.outbox.toArray()).toEqual([])
	base.close()
})

const refused = { id: 1, project: 'p', verb: 'update', kind: 'issues', uid: 'u', fields: { title: 'A' }, needs: [] }
const none = new Map<number, unknown>()

test('what is called back is looked for, whatever became of it meanwhile', () => {
	for (const state of ['waiting', 'refused', 'conflict'] as const) {
		const kept = { ...refused, state, unwanted: true } as unknown as Kept
		expect(nextOf([kept], none, () => true)).toBe(kept)
		expect(nextOf([{ ...kept, unwanted: undefined }], none, () => true)?.id).toBe(state === 'waiting' ? 1 : undefined)
	}
})

test('a new change is no part of one that is called back', () => {
	const change: New = { ...one, verb: 'update' }
	const kept = { ...refused, state: 'refused' } as unknown as Kept
	expect(refusedBefore(change, [kept])).toBe(kept)
	expect(refusedBefore(change, [{ ...kept, unwanted: true }])).toBeUndefined()
})

import { expect, test } from 'vitest'
import { chunks } from '../src/api/events'
import { merge } from '../src/data/entry'
import { applied, same, sendable, written, type Any, type Look } from '../src/data/fields'
import { Cell, Computed } from '../src/data/live'
import { Memory } from '../src/data/memory'

async function read(...parts: string[]) {
	const body = new ReadableStream<Uint8Array>({
		start(out) {
			for (const part of parts) out.enqueue(new TextEncoder().encode(part))
			out.close()
		},
	})
	const all = []
	for await (const chunk of chunks(body, new AbortController().signal)) all.push(chunk)
	return all
}

test('events are read however they are cut', async () => {
	const text = ':\n\nid: 4\n\nevent: change\ndata: {"a":1}\n\nid: 5\nevent: change\ndata: {"é":2}\n\nretry: 2000\n\n'
	for (let at = 1; at < text.length; at++) {
		const all = await read(text.slice(0, at), text.slice(at))
		expect(all.flatMap((one) => one.events)).toEqual([
			{ event: 'change', data: '{"a":1}' }, { event: 'change', data: '{"é":2}' },
		])
		expect(all.at(-1)?.id).toBe('5')
		expect(all.find((one) => one.retry)?.retry).toBe(2000)
	}
})

test('an event that was not whole is none, and its id does not count', async () => {
	const all = await read('id: 4\nevent: change\ndata: 1\n\nid: 5\nevent: change\ndata: 2\n')
	expect(all.flatMap((one) => one.events)).toEqual([{ event: 'change', data: '1' }])
	expect(all.at(-1)?.id).toBe('4')
})

const look: Look = { get: () => undefined, project: 'p', me: { uid: 'me', email: 'me@example.com' } }
const issue = (fields: object): Any =>
	({ uid: 'i', deleted: false, created_at: '1', updated_at: '1', assigned_to: null, issue_list: null, ...fields })

test('fields are compared in the form in which they are written', () => {
	expect(written('issues', issue({ assigned_to: [{ uid: 'a' }] }), 'assigned_to_uids')).toEqual(['a'])
	expect(written('issues', issue({}), 'issue_list_uid')).toBe(null)
	expect(written('rfis', issue({ status: { uid: 's' } }), 'status')).toBe('s')
	expect(written('attachments', issue({ folder: null }), 'folder')).toBe('')
	expect(same('due_at', '2026-03-01T10:00:00Z', '2026-03-01T11:00:00+01:00')).toBe(true)
	expect(same('due_at', '2026-03-01T10:00:00.000001Z', '2026-03-01T10:00:00.000002Z')).toBe(false)
	expect(same('assigned_to_uids', ['a', 'b'], ['b', 'a'])).toBe(true)
	expect(same('weather', { a: 1, b: null }, { a: 1 })).toBe(true)
	expect(applied('issues', issue({ status: 'open' }), { status: 'closed' }, look)['closed_at']).toBe('1')
})

test('a merge asks only where both changed the same field', () => {
	const kept = { kind: 'issues' as const, fields: { room: 'b', title: 't2', status: 'closed' }, base: { room: 'a', title: 't', status: 'open' } }
	const now = issue({ room: 'c', title: 't', status: 'closed' })
	expect(merge(kept, now)).toEqual({ fields: { title: 't2' }, disputed: [{ field: 'room', base: 'a', mine: 'b', theirs: 'c' }] })
})

test('a whole form with a blank is sent in two', () => {
	expect(sendable('attachments', { name: 'a', folder: null })).toEqual([{ name: 'a', folder: '' }])
	expect(sendable('rfis', { title: null })).toEqual([{ title: null }])
	const all = { status: 's', locked: false, title: 't', question: 'q', answer: null, sent_at: null, due_at: null, assigned_to: [] }
	expect(sendable('rfis', all)).toEqual([
		{ status: 's', locked: false, title: 't', question: 'q', assigned_to: [] }, { answer: null, sent_at: null, due_at: null },
	])
})

test('live values tell once, and only what changed', () => {
	const cell = new Cell(1)
	const seen: number[] = []
	const end = cell.subscribe((value) => seen.push(value))
	cell.set(1)
	cell.set(2)
	end()
	cell.set(3)
	expect(seen).toEqual([1, 2])
	let made = 0
	const computed = new Computed(() => ++made)
	computed.stale()
	expect(made).toBe(0)
	expect(computed.get()).toBe(1)
	expect(computed.get()).toBe(1)
})

test('lists stay in the order of creation, whatever comes first', () => {
	const memory = new Memory({ project: 'p', me: { uid: 'me', email: null } })
	const row = (n: number, deleted = false) => ({
		kind: 'issues' as const, uid: `u${n}`, etag: null, walk: 1,
		record: { uid: `u${n}`, deleted, created_at: `2026-01-01T00:00:${String(n).padStart(2, '0')}`, updated_at: '2026' } as Any,
	})
	const list = memory.list('issues', false)
	const seen: number[] = []
	list.subscribe((all) => seen.push(all.length))
	for (const n of [5, 1, 9, 3, 7]) memory.put([row(n)])
	expect(list.get().map((one) => one.uid)).toEqual(['u1', 'u3', 'u5', 'u7', 'u9'])
	memory.put([row(3, true), { ...row(9), record: null }])
	expect(list.get().map((one) => one.uid)).toEqual(['u1', 'u5', 'u7'])
	expect(memory.list('issues', true).get().map((one) => one.uid)).toEqual(['u3'])
	expect(seen).toEqual([0, 1, 2, 3, 4, 5, 3])
	memory.put(Array.from({ length: 60 }, (_, n) => row(n)).flatMap((one) => Array(6).fill(one)))
	expect(list.get()).toHaveLength(60)
	expect(list.get().map((one) => one.created_at)).toEqual(list.get().map((one) => one.created_at).toSorted())
})

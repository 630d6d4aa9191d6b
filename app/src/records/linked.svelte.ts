// What is linked to a record: what the service lists, with the person's own unsent links on top. A record tells only
// how many there are, so the list is asked for, and again when the record says that it moved.
import { untrack } from 'svelte'
import type { Desk, Entry, Linked, Owner, ProjectStore, Records } from '../data'
import { allOf } from './pages'

interface Shows {
	updated_at: string
}

/** What was listed before is shown at once when somebody comes back. */
const known = new Map<string, readonly Records[Linked][]>()

/** mine are the unsent links and unlinks of a list, in order. */
export function mine(entries: readonly Entry[], project: string, kind: Owner, uid: string, what: Linked): Entry[] {
	return entries.filter(
		(e) =>
			e.project === project && e.kind === kind && e.uid === uid && (e.verb === 'link' || e.verb === 'unlink') &&
			e.fields['linked'] === what,
	)
}

/** unmade tells whether a record is still on its way: the service does not know it, and is not asked about it. */
export const unmade = (entries: readonly Entry[], project: string, kind: Owner, uid: string): boolean =>
	entries.some((e) => e.verb === 'create' && e.project === project && e.kind === kind && e.uid === uid)

/** merged is what is shown: the listed ones, then the person's own, without what they took off. */
export function merged(listed: readonly string[], own: readonly { verb: string; target: string }[]): string[] {
	const out = new Set(listed)
	for (const { verb, target } of own) {
		if (verb === 'link') out.add(target)
		else out.delete(target)
	}
	return [...out]
}

/** followLinked has a list followed for as long as the component lives. To be called while it is made. */
export function followLinked<L extends Linked>(
	store: ProjectStore, desk: Desk, kind: Owner, uid: string, what: L, record: () => Shows | undefined,
) {
	const key = `${store.uid}/${kind}/${uid}/${what}`
	let listed = $state.raw<readonly Records[L][]>((known.get(key) ?? []) as readonly Records[L][])
	let own = $state.raw<readonly { id: number; verb: string; target: string }[]>([])
	let ready = $state(known.has(key))
	let sentence = $state('')
	let made = $state(!unmade(desk.outbox.entries.get(), store.uid, kind, uid))
	let asked = 0
	let ended = false

	async function ask() {
		const turn = ++asked
		const answer = await allOf<Records[L]>(store, `${kind}/${uid}/${what}`)
		if (ended || turn !== asked) return
		if (answer.ok) {
			const all = answer.value.data.filter((one) => !one.deleted)
			known.set(key, all)
			listed = all
			sentence = ''
			// What was sent is in the list by now.
			const still = new Set(mine(desk.outbox.entries.get(), store.uid, kind, uid, what).map((e) => e.id))
			own = own.filter((one) => still.has(one.id))
		} else sentence = answer.sentence
		ready = true
	}
	const moved = $derived(record()?.updated_at)
	$effect(() => {
		if (moved === undefined || !made) return
		const timer = setTimeout(() => void ask(), untrack(() => (ready ? 150 : 0)))
		return () => clearTimeout(timer)
	})
	$effect(() => {
		const end = desk.outbox.entries.subscribe((entries) => {
			made = !unmade(entries, store.uid, kind, uid)
			const now = mine(entries, store.uid, kind, uid, what)
			const before = untrack(() => own)
			const fresh = now.filter((e) => !before.some((o) => o.id === e.id))
			if (fresh.length) {
				own = [...before, ...fresh.map((e) => ({ id: e.id, verb: e.verb, target: String(e.fields['target']) }))]
			}
			// One that is gone was sent, or given up: the service knows which.
			if (untrack(() => made) && before.some((o) => !now.some((e) => e.id === o.id))) void ask()
		})
		return () => {
			ended = true
			end()
		}
	})
	const uids = $derived(merged(listed.map((one) => one.uid), own))
	return {
		get uids() {
			return uids
		},
		/** The record as it was listed, for kinds that the store does not keep. */
		listed: (one: string) => listed.find((r) => r.uid === one),
		get ready() {
			return ready
		},
		get sentence() {
			return sentence
		},
	}
}

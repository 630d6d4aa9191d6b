// Whoever entered something hears of its refusal wherever they are by now, and no longer than it stands.
import { untrack } from 'svelte'
import { fromStore } from 'svelte/store'
import type { Desk } from '../data'
import { tell, untell } from '../ui/toasts.svelte'
import { t } from '../words/index.svelte'

/** tellRefusals follows the outbox while a component lives; look shows what was refused. */
export function tellRefusals(desk: Desk, look: () => void): void {
	const entries = fromStore(desk.outbox.entries)
	const told = new Map<number, number>()
	let begun = false
	$effect(() => {
		const refused = entries.current.filter((e) => e.state === 'refused' || e.state === 'conflict')
		untrack(() => {
			for (const [id, toast] of told) {
				if (refused.some((e) => e.id === id)) continue
				untell(toast)
				told.delete(id)
			}
			for (const e of refused) {
				if (told.has(e.id)) continue
				const what = e.state === 'conflict' ? t().outbox.conflict : t().outbox.refusedToast
				const action = { label: t().outbox.look, run: look }
				told.set(e.id, begun ? tell(what, { tone: 'bad', note: e.refusal?.sentence, action }) : 0)
			}
			begun = true
		})
	})
}

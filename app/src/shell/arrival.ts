// What a page of the server did before it led here is told once, and leaves the address.
import { tell } from '../ui/toasts.svelte'
import { t } from '../words/index.svelte'
import { go, place, to } from './router.svelte'

export function tellArrival(): void {
	const done = place().query.get('done')
	if (done === 'welcome') tell(t().app.welcome, { tone: 'good' })
	if (done === 'reset') {
		const action = { label: t().app.account, run: () => location.assign('/account/keys') }
		tell(t().app.reset, { note: t().app.resetNote, tone: 'good', action, stays: true })
	}
	if (done !== null) go(to(), true)
}

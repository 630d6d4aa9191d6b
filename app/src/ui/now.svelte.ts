// The time of day, for what says how long ago something was: one clock for all, which moves twice a minute while
// somebody looks.
import { createSubscriber } from 'svelte/reactivity'

const tick = createSubscriber((update) => {
	const timer = setInterval(update, 30_000)
	return () => clearInterval(timer)
})

export function now(): number {
	tick()
	return Date.now()
}

// Everything that can be done has a place in the palette. Screens offer their actions while they are shown.
import { untrack, type Component } from 'svelte'

export interface Action {
	id: string
	label: string
	icon?: Component
	/** Other words by which it is found. */
	also?: string
	run: () => void
}

let offers = $state.raw<ReadonlyMap<symbol, () => readonly Action[]>>(new Map())

export const actions = (): readonly Action[] => [...offers.values()].flatMap((offer) => offer())

/** offer puts actions into the palette for as long as the component lives. To be called while it is made. */
export function offer(make: () => readonly Action[]): void {
	$effect(() => {
		const key = Symbol('offer')
		offers = new Map([...untrack(() => offers), [key, make]])
		return () => {
			const next = new Map(offers)
			next.delete(key)
			offers = next
		}
	})
}

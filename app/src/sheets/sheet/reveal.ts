// On a phone what stands beside a drawing lies over its lower part.
import { tick } from 'svelte'
import type { Point } from '../../viewer/geometry'

interface Moves {
	centre(p: Point, covered?: number): void
}

/** reveal brings a place above what covers it, once that is there. */
export async function reveal(
	room: HTMLElement | undefined, stage: Moves | undefined, p: Point | undefined,
): Promise<void> {
	await tick()
	const panel = room?.querySelector('aside')?.getBoundingClientRect()
	const under = room?.querySelector('.place')?.getBoundingClientRect()
	if (p && panel && under && panel.top > under.top && panel.top < under.bottom) {
		stage?.centre(p, under.bottom - panel.top)
	}
}

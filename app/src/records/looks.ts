// How a status is shown: a colour, and a shape for those who see no colours.
import type { Shape, Tone } from '../ui/Badge.svelte'

export const looks: Record<string, { tone: Tone; shape: Shape }> = {
	open: { tone: 'info', shape: 'ring' },
	in_review: { tone: 'warn', shape: 'half' },
	pending: { tone: 'plain', shape: 'dash' },
	closed: { tone: 'good', shape: 'check' },
}

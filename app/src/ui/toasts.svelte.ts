// What is told in passing: it does not stop anybody, and goes by itself unless it asks for something.
export interface Toast {
	id: number
	text: string
	/** More, such as what the server said. */
	note?: string
	tone: 'plain' | 'good' | 'bad'
	action?: { label: string; run: () => void }
	/** It stays until it is dismissed, as what is bad does. */
	stays?: boolean
}

let next = 1
let all = $state.raw<readonly Toast[]>([])

export const toasts = (): readonly Toast[] => all

/** tell shows a toast. */
export function tell(text: string, more: Partial<Omit<Toast, 'id' | 'text'>> = {}): number {
	const toast: Toast = { id: next++, text, tone: 'plain', ...more }
	all = [...all.slice(-3), toast]
	return toast.id
}

export function untell(id: number): void {
	all = all.filter((t) => t.id !== id)
}

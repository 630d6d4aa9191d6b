// What keys do at a drawing, wherever the focus is but where somebody writes or chooses.
import { keyOf, tools, type Tool } from '../../viewer/tools'

export interface Does {
	zoom(by: number): void
	home(): void
	/** An arrow: the drawing moves, or what is selected. */
	arrow(dx: number, dy: number, far: boolean): void
	tool(tool: Tool): void
	beside(by: -1 | 1): void
	enter(): boolean
	escape(): boolean
	remove(): boolean
	undo(): void
	redo(): void
	copy(): boolean
	paste(): boolean
	duplicate(): boolean
	all(): void
	find(): void
	full(): void
}

const arrows: Record<string, [number, number]> = {
	ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
}

/** writing tells whether a key belongs to what has the focus. */
function writing(e: KeyboardEvent): boolean {
	const at = e.target as Element | null
	if (document.querySelector('dialog[open], [role=menu]:popover-open')) return true
	return Boolean(
		at?.closest('input, textarea, select, [contenteditable], [role=menu], [role=listbox], [role=slider], [popover]')
	)
}

/** key does what a key means, and tells whether it meant something. */
export function key(e: KeyboardEvent, does: Does, may: readonly Tool[]): boolean {
	if (e.defaultPrevented || e.altKey || writing(e)) return false
	const on = (e.target as Element | null)?.closest('button, a, [role=toolbar]')
	const name = e.key.length === 1 ? e.key.toLowerCase() : e.key
	if (e.ctrlKey || e.metaKey) {
		const run: Record<string, () => unknown> = {
			z: () => (e.shiftKey ? does.redo() : does.undo()), y: () => does.redo(), c: () => does.copy(), v: () => does.paste(),
			d: () => does.duplicate(), a: () => does.all(),
		}
		if (name === 'c' && String(getSelection())) return false // somebody copies words
		const found = run[name]
		return found ? found() !== false : false
	}
	const arrow = arrows[name]
	if (arrow) {
		if (on) return false
		does.arrow(arrow[0], arrow[1], e.shiftKey)
		return true
	}
	switch (name) {
		case '+':
		case '=':
			does.zoom(1.5)
			return true
		case '-':
			does.zoom(1 / 1.5)
			return true
		case '0':
			does.home()
			return true
		case '[':
			does.beside(-1)
			return true
		case ']':
			does.beside(1)
			return true
		case '/':
			does.find()
			return true
		case 'f':
			does.full()
			return true
		case 'Enter':
			return on ? false : does.enter()
		case 'Escape':
			return does.escape()
		case 'Delete':
		case 'Backspace':
			return does.remove()
	}
	const tool = tools.find((one) => keyOf[one] === name)
	if (!tool || !may.includes(tool) || e.shiftKey) return false
	does.tool(tool)
	return true
}

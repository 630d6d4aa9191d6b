// Where something that opens beside a control stands: below it, or above where there is more room, and inside the
// window.
export function place(what: HTMLElement, beside: Element, { wide = false, end = false } = {}): void {
	const at = beside.getBoundingClientRect()
	const margin = 8
	const below = innerHeight - at.bottom - margin
	const above = at.top - margin
	if (wide) what.style.width = `${at.width}px`
	what.style.maxHeight = `${Math.max(below, above) - 4}px`
	const { width, height } = what.getBoundingClientRect()
	const up = height > below && above > below
	const left = end ? at.right - width : at.left
	what.style.left = `${Math.max(margin, Math.min(left, innerWidth - width - margin))}px`
	what.style.top = `${up ? Math.max(margin, at.top - height - 4) : at.bottom + 4}px`
}

// Which part of a long list is seen.

/** starts gives where each item begins, and last where the list ends. */
export function starts<T>(items: readonly T[], height: (item: T) => number): Float64Array {
	const out = new Float64Array(items.length + 1)
	let sum = 0
	for (let i = 0; i < items.length; i++) {
		out[i] = sum
		sum += height(items[i] as T)
	}
	out[items.length] = sum
	return out
}

/** slice gives the items from first up to and without end that are seen, with some more on either side. */
export function slice(offsets: Float64Array, top: number, room: number, more: number): { first: number; end: number } {
	const count = offsets.length - 1
	const first = Math.max(0, last(offsets, Math.max(0, top - more)))
	const end = Math.min(count, last(offsets, top + room + more) + 1)
	return { first: Math.min(first, count), end: Math.max(end, Math.min(first, count)) }
}

/** last is the last item that begins at a place or before it. */
function last(offsets: Float64Array, place: number): number {
	let low = 0
	let high = offsets.length - 1
	while (low < high) {
		const mid = (low + high + 1) >>> 1
		if ((offsets[mid] ?? 0) <= place) low = mid
		else high = mid - 1
	}
	return low
}

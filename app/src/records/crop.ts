// A part of a picture around a point, in per cent of the box that shows it.

/**
 * crop places a picture of a shape (width by height) so that a point of it, from 0 to 1, is in the middle of a box of
 * another shape, as far as the picture goes. zoom is how much wider than the box it is drawn.
 */
export function crop(shape: number, point: { x: number; y: number }, box: number, zoom: number) {
	const wide = Math.max(100 * zoom, (100 * shape) / box)
	const width = wide
	const height = (wide * box) / shape
	const left = clamp(50 - point.x * width, 100 - width, 0)
	const top = clamp(50 - point.y * height, 100 - height, 0)
	return { left, top, width, height, x: left + point.x * width, y: top + point.y * height }
}

const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value))

// The regions that differ between two drawings, from their tiles at a size at which letters can still be told apart.
import { inverse, type Similar } from './align'
import { changes, greyOf, type Grey } from './changes'
import type { Box, Size } from './geometry'
import { describe } from './descriptor'

const wide = 1800

interface Drawing {
	tiles: string
	size: Size
}

/** laid puts the tiles of a level together, at least as wide as wanted. */
async function laid({ tiles }: Drawing, least: number): Promise<HTMLCanvasElement> {
	const found = await describe(tiles)
	const top = Math.ceil(Math.log2(Math.max(found.width, found.height)))
	let level = top
	while (level > 0 && Math.ceil(found.width / 2 ** (top - level + 1)) >= least) level--
	const shrink = 2 ** (top - level)
	const canvas = document.createElement('canvas')
	canvas.width = Math.ceil(found.width / shrink)
	canvas.height = Math.ceil(found.height / shrink)
	const pen = context(canvas)
	const [across, down] = [Math.ceil(canvas.width / found.tile), Math.ceil(canvas.height / found.tile)]
	const all = Array.from({ length: across * down }, (_, i) => ({ x: i % across, y: Math.floor(i / across) }))
	await Promise.all(all.map(async ({ x, y }) => {
		const image = new Image()
		image.src = `${found.files}${level}/${x}_${y}.${found.format}`
		await image.decode()
		pen.drawImage(image, x * found.tile - (x ? found.overlap : 0), y * found.tile - (y ? found.overlap : 0))
	}))
	return canvas
}

function context(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
	const pen = canvas.getContext('2d', { willReadFrequently: true })
	if (!pen) throw new Error('This browser cannot paint.')
	return pen
}

/** regions gives where the drawings differ, on the paper of the first; way takes its places to those of the second. */
export async function regions(now: Drawing, before: Drawing, way: Similar): Promise<Box[]> {
	const k = wide / now.size.width
	const size = { width: wide, height: Math.round(now.size.height * k) }
	const back = inverse(way)
	const grey = async (drawing: Drawing, { a, b }: Similar): Promise<Grey> => {
		const whole = await laid(drawing, wide)
		const canvas = document.createElement('canvas')
		canvas.width = size.width
		canvas.height = size.height
		const pen = context(canvas)
		pen.fillStyle = '#ffffff'
		pen.fillRect(0, 0, size.width, size.height)
		pen.imageSmoothingQuality = 'high'
		pen.setTransform(a.x * k, a.y * k, -a.y * k, a.x * k, b.x * k, b.y * k)
		pen.drawImage(whole, 0, 0, drawing.size.width, drawing.size.height)
		return greyOf(pen.getImageData(0, 0, size.width, size.height).data, size.width, size.height)
	}
	const one = await grey(now, { a: { x: 1, y: 0 }, b: { x: 0, y: 0 } })
	const two = await grey(before, back)
	const rest = () => new Promise<void>((done) => setTimeout(done))
	const found = await changes(one, two, rest)
	const { width, height } = now.size
	return found.map((r) => ({ x0: r.x0 * width, y0: r.y0 * height, x1: r.x1 * width, y1: r.y1 * height }))
}

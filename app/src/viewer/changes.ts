// Where two pictures of a drawing differ: found by blocks, and told as regions from the largest to the smallest.
import type { Box } from './geometry'

/** Grey is a picture without colours, row by row, 0 is black. */
export interface Grey {
	width: number
	height: number
	pixels: Uint8Array
}

export function greyOf(rgba: Uint8ClampedArray, width: number, height: number): Grey {
	const pixels = new Uint8Array(width * height)
	for (let i = 0, p = 0; i < pixels.length; i++, p += 4) {
		pixels[i] = ((rgba[p] as number) * 77 + (rgba[p + 1] as number) * 150 + (rgba[p + 2] as number) * 29) >> 8
	}
	return { width, height, pixels }
}

const block = 8
const dark = 150

/**
 * differing marks the blocks of a row of blocks in which one has ink where the other has none anywhere near: a line
 * that moved by a dot between two prints is no change.
 */
function differing(a: Grey, b: Grey, row: number, across: number, out: Uint8Array): void {
	const { width, height } = a
	const end = Math.min(height, (row + 1) * block)
	for (let y = row * block; y < end; y++) {
		for (let x = 0; x < width; x++) {
			const [p, q] = [a.pixels[y * width + x] as number, b.pixels[y * width + x] as number]
			if (p < dark === q < dark) continue
			const light = p < dark ? b : a
			if (inkNear(light, x, y)) continue
			const at = row * across + ((x / block) | 0)
			out[at] = Math.min(255, (out[at] as number) + 1)
		}
	}
}

function inkNear(picture: Grey, x: number, y: number): boolean {
	const { width, height, pixels } = picture
	for (let dy = -2; dy <= 2; dy++) {
		for (let dx = -2; dx <= 2; dx++) {
			const [i, j] = [x + dx, y + dy]
			if (i >= 0 && j >= 0 && i < width && j < height && (pixels[j * width + i] as number) < dark + 40) return true
		}
	}
	return false
}

/** changes gives the regions in which two pictures of one size differ, as parts of the picture, the largest first. */
export async function changes(a: Grey, b: Grey, rest: () => Promise<void>, most = 200): Promise<Box[]> {
	const across = Math.ceil(a.width / block)
	const down = Math.ceil(a.height / block)
	const blocks = new Uint8Array(across * down)
	for (let row = 0; row < down; row++) {
		differing(a, b, row, across, blocks)
		if (row % 8 === 7) await rest() // nobody should wait for it
	}
	const is = blocks.map((n) => (n >= 2 ? 1 : 0))
	return joined(is, across, down)
		.map(({ x0, y0, x1, y1 }) => ({
			x0: (x0 * block) / a.width, y0: (y0 * block) / a.height,
			x1: Math.min(1, ((x1 + 1) * block) / a.width), y1: Math.min(1, ((y1 + 1) * block) / a.height),
		}))
		.sort((p, q) => (q.x1 - q.x0) * (q.y1 - q.y0) - (p.x1 - p.x0) * (p.y1 - p.y0))
		.slice(0, most)
}

/** joined puts blocks together that are no more than three blocks apart. */
export function joined(is: Uint8Array, across: number, down: number): Box[] {
	const seen = new Uint8Array(is.length)
	const out: Box[] = []
	const gap = 3
	for (let start = 0; start < is.length; start++) {
		if (!is[start] || seen[start]) continue
		const box = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity }
		const todo = [start]
		seen[start] = 1
		for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
			const [x, y] = [at % across, (at / across) | 0]
			box.x0 = Math.min(box.x0, x)
			box.y0 = Math.min(box.y0, y)
			box.x1 = Math.max(box.x1, x)
			box.y1 = Math.max(box.y1, y)
			for (let j = Math.max(0, y - gap); j <= Math.min(down - 1, y + gap); j++) {
				for (let i = Math.max(0, x - gap); i <= Math.min(across - 1, x + gap); i++) {
					const next = j * across + i
					if (!is[next] || seen[next]) continue
					seen[next] = 1
					todo.push(next)
				}
			}
		}
		out.push(box)
	}
	return out
}

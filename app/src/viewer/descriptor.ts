// The tiles of a drawing, as its Deep Zoom descriptor tells them: levels, each twice as large as the one before.
import type { Box } from './geometry'

export interface Descriptor {
	/** Where the levels are, with a slash at the end. */
	files: string
	width: number
	height: number
	tile: number
	overlap: number
	format: string
}

/**
 * describe reads a Deep Zoom descriptor. Addresses in records name the service as others reach it: only the path
 * counts.
 */
export async function describe(address: string): Promise<Descriptor> {
	const at = new URL(address, location.href)
	const path = at.pathname + at.search
	const answer = await fetch(path, { credentials: 'omit' })
	if (!answer.ok) throw new Error(`The drawing's tiles answer ${answer.status}.`)
	const text = await answer.text()
	const value = (name: string) => new RegExp(`\\b${name}\\s*=\\s*"([^"]*)"`).exec(text)?.[1] ?? ''
	return {
		files: path.replace(/\.dzi$/, '_files/'), width: Number(value('Width')), height: Number(value('Height')),
		tile: Number(value('TileSize')), overlap: Number(value('Overlap')), format: value('Format') || 'png',
	}
}

/** Tile is a tile with the part of the drawing that it shows, from 0 to 1. */
export interface Tile extends Box {
	address: string
}

/**
 * tilesUnder are the tiles that show a part of a drawing, from 0 to 1, where all of it is at least so many pixels wide.
 */
export function tilesUnder(d: Descriptor, part: Box, wide: number): Tile[] {
	const last = Math.ceil(Math.log2(Math.max(d.width, d.height)))
	const level = Math.min(last, Math.max(0, last - Math.floor(Math.log2(d.width / wide))))
	const scale = 2 ** (level - last)
	const [w, h] = [Math.ceil(d.width * scale), Math.ceil(d.height * scale)]
	const at = (where: number, size: number) => Math.max(
		0, Math.min(Math.ceil(size / d.tile) - 1, Math.floor((where * size) / d.tile)),
	)
	const [c0, c1, r0, r1] = [at(part.x0, w), at(part.x1, w), at(part.y0, h), at(part.y1, h)]
	const span = (n: number, size: number): [number, number] =>
		[Math.max(0, n * d.tile - d.overlap) / size, Math.min(size, (n + 1) * d.tile + d.overlap) / size]
	const out: Tile[] = []
	for (let c = c0; c <= c1; c++) {
		for (let r = r0; r <= r1; r++) {
			const [[x0, x1], [y0, y1]] = [span(c, w), span(r, h)]
			out.push({ address: `${d.files}${level}/${c}_${r}.${d.format}`, x0, y0, x1, y1 })
		}
	}
	return out
}

// A picture of what is seen: the drawing with what is drawn on it, for printing and for snapshots.
import type { Box } from './geometry'

/** painted lays the marks over the drawing. The region is in pixels of the stage. */
export async function painted(
	drawing: HTMLCanvasElement, marks: SVGSVGElement, region: Box,
): Promise<HTMLCanvasElement> {
	const ratio = drawing.width / (drawing.clientWidth || drawing.width)
	const [wide, high] = [Math.max(1, region.x1 - region.x0), Math.max(1, region.y1 - region.y0)]
	const out = document.createElement('canvas')
	out.width = Math.round(wide * ratio)
	out.height = Math.round(high * ratio)
	const pen = out.getContext('2d')
	if (!pen) throw new Error('This browser cannot paint.')
	pen.fillStyle = '#ffffff'
	pen.fillRect(0, 0, out.width, out.height)
	pen.drawImage(drawing, -region.x0 * ratio, -region.y0 * ratio)
	const copy = marks.cloneNode(true) as SVGSVGElement
	for (const e of copy.querySelectorAll('.handle, .chosen, .link, .found, .now, .frame, image')) e.remove()
	copy.removeAttribute('style')
	copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
	copy.setAttribute('width', String(out.width))
	copy.setAttribute('height', String(out.height))
	copy.setAttribute('viewBox', `${region.x0} ${region.y0} ${wide} ${high}`)
	const address = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], { type: 'image/svg+xml' }))
	try {
		const image = new Image()
		image.src = address
		await image.decode()
		pen.drawImage(image, 0, 0)
	} finally {
		URL.revokeObjectURL(address)
	}
	return out
}

export const asFile = (canvas: HTMLCanvasElement): Promise<Blob> =>
	new Promise(
		(done, fail) => canvas.toBlob((b) => (b ? done(b) : fail(new Error('The picture is empty.'))), 'image/png')
	)

/** cut gives a part of a picture; the part is from 0 to 1. */
export async function cut(picture: Blob, part: Box): Promise<Blob> {
	const whole = await createImageBitmap(picture)
	const out = document.createElement('canvas')
	out.width = Math.max(1, Math.round((part.x1 - part.x0) * whole.width))
	out.height = Math.max(1, Math.round((part.y1 - part.y0) * whole.height))
	const pen = out.getContext('2d')
	if (!pen) throw new Error('This browser cannot paint.')
	pen.drawImage(whole, -Math.round(part.x0 * whole.width), -Math.round(part.y0 * whole.height))
	whole.close()
	return await asFile(out)
}

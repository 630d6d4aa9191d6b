// Where the paper lies on the stage.
import type { Box, Point, Size } from './geometry'

/** View is where the paper lies on the stage: its top left corner in pixels, and how many pixels a point has. */
export interface View {
	x: number
	y: number
	scale: number
}

export const onPaper = (view: View, p: Point): Point =>
	({ x: (p.x - view.x) / view.scale, y: (p.y - view.y) / view.scale })
export const onStage = (view: View, p: Point): Point => ({ x: view.x + p.x * view.scale, y: view.y + p.y * view.scale })

/** fitted is the view that shows a box as large as the stage allows. */
export function fitted(box: Box, stage: Size, margin = 0): View {
	const [w, h] = [Math.max(box.x1 - box.x0, 1), Math.max(box.y1 - box.y0, 1)]
	const scale = Math.min((stage.width - 2 * margin) / w, (stage.height - 2 * margin) / h)
	const [x, y] = [(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2]
	return { x: stage.width / 2 - x * scale, y: stage.height / 2 - y * scale, scale }
}

/** near tells whether nobody would see a difference between two views. */
export const near = (a: View, b: View): boolean =>
	Math.abs(a.x - b.x) < 1 && Math.abs(a.y - b.y) < 1 && Math.abs(a.scale / b.scale - 1) < 0.001

export const whole = (size: Size): Box => ({ x0: 0, y0: 0, x1: size.width, y1: size.height })

/** around is a place with enough around it to know where it is, and so near that it can be read. */
export function around(box: Box, size: Size, stage: Size): Box {
	const room = Math.max(
		Math.min(0.12, stage.width / 8000) * size.width, (box.x1 - box.x0) * 0.6, (box.y1 - box.y0) * 0.6,
	)
	return { x0: box.x0 - room / 2, y0: box.y0 - room / 2, x1: box.x1 + room / 2, y1: box.y1 + room / 2 }
}

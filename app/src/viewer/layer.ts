// What is drawn on the drawing, as SVG of our own. While the drawing moves, the whole layer is moved as one picture by
// the compositor; it is laid out anew when the drawing rests after a zoom, or when it was zoomed so far that pins would
// look wrong, or moved so far that marks come into sight which were too far away to be drawn.
import {
	arrow, boundsOf, cloud, ellipse, meets, polyline, rectangle, smooth, usualLine, type Box, type Point, type Size,
} from './geometry'
import { boxOf, done, handlesOf, isSpot, lettersOf, pinRadius, textBox, type Look, type Mark } from './shapes'
import { onPaper, onStage, type View } from './view'

const svgNS = 'http://www.w3.org/2000/svg'

export function node(
	name: string, attributes: Record<string, string | number> = {}, ...inside: (Node | string)[]
): SVGElement {
	const e = document.createElementNS(svgNS, name)
	for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, String(value))
	e.append(...inside)
	return e
}

/** The colours of states, on white paper. */
export const lookColors: Record<Look, string> = {
	open: '#0a56a0', in_review: '#8a5200', pending: '#52606d', closed: '#0f6437',
}

interface Drawn {
	mark: Mark
	element: SVGElement
	/** Of what keeps its size on the screen: where it stands on the paper, and how it is put at a place of the screen. */
	spot?: { at: Point; put: (x: number, y: number) => void }
	/** Of what has lines: how thick they are on the paper. */
	line?: { element: SVGElement; width: number }
	/** It is too far away to be drawn. */
	far?: boolean
}

/** How far around the stage marks are drawn, in stages: so far the drawing is moved before they are laid out anew. */
const around = 0.5

export interface Frame {
	box: Box
	/** What it is: a link to another sheet, a place that was found, a change. */
	class: 'link' | 'found' | 'now'
}

export class Layer {
	/** What is put on the stage, and moved by the compositor alone. */
	readonly element = document.createElement('div')
	readonly svg: SVGSVGElement
	readonly #paper = node('g')
	readonly #frames = node('g')
	readonly #marks = node('g')
	readonly #drafted = node('g')
	/**
	 * Pins have places and no transforms, and faint ones one opacity together: each would be a part for the compositor.
	 */
	readonly #pins = node('g')
	readonly #faint = node('g', { opacity: 0.45 })
	readonly #handles = node('g')
	#drawn = new Map<string, Drawn>()
	#selected: readonly Mark[] = []
	#size: Size
	#laid: View = { x: 0, y: 0, scale: 1 }
	#now: View = this.#laid
	/** The part of the paper whose marks are drawn. */
	#near: Box = { x0: -Infinity, y0: -Infinity, x1: Infinity, y1: Infinity }
	#least = 0
	readonly #stage: () => Size
	/** How large the stage was when things were laid out: to look means to wait for the layout. */
	#window: Size = { width: 1, height: 1 }

	constructor(size: Size, stage: () => Size) {
		this.#size = size
		this.#stage = stage
		this.svg = node('svg', { 'aria-hidden': 'true', width: '100%', height: '100%' }) as SVGSVGElement
		this.element.className = 'layer'
		this.element.append(this.svg)
		this.#paper.append(this.#frames, this.#marks, this.#drafted)
		this.svg.append(this.#paper, this.#faint, this.#pins, this.#handles)
	}

	resize(size: Size): void {
		this.#size = size
		this.#drawn.clear()
		this.#marks.replaceChildren()
		this.#pins.replaceChildren()
		this.#faint.replaceChildren()
	}

	/** show draws these marks and no others; what is as it was stays as it is. */
	show(marks: readonly Mark[]): void {
		const keep = new Set<string>()
		for (const mark of marks) {
			keep.add(mark.uid)
			const was = this.#drawn.get(mark.uid)
			if (was?.mark === mark) continue
			const drawn = this.#draw(mark)
			const home = !drawn.spot ? this.#marks : mark.faint ? this.#faint : this.#pins
			if (was?.element.parentNode === home && done(was.mark) === done(mark)) was.element.replaceWith(drawn.element)
			else {
				was?.element.remove()
				if (done(mark)) home.prepend(drawn.element)
				else home.append(drawn.element)
			}
			this.#drawn.set(mark.uid, drawn)
			this.#reach(drawn)
			this.#place(drawn)
		}
		for (const [uid, drawn] of this.#drawn) {
			if (keep.has(uid)) continue
			drawn.element.remove()
			this.#drawn.delete(uid)
		}
	}

	/** draft shows what is being drawn or changed, in place of the marks with the same uid. */
	draft(marks: readonly Mark[]): void {
		const hidden = new Set(marks.map((m) => m.uid))
		for (const [uid, drawn] of this.#drawn) drawn.element.style.visibility = hidden.has(uid) ? 'hidden' : ''
		const drawn = marks.map((m) => this.#draw(m))
		for (const d of drawn) this.#place(d)
		this.#drafted.replaceChildren(...drawn.filter((d) => !d.spot).map((d) => d.element))
		this.#pins.querySelectorAll('[data-draft]').forEach((e) => e.remove())
		for (const d of drawn.filter((x) => x.spot)) {
			d.element.dataset['draft'] = ''
			this.#pins.append(d.element)
		}
	}

	frames(frames: readonly Frame[]): void {
		this.#frames.replaceChildren(
			...frames.map(({ box, class: kind }) => {
				const [x, y, w, h] = [box.x0, box.y0, box.x1 - box.x0, box.y1 - box.y0]
				return node('rect', { x, y, width: w, height: h, class: kind, 'vector-effect': 'non-scaling-stroke' })
			}),
		)
	}

	/** lasso shows the frame that somebody draws around marks. */
	lasso(box: Box | undefined): void {
		const { x0, y0, x1, y1 } = box ?? { x0: 0, y0: 0, x1: 0, y1: 0 }
		const rect = () => node(
			'rect', { x: x0, y: y0, width: x1 - x0, height: y1 - y0, class: 'frame', 'vector-effect': 'non-scaling-stroke' }
		)
		this.#drafted.replaceChildren(...(box ? [rect()] : []))
	}

	select(marks: readonly Mark[]): void {
		this.#selected = marks
		this.#outline()
	}

	#draw(mark: Mark): Drawn {
		const { points, color, faint } = mark
		const usual = usualLine(this.#size)
		const width = usual * mark.width
		const [a, b] = [points[0] as Point, points.at(-1) as Point]
		const opacity = faint ? 0.45 : 1
		const stroke = {
			fill: 'none', stroke: color, 'stroke-linecap': 'round', 'stroke-linejoin': 'round', 'stroke-opacity': opacity,
		}
		const lined = (d: string, more: Record<string, string | number> = {}): Drawn => {
			const element = node('path', { d, ...stroke, ...more, 'data-kind': mark.kind, 'data-uid': mark.uid })
			return { mark, element, line: { element, width } }
		}
		switch (mark.kind) {
			case 'rectangle':
				return lined(rectangle(a, b))
			case 'cloud':
				return lined(cloud(a, b, width))
			case 'ellipse':
				return lined(ellipse(a, b))
			case 'line':
				return lined(polyline(points))
			case 'pen':
				return lined(smooth(points))
			case 'highlight': {
				const element = node('path', { d: rectangle(a, b), fill: color, 'fill-opacity': faint ? 0.16 : 0.35 })
				element.dataset['kind'] = mark.kind
				element.dataset['uid'] = mark.uid
				return { mark, element }
			}
			case 'arrow': {
				const { line, head } = arrow(a, b, Math.max(width, this.#least * 1.5))
				const shaft = node('path', { d: line, ...stroke })
				const point = node('path', { d: head, fill: color, 'fill-opacity': opacity })
				const element = node('g', { 'data-kind': mark.kind, 'data-uid': mark.uid }, shaft, point)
				return { mark, element, line: { element: shaft, width } }
			}
			case 'measure':
				return this.#measure(mark, stroke, width)
			case 'text':
				return this.#text(mark, opacity)
			default: {
				const parts = pin(mark)
				const element = node('g', { 'data-kind': mark.kind, 'data-uid': mark.uid }, ...parts.map((p) => p.element))
				return { mark, element, spot: { at: a, put: (x, y) => parts.forEach((p) => p.put(x, y)) } }
			}
		}
	}

	#measure(mark: Mark, stroke: Record<string, string | number>, width: number): Drawn {
		const { high, pad } = lettersOf(this.#size)
		const usual = usualLine(this.#size)
		const fill: Record<string, string | number> = mark.area ? { fill: mark.color, 'fill-opacity': 0.12 } : {}
		const line = node('path', { d: polyline(mark.points, mark.area), ...stroke, ...fill })
		const dots = mark.points.map(
			(p) => node('circle', { cx: p.x, cy: p.y, r: 1.5 * usual * mark.width, fill: mark.color })
		)
		const element = node('g', { 'data-kind': mark.kind, 'data-uid': mark.uid }, line, ...dots)
		if (mark.text) {
			const box = boundsOf(mark.points)
			const n = mark.points.length
			const at = mark.area ? { x: (box.x0 + box.x1) / 2, y: (box.y0 + box.y1) / 2 }
				: { x: mark.points.reduce((s, p) => s + p.x, 0) / n, y: mark.points.reduce((s, p) => s + p.y, 0) / n }
			const wide = mark.text.length * high * 0.55 + 2 * pad
			element.append(
				node('rect', {
					x: at.x - wide / 2, y: at.y - high / 2 - pad, width: wide, height: high + 2 * pad, rx: pad, fill: '#ffffff',
					'fill-opacity': 0.92, stroke: mark.color, 'stroke-width': usual / 2,
				}),
				node('text', {
					x: at.x, y: at.y + high * 0.36, 'font-size': high, 'text-anchor': 'middle', fill: mark.color,
					'font-family': 'sans-serif', 'font-weight': 600,
				}, mark.text),
			)
		}
		return { mark, element, line: { element: line, width } }
	}

	#text(mark: Mark, opacity: number): Drawn {
		const { high, pad } = lettersOf(this.#size)
		const { box, lines } = textBox(mark, this.#size)
		const ground = node('rect', {
			x: box.x0, y: box.y0, width: box.x1 - box.x0, height: box.y1 - box.y0, fill: '#ffffff',
			'fill-opacity': 0.88 * opacity, stroke: mark.color, 'stroke-width': usualLine(this.#size) / 2,
			'stroke-opacity': opacity,
		})
		const words = lines.map((line, i) =>
			node('text', {
				x: box.x0 + pad, y: box.y0 + pad + high * (0.95 + 1.3 * i), 'font-size': high, fill: mark.color,
				'fill-opacity': opacity, 'font-family': 'sans-serif',
			}, line))
		const element = node('g', { 'data-kind': mark.kind, 'data-uid': mark.uid }, ground, ...words)
		return { mark, element }
	}

	/** place puts what keeps its size where it belongs, and has no line be thinner than can be seen. */
	#place(drawn: Drawn): void {
		if (drawn.spot) {
			const { x, y } = onStage(this.#laid, drawn.spot.at)
			drawn.spot.put(Math.round(x * 10) / 10, Math.round(y * 10) / 10)
		}
		if (drawn.line) drawn.line.element.setAttribute('stroke-width', String(Math.max(drawn.line.width, this.#least)))
	}

	/** move follows the drawing. */
	move(view: View): void {
		this.#now = view
		const r = view.scale / this.#laid.scale
		if (r > 1.6 || r < 0.6 || this.#beyond(view)) {
			this.lay()
			return
		}
		this.element.style.transform = `translate(${view.x - this.#laid.x * r}px, ${view.y - this.#laid.y * r}px) scale(${r})`
	}

	/**
	 * rest is told when the drawing rests: pins get their size back where it was zoomed. What was only moved stays as it
	 * is.
	 */
	rest(): void {
		if (this.#now.scale !== this.#laid.scale) this.lay()
	}

	/** lay lays everything out as the drawing lies now. */
	lay(view = this.#now): void {
		const zoomed = view.scale !== this.#laid.scale
		this.#now = this.#laid = view
		this.element.style.transform = ''
		this.#paper.setAttribute('transform', `translate(${view.x} ${view.y}) scale(${view.scale})`)
		const least = 1.5 / view.scale
		const thin = zoomed && (least > this.#thinnest || this.#least > this.#thinnest)
		this.#least = least
		this.#window = this.#stage()
		this.#near = this.#seen(view, around)
		for (const drawn of this.#drawn.values()) {
			const came = this.#reach(drawn)
			if (!drawn.far && (drawn.spot || thin || came)) this.#place(drawn)
		}
		this.#outline()
	}

	/** seen is the part of the paper that the stage shows, with so many stages around it. */
	#seen(view: View, more: number): Box {
		const { width, height } = this.#window
		const from = onPaper(view, { x: -more * width, y: -more * height })
		const to = onPaper(view, { x: (1 + more) * width, y: (1 + more) * height })
		return { x0: from.x, y0: from.y, x1: to.x, y1: to.y }
	}

	/** beyond tells whether a view shows paper whose marks are not drawn. */
	#beyond(view: View): boolean {
		const { x0, y0, x1, y1 } = this.#seen(view, 0)
		const near = this.#near
		return (x0 < near.x0 && near.x0 > 0) || (y0 < near.y0 && near.y0 > 0) ||
			(x1 > near.x1 && near.x1 < this.#size.width) || (y1 > near.y1 && near.y1 < this.#size.height)
	}

	/** reach draws what is near, and nothing else: the browser is slow with what nobody sees. It tells what came near. */
	#reach(drawn: Drawn): boolean {
		const far = !meets(boxOf(drawn.mark, this.#size, this.#laid.scale), this.#near)
		if (far === !!drawn.far) return false
		drawn.far = far
		drawn.element.style.display = far ? 'none' : ''
		return !far
	}

	get #thinnest(): number {
		return usualLine(this.#size) * 0.25
	}

	#outline(): void {
		const out: SVGElement[] = []
		const one = this.#selected.length === 1
		for (const mark of this.#selected) {
			if (isSpot(mark.kind)) {
				const at = onStage(this.#laid, mark.points[0] as Point)
				out.push(node('circle', { cx: at.x, cy: at.y, r: pinRadius + 6, class: 'chosen' }))
				continue
			}
			const box = mark.kind === 'text' ? textBox(mark, this.#size).box : boundsOf(mark.points)
			const [p, q] = [onStage(this.#laid, { x: box.x0, y: box.y0 }), onStage(this.#laid, { x: box.x1, y: box.y1 })]
			const air = 6
			const [width, height] = [q.x - p.x + 2 * air, q.y - p.y + 2 * air]
			out.push(node('rect', { x: p.x - air, y: p.y - air, width, height, rx: 3, class: 'chosen' }))
			if (!one || !mark.mine) continue
			for (const h of handlesOf(mark, this.#size)) {
				const at = onStage(this.#laid, h)
				out.push(node('circle', { cx: at.x, cy: at.y, r: 6, class: 'handle' }))
			}
		}
		this.#handles.replaceChildren(...out)
	}
}

/** Part is a piece of a pin, which can be put at a place. */
interface Part {
	element: SVGElement
	put: (x: number, y: number) => void
}

type Attributes = Record<string, string | number>

/** moving makes a part whose attributes x and y, or cx and cy, are so far from the place of the pin. */
function moving(
	name: string, ax: string, ay: string, dx: number, dy: number, rest: Attributes, ...inside: string[]
): Part {
	const element = node(name, rest, ...inside)
	const put = (x: number, y: number) => {
		element.setAttribute(ax, String(x + dx))
		element.setAttribute(ay, String(y + dy))
	}
	return { element, put }
}

const disc = (dx: number, dy: number, rest: Attributes) => moving('circle', 'cx', 'cy', dx, dy, rest)
const square = (dx: number, dy: number, rest: Attributes) => moving('rect', 'x', 'y', dx, dy, rest)
/** stroked is a path of relative steps from a place. */
function stroked(dx: number, dy: number, steps: string, rest: Attributes): Part {
	const element = node('path', rest)
	return { element, put: (x, y) => element.setAttribute('d', `M${x + dx} ${y + dy}${steps}`) }
}

/** done tells what lies below: a tick never hides the number of an issue that somebody still has to do. */

/** pin is what stands at a place: its colour and its shape tell the state of an issue, a camera stands for a photo. */
function pin(mark: Mark): Part[] {
	const look = mark.issue?.look
	const color = look ? lookColors[look] : mark.color
	const r = pinRadius
	if (mark.kind === 'photo') {
		const back = square(-15, -15, { width: 30, height: 30, rx: 5, fill: '#ffffff', stroke: color, 'stroke-width': 2.5 })
		if (mark.picture) {
			const shown = { href: mark.picture, width: 26, height: 26, preserveAspectRatio: 'xMidYMid slice' }
			return [back, moving('image', 'x', 'y', -13, -13, shown)]
		}
		const camera = 'h3.2l1.4-2.5h6.8l1.4 2.5h3.2a1.4 1.4 0 0 1 1.4 1.4v8a1.4 1.4 0 0 1-1.4 1.4h-16a1.4 1.4 0 0 1-1.4-1.4v-8a1.4 1.4 0 0 1 1.4-1.4Z'
		return [back, stroked(-8, -4.5, camera, { fill: color }), disc(0, 0.8, { r: 3, fill: '#ffffff' })]
	}
	const edge = { stroke: '#ffffff', 'stroke-width': 2, fill: color }
	if (look === 'closed') {
		const tick = { fill: 'none', stroke: color, 'stroke-width': 2.5 }
		return [
			disc(0, 0, { r, fill: '#ffffff', stroke: color, 'stroke-width': 2.5 }), stroked(-5.5, 0.5, 'l3.8 3.8 7-7.6', tick),
		]
	}
	const far = r * 1.25
	const body = look === 'in_review' ? square(-r * 0.9, -r * 0.9, { width: r * 1.8, height: r * 1.8, rx: 4, ...edge })
		: look === 'pending' ? stroked(
			0, -far, `l${far} ${far} ${-far} ${far} ${-far} ${-far}Z`, { 'stroke-linejoin': 'round', ...edge }
		)
		: disc(0, 0, { r, ...edge })
	const letters = mark.stamp
	const high = letters.length > 3 ? 8 : letters.length > 2 ? 10 : 12
	const text = moving('text', 'x', 'y', 0, high * 0.37, {
		'text-anchor': 'middle', 'font-size': high, 'font-weight': 700, 'font-family': 'sans-serif',
		fill: !look && light(color) ? '#000000' : '#ffffff',
	}, letters || '•')
	return [body, text]
}

/** light tells whether black is read better on a colour than white. */
export function light(color: string): boolean {
	const n = Number.parseInt(color.slice(1), 16)
	return (n >> 16) * 299 + ((n >> 8) & 255) * 587 + (n & 255) * 114 > 160_000
}

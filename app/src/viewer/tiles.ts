// The drawing itself: OpenSeadragon shows its tiles. It only draws here: what fingers and keys mean is decided
// elsewhere.
import OpenSeadragon from 'openseadragon'
import { describe } from './descriptor'
import { clamp, type Point, type Size } from './geometry'
import { fitted, near, whole, type View } from './view'

export interface Hears {
	/** After each frame in which the drawing moved. */
	moved(view: View): unknown
	/** All tiles that are wanted are there, or are not any more. */
	sharp(is: boolean): unknown
	/** Tiles do not come: their address ended, or the line is down. */
	trouble(): unknown
}

const calm = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches

export class Tiles {
	readonly #viewer: OpenSeadragon.Viewer
	readonly #element: HTMLElement
	readonly #hears: Hears
	#size: Size
	#view: View
	#opened = false
	#closed = false
	#told = ''
	#all = true
	/** Where to go as soon as there is a drawing. */
	#wish: View | undefined

	constructor(element: HTMLElement, size: Size, hears: Hears) {
		plainStyles()
		quieten()
		this.#element = element
		this.#size = size
		this.#hears = {
			moved: (view) => this.#closed || hears.moved(view), sharp: (is) => this.#closed || hears.sharp(is),
			trouble: () => this.#closed || hears.trouble(),
		}
		this.#view = this.home()
		this.#viewer = OpenSeadragon({
			element, drawer: 'canvas', showNavigationControl: false, mouseNavEnabled: false, keyboardNavEnabled: false,
			animationTime: calm() ? 0 : 0.35, springStiffness: 8, immediateRender: calm(), blendTime: 0,
			visibilityRatio: 0.3, minZoomImageRatio: 0.5, maxZoomPixelRatio: 6, imageLoaderLimit: 6, tileRetryMax: 2,
			tileRetryDelay: 1500,
			crossOriginPolicy: false, preserveImageSizeOnResize: true, autoResize: true,
		} as OpenSeadragon.Options)
		withoutMarkup(this.#viewer)
		this.#viewer.setMouseNavEnabled(false)
		this.#viewer.addHandler('update-viewport', () => this.#look())
		this.#viewer.addHandler('resize', () => {
			const all = this.#all // who sees all of a drawing still does when the phone is turned
			requestAnimationFrame(() => {
				if (all && this.#opened && !this.#closed) this.show(this.home(), true)
				this.#look()
			})
		})
		this.#viewer.addHandler('tile-load-failed', () => this.#hears.trouble())
	}

	get size(): Size {
		return this.#size
	}

	get view(): View {
		return this.#view
	}

	get opened(): boolean {
		return this.#opened
	}

	get stage(): Size {
		return { width: this.#element.clientWidth || 1, height: this.#element.clientHeight || 1 }
	}

	home(): View {
		return fitted(whole(this.#size), this.stage)
	}

	/** open shows a drawing. With keep, the view stays as it is, as when another version of it is shown. */
	async open(address: string, size: Size, keep = false): Promise<void> {
		const kept = keep ? this.#view : undefined
		const found = await describe(address)
		if (this.#closed) return
		this.#size = size
		this.#opened = false
		await new Promise<void>((done, fail) => {
			this.#viewer.addOnceHandler('open', () => done())
			this.#viewer.addOnceHandler('open-failed', (e) => fail(new Error(e.message ?? '')))
			this.#viewer.open({
				Image: {
					xmlns: 'http://schemas.microsoft.com/deepzoom/2008', Url: found.files, Format: found.format,
					Overlap: String(found.overlap), TileSize: String(found.tile),
					Size: { Width: String(found.width), Height: String(found.height) },
				},
			} as unknown as OpenSeadragon.TileSourceSpecifier)
		})
		if (this.#closed) return
		this.#opened = true
		const view = this.#wish ?? kept
		this.#wish = undefined
		if (view) this.show(view, true)
		const image = this.#viewer.world.getItemAt(0)
		const sharp = () => this.#hears.sharp(image.getFullyLoaded())
		image.addHandler('fully-loaded-change', sharp)
		sharp()
		this.#look()
	}

	#look(): void {
		if (!this.#opened) return
		const port = this.#viewer.viewport
		const corner = port.pixelFromPoint(new OpenSeadragon.Point(0, 0), true)
		const scale = (port.getContainerSize().x * port.getZoom(true)) / this.#size.width
		this.#view = { x: corner.x, y: corner.y, scale }
		const room = port.getContainerSize() // until the drawing follows, the stage may have another size already
		this.#all = near(this.#view, fitted(whole(this.#size), { width: room.x, height: room.y }))
		const told = `${corner.x} ${corner.y} ${scale}`
		if (told === this.#told) return
		this.#told = told
		this.#hears.moved(this.#view)
	}

	/** show moves to a view; turned by so many degrees, clockwise. */
	show(view: View, at_once = calm(), turn = 0): void {
		if (!this.#opened) {
			this.#wish = view
			return
		}
		const { width, height } = this.stage
		const { width: wide } = this.#size
		const port = this.#viewer.viewport
		port.setRotation(turn, true)
		const bounds = new OpenSeadragon.Rect(
			-view.x / view.scale / wide, -view.y / view.scale / wide, width / view.scale / wide, height / view.scale / wide,
		)
		port.fitBounds(bounds, at_once)
	}

	/** centred shows a place in the middle of the stage. */
	centred(p: Point, scale: number, turn: number): void {
		if (!this.#opened) return
		const port = this.#viewer.viewport
		port.setRotation(turn, true)
		port.zoomTo((scale * this.#size.width) / port.getContainerSize().x, undefined, true)
		port.panTo(new OpenSeadragon.Point(p.x / this.#size.width, p.y / this.#size.width), true)
	}

	pan(dx: number, dy: number, at_once = true): void {
		if (!this.#opened) return
		const port = this.#viewer.viewport
		port.panBy(port.deltaPointsFromPixels(new OpenSeadragon.Point(-dx, -dy), true), at_once)
		port.applyConstraints(at_once)
	}

	zoom(by: number, at?: Point, at_once = calm()): void {
		if (!this.#opened) return
		const port = this.#viewer.viewport
		const now = port.getZoom(false)
		const to = clamp(now * by, port.getMinZoom(), port.getMaxZoom())
		const fixed = at ? port.pointFromPixel(new OpenSeadragon.Point(at.x, at.y), true) : undefined
		port.zoomTo(to, fixed, at_once)
		port.applyConstraints(at_once)
	}

	/** The canvas on which the drawing stands. */
	get canvas(): HTMLCanvasElement {
		return this.#viewer.drawer.canvas as HTMLCanvasElement
	}

	close(): void {
		this.#opened = false
		this.#closed = true
		this.#viewer.destroy()
	}
}

/** OpenSeadragon writes a style into the page unless it finds one there; the policy of the page admits none. */
function plainStyles(): void {
	if (document.querySelector('style[data-openseadragon-mobile-css]')) return
	const none = document.createElementNS('urn:none', 'style')
	none.setAttribute('data-openseadragon-mobile-css', '')
	document.head.append(none)
}

/** It warns of tiles that come after another drawing was opened, which is nothing to worry about. */
function quieten(): void {
	const none = () => {}
	Object.assign(OpenSeadragon, { console: { ...console, log: none, debug: none, info: none, warn: none } })
}

/** It empties an element by writing markup, which the policy refuses: this element is emptied in another way. */
function withoutMarkup(viewer: OpenSeadragon.Viewer): void {
	const element = (viewer as unknown as { overlaysContainer: HTMLElement }).overlaysContainer
	Object.defineProperty(element, 'innerHTML', { set: () => element.replaceChildren() })
}

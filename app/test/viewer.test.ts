// What marks are made of, without a browser: lines, hits, handles, measures, alignment, gestures and undo.
import { describe, expect, test } from 'vitest'
import { after, at, inverse, onto, same, through, turns, type Version } from '../src/viewer/align'
import { changes, greyOf, type Grey } from '../src/viewer/changes'
import { tilesUnder } from '../src/viewer/descriptor'
import { arrow, cloud, lengthOf, simplified, smooth, toParts, type Point } from '../src/viewer/geometry'
import { Arbiter, longPress, type Meaning, type Mode, type Touch } from '../src/viewer/gestures'
import { History } from '../src/viewer/history'
import { distance, inFeet, measured, scaleName, scaleOf } from '../src/viewer/measure'
import { framed, handlesOf, hit, hits, moved, reshaped, squared, wrapped, type Mark } from '../src/viewer/shapes'
import { fitted, near, onPaper, onStage } from '../src/viewer/view'
import { inMiddle, Stroke } from '../src/viewer/tools'

const size = { width: 3024, height: 2160 } // 42 × 30 inches
const a1 = { width: 2384, height: 1684 }
const p = (x: number, y: number): Point => ({ x, y })
const mark = (kind: Mark['kind'], ...points: Point[]): Mark => ({
	uid: `${kind}-${points.map((q) => `${q.x},${q.y}`).join(' ')}`, kind, color: '#ff0000', width: 1, points, text: '', stamp: '',
	area: false, faint: false, personal: false, mine: true, name: kind,
})
const numbers = (d: string) => [...d.matchAll(/-?\d+(?:\.\d+)?/g)].map(Number)

describe('lines', () => {
	test('a cloud goes once around and bulges outwards', () => {
		const d = cloud(p(100, 300), p(400, 100), 3)
		expect(d.startsWith('M100 100C')).toBe(true)
		expect(d.endsWith('100 100Z')).toBe(true)
		const all = numbers(d)
		const [xs, ys] = [all.filter((_, i) => i % 2 === 0), all.filter((_, i) => i % 2 === 1)]
		expect([Math.min(...xs) < 100, Math.max(...xs) > 400, Math.min(...ys) < 100, Math.max(...ys) > 300]).toEqual([true, true, true, true])
		expect(d.match(/C/g)?.length).toBe(2 * (9 + 6)) // bows of 33 points on sides of 300 and 200
	})
	test('a cloud without height is drawn, and one around a huge sheet has an end', () => {
		expect(cloud(p(0, 5), p(99, 5), 3)).not.toContain('NaN')
		expect(cloud(p(0, 0), p(90_000, 90_000), 0.1).match(/C/g)?.length).toBe(2000)
	})
	test('an arrow ends where it points, and one without a length is nothing', () => {
		const { line, head } = arrow(p(0, 0), p(100, 0), 2)
		expect(numbers(line)).toEqual([0, 0, 84, 0])
		expect(numbers(head).slice(0, 2)).toEqual([100, 0])
		expect(arrow(p(1, 1), p(1, 1), 2)).toEqual({ line: '', head: '' })
	})
	test('a pen goes from the first point to the last', () => {
		const d = smooth([p(0, 0), p(10, 0), p(10, 10), p(20, 10)])
		expect(numbers(d).slice(0, 2)).toEqual([0, 0])
		expect(numbers(d).slice(-2)).toEqual([20, 10])
	})
	test('what lies on the way is left out, and never more than may be kept', () => {
		expect(simplified([p(0, 0), p(5, 0.01), p(10, 0), p(10, 10)], 0.1)).toEqual([p(0, 0), p(10, 0), p(10, 10)])
		const wild = Array.from({ length: 9000 }, (_, i) => p(i, (i * 7919) % 13))
		const thin = simplified(wild, 0.1)
		expect(thin.length).toBeLessThanOrEqual(5000)
		expect([thin[0], thin.at(-1)]).toEqual([wild[0], wild.at(-1)])
	})
	test('places are kept inside the sheet', () => {
		expect(toParts([p(-5, 1080), p(4000, 2161)], size)).toEqual([p(0, 0.5), p(1, 1)])
	})
})

describe('hits', () => {
	test('a rectangle is hit at its edge, and inside only where it is small', () => {
		const large = mark('rectangle', p(100, 100), p(500, 400))
		expect(hits(large, p(101, 250), 5, size, 1)).toBeLessThan(5)
		expect(hits(large, p(300, 250), 5, size, 1)).toBe(Infinity)
		expect(hits(mark('rectangle', p(100, 100), p(110, 110)), p(105, 105), 5, size, 1)).toBe(0)
	})
	test('an ellipse is hit where it is drawn and not at the corners of its box', () => {
		const round = mark('ellipse', p(0, 0), p(400, 200))
		expect(hits(round, p(400, 100), 5, size, 1)).toBeLessThan(5)
		expect(hits(round, p(2, 2), 5, size, 1)).toBe(Infinity)
	})
	test('a pin lies on what is drawn under it, and keeps its size on the screen', () => {
		const under = mark('highlight', p(0, 0), p(900, 900))
		const pin = mark('stamp', p(300, 300))
		expect(hit([pin, under], p(305, 300), 4, size, 1)?.kind).toBe('stamp')
		expect(hit([pin, under], p(330, 300), 4, size, 1)?.kind).toBe('highlight')
		expect(hit([pin], p(330, 300), 4, size, 0.25)?.kind).toBe('stamp') // 13 px are 52 points here
	})
	test('of two pins in one place the open one is meant, which lies on top', () => {
		const pin = (uid: string, look: 'open' | 'closed') =>
			({ ...mark('stamp', p(300, 300)), uid, issue: { ...({} as NonNullable<Mark['issue']>), look } })
		expect(hit([pin('a', 'open'), pin('b', 'closed')], p(302, 300), 4, size, 1)?.uid).toBe('a')
		expect(hit([pin('b', 'closed'), pin('a', 'open')], p(302, 300), 4, size, 1)?.uid).toBe('a')
		expect(hit([pin('a', 'closed'), pin('b', 'closed')], p(302, 300), 4, size, 1)?.uid).toBe('b')
	})
	test('of two that are equally near the later one is meant, and one of this version before one of an earlier', () => {
		const [one, two] = [mark('line', p(0, 0), p(100, 0)), { ...mark('line', p(0, 0), p(100, 0)), uid: 'two' }]
		expect(hit([one, two], p(50, 1), 4, size, 1)?.uid).toBe('two')
		expect(hit([one, { ...two, faint: true }], p(50, 1), 4, size, 1)?.uid).toBe(one.uid)
	})
	test('a frame takes what lies in it wholly', () => {
		const all = [mark('line', p(10, 10), p(50, 50)), mark('line', p(10, 10), p(500, 50)), mark('stamp', p(60, 60))]
		expect(framed(all, { x0: 0, y0: 0, x1: 100, y1: 100 }, size, 1).map((m) => m.kind)).toEqual(['line', 'stamp'])
	})
})

describe('reshape', () => {
	test('a corner moves, the one across stays', () => {
		const box = mark('cloud', p(300, 400), p(100, 200))
		expect(handlesOf(box, size)).toEqual([p(100, 200), p(300, 200), p(300, 400), p(100, 400)])
		expect(reshaped(box, 0, p(50, 60), size)).toEqual([p(300, 400), p(50, 60)])
	})
	test('an end of a line moves', () => {
		expect(reshaped(mark('arrow', p(0, 0), p(10, 10)), 1, p(20, 5), size)).toEqual([p(0, 0), p(20, 5)])
	})
	test('a pen is stretched from the corner across, also one that is flat', () => {
		expect(reshaped(mark('pen', p(0, 0), p(10, 10), p(20, 20)), 2, p(40, 20), size)).toEqual([p(0, 0), p(20, 10), p(40, 20)])
		expect(reshaped(mark('pen', p(0, 5), p(10, 5)), 2, p(20, 5), size)).toEqual([p(0, 5), p(20, 5)])
	})
	test('what is moved stays on the sheet and keeps its form', () => {
		expect(moved([p(10, 10), p(20, 30)], -50, 5, size)).toEqual([p(0, 15), p(10, 35)])
		expect(moved([p(3000, 2100)], 100, 100, size)).toEqual([p(3024, 2160)])
	})
	test('shift keeps it square, or on one of eight directions', () => {
		expect(squared('rectangle', p(0, 0), p(30, -10))).toEqual(p(30, -30))
		const flat = squared('line', p(0, 0), p(100, 9))
		expect([Math.round(flat.x), Math.round(flat.y)]).toEqual([100, 0])
	})
	test('texts are broken at words, and words that are too long anywhere', () => {
		expect(wrapped('a bb ccc', 4)).toEqual(['a bb', 'ccc'])
		expect(wrapped('abcdefgh\nx', 3)).toEqual(['abc', 'def', 'gh', 'x'])
	})
})

describe('drawing', () => {
	test('what is too small was not meant', () => {
		const stroke = new Stroke('cloud', p(100, 100), size)
		stroke.to(p(101, 101), false)
		expect(stroke.done(4)).toBeUndefined()
		stroke.to(p(200, 180), false)
		expect(stroke.done(4)).toEqual([p(100, 100), p(200, 180)])
	})
	test('an area that is dragged is a rectangle', () => {
		const stroke = new Stroke('area', p(0, 0), size)
		stroke.to(p(10, 20), false)
		expect(stroke.done(4)).toEqual([p(0, 0), p(10, 0), p(10, 20), p(0, 20)])
	})
	test('a hand that presses draws thicker', () => {
		const [soft, hard] = [new Stroke('pen', p(0, 0), size, 0.1), new Stroke('pen', p(0, 0), size, 1)]
		soft.to(p(50, 50), false, 0.1)
		hard.to(p(50, 50), false, 1)
		expect(soft.press).toBeLessThan(1)
		expect(hard.press).toBeGreaterThan(1)
	})
	test('the keyboard draws in the middle of what is seen, on the sheet', () => {
		const seen = { x0: -1000, y0: 0, x1: 1000, y1: 2000 }
		for (const q of inMiddle('cloud', seen, size)) expect(q.x >= 0 && q.x <= 1000).toBe(true)
		expect(inMiddle('pin', seen, size)).toEqual([p(500, 1000)])
	})
})

describe('measure', () => {
	test('feet and inches, as packets write them', () => {
		expect(inFeet(12.5)).toBe('12\'-6"')
		expect(inFeet(1 + 3.25 / 12)).toBe('1\'-3 1/4"')
		expect(inFeet(0.999)).toBe('1\'-0"')
	})
	test('lengths and areas follow from the scale and the paper', () => {
		const inch = [p(0, 0), p(72, 0)]
		expect(measured(inch, size, 96, 'length')).toBe('8\'-0"')
		expect(measured(inch, a1, 100, 'length')).toBe('2.54 m')
		expect(measured([p(0, 0), p(7.2, 0)], a1, 100, 'length')).toBe('254 mm')
		expect(measured([p(0, 0), p(72, 0), p(72, 72), p(0, 72)], size, 96, 'area')).toBe('64.0 sq ft')
		expect(measured(inch, size, null, 'length')).toBe('')
	})
	test.each([
		['12.5 m', 12.5], ['340mm', 0.34], ["12'-6\"", 3.81], ["12' 6 1/2\"", 3.8227], ['6"', 0.1524], ['8 ft', 2.4384], ['10', 3.048],
		['3,5 m', 3.5], ['', undefined], ['0', undefined], ['twelve', undefined], ['-3 m', undefined],
	])('somebody writes %s', (text, metres) => {
		const got = distance(text, size)
		if (metres === undefined) expect(got).toBeUndefined()
		else expect(got).toBeCloseTo(metres, 4)
	})
	test('a scale from two points is called as drawings call it', () => {
		expect(scaleOf([p(0, 0), p(72, 0)], 2.4384)).toBe(96)
		expect(scaleName(96, size)).toBe('1/8" = 1\'-0"')
		expect(scaleName(8, size)).toBe('1 1/2" = 1\'-0"')
		expect(scaleName(100, a1)).toBe('1:100')
		expect(lengthOf([p(0, 0), p(3, 4)])).toBe(5)
	})
})

describe('alignment', () => {
	const near = (a: Point, b: Point) => expect([a.x, a.y]).toEqual([expect.closeTo(b.x, 6), expect.closeTo(b.y, 6)])
	test('two points go where they are sent, and back', () => {
		const s = through([p(0, 0), p(100, 0)], [p(10, 20), p(10, 220)])
		near(at(s, p(0, 0)), p(10, 20))
		near(at(s, p(100, 0)), p(10, 220))
		near(at(s, p(0, 10)), p(-10, 20))
		expect(turns(s)).toBeCloseTo(90)
		near(at(inverse(s), at(s, p(7, 9))), p(7, 9))
		near(at(after(s, inverse(s)), p(5, 6)), p(5, 6))
	})
	test('older versions are reached by those between, newer ones back', () => {
		const moved = (dx: number) => ({
			points: [{ x: 0.25, y: 0.5, before_x: 0.25 + dx, before_y: 0.5 }, { x: 0.75, y: 0.5, before_x: 0.75 + dx, before_y: 0.5 }],
		})
		const sheet = (uid: string, before: string | null, alignment: Version['alignment']): Version =>
			({ uid, ...size, supersedes: before ? { uid: before } : null, alignment })
		const [a, b, c] = [sheet('a', null, null), sheet('b', 'a', moved(0.01)), sheet('c', 'b', moved(0.02))]
		const all = new Map([a, b, c].map((s) => [s.uid, s]))
		near(at(onto(c, a, all), p(0, 0)), p(0.03 * size.width, 0))
		near(at(onto(a, c, all), p(0, 0)), p(-0.03 * size.width, 0))
		expect(onto(a, sheet('z', null, null), all)).toEqual(same)
		const half = { ...a, uid: 'h', width: size.width / 2, height: size.height / 2 }
		near(at(onto(a, half, all), p(100, 100)), p(50, 50)) // another size and no alignment: as wide as the other
	})
	test('sheets that supersede each other in a circle end', () => {
		const ring = (uid: string, before: string): Version => ({ uid, ...size, supersedes: { uid: before }, alignment: null })
		const all = new Map([ring('a', 'b'), ring('b', 'a')].map((s) => [s.uid, s]))
		expect(onto(ring('a', 'b'), ring('x', 'y'), all)).toEqual(same)
	})
})

test('who sees all of a drawing is known by where it lies', () => {
	const upright = fitted({ x0: 0, y0: 0, x1: 2384, y1: 1684 }, { width: 360, height: 600 })
	expect(near(upright, { ...upright, x: upright.x + 0.5 })).toBe(true)
	expect(near(upright, { x: 0, y: 0, scale: 0.2 })).toBe(false)
	expect(near(upright, { ...upright, scale: upright.scale * 1.01 })).toBe(false)
})

test('a view shows what it fits, and there and back is the same place', () => {
	const view = fitted({ x0: 100, y0: 100, x1: 300, y1: 200 }, { width: 800, height: 800 })
	expect(view.scale).toBe(4)
	expect(onStage(view, p(200, 150))).toEqual(p(400, 400))
	expect(onPaper(view, p(400, 400))).toEqual(p(200, 150))
})

describe('changes', () => {
	const blank = (): Grey => ({ width: 400, height: 300, pixels: new Uint8Array(400 * 300).fill(255) })
	const ink = (g: Grey, x0: number, y0: number, x1: number, y1: number) => {
		for (let y = y0; y < y1; y++) g.pixels.fill(0, y * g.width + x0, y * g.width + x1)
	}
	const rest = async () => {}
	test('what was added and what was taken away is found, each as one region', async () => {
		const [a, b] = [blank(), blank()]
		ink(a, 50, 50, 90, 54)
		ink(a, 200, 200, 300, 204)
		ink(b, 200, 200, 300, 204)
		ink(b, 320, 100, 380, 140)
		const found = await changes(a, b, rest)
		expect(found.length).toBe(2)
		expect(found[0]).toEqual({ x0: 0.8, y0: 96 / 300, x1: 384 / 400, y1: 144 / 300 })
		expect((found[1] as { x0: number }).x0).toBe(48 / 400)
	})
	test('a line that moved by a dot is no change', async () => {
		const [a, b] = [blank(), blank()]
		ink(a, 50, 50, 350, 52)
		ink(b, 51, 51, 351, 53)
		expect(await changes(a, b, rest)).toEqual([])
	})
	test('colours become grey', () => {
		expect([...greyOf(new Uint8ClampedArray([255, 255, 255, 255, 0, 0, 0, 255]), 2, 1).pixels]).toEqual([255, 0])
	})
})

describe('gestures', () => {
	function hands(mode: Mode, grabs = false) {
		const said: Meaning[] = []
		const world = { mode: () => mode, grabs: () => grabs, space: () => false }
		return { said, kinds: () => said.map((m) => (m.do === 'start' ? m.what : m.do)), arbiter: new Arbiter(world, (m) => said.push(m)) }
	}
	const t = (id: number, type: Touch['type'], x: number, y: number, time: number, button = 0): Touch => ({ id, type, x, y, time, button })

	test('a mouse without a tool moves the drawing', () => {
		const { arbiter, kinds, said } = hands('hand')
		arbiter.press(t(1, 'mouse', 0, 0, 0))
		arbiter.move(t(1, 'mouse', 30, 10, 20))
		arbiter.move(t(1, 'mouse', 40, 10, 500))
		arbiter.lift(t(1, 'mouse', 40, 10, 900))
		expect(kinds()).toEqual(['pan', 'pan'])
		expect(said[0]).toMatchObject({ dx: 30, dy: 10 })
	})
	test('a finger that is lifted in a swing lets the drawing run on', () => {
		const { arbiter, kinds } = hands('hand')
		arbiter.press(t(1, 'touch', 0, 0, 0))
		for (let i = 1; i < 6; i++) arbiter.move(t(1, 'touch', i * 20, 0, i * 16))
		arbiter.lift(t(1, 'touch', 100, 0, 84))
		expect(kinds().at(-1)).toBe('fling')
	})
	test('a chosen tool draws, from where it came down', () => {
		const { arbiter, kinds, said } = hands('draw')
		arbiter.press(t(1, 'touch', 10, 10, 0))
		arbiter.move(t(1, 'touch', 60, 10, 20))
		arbiter.lift(t(1, 'touch', 60, 10, 40))
		expect(kinds()).toEqual(['draw', 'drag', 'end'])
		expect(said[0]).toMatchObject({ at: { x: 10, y: 10 } })
	})
	test('two fingers always zoom: what one had begun to draw is given up, and the one that stays draws nothing', () => {
		const { arbiter, kinds, said } = hands('draw')
		arbiter.press(t(1, 'touch', 0, 0, 0))
		arbiter.move(t(1, 'touch', 20, 0, 10))
		arbiter.press(t(2, 'touch', 100, 0, 20))
		arbiter.move(t(2, 'touch', 180, 0, 30))
		arbiter.lift(t(2, 'touch', 180, 0, 40))
		arbiter.move(t(1, 'touch', 90, 90, 50))
		arbiter.lift(t(1, 'touch', 90, 90, 60))
		expect(kinds()).toEqual(['draw', 'drag', 'cancel', 'zoom'])
		expect(said[3]).toMatchObject({ by: 2, dx: 40, dy: 0, at: { x: 100, y: 0 } })
	})
	test('a pen draws without a tool, and the palm beside it does nothing', () => {
		const { arbiter, kinds } = hands('hand')
		arbiter.press(t(7, 'touch', 300, 300, 0)) // the palm comes first
		arbiter.press(t(1, 'pen', 10, 10, 5))
		arbiter.press(t(8, 'touch', 310, 300, 8))
		arbiter.move(t(8, 'touch', 400, 300, 9))
		arbiter.move(t(1, 'pen', 40, 10, 10))
		arbiter.lift(t(1, 'pen', 40, 10, 20))
		expect(kinds()).toEqual(['draw', 'drag', 'end'])
	})
	test('a long press picks, a short one taps, two taps are told', () => {
		const { arbiter, kinds, said } = hands('hand')
		arbiter.press(t(1, 'touch', 5, 5, 0))
		expect(arbiter.due(100)).toBe(longPress - 100)
		arbiter.tick(longPress)
		arbiter.lift(t(1, 'touch', 5, 5, longPress + 10))
		expect(kinds()).toEqual(['pick'])
		for (const time of [2000, 2100]) {
			arbiter.press(t(1, 'touch', 5, 5, time))
			arbiter.lift(t(1, 'touch', 6, 5, time + 40))
		}
		expect(kinds()).toEqual(['pick', 'tap', 'tap'])
		expect(said.slice(1)).toMatchObject([{ twice: false }, { twice: true }])
	})
	test('a long press with a mouse picks nothing: there is time to think', () => {
		const { arbiter, kinds } = hands('hand')
		arbiter.press(t(1, 'mouse', 5, 5, 0))
		expect(arbiter.due(0)).toBeUndefined()
		arbiter.tick(9999)
		arbiter.lift(t(1, 'mouse', 5, 5, 9999))
		expect(kinds()).toEqual(['tap'])
	})
	test('what is selected is moved, beside it a mouse frames with the tool to select, and a finger moves the drawing', () => {
		for (const [grabs, type, kind] of [[true, 'touch', 'grab'], [false, 'mouse', 'frame'], [false, 'touch', 'pan']] as const) {
			const { arbiter, kinds } = hands('select', grabs)
			arbiter.press(t(1, type, 0, 0, 0))
			arbiter.move(t(1, type, 50, 0, 10))
			expect(kinds()[0]).toBe(kind)
		}
	})
	test('the wheel of the mouse moves the drawing whatever the tool, the right button nothing', () => {
		for (const [button, kinds] of [[1, ['pan']], [2, []]] as const) {
			const hand = hands('draw')
			hand.arbiter.press(t(1, 'mouse', 0, 0, 0, button))
			hand.arbiter.move(t(1, 'mouse', 50, 0, 10))
			expect(hand.kinds()).toEqual(kinds)
		}
	})
	test('what the system takes away is given up', () => {
		const { arbiter, kinds } = hands('draw')
		arbiter.press(t(1, 'touch', 0, 0, 0))
		arbiter.move(t(1, 'touch', 50, 0, 10))
		arbiter.lost(1)
		expect(kinds()).toEqual(['draw', 'drag', 'cancel'])
		expect(arbiter.busy).toBe(false)
	})
})

test('undo goes back in order, redo forth, and a new step ends what could be redone', () => {
	const history = new History(3)
	const log: string[] = []
	const step = (name: string) => ({ name, undo: () => log.push(`-${name}`), redo: () => log.push(`+${name}`) })
	expect(history.undo()).toBeUndefined()
	for (const name of ['a', 'b', 'c', 'd']) history.did(step(name))
	history.undo()
	history.undo()
	history.redo()
	expect(log).toEqual(['-d', '-c', '+c'])
	history.did(step('e'))
	expect(history.canRedo).toBe(false)
	for (let i = 0; i < 5; i++) history.undo()
	expect(log.slice(3)).toEqual(['-e', '-c', '-b']) // the oldest was forgotten
	expect(history.canUndo).toBe(false)
})

test('the tiles under a part of a drawing cover it, at the first level that is large enough', () => {
	const d = { files: '/t_files/', width: 8400, height: 6000, tile: 512, overlap: 1, format: 'png' }
	for (const [wide, level] of [[100, 8], [1000, 11], [1100, 12], [2100, 12], [2200, 13], [8400, 14], [99_999, 14]] as const) {
		for (const part of [{ x0: 0, y0: 0, x1: 0.2, y1: 0.1 }, { x0: 0.4, y0: 0.45, x1: 0.7, y1: 0.6 }, { x0: 0.8, y0: 0.9, x1: 1, y1: 1 }]) {
			const tiles = tilesUnder(d, part, wide)
			for (const x of [part.x0, (part.x0 + part.x1) / 2, part.x1]) {
				for (const y of [part.y0, (part.y0 + part.y1) / 2, part.y1]) {
					expect(tiles.some((t) => t.x0 <= x && x <= t.x1 && t.y0 <= y && y <= t.y1)).toBe(true)
				}
			}
			expect(new Set(tiles.map((t) => Number(t.address.split('/')[2])))).toEqual(new Set([level]))
			expect(tiles.length).toBeLessThanOrEqual(Math.ceil((level === 14 ? 8400 : wide * 2) * 0.3 / 512 + 1) ** 2)
		}
	}
})

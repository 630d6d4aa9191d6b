// What people do in the mirror, at random: the same in Node and in a browser.
import type { ProjectStore } from '../src/data'

/** Dice are the same for the same seed. */
export class Dice {
	#state: number
	constructor(seed: number) {
		this.#state = (seed * 2654435761 + 1013904223) >>> 0
	}
	next(): number {
		this.#state = (this.#state + 0x6d2b79f5) >>> 0
		let t = this.#state
		t = Math.imul(t ^ (t >>> 15), t | 1)
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296
	}
	below(n: number): number {
		return Math.floor(this.next() * n)
	}
	of<T>(all: readonly T[]): T {
		return all[this.below(all.length)] as T
	}
	odds(p: number): boolean {
		return this.next() < p
	}
}

/** Entered is something that must not be lost: the description of an issue, or a photo of so many bytes. */
export type Entered =
	| { kind: 'issues'; uid: string; text: string }
	| { kind: 'photos'; uid: string; text: string; size: number }

/** Does something through a store, as a screen would; own are the issues whose description nobody else writes. */
export function act(store: ProjectStore, sheet: string, dice: Dice, token: string, own: readonly string[]): Entered | undefined {
	const issues = store.records('issues').get()
	switch (dice.below(12)) {
		case 0:
		case 1: {
			const uid = store.create('issues', { title: token, description: token })
			return { kind: 'issues', uid, text: token }
		}
		case 2:
		case 3: {
			if (own.length === 0) return undefined
			const uid = dice.of(own)
			if (store.get('issues', uid)?.deleted !== false) return undefined
			store.update('issues', uid, { description: token })
			return { kind: 'issues', uid, text: token }
		}
		case 4:
			if (issues.length > 0) store.comment('issues', dice.of(issues).uid, token)
			return undefined
		case 5:
			if (issues.length > 0) store.update('issues', dice.of(issues).uid, { room: token })
			return undefined
		case 6:
			store.create('annotations', {
				kind: 'stamp', sheet_uid: sheet, stamp: 'X', geometry: { points: [{ x: dice.next(), y: dice.next() }] },
				visibility: dice.odds(0.3) ? 'master' : 'user',
				...(issues.length > 0 && dice.odds(0.5) ? { issue_uid: dice.of(issues).uid } : {}),
			})
			return undefined
		case 7: {
			const marks = store.records('annotations').get()
			if (marks.length === 0) return undefined
			store.update('annotations', dice.of(marks).uid, dice.odds(0.5) ? { visibility: 'master' } : { color: '#00ff00' })
			return undefined
		}
		case 8:
			store.create('views', { name: token, of: 'issues', query: 'status=open', visibility: dice.odds(0.3) ? 'master' : 'user' })
			return undefined
		case 9: {
			const views = store.records('views').get()
			if (views.length === 0) return undefined
			store.update('views', dice.of(views).uid, dice.odds(0.5) ? { visibility: 'master' } : { name: token })
			return undefined
		}
		case 10:
		case 11: {
			const size = dice.odds(0.1) ? 5_000_000 + dice.below(1000) : 1 + dice.below(3000)
			const file = new File([new Uint8Array(size).fill(dice.below(256))], `${token}.jpg`, { type: 'image/jpeg' })
			const uid = store.upload('photos', file, { title: token })
			if (issues.length > 0 && dice.odds(0.6)) store.link('issues', dice.of(issues).uid, 'photos', uid)
			return { kind: 'photos', uid, text: token, size }
		}
	}
	return undefined
}

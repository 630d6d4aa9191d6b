// What a person does to marks, each of which can be undone. Everything goes through the store.
import type { Annotation, Changes, Creates, ProjectStore } from '../../data'
import type { Point, Size } from '../../viewer/geometry'
import { toPaper, toParts } from '../../viewer/geometry'
import { History } from '../../viewer/history'
import { moved } from '../../viewer/shapes'
import { t } from '../../words/index.svelte'

type Fields = Creates['annotations']
type Patch = Changes['annotations']
type StepName = keyof ReturnType<typeof t>['viewer']['steps']

/** copied is what was copied last, also from another sheet of this tab. */
let copied: Fields[] = []

export class Drafting {
	readonly #store: ProjectStore
	#history = new History()
	canUndo = $state(false)
	canRedo = $state(false)

	constructor(store: ProjectStore) {
		this.#store = store
	}

	#did(name: StepName, undo: () => void, redo: () => void): void {
		this.#history.did({ name, undo, redo })
		this.#tell()
	}

	#tell(): void {
		this.canUndo = this.#history.canUndo
		this.canRedo = this.#history.canRedo
	}

	/** add makes marks; undoing deletes them, doing it again brings the same ones back. */
	add(all: readonly Fields[], name: StepName = 'draw'): string[] {
		const uids = all.map((fields) => this.#store.create('annotations', fields))
		this.#did(name, () => this.#each(uids, 'remove'), () => this.#each(uids, 'restore'))
		return uids
	}

	#each(uids: readonly string[], verb: 'remove' | 'restore'): void {
		for (const uid of uids) this.#store[verb]('annotations', uid)
	}

	change(all: readonly { uid: string; from: Patch; to: Patch }[], name: StepName): void {
		if (all.length === 0) return
		for (const { uid, to } of all) this.#store.update('annotations', uid, to)
		const write = (which: 'from' | 'to') => {
			for (const one of all) this.#store.update('annotations', one.uid, one[which])
		}
		this.#did(name, () => write('from'), () => write('to'))
	}

	/** place gives marks other points, which are on the paper. */
	place(all: readonly { uid: string; points: Point[] }[], size: Size): void {
		const steps = all.flatMap(({ uid, points }) => {
			const was = this.#store.get('annotations', uid)?.geometry
			return was ? [{ uid, from: { geometry: was }, to: { geometry: { points: toParts(points, size) } } }] : []
		})
		this.change(steps, 'move')
	}

	remove(uids: readonly string[]): void {
		this.#each(uids, 'remove')
		this.#did('remove', () => this.#each(uids, 'restore'), () => this.#each(uids, 'remove'))
	}

	/** publish cannot be undone: what is published stays so. */
	publish(uids: readonly string[]): void {
		for (const uid of uids) this.#store.update('annotations', uid, { visibility: 'master' })
	}

	copy(uids: readonly string[], as: Fields['visibility']): number {
		const all = uids.map((uid) => this.#store.get('annotations', uid)).filter((a): a is Annotation => a !== undefined)
		copied = all.map((a) => ({ ...likeness(a), visibility: as ?? 'user' }))
		return copied.length
	}

	/** paste puts what was copied a little beside where it was. */
	paste(sheet: { uid: string } & Size): string[] {
		if (copied.length === 0) return []
		const by = sheet.width / 60
		copied = copied.map((fields) => ({
			...fields, sheet_uid: sheet.uid,
			geometry: { points: toParts(moved(toPaper(fields.geometry?.points ?? [], sheet), by, by, sheet), sheet) },
		}))
		return this.add(copied, 'paste')
	}

	undo(): string | undefined {
		const step = this.#history.undo()
		this.#tell()
		return step && t().viewer.steps[step.name as StepName]
	}

	redo(): string | undefined {
		const step = this.#history.redo()
		this.#tell()
		return step && t().viewer.steps[step.name as StepName]
	}
}

/** likeness is what a copy has of a mark: how it looks and where it is, not whose place it is. */
function likeness(a: Annotation): Fields {
	const out: Fields = {
		sheet_uid: a.sheet?.uid ?? '', kind: a.kind, color: a.color, stamp: a.stamp, text: a.text, geometry: a.geometry,
		width: a.width ?? null,
	}
	if (a.kind === 'measure') out.measure = a.measure
	if (a.photo?.uid) out.photo_uid = a.photo.uid
	return out
}

// What was done and can be undone. It knows how to take things back, not what they are.

export interface Step {
	/** What it was, for the one who listens. */
	name: string
	undo(): void
	redo(): void
}

export class History {
	readonly #most: number
	#done: Step[] = []
	#undone: Step[] = []

	constructor(most = 200) {
		this.#most = most
	}

	get canUndo(): boolean {
		return this.#done.length > 0
	}

	get canRedo(): boolean {
		return this.#undone.length > 0
	}

	/** did remembers a step that was taken; what was undone before cannot be redone any more. */
	did(step: Step): void {
		this.#done.push(step)
		if (this.#done.length > this.#most) this.#done.shift()
		this.#undone = []
	}

	undo(): Step | undefined {
		const step = this.#done.pop()
		if (!step) return undefined
		step.undo()
		this.#undone.push(step)
		return step
	}

	redo(): Step | undefined {
		const step = this.#undone.pop()
		if (!step) return undefined
		step.redo()
		this.#done.push(step)
		return step
	}
}

// A value that is read now and heard of when it changes. It keeps the contract of Svelte's stores (subscribe calls at
// once), so that a screen writes `$name`, and knows nothing of Svelte.

export interface Live<T> {
	get(): T
	/** Calls run now and after each change; gives what ends it. */
	subscribe(run: (value: T) => void): () => void
}

/** Cell is a Live that its owner sets. */
export class Cell<T> implements Live<T> {
	#value: T
	#runs = new Set<(value: T) => void>()

	constructor(value: T) {
		this.#value = value
	}

	get(): T {
		return this.#value
	}

	set(value: T): void {
		if (Object.is(value, this.#value)) return
		this.#value = value
		for (const run of [...this.#runs]) run(value)
	}

	subscribe(run: (value: T) => void): () => void {
		const own = (value: T) => run(value) // the same function may be given twice
		this.#runs.add(own)
		own(this.#value)
		return () => this.#runs.delete(own)
	}
}

/** Computed is a Live that is worked out when somebody reads it and not before; stale() says that its sources moved. */
export class Computed<T> implements Live<T> {
	#make: () => T
	#value: T | undefined
	#fresh = false
	#runs = new Set<(value: T) => void>()

	constructor(make: () => T) {
		this.#make = make
	}

	get(): T {
		if (!this.#fresh) {
			this.#value = this.#make()
			this.#fresh = true
		}
		return this.#value as T
	}

	stale(): void {
		this.#fresh = false
		if (this.#runs.size === 0) return
		const value = this.get()
		for (const run of [...this.#runs]) run(value)
	}

	subscribe(run: (value: T) => void): () => void {
		const own = (value: T) => run(value)
		this.#runs.add(own)
		own(this.get())
		return () => this.#runs.delete(own)
	}
}

/** mapped is what another Live makes of its value. */
export function mapped<A, B>(from: Live<A>, make: (value: A) => B): Live<B> {
	return {
		get: () => make(from.get()),
		subscribe(run) {
			let last: { value: B } | undefined
			return from.subscribe((value) => {
				const made = make(value)
				if (last && Object.is(last.value, made)) return
				last = { value: made }
				run(made)
			})
		},
	}
}

// The files of unsent entries: on the device in parts, in this tab until they are there, and under an address while
// somebody looks at them.

import type { AccountBase, Kept } from './base'
import { Cell, type Live } from './live'
import type { Ports } from './ports'

/** partSize is small enough that no phone runs out of memory while a film is kept. */
export const partSize = 2 * 1024 * 1024

/** Unreadable is a file that cannot be read: whoever gave it took it away, or the device lost a part of it. */
export class Unreadable extends Error {
	constructor(cause?: unknown) {
		super('The file cannot be read.', { cause })
	}
}

interface Copy {
	address: Cell<string | undefined>
	users: number
	revoke?: () => void
}

export class Copies {
	readonly #ports: Ports
	readonly #base: AccountBase
	readonly #given = new Map<number, Blob>() // to this tab, by entry, and not whole on the device yet
	readonly #copies = new Map<string, Copy>() // those that are looked at, by the uid of their record
	readonly #find: (uid: string) => Kept | undefined

	/** find gives the entry of a file by the uid of its record. */
	constructor(ports: Ports, base: AccountBase, find: (uid: string) => Kept | undefined) {
		this.#ports = ports
		this.#base = base
		this.#find = find
	}

	give(id: number, file: Blob): void {
		this.#given.set(id, file)
	}

	/** Whether a file was given to this tab, and the device does not have all of it. */
	has(id: number): boolean {
		return this.#given.has(id)
	}

	/** The device has it, or it is not wanted any more. */
	forget(id: number): void {
		this.#given.delete(id)
	}

	/** Writes a file to the device and gives the number of its parts; undefined where its entry was given up meanwhile. */
	async keep(id: number): Promise<number | undefined> {
		const file = this.#given.get(id)
		if (!file) throw new Unreadable()
		let n = 0
		for (let from = 0; from < file.size; from += partSize) {
			const bytes = await file.slice(from, from + partSize).arrayBuffer().catch((e: unknown) => {
				throw new Unreadable(e)
			})
			if (!(await this.#base.keepPart({ entry: id, n: n++, bytes }))) return undefined
		}
		return n
	}

	/** Gives a file to be sent or saved. */
	async read({ id, file }: Kept): Promise<Blob> {
		const given = this.#given.get(id)
		if (given) return given
		if (!file?.whole) throw new Unreadable()
		const parts: Blob[] = []
		for (let n = 0; n < file.parts; n++) {
			const part = await this.#base.parts.get([id, n])
			if (!part) throw new Unreadable()
			parts.push(new Blob([part.bytes])) // which need not be in memory
		}
		const whole = new Blob(parts, { type: file.type })
		if (whole.size !== file.size) throw new Unreadable()
		return whole
	}

	/** The address of a file while somebody listens. It stays good for them when the file was sent meanwhile. */
	address(uid: string): Live<string | undefined> {
		return {
			get: () => this.#copies.get(uid)?.address.get(),
			subscribe: (run) => {
				const copy = this.#copies.get(uid) ?? { address: new Cell<string | undefined>(undefined), users: 0 }
				this.#copies.set(uid, copy)
				copy.users++
				const end = copy.address.subscribe(run)
				if (copy.users === 1) void this.#load(uid, copy)
				let over = false
				return () => {
					end()
					if (over) return
					over = true
					if (--copy.users > 0) return
					this.#copies.delete(uid)
					copy.revoke?.()
				}
			},
		}
	}

	/** Looks again for what could not be shown before. */
	look(): void {
		for (const [uid, copy] of this.#copies) if (copy.address.get() === undefined) void this.#load(uid, copy)
	}

	async #load(uid: string, copy: Copy): Promise<void> {
		const kept = this.#find(uid)
		const blob = kept && (await this.read(kept).catch(() => undefined))
		if (!blob || copy.users === 0 || copy.address.get() !== undefined) return
		const [address, revoke] = this.#ports.address(blob)
		copy.revoke = revoke
		copy.address.set(address)
	}
}

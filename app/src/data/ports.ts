// Ports are all that the data room needs of the world. A browser gives them from its globals (../browser.ts), a test
// gives its own: other clocks, lines that break, tabs that die.

import type { Post } from '../api/line'

export interface Ports {
	/** Where the service is, without a slash at the end; '' for the same origin. */
	base: string
	fetch: typeof fetch
	/** Sends a form with a file. */
	post: Post
	/** Gives a blob an address for src and href, and what ends it. */
	address(blob: Blob): [address: string, revoke: () => void]
	indexedDB: IDBFactory
	keyRange: typeof IDBKeyRange
	/** Runs hold while this tab, alone of all, holds the lock; waits for it until the signal ends the wish. */
	lock(name: string, signal: AbortSignal, hold: () => Promise<void>): Promise<void>
	/** Tells the other tabs something, and hears them. */
	channel(name: string, hear: (message: unknown) => void): { tell(message: unknown): void; close(): void }
	/** Milliseconds since 1970. */
	now(): number
	/** Resolves after so many milliseconds, or at once when the signal ends. */
	sleep(ms: number, signal?: AbortSignal): Promise<void>
	/** A new UUID, version 4. */
	uid(): string
	/** A number from 0 to 1 for spreading retries. */
	random(): number
	/** The uid of whose session this browser has, as far as it knows without asking. */
	account(): string | undefined
	/** Asks the browser not to erase what is kept, now that there is something that exists nowhere else. */
	persist?(): void
	/** Calls when the browser thinks that the line is back or gone, or that the tab is looked at again. */
	woken?(run: () => void): () => void
}

/** Channel tells other tabs something. What is told after its end goes nowhere: an answer may come later than that. */
export class Channel {
	readonly #channel: { tell(message: unknown): void; close(): void }
	#open = true

	constructor(ports: Ports, name: string, hear: (message: unknown) => void) {
		this.#channel = ports.channel(name, hear)
	}

	tell(message: unknown): void {
		if (this.#open) this.#channel.tell(message)
	}

	close(): void {
		this.#open = false
		this.#channel.close()
	}
}

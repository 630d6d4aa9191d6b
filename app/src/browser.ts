// What a browser gives to the data room.
import type { Ports } from './data'

export function browserPorts(): Ports {
	return {
		base: '',
		fetch: (input, init) => fetch(input, init),
		indexedDB,
		keyRange: IDBKeyRange,
		async lock(name, signal, hold) {
			try {
				await navigator.locks.request(name, { signal }, hold)
			} catch (e) {
				if (!signal.aborted) throw e
			}
		},
		channel(name, hear) {
			const channel = new BroadcastChannel(name)
			channel.onmessage = (e) => hear(e.data)
			return { tell: (message) => channel.postMessage(message), close: () => channel.close() }
		},
		now: () => Date.now(),
		sleep: (ms, signal) =>
			new Promise((done) => {
				if (signal?.aborted) return done()
				const timer = setTimeout(end, ms)
				function end() {
					clearTimeout(timer)
					signal?.removeEventListener('abort', end)
					done()
				}
				signal?.addEventListener('abort', end)
			}),
		uid,
		random: () => Math.random(),
		woken(run) {
			const look = () => document.visibilityState === 'visible' && run()
			addEventListener('online', run)
			document.addEventListener('visibilitychange', look)
			return () => {
				removeEventListener('online', run)
				document.removeEventListener('visibilitychange', look)
			}
		},
	}
}

// crypto.randomUUID is there in secure contexts only; a house may run the service on plain HTTP in its own network.
function uid(): string {
	const bytes = crypto.getRandomValues(new Uint8Array(16))
	bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
	bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
	const hex = [...bytes].map((b) => b.toString(16).padStart(2, '0')).join('')
	return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

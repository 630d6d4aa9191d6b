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
		uid: () => crypto.randomUUID(),
		random: () => Math.random(),
		account: () => /(?:^|; )groundwork-account=([^;]+)/.exec(document.cookie)?.[1],
		persist: () => void navigator.storage?.persist?.().catch(() => {}),
		woken(run) {
			const look = () => document.visibilityState === 'visible' && run()
			addEventListener('online', run)
			addEventListener('offline', run)
			document.addEventListener('visibilitychange', look)
			return () => {
				removeEventListener('online', run)
				removeEventListener('offline', run)
				document.removeEventListener('visibilitychange', look)
			}
		},
	}
}

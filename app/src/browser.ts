// What a browser gives to the data room.
import type { Ports } from './data'

export function browserPorts(): Ports {
	return {
		base: '',
		fetch: (input, init) => fetch(input, init),
		post: (address, form, told, signal) =>
			new Promise((done, failed) => {
				// fetch does not tell how far a body has gone
				const request = new XMLHttpRequest()
				request.open('POST', address)
				request.setRequestHeader('Accept', 'application/json')
				request.upload.onprogress = (e) => told(e.loaded)
				request.onload = () => {
					let body: unknown
					try {
						body = JSON.parse(request.responseText)
					} catch {
						body = undefined
					}
					done({ status: request.status, body })
				}
				request.onerror = request.onabort = request.ontimeout = () => failed(new Error('No answer.'))
				signal?.addEventListener('abort', () => request.abort())
				request.send(form)
			}),
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
			document.addEventListener('visibilitychange', look)
			return () => {
				removeEventListener('online', run)
				document.removeEventListener('visibilitychange', look)
			}
		},
	}
}

// What a browser gives to the data room.
import type { Ports } from './data'

export function browserPorts(): Ports {
	return {
		base: '',
		fetch: (input, init) => fetch(input, init),
		post,
		address(blob) {
			const address = URL.createObjectURL(blob)
			return [address, () => URL.revokeObjectURL(address)]
		},
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

/** stalled is how long nothing may move while a file is sent, answering how long its answer may take then. */
const stalled = 60_000
const answering = 300_000

/** Only this way of sending tells how much is on its way. It follows redirects by itself. */
const post: Ports['post'] = (address, form, sent, signal) =>
	new Promise((done, fail) => {
		if (signal.aborted) return fail(signal.reason)
		const request = new XMLHttpRequest()
		let timer = setTimeout(stop, stalled)
		function stop() {
			request.abort()
		}
		function watch(ms: number) {
			clearTimeout(timer)
			timer = setTimeout(stop, ms)
		}
		request.upload.onprogress = (e) => {
			watch(e.loaded < e.total ? stalled : answering)
			sent(e.loaded)
		}
		request.onload = () => {
			const header = (name: string) => request.getResponseHeader(name)
			done({ status: request.status, text: request.responseText, header })
		}
		request.onerror = request.onabort = () => fail(new TypeError('The file did not get through.'))
		request.onloadend = () => {
			clearTimeout(timer)
			signal.removeEventListener('abort', stop)
		}
		signal.addEventListener('abort', stop)
		request.open('POST', address)
		request.setRequestHeader('Accept', 'application/json')
		request.send(form)
	})

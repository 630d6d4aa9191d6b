// Registers the worker that keeps the application in the browser (public/worker.js).

declare global {
	interface Window {
		trustedTypes?: {
			createPolicy(name: string, rules: { createScriptURL(text: string): string }): {
				createScriptURL(text: string): string,
			}
		}
	}
}

const address = '/app/worker.js'

/** Keeps the application in this browser. Where that does not work it is loaded each time. */
export async function keepApplication(): Promise<void> {
	if (!('serviceWorker' in navigator) || !import.meta.env.PROD) return
	// The policy of the page lets only this address become a script.
	const policy = window.trustedTypes?.createPolicy('groundwork', {
		createScriptURL(text) {
			if (text !== address) throw new TypeError(`${text} is no script of the application.`)
			return text
		},
	})
	try {
		await navigator.serviceWorker.register(policy?.createScriptURL(address) ?? address, { scope: '/app/' })
	} catch (e) {
		console.warn('worker', e)
	}
}

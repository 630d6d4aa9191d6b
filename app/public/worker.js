// Keeps the application in the browser, so that it opens without a network. It keeps nothing of any project: those are
// in the store, which sign-out wipes. The service writes the hash of the build for the word in capitals.
const build = 'BUILD'
const place = `/assets/app/${build}/`
const shell = '/app/'
const cacheName = `app-${build}`

self.addEventListener('install', (event) => {
	event.waitUntil(keep())
})

async function keep() {
	const cache = await caches.open(cacheName)
	const answer = await fetch(place + 'files.json')
	if (!answer.ok) throw new Error('this build is not served any more')
	await cache.addAll((await answer.json()).map((name) => place + name))
	await keepPage(cache, await fetch(shell))
	await self.skipWaiting()
}

self.addEventListener('activate', (event) => {
	event.waitUntil(clean())
})

// The build before stays for tabs that were opened with it.
async function clean() {
	const names = (await caches.keys()).filter((name) => name.startsWith('app-'))
	for (const name of names.slice(0, -2)) if (name !== cacheName) await caches.delete(name)
	await self.clients.claim()
}

self.addEventListener('fetch', (event) => {
	const { request } = event
	const url = new URL(request.url)
	if (request.method !== 'GET' || url.origin !== location.origin) return
	if (url.pathname.startsWith('/assets/app/')) event.respondWith(part(request))
	else if (request.mode === 'navigate' && url.pathname.startsWith(shell)) event.respondWith(page(request))
})

// Only the page of this build is kept: the files of another may not be here. A redirection leads to where people sign
// in; the browser follows it.
async function keepPage(cache, answer) {
	if (!answer.ok || answer.redirected || answer.type !== 'basic') return
	const copy = answer.clone()
	if ((await answer.clone().text()).includes(place)) await cache.put(shell, copy)
}

// A file of a build never changes.
async function part(request) {
	return (await caches.match(request.url)) ?? fetch(request)
}

// The page is asked for, so that whoever is signed out is led to sign in; without an answer in time it is the kept one.
async function page(request) {
	const cache = await caches.open(cacheName)
	const asked = fetch(request).then(async (answer) => {
		await keepPage(cache, answer)
		return answer
	})
	asked.catch(() => {})
	const kept = await cache.match(shell)
	if (!kept) return asked
	const late = new Promise((done) => setTimeout(done, 800, kept.clone()))
	return Promise.race([asked.catch(() => kept), late])
}

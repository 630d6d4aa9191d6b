// npm run lock, after a change of package.json: writes package-lock.json anew. npm leaves out binaries of other systems
// that its registry does not have yet, and `npm ci` then refuses the file; so they are named here, without a hash.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('../package-lock.json', import.meta.url)
const app = new URL('..', import.meta.url)
execFileSync('npm', ['install', '--package-lock-only', '--silent'], { cwd: app, stdio: 'inherit' })
const lock = JSON.parse(readFileSync(file, 'utf8'))
for (const [path, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
	for (const [name, version] of Object.entries(optionalDependencies)) {
		// A version that is exact, of a part that is built for one system: its name ends with system and processor.
		const [, system, processor] = /-(\w+?)-(\w+)(?:-\w+)?$/.exec(name) ?? []
		if (lock.packages[`node_modules/${name}`] || !system || !/^\d/.test(version) || path === '') continue
		const place = system === 'wasm32' ? { cpu: ['wasm32'] } : { cpu: [processor], os: [system] }
		lock.packages[`node_modules/${name}`] = { version, ...place, ...(dev ? { dev } : {}), optional: true }
	}
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(file, JSON.stringify(lock, null, '\t') + '\n')

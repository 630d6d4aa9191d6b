// Writes the licences of all packages whose code is in the build, and refuses those that ask more of whoever runs or
// changes this service than its own licence does.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'

const allowed = new Set(['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'MIT OR Apache-2.0'])

interface Package {
	name: string
	version: string
	license?: string
}

/** Gives the folder of the package that a module is part of. */
function folderOf(module: string): string | undefined {
	const at = module.lastIndexOf('/node_modules/')
	if (at < 0) return undefined
	const rest = module.slice(at + '/node_modules/'.length).split('/')
	const name = rest[0]?.startsWith('@') ? rest.slice(0, 2) : rest.slice(0, 1)
	return join(module.slice(0, at), 'node_modules', ...name)
}

export function licences(): Plugin {
	return {
		name: 'licences',
		apply: 'build',
		generateBundle(_, bundle) {
			const folders = new Set<string>()
			for (const part of Object.values(bundle)) {
				if (part.type !== 'chunk') continue
				for (const [module, { renderedLength }] of Object.entries(part.modules)) {
					const folder = folderOf(module.replace(/^\0/, ''))
					if (folder && renderedLength > 0) folders.add(folder)
				}
			}
			const texts: [name: string, text: string][] = []
			for (const folder of folders) {
				const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Package
				if (!allowed.has(about.license ?? '')) {
					this.error(`${about.name} ${about.version} has the licence ${about.license ?? 'none'}; see app/licences.ts`)
				}
				const file = findLicence(folder)
				const text = file ? readFileSync(file, 'utf8').trim() : `Licence: ${about.license}`
				texts.push([about.name, `${about.name} ${about.version} (${about.license})\n\n${text}\n`])
			}
			texts.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
			const head = 'The application in the browser contains parts of these packages.\n'
			this.emitFile({
				type: 'asset', fileName: 'licences.txt',
				source: [head, ...texts.map(([, text]) => text)].join(`\n${'-'.repeat(80)}\n\n`).replaceAll('\r\n', '\n'),
			})
		},
	}
}

/** A part of a monorepo may have the licence beside it or above. */
function findLicence(folder: string): string | undefined {
	for (let at = folder; !at.endsWith('node_modules') && existsSync(at); at = dirname(at)) {
		const found = readdirSync(at).find((name) => /^(licen[cs]e|copying)(\.|$)/i.test(name))
		if (found) return join(at, found)
	}
	return undefined
}

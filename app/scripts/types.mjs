// Writes src/api/schema.ts, the types of everything that the API takes and answers, from docs/openapi.json. With
// --check it only says whether the file is up to date.
import { readFileSync, writeFileSync } from 'node:fs'
import openapiTS, { astToString } from 'openapi-typescript'

const target = new URL('../src/api/schema.ts', import.meta.url)
const document = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'))

// Only the schemas: the store knows its paths, and types of all operations would be ten times the file.
const { schemas } = document.components
const text =
	'// Generated from docs/openapi.json by `npm run types`; do not edit.\n\n' +
	astToString(await openapiTS({ openapi: document.openapi, info: document.info, paths: {}, components: { schemas } }))

const old = (() => {
	try {
		return readFileSync(target, 'utf8')
	} catch {
		return ''
	}
})()
if (old === text) process.exit(0)
if (process.argv.includes('--check')) {
	console.error('app/src/api/schema.ts is not what docs/openapi.json says. Run make app.')
	process.exit(1)
}
writeFileSync(target, text)

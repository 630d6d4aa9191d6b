import { fileURLToPath } from 'node:url'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'
import { licences } from './licences.ts'

// The build goes where the service embeds it, plain and under stable names: a change is a small delta in git, and the
// service puts one hash of the whole build into the address. So everything refers to its neighbours relatively.
export default defineConfig({
	base: './',
	// The form for browsers of these years, which is smaller than the one that packers find.
	resolve: { alias: { dexie: fileURLToPath(new URL('./node_modules/dexie/dist/modern/dexie.mjs', import.meta.url)) } },
	plugins: [svelte(), licences()],
	build: {
		outDir: '../internal/web/dist',
		emptyOutDir: true,
		target: 'es2022',
		assetsInlineLimit: 0,
		modulePreload: { polyfill: false },
		reportCompressedSize: false,
		chunkSizeWarningLimit: 2000,
		rolldownOptions: {
			output: {
				entryFileNames: '[name].js',
				chunkFileNames: '[name].js',
				assetFileNames: '[name][extname]',
				// What every screen stands on is one file, the viewer with what draws its tiles is one, each screen and
				// each further language is one.
				codeSplitting: {
					groups: [
						{
							name: 'ground', priority: 2,
							test: /node_modules\/(?!openseadragon)|src\/(api|data|ui|shell|words\/(en|index))/,
						},
						{ name: 'viewer', priority: 1, test: /node_modules\/openseadragon|src\/viewer/ },
					],
				},
			},
		},
	},
	test: {
		include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
		environment: 'node',
		testTimeout: 600_000,
		hookTimeout: 300_000,
	},
})

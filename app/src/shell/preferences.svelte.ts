// How this browser shows the application: kept in it, the same for everybody who uses it, and nothing of a project.
import { choose, prefers } from '../words/index.svelte'

export const themes = ['auto', 'light', 'dark', 'sunlight'] as const
export type Theme = (typeof themes)[number]

const kept = (name: string): string | null => {
	try {
		return localStorage.getItem(`groundwork.${name}`)
	} catch {
		return null // storage can be forbidden
	}
}
const keep = (name: string, value: string) => {
	try {
		localStorage.setItem(`groundwork.${name}`, value)
	} catch {
		// it holds for this tab
	}
}

const dark = matchMedia('(prefers-color-scheme: dark)')
const was = kept('theme')
let now = $state<Theme>(themes.find((x) => x === was) ?? 'auto')

export const theme = (): Theme => now

export function setTheme(to: Theme): void {
	now = to
	keep('theme', to)
	show()
}

function show() {
	document.documentElement.dataset.theme = now === 'auto' ? (dark.matches ? 'dark' : 'light') : now
}

export async function setLanguage(code: string): Promise<void> {
	if (await choose(code)) keep('language', code)
}

/** begin shows theme and language as they were chosen; to be waited for before anything is drawn. */
export async function begin(): Promise<void> {
	show()
	dark.addEventListener('change', show)
	const code = prefers(kept('language'))
	if (code !== 'en') await choose(code)
	document.documentElement.lang = code
}

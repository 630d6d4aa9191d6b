// Words is everything that people read in the application, by language. Components never hold a sentence themselves:
// `{t().team.title}` shows it, and shows another when the person chooses another language.
import { en, type Catalogue } from './en'

/** languages are those that exist: their own name, and how their catalogue comes. English is always there. */
export const languages: Record<string, { name: string; load: () => Promise<Catalogue> }> = {
	en: { name: 'English', load: () => Promise.resolve(en) },
	es: { name: 'Español', load: async () => (await import('./es')).es },
}

let now = $state.raw<{ code: string; words: Catalogue }>({ code: 'en', words: en })

/** t is the catalogue of the language that the person reads. */
export const t = (): Catalogue => now.words

/** language is its code, such as `es`. */
export const language = (): string => now.code

/** locale is how dates and numbers are written: as the browser has them in this language, or else as the language has. */
export function locale(): string {
	const code = now.code
	return navigator.languages.find((l) => l.toLowerCase().split('-')[0] === code) ?? code
}

/** choose has the application speak another language. One that cannot be fetched leaves it as it is. */
export async function choose(code: string): Promise<boolean> {
	const found = languages[code]
	if (!found) return false
	try {
		now = { code, words: await found.load() }
	} catch {
		return false
	}
	document.documentElement.lang = code
	return true
}

/** prefers is the language to begin with: as chosen before, or the first one of the browser's that exists. */
export function prefers(chosen: string | null): string {
	const wishes = [chosen, ...navigator.languages].map((l) => (l ?? '').toLowerCase().split('-')[0] ?? '')
	return wishes.find((l) => l in languages) ?? 'en'
}

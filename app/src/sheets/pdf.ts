// What is told of files before they are sent.

/** The sign of a PDF stands at its beginning, or behind a few bytes that some programs put before it. */
const within = 1024

/** isPDF looks at the first bytes of a file: its name says little. */
export async function isPDF(file: Blob): Promise<boolean> {
	try {
		const bytes = new Uint8Array(await file.slice(0, within).arrayBuffer())
		return new TextDecoder('latin1').decode(bytes).includes('%PDF-')
	} catch {
		return false // a folder, or a file that is gone
	}
}

export interface Chosen {
	file: File
	/** What is wrong with it; it is not sent then. */
	wrong?: 'notPDF' | 'empty' | 'large' | 'twice'
}

/** largest is how many bytes the service reads of one PDF. */
export const largest = 2 ** 31 - 1

/** looked is each file with what is wrong with it. The same file twice is sent once. */
export async function looked(files: readonly File[]): Promise<Chosen[]> {
	const seen = new Set<string>()
	const out: Chosen[] = []
	for (const file of files) {
		const key = `${file.name} ${file.size} ${file.lastModified}`
		const wrong = seen.has(key) ? 'twice' as const
			: file.size === 0 ? 'empty' as const
			: file.size > largest ? 'large' as const
			: (await isPDF(file)) ? undefined : 'notPDF' as const
		seen.add(key)
		out.push(wrong ? { file, wrong } : { file })
	}
	return out
}

/** inOrder is how people number files: 2 before 10. */
export const inOrder = (files: readonly File[], locale: string): File[] =>
	[...files].sort((a, b) => a.name.localeCompare(b.name, locale, { numeric: true }))

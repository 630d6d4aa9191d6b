/** copy puts a text into the clipboard. On plain HTTP browsers have no clipboard; then it says false. */
export async function copy(text: string): Promise<boolean> {
	try {
		await navigator.clipboard.writeText(text)
		return true
	} catch {
		return false
	}
}

/** save has the browser keep a text or a file under a name. */
export function save(name: string, what: string | Blob, type = 'application/json'): void {
	const url = URL.createObjectURL(typeof what === 'string' ? new Blob([what], { type }) : what)
	const link = document.createElement('a')
	link.href = url
	link.download = name
	link.click()
	setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

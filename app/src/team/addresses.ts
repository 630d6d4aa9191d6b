// Addresses as people paste them: from a mail, a spreadsheet, a list.

export interface Invitee {
	email: string
	first_name?: string
	last_name?: string
}

/** read finds all addresses in a text, each once: alone, or with a name as in `Ana Ruiz <ana@example.com>`. */
export function read(text: string): Invitee[] {
	const out = new Map<string, Invitee>()
	for (const line of text.split(/[\n;,]+/)) {
		const named = /^\s*"?([^"<>]*?)"?\s*<\s*([^<>\s]+)\s*>\s*$/.exec(line)
		if (named?.[2]) {
			const [first = '', ...rest] = (named[1] ?? '').trim().split(/\s+/)
			add(out, { email: named[2], first_name: first || undefined, last_name: rest.join(' ') || undefined })
		} else for (const word of line.split(/\s+/)) if (word) add(out, { email: word })
	}
	return [...out.values()]
}

function add(to: Map<string, Invitee>, one: Invitee) {
	const key = one.email.toLowerCase()
	if (!to.has(key)) to.set(key, one)
}

/** looksRight tells whether something could be an address at all; the server knows better. */
export const looksRight = (email: string): boolean => /^[^\s@]+@[^\s@]+$/.test(email)

// Names of disciplines. A sheet keeps the project's own words (ADR 0053); those that the service proposes when nothing
// tells the project's language are English, and are shown in the language of whoever reads. What is kept, filtered by
// and sent stays as it is.

export interface Naming {
	/** What a person reads for what a sheet has. */
	shown: (kept: string) => string
	/** What a sheet gets when a person types a name: the project's word where they typed what is shown for it. */
	kept: (typed: string) => string
}

/**
 * naming translates the disciplines of a project by a catalogue. A word is shown as it is kept where its translation is
 * another word of the project: two disciplines are never shown under one name.
 */
export function naming(used: Iterable<string>, catalogue: Readonly<Record<string, string>>): Naming {
	const own = new Set(used)
	const known = new Map(Object.entries(catalogue))
	const shown = (kept: string) => {
		const name = known.get(kept) ?? kept
		return own.has(name) ? kept : name
	}
	const back = new Map([...own].map((kept): [string, string] => [shown(kept), kept]))
	return { shown, kept: (typed) => back.get(typed) ?? typed }
}

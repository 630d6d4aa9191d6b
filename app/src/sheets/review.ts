// What is looked through before a set is published: each page with what was read of it, what is doubtful, and what it
// will replace.
import type { FileReading, PageReading, Sheet, VersionUpload } from '../data'

export const fields = ['name', 'description', 'date', 'discipline', 'tags'] as const
export type Field = (typeof fields)[number]

/** Row is a page, as it is shown and edited. */
export interface Row {
	id: string
	file: number
	page: number
	fileName: string
	read: PageReading
	/** What the fields hold; tags with commas. */
	values: Record<Field, string>
	skip: boolean
}

/**
 * unreadable: it becomes no sheet. double: another page of the set has its number. waits: it is published when somebody
 * confirms its number. nameless: no number was found. unsure: the number may be wrong. title: the title may be.
 * wordless: its text was not read.
 */
export type Doubt = 'unreadable' | 'double' | 'waits' | 'nameless' | 'unsure' | 'title' | 'wordless'

/** sure is from which confidence on a number needs no second look; below 0.6 the service lets it wait. */
const sure = 0.85

/** sureTitle is the same for titles: of those below it, on real drawings, not much more than half are right. */
const sureTitle = 0.9

/** fileLike tells whether a name is only that of the file and its page: no number was read then. */
export function fileLike(fileName: string, name: string): boolean {
	const stem = fileName.replace(/\.pdf$/i, '').trim()
	return stem !== '' && name.trim().startsWith(`${stem} p`) && /^\d{3,}$/.test(name.trim().slice(stem.length + 2))
}

export const idOf = (file: number, page: number) => `${file}-${page}`

/** rowOf is a page as it was read. The number that was read is proposed where the service was not sure of it. */
export function rowOf(file: FileReading, p: PageReading): Row {
	return {
		id: idOf(file.file, p.page), file: file.file, page: p.page, fileName: file.file_name ?? '', read: p, skip: p.skip,
		values: {
			name: proposed(p), description: p.description ?? '', date: p.date ?? '', discipline: p.discipline ?? '',
			tags: p.tags.join(', '),
		},
	}
}

export const rowsOf = (upload: VersionUpload): Row[] =>
	upload.processing.files.flatMap((file) => file.pages.map((p) => rowOf(file, p)))

/** proposed is what a page is called until somebody says otherwise. */
const proposed = (p: PageReading) => (p.waits && p.number && !given(p) ? p.number : p.name ?? '')

/** numbered tells whether somebody has said what the page is called, or is just writing it. */
function numbered({ read, values }: Row): boolean {
	const name = values.name.trim()
	return given(read) || name !== '' && name !== proposed(read)
}

/** given tells whether somebody has said what the page is called. */
const given = (p: PageReading) => p.number_confidence === 1

/** drawn tells whether there is a page to see: one that cannot be drawn has no picture and becomes no sheet. */
export const drawn = (row: Row) => row.read.thumbnail_url !== null

/**
 * doubtsOf are what is doubtful about each row, the worst first, by its id; accepted are those that somebody confirmed.
 */
export function doubtsOf(rows: readonly Row[], accepted: ReadonlySet<string>): Map<string, Doubt[]> {
	const names = new Map<string, number>()
	const nameOf = (row: Row) => (row.skip || !drawn(row) ? '' : row.values.name.trim())
	for (const row of rows) names.set(nameOf(row), (names.get(nameOf(row)) ?? 0) + 1)
	return new Map(rows.map((row) => {
		const name = nameOf(row)
		return [row.id, doubts(row, name !== '' && (names.get(name) ?? 0) > 1, accepted.has(row.id))]
	}))
}

function doubts(row: Row, double: boolean, accepted: boolean): Doubt[] {
	if (!drawn(row)) return ['unreadable']
	if (row.skip) return []
	const { waits, number, number_confidence: confidence, error } = row.read
	const out: Doubt[] = []
	if (double) out.push('double')
	if (accepted) return out
	if (numbered(row)) {
		// nothing is doubtful about its number
	} else if (waits) out.push('waits')
	else if (fileLike(row.fileName, row.values.name)) out.push('nameless')
	else if (number === row.values.name.trim() && confidence !== null && confidence < sure) out.push('unsure')
	if (untrue(row)) out.push('title')
	if (error) out.push('wordless')
	return out
}

/** untrue tells whether the title stands as it was read, and was not read clearly. */
export function untrue({ read, values }: Row): boolean {
	const { description, description_confidence: confidence } = read
	return confidence !== null && confidence < sureTitle && values.description.trim() === description?.trim()
}

const rank: Record<Doubt, number> = {
	double: 0, waits: 1, unreadable: 2, nameless: 3, unsure: 4, title: 5, wordless: 6,
}

/** inOrder has the doubtful ones first, the worst before the others, and all else as it stands in the files. */
export function inOrder(rows: readonly Row[], accepted: ReadonlySet<string>): string[] {
	const doubtful = doubtsOf(rows, accepted)
	const worst = (row: Row) => Math.min(9, ...(doubtful.get(row.id) ?? []).map((d) => rank[d]))
	return [...rows].sort((a, b) => worst(a) - worst(b) || a.file - b.file || a.page - b.page).map((row) => row.id)
}

/** replaced is the current sheet whose place a page takes; a number in another case is another number. */
export function replaced(row: Row, current: ReadonlyMap<string, Sheet>): Sheet | undefined {
	return row.skip || !drawn(row) ? undefined : current.get(row.values.name.trim())
}

export interface Outcome {
	/** How many become sheets, of these how many take the place of another one. */
	made: number
	replace: number
	skipped: number
	waiting: number
	unreadable: number
	double: number
	/** How many have no number, which no page may be without. */
	blank: number
}

/** outcome is what happens when the set is published now. */
export function outcome(
	rows: readonly Row[], current: ReadonlyMap<string, Sheet>, accepted: ReadonlySet<string>,
): Outcome {
	const doubtful = doubtsOf(rows, accepted)
	const out: Outcome = { made: 0, replace: 0, skipped: 0, waiting: 0, unreadable: 0, double: 0, blank: 0 }
	for (const row of rows) {
		const found = doubtful.get(row.id) ?? []
		if (found.includes('unreadable')) out.unreadable++
		else if (row.skip) out.skipped++
		else if (found.includes('waits')) out.waiting++
		else {
			out.made++
			if (replaced(row, current)) out.replace++
		}
		if (found.includes('double')) out.double++
		if (drawn(row) && !row.skip && !row.values.name.trim()) out.blank++
	}
	return out
}

/** corrections are the fields of a row as the API takes them. */
export function correction(row: Row, changed: readonly (Field | 'skip')[]): Record<string, unknown> {
	const out: Record<string, unknown> = { file: row.file, page: row.page }
	for (const field of changed) {
		if (field === 'skip') out.skip = row.skip
		else if (field === 'tags') out.tags = row.values.tags.split(/[,;]/).map((x) => x.trim()).filter(Boolean)
		else if (field === 'name') out.name = row.values.name.trim()
		else out[field] = row.values[field].trim()
	}
	return out
}

// What the palette finds in a project: sheets by number or words, issues by number or words.
import CircleDot from '@lucide/svelte/icons/circle-dot'
import Layers from '@lucide/svelte/icons/layers'
import type { ProjectStore, Sheet } from '../data'
import { matches } from '../ui/Combobox.svelte'
import { t } from '../words/index.svelte'
import type { Found } from './Palette.svelte'
import { bare, begunBy } from './numbers'
import { to } from './router.svelte'

/**
 * inProject gives a few of each, since a project may have twenty thousand. Who types a number means that sheet, or
 * issue.
 */
export function inProject(store: ProjectStore, sought: string): Found[] {
	const w = t().palette
	const out: Found[] = []
	const code = bare(sought)
	const sheets = store.records('sheets').get()
	const named = (s: Sheet) => `${s.name} ${bare(s.name)} ${s.description ?? ''}`
	const begun = begunBy(code, sheets.filter((s) => s.current)).slice(0, 12)
	for (const s of new Set([...begun, ...first(sheets, (s) => s.current && matches(named(s), sought))])) {
		const best = bare(s.name) === code ? 2 : begun.includes(s) ? 1 : 0
		const note = s.description ?? ''
		const href = to(store.uid, 'sheets', s.uid)
		out.push({ id: s.uid, label: s.name, note, also: named(s), best, icon: Layers, href, group: w.sheets })
	}
	const issues = store.records('issues').get()
	const wanted = /^#?\d+$/.test(sought) ? Number(sought.replace('#', '')) : undefined
	const numbered = issues.filter((i) => i.number === wanted)
	for (const i of new Set([...numbered, ...first(issues, (i) => matches(`#${i.number} ${i.title ?? ''}`, sought))])) {
		const label = `#${i.number} ${i.title ?? ''}`
		const best = i.number === wanted ? (sought.startsWith('#') ? 3 : 2) : 0
		const href = to(store.uid, 'issues', i.uid)
		out.push({ id: i.uid, label, note: t().status[i.status], best, icon: CircleDot, href, group: w.issues })
	}
	return out
}

function first<T>(all: readonly T[], fits: (one: T) => boolean, most = 12): T[] {
	const out: T[] = []
	for (const one of all) {
		if (!fits(one)) continue
		out.push(one)
		if (out.length === most) break
	}
	return out
}

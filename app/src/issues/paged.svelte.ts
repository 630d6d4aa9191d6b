// A list of issues by pages of the server, for projects with more than a device keeps.
import type { Issue, ProjectStore } from '../data'
import { allOf, page } from '../records/pages'
import type { Times } from './arrange'
import { me, none, type Filter, type Query, type Sort } from './query'

/** What the server can filter and sort by. */
export const pagedFilters: readonly Filter[] = ['status', 'assigned', 'list', 'due']
export const pagedSorts: readonly Sort[] = ['number', 'due', 'updated']

const sortNames: Partial<Record<Sort, string>> = { number: 'number', due: 'due_at', updated: 'updated_at' }

/** pageQuery is what the server is asked; what it cannot do is left out. */
export function pageQuery(query: Query, who: string, times: Times): Record<string, string> {
	const out: Record<string, string> = {}
	if (query.q.trim()) out['q'] = query.q.trim()
	if (query.status.length) out['status'] = query.status.join(',')
	const people = query.assigned.filter((uid) => uid !== none).map((uid) => (uid === me ? who : uid))
	if (people.length) out['assigned_to'] = people.join(',')
	const lists = query.list.filter((uid) => uid !== none)
	if (lists.length) out['issue_list_uid'] = lists.join(',')
	if (query.due.includes('overdue')) {
		out['due_before'] = new Date(times.late).toISOString()
		if (!query.status.length) out['status'] = 'open,in_review,pending'
	}
	const sort = sortNames[query.sort] ?? 'number'
	out['sort'] = `${query.desc ? '-' : ''}${sort}`
	out['deleted'] = String(query.deleted)
	return out
}

export class Pages {
	issues = $state.raw<readonly Issue[]>([])
	total = $state<number>()
	sentence = $state('')
	#asked = ''
	#busy = false
	#turn = 0
	readonly #store: ProjectStore

	constructor(store: ProjectStore) {
		this.#store = store
	}

	/** show begins a list anew where it is another one. */
	show(query: Record<string, string>): void {
		const key = JSON.stringify(query)
		if (key === this.#asked) return
		this.#asked = key
		this.#turn++
		this.#busy = false
		this.issues = []
		this.total = undefined
		void this.more()
	}

	/** again reads what is shown once more, since something changed. */
	async again(): Promise<void> {
		const turn = this.#turn
		const query = JSON.parse(this.#asked || '{}') as Record<string, string>
		const answer = await allOf<Issue>(this.#store, 'issues', query, Math.max(page, Math.min(500, this.issues.length)))
		if (turn !== this.#turn || !answer.ok) return
		this.issues = answer.value.data
		this.total = answer.value.total
	}

	async more(): Promise<void> {
		if (this.#busy || (this.total !== undefined && this.issues.length >= this.total)) return
		this.#busy = true
		const turn = this.#turn
		const query = JSON.parse(this.#asked) as Record<string, string>
		const answer = await this.#store.list<Issue>('issues', { ...query, limit: page, skip: this.issues.length })
		if (turn !== this.#turn) return
		this.#busy = false
		if (!answer.ok) {
			this.sentence = answer.sentence
			this.total ??= 0
			return
		}
		this.sentence = ''
		const known = new Set(this.issues.map((i) => i.uid))
		this.issues = [...this.issues, ...answer.value.data.filter((i) => !known.has(i.uid))]
		this.total = answer.value.total_count
	}
}

// What a list of issues shows, as it stands in the address: a link shows the same to whoever opens it. Names are those
// of the API where it has them.
import { statuses } from '../records/rights'

export const layouts = ['table', 'board', 'calendar'] as const
export type Layout = (typeof layouts)[number]
export const groups = ['status', 'assignee', 'list', 'sheet', 'due'] as const
export type Group = (typeof groups)[number]
export const sorts = [
	'number', 'title', 'status', 'assignee', 'due', 'list', 'sheet', 'room', 'author', 'created', 'updated',
] as const
export type Sort = (typeof sorts)[number]
export const dues = ['overdue', 'today', 'week', 'later', 'none'] as const
export type Due = (typeof dues)[number]
/** Columns of the table; the title is always there. */
export const columns = [
	'number', 'status', 'assignee', 'due', 'list', 'sheet', 'room', 'type', 'author', 'created', 'updated', 'photos',
	'comments',
] as const
export type Column = (typeof columns)[number]
export const usual: readonly Column[] = ['number', 'status', 'assignee', 'due', 'list', 'sheet', 'updated']

/** Special values among uids. */
export const me = 'me'
export const none = 'none'

export interface Query {
	q: string
	status: readonly string[]
	/** uids, me, or none for nobody. */
	assigned: readonly string[]
	/** uids, or none. */
	list: readonly string[]
	sheet: readonly string[]
	due: readonly Due[]
	author: readonly string[]
	layout: Layout
	group: Group | ''
	sort: Sort
	desc: boolean
	columns: readonly Column[] | null
	/** The month of the calendar, such as 2026-03; blank is the present one. */
	month: string
	/** Only the deleted ones. */
	deleted: boolean
	/** The saved view that it began with. */
	view: string
}

export const plainQuery: Query = {
	q: '', status: [], assigned: [], list: [], sheet: [], due: [], author: [], layout: 'table', group: '', sort: 'number',
	desc: true, columns: null, month: '', deleted: false, view: '',
}

/** sortedBy is an order that somebody chose anew: numbers and times begin with the latest. */
export const sortedBy = (sort: Sort): Pick<Query, 'sort' | 'desc'> =>
	({ sort, desc: sort === 'number' || sort === 'updated' || sort === 'created' })

/** The filters that are lists, by their name in the address. */
const lists = {
	status: 'status', assigned_to: 'assigned', issue_list_uid: 'list', sheet_uid: 'sheet', due: 'due',
	created_by: 'author',
} as const
export type Filter = (typeof lists)[keyof typeof lists]
export const filters = Object.values(lists) as Filter[]

const among = <T extends string>(all: readonly T[], text: string | null, otherwise: T): T =>
	all.find((one) => one === text) ?? otherwise

/** readQuery reads the query of an address. What it does not know it leaves out: a link may be of another release. */
export function readQuery(from: URLSearchParams): Query {
	const many = (name: string) => [...new Set((from.get(name) ?? '').split(',').map((v) => v.trim()).filter(Boolean))]
	const sort = from.get('sort') ?? ''
	const chosen = many('columns').filter((c): c is Column => columns.includes(c as Column))
	const month = from.get('month') ?? ''
	return {
		q: from.get('q') ?? '',
		status: many('status').filter((s) => statuses.includes(s as (typeof statuses)[number])),
		assigned: many('assigned_to'),
		list: many('issue_list_uid'),
		sheet: many('sheet_uid'),
		due: many('due').filter((d): d is Due => dues.includes(d as Due)),
		author: many('created_by'),
		layout: among(layouts, from.get('layout'), 'table'),
		group: among(['', ...groups] as const, from.get('group_by'), ''),
		sort: among(sorts, sort.replace(/^-/, ''), plainQuery.sort),
		desc: sort ? sort.startsWith('-') : plainQuery.desc,
		columns: from.has('columns') ? chosen : null,
		month: /^\d{4}-(0[1-9]|1[0-2])$/.test(month) ? month : '',
		deleted: from.get('deleted') === 'true',
		view: from.get('view') ?? '',
	}
}

/** writeFilters is the query string of the filters alone, as a saved view keeps it. */
export function writeFilters(query: Query): string {
	const out = new URLSearchParams()
	if (query.q.trim()) out.set('q', query.q.trim())
	for (const [name, field] of Object.entries(lists)) if (query[field].length) out.set(name, query[field].join(','))
	if (query.deleted) out.set('deleted', 'true')
	return text(out)
}

/** writeQuery is the query of the address, blank where everything is as usual. */
export function writeQuery(query: Query): string {
	const out = new URLSearchParams(writeFilters(query))
	if (query.layout !== plainQuery.layout) out.set('layout', query.layout)
	if (query.group) out.set('group_by', query.group)
	if (query.sort !== plainQuery.sort || query.desc !== plainQuery.desc) out.set('sort', sortText(query))
	if (query.columns) out.set('columns', query.columns.join(','))
	if (query.month && query.layout === 'calendar') out.set('month', query.month)
	if (query.view) out.set('view', query.view)
	const said = text(out)
	return said ? `?${said}` : ''
}

const text = (params: URLSearchParams) => params.toString().replaceAll('%2C', ',')

export const sortText = (query: Pick<Query, 'sort' | 'desc'>): string => `${query.desc ? '-' : ''}${query.sort}`

interface Kept {
	uid: string
	query: string
	layout: string
	group_by: string | null
	sort: string | null
	columns: string[] | null
}

/** viewQuery is what a saved view shows. */
export function viewQuery(view: Kept): Query {
	const from = new URLSearchParams(view.query)
	from.set('layout', view.layout)
	if (view.group_by) from.set('group_by', view.group_by)
	if (view.sort) from.set('sort', view.sort)
	if (view.columns) from.set('columns', view.columns.join(','))
	from.set('view', view.uid)
	return readQuery(from)
}

/** viewFields are the fields of a saved view that shows what is shown now. */
export const viewFields = (query: Query) => ({
	query: writeFilters(query), layout: query.layout, group_by: query.group || null, sort: sortText(query),
	columns: query.columns ? [...query.columns] : null,
})

/** altered tells whether something else is shown than the view says. The month of a calendar is not a part of it. */
export function altered(query: Query, view: Kept): boolean {
	const same = (q: Query) => writeQuery({ ...q, month: '', view: '' })
	return same(query) !== same(viewQuery(view))
}

export const filtered = (query: Query): boolean =>
	Boolean(query.q.trim()) || query.deleted || filters.some((f) => query[f].length > 0)

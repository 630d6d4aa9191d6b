// One change of many issues, and one way back.
import type { Changes, Issue, Member, ProjectStore } from '../data'
import { assignees } from '../records/people'
import { editIssue, mayDelete, statusesFor, type Status } from '../records/rights'
import { tell } from '../ui/toasts.svelte'
import { t } from '../words/index.svelte'

export type Fields = Pick<Changes['issues'], 'status' | 'assigned_to_uids' | 'issue_list_uid' | 'due_at'>

export interface Step {
	uid: string
	set: Fields
	back: Fields
}

/** present are the values that an issue has of some fields, as they are written. */
function present(issue: Issue, fields: Fields): Fields {
	const out: Fields = {}
	if ('status' in fields) out.status = issue.status
	if ('assigned_to_uids' in fields) out.assigned_to_uids = assignees(issue)
	if ('issue_list_uid' in fields) out.issue_list_uid = issue.issue_list?.uid ?? null
	if ('due_at' in fields) out.due_at = issue.due_at
	return out
}

/** same compares values as they are written; a time is the same when it is the same moment. */
function same(a: Fields, b: Fields): boolean {
	const moment = (v: unknown) => (typeof v === 'string' ? Date.parse(v) : null)
	return Object.keys(a).every((name) => {
		const x = a[name as keyof Fields]
		const y = b[name as keyof Fields]
		if (name === 'due_at') return moment(x) === moment(y)
		if (Array.isArray(x) && Array.isArray(y)) return x.length === y.length && x.every((one) => y.includes(one))
		return (x ?? null) === (y ?? null)
	})
}

function allowed(issue: Issue, fields: Fields, who: Member | undefined): boolean {
	const may = editIssue(who, issue)
	if (may === 'all') return true
	const onlyStatus = Object.keys(fields).every((name) => name === 'status')
	return may === 'status' && onlyStatus && statusesFor(who, issue).includes(fields.status as Status)
}

/** plan says what is written where, and how many issues somebody may not change. What is so already is left alone. */
export function plan(
	issues: readonly Issue[], fields: Fields, who: Member | undefined,
): { steps: Step[]; refused: number } {
	const steps: Step[] = []
	let refused = 0
	for (const issue of issues) {
		const back = present(issue, fields)
		if (same(fields, back)) continue
		if (allowed(issue, fields, who)) steps.push({ uid: issue.uid, set: fields, back })
		else refused++
	}
	return { steps, refused }
}

/** wayBack gives what is written to undo: not where somebody else changed the same fields since. */
export function wayBack(
	steps: readonly Step[], get: (uid: string) => Issue | undefined,
): { uid: string; fields: Fields }[] {
	return steps.flatMap(({ uid, set, back }) => {
		const issue = get(uid)
		return issue && !issue.deleted && same(set, present(issue, set)) ? [{ uid, fields: back }] : []
	})
}

/** removable are those that somebody may delete. */
export const removable = (issues: readonly Issue[], who: Member | undefined): Issue[] =>
	issues.filter((issue) => !issue.deleted && mayDelete(who, issue))

/** setAll changes those issues that the person may change, and tells of it and of the others, with a way back. */
export function setAll(store: ProjectStore, which: readonly Issue[], fields: Fields, saying?: string): void {
	const w = t().issues.bulk
	const { steps, refused } = plan(which, fields, store.member.get())
	for (const step of steps) store.update('issues', step.uid, step.set)
	const note = refused ? w.refused(refused) : undefined
	if (!steps.length) return void tell(w.nothing, { note })
	const undo = () => {
		const back = wayBack(steps, (uid) => store.get('issues', uid))
		for (const step of back) store.update('issues', step.uid, step.fields)
		tell(w.undone(back.length))
	}
	tell(saying ?? w.changed(steps.length), { note, action: { label: t().records.undo, run: undo } })
}

/** removeAll deletes those issues that the person may delete, with a way back; it tells whether there was one. */
export function removeAll(store: ProjectStore, which: readonly Issue[]): boolean {
	const w = t().issues.bulk
	const may = removable(which, store.member.get())
	const refused = which.length - may.length
	const note = refused ? w.refused(refused) : undefined
	for (const issue of may) store.remove('issues', issue.uid)
	const undo = () => {
		for (const issue of may) store.restore('issues', issue.uid)
		tell(w.undone(may.length))
	}
	if (may.length) tell(w.deleted(may.length), { note, action: { label: t().records.undo, run: undo } })
	else tell(w.nothing, { note })
	return may.length > 0
}

export function restoreAll(store: ProjectStore, which: readonly Issue[]): void {
	for (const issue of which) store.restore('issues', issue.uid)
	tell(t().issues.bulk.restored(which.length))
}

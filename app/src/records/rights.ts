// What somebody may do with records, by their role: what they may not is not offered. The service holds it in any case.
import type { Comment, Issue, Member, View } from '../data'
import { adminRole, collaboratorRole } from '../shell/people'

export type Status = Issue['status']
export const statuses = ['open', 'in_review', 'pending', 'closed'] as const satisfies readonly Status[]

type Who = Pick<Member, 'uid' | 'role'> | undefined

export const isAdmin = (who: Who): boolean => who?.role?.uid === adminRole
/** Managers are Admins and Power Collaborators. */
export const isManager = (who: Who): boolean => Boolean(who?.role?.uid) && who?.role?.uid !== collaboratorRole

const made = (who: Who, record: { created_by: { uid: string | null } | null }): boolean =>
	who !== undefined && record.created_by?.uid === who.uid
const assigned = (who: Who, issue: Issue): boolean =>
	who !== undefined && (issue.assigned_to ?? []).some((p) => p.uid === who.uid)

/** editIssue tells whether somebody may change all fields of an issue, its status only, or nothing. */
export function editIssue(who: Who, issue: Issue): 'all' | 'status' | 'none' {
	if (!who || issue.deleted) return 'none'
	if (isManager(who) || made(who, issue)) return 'all'
	return assigned(who, issue) && issue.status !== 'closed' ? 'status' : 'none'
}

/** statusesFor are those that somebody may give to an issue, with the one that it has. */
export function statusesFor(who: Who, issue: Issue): readonly Status[] {
	const may = editIssue(who, issue)
	if (may === 'all') return statuses
	if (may === 'status') return statuses.filter((s) => s !== 'closed')
	return [issue.status]
}

export const mayDelete = (who: Who, issue: Issue): boolean => who !== undefined && (isManager(who) || made(who, issue))
/** mayLink tells whether somebody may put photos, documents and snapshots onto an issue. */
export const mayLink = (who: Who, issue: Issue): boolean =>
	!issue.deleted && who !== undefined && (isManager(who) || made(who, issue) || assigned(who, issue))
export const mayKeepLists = (who: Who): boolean => isManager(who)
export const mayPublishViews = (who: Who): boolean => isManager(who)
export const mayChangeView = (who: Who, view: View): boolean =>
	view.visibility === 'master' ? isManager(who) : made(who, view)
/** A comment is changed by who wrote it, and deleted also by Admins. */
export const mayChangeComment = (who: Who, comment: Comment): boolean => made(who, comment)
export const mayDeleteComment = (who: Who, comment: Comment): boolean => made(who, comment) || isAdmin(who)

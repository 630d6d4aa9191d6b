// People as records name them: by uid, with the name that they have now.
import type { Issue, Member } from '../data'
import { personName } from '../shell/people'

export interface Names {
	/** How somebody is called; blank where nobody knows. */
	(uid: string | null | undefined): string
}

/** names finds people by uid, removed ones too. */
export function names(...teams: readonly (readonly Member[])[]): Names {
	const all = new Map<string, string>()
	for (const team of teams) for (const m of team) all.set(m.uid, personName(m))
	return (uid) => all.get(uid ?? '') ?? ''
}

/** assignees are the uids of those to whom an issue is assigned. */
export const assignees = (issue: Pick<Issue, 'assigned_to'>): string[] =>
	(issue.assigned_to ?? []).map((p) => p.uid).filter((uid) => uid !== null)

/**
 * latest are what somebody chose last on the issues that they made, the last first: it is offered first the next time.
 */
export function latest(
	issues: readonly Issue[], me: string, of: (issue: Issue) => readonly (string | null | undefined)[], most = 3,
): string[] {
	const out: string[] = []
	for (let i = issues.length - 1; i >= 0 && i >= issues.length - 5000 && out.length < most; i--) {
		const issue = issues[i] as Issue
		if (issue.created_by?.uid !== me) continue
		for (const value of of(issue)) if (value && !out.includes(value) && out.length < most) out.push(value)
	}
	return out
}

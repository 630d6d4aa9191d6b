// How people and what they may do are called.
import type { Member } from '../data'
import { t } from '../words/index.svelte'

/** The roles have the same uid in every project; the contract names them. */
export const roleLabels: Record<string, string> = {
	'9d139e64-cac9-4f23-b4d5-9fd3688b498e': 'Admin',
	'0b6c1f5e-6d0a-4a52-9f5e-2f1b7c3d8a41': 'Power Collaborator',
	'5e7a9c30-41d2-4c8b-8a67-d9f0b2e4c613': 'Collaborator',
}
export const adminRole = '9d139e64-cac9-4f23-b4d5-9fd3688b498e'
export const collaboratorRole = '5e7a9c30-41d2-4c8b-8a67-d9f0b2e4c613'

/** roleName is a role in the reader's words. */
export function roleName(uid: string | null | undefined): string {
	const label = roleLabels[uid ?? ''] ?? ''
	return t().team.roles[label] ?? label
}

type Named = Pick<Member, 'first_name' | 'last_name' | 'email'>

/** personName is how somebody is called: by name, or else by address. */
export function personName(person: Named | undefined): string {
	if (!person) return ''
	return [person.first_name, person.last_name].filter(Boolean).join(' ').trim() || (person.email ?? '')
}

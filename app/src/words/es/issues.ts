import type { issues as english } from '../en/issues'

export const issues: typeof english = {
	title: 'Incidencias',
}

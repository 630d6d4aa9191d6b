import type { work as english } from '../en/work'

export const work: typeof english = {
	title: 'Mi trabajo',
}

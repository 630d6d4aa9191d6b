import type { viewer as english } from '../en/viewer'

export const viewer: typeof english = {
	title: 'Plano',
}

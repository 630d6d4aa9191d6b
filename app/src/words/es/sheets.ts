import type { sheets as english } from '../en/sheets'

export const sheets: typeof english = {
	title: 'Planos',
}

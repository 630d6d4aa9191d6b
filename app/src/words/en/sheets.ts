export const sheets = {
	title: 'Sheets',
}

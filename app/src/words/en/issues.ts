export const issues = {
	title: 'Issues',
}

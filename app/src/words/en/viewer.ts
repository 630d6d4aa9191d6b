export const viewer = {
	title: 'Drawing',
}

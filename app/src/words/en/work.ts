export const work = {
	title: 'My work',
}

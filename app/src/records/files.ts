// Files that somebody chose, dropped or pasted, put onto an issue: pictures as photos, everything else as documents.
import type { Linked, ProjectStore } from '../data'
import { tell } from '../ui/toasts.svelte'
import { t } from '../words/index.svelte'

/** pictured tells whether a file is a picture. Some browsers know no type of what phones take. */
export const pictured = (file: { type: string; name: string }): boolean =>
	file.type.startsWith('image/') || (!file.type && /\.(jpe?g|png|gif|webp|hei[cf]|tiff?|bmp|avif)$/i.test(file.name))

/** called is what a photo is called at first: nothing, where the name says nothing. */
export const called = (name: string): string =>
	/^(image|img|dsc|dscn|pxl|photo|foto|screenshot)?[-_ .\d()]*\.\w+$/i.test(name) ? '' : name.replace(/\.\w+$/, '')

/** addFiles puts files onto a record; what the device cannot take is said. */
export function addFiles(store: ProjectStore, issue: string, files: Iterable<File>): void {
	for (const file of files) {
		const photo = pictured(file)
		const linked: Linked = photo ? 'photos' : 'attachments'
		try {
			const title = called(file.name)
			const uid = photo
				? store.upload('photos', file, title ? { title } : {})
				: store.upload('attachments', file, { name: file.name })
			store.link('issues', issue, linked, uid)
		} catch (e) {
			tell(t().records.photo.failed, { tone: 'bad', note: e instanceof Error ? e.message : String(e) })
		}
	}
}

/** carried are the files of a drop or a paste. */
export const carried = (from: DataTransfer | null): File[] => [...(from?.files ?? [])]

// Where the files of records are: same-origin addresses by record and content, which a browser may keep for ever.

import type { Any } from './fields'
import type { Live } from './live'
import type { Filed, FileForm } from './types'

const shownBy: Record<Filed, Partial<Record<FileForm, string>>> = {
	photos: { file: 'url', display: 'display_url', preview: 'preview_url', thumbnail: 'thumbnail_url' },
	attachments: { file: 'url' },
	snapshots: { file: 'url' },
	sheets: { file: 'file_url', thumbnail: 'thumbnail_url', tiles: 'tiles_url' },
}

/** fileAddress is undefined where the record has no such file, or does not have it yet. */
export function fileAddress(project: string, kind: Filed, record: Any | undefined, form: FileForm): string | undefined {
	const field = shownBy[kind][form]
	const shown = field && record?.[field]
	const content = typeof shown === 'string' && /\/(?:files|tiles)\/([^/?]+)/.exec(shown)?.[1]
	return content ? `/projects/${project}/${kind}/${record?.uid}/files/${form}/${content}` : undefined
}

/** fileLive gives the service's address of a file, and until there is one that of the device's copy. */
export function fileLive(
	record: Live<Any | undefined>, address: (record: Any | undefined) => string | undefined,
	copy: Live<string | undefined>,
): Live<string | undefined> {
	return {
		get: () => address(record.get()) ?? copy.get(),
		subscribe(run) {
			let last: { value: string | undefined } | undefined
			const give = (value: string | undefined) => {
				if (last && last.value === value) return
				last = { value }
				run(value)
			}
			let leave: (() => void) | undefined
			const end = record.subscribe((it) => {
				const there = address(it)
				if (there === undefined) {
					if (it && !leave) leave = copy.subscribe(give)
					else if (!leave) give(undefined)
					return
				}
				give(there)
				leave?.() // and not before: what is shown keeps its address
				leave = undefined
			})
			return () => {
				end()
				leave?.()
			}
		},
	}
}

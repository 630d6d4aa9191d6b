// Where the files of records are: same-origin addresses by record and content, which a browser may keep for ever.

import type { Any } from './fields'
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

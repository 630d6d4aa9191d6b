// Lists of the service come in pages.
import type { Answer, ProjectStore } from '../data'

/** page is how many the service gives at once. */
export const page = 50

/** allOf reads a list from its beginning, page by page, up to some hundreds. */
export async function allOf<T>(
	store: ProjectStore, path: string, query: Record<string, string | number | boolean> = {}, most = 500,
): Promise<Answer<{ data: T[]; total: number }>> {
	const data: T[] = []
	for (;;) {
		const answer = await store.list<T>(path, { ...query, limit: page, skip: data.length })
		if (!answer.ok) return answer
		data.push(...answer.value.data)
		const total = answer.value.total_count
		if (answer.value.data.length < page || data.length >= Math.min(total, most)) return {
			ok: true, value: { data, total },
		}
	}
}

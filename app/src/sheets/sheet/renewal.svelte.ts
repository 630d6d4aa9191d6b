// The address of tiles ends after a day or two, and when somebody leaves the project. Then the record has a new one,
// which a device that was away does not know yet.
import type { Desk, Sheet } from '../../data'

export class Renewal {
	readonly #desk: Desk
	readonly #project: string
	#fresh = $state.raw<Record<string, string>>({})
	#tried = new Set<string>()
	/** The tiles do not come, whatever the address. */
	unreachable = $state(false)

	constructor(desk: Desk, project: string) {
		this.#desk = desk
		this.#project = project
	}

	/** address is where the tiles of a sheet are; '' where it has none. */
	address(sheet: Sheet): string {
		return this.#fresh[sheet.uid] ?? sheet.tiles_url ?? ''
	}

	/** trouble asks for another address, once for each; where it is the same, the tiles are loaded again. */
	async trouble(sheet: Sheet, again: () => void): Promise<void> {
		const old = this.address(sheet)
		if (this.#tried.has(old)) {
			this.unreachable = true
			return
		}
		this.#tried.add(old)
		const answer = await this.#desk.direct.call<Sheet>('GET', `/projects/${this.#project}/sheets/${sheet.uid}`)
		const now = answer.ok ? answer.value.tiles_url : undefined
		if (!now) this.unreachable = true
		else if (now === old) again()
		else this.#fresh = { ...this.#fresh, [sheet.uid]: now }
	}

	/** forget has every address tried anew. */
	forget(): void {
		this.unreachable = false
		this.#tried.clear()
	}
}

// The door of the data room: the one store that all screens read, and the outbox through which they write. It knows no
// screen, no Svelte and no DOM; what it needs of the world comes through Ports.
//
//	const desk = openDesk(browserPorts())
//	const store = desk.open(project)
//	const issues = store.records('issues')         // in a component: {#each $issues as issue}
//	store.update('issues', uid, { status: 'closed' })  // shows at once, is sent when the line allows

import { OpenDesk } from './desk'
import type { Ports } from './ports'
import type { Desk } from './types'

export type { Live } from './live'
export type { Ports } from './ports'
export { followShareable, type Shareable } from './shareable'
export * from './types'

/** Opens the desk of whoever is signed in. */
export function openDesk(ports: Ports): Desk {
	return new OpenDesk(ports)
}

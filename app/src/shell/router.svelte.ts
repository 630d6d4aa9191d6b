// Where the person is. Addresses are /app/, /app/PROJECT, /app/PROJECT/SCREEN; a screen owns what comes after. A router
// from outside would be 4 KB for these few lines (docs/adr/0051).
const base = '/app'

export interface Place {
	/** The uid of the project, or '' outside of projects. */
	project: string
	/** '' is the list of projects, or the home of a project. */
	screen: string
	/** What comes after the screen. */
	rest: readonly string[]
	query: URLSearchParams
}

const screens = new Set(['', 'sheets', 'issues', 'team', 'settings'])
/** Screens outside of projects. Pieces are shown in the development build only. */
const outside = new Set(import.meta.env.DEV ? ['work', 'pieces'] : ['work'])

function read(): Place {
	const { pathname, search } = location
	const [first = '', screen = '', ...rest] = pathname.slice(base.length).split('/').filter(Boolean).map(decode)
	const query = new URLSearchParams(search)
	return outside.has(first) ? { project: '', screen: first, rest: [], query } : { project: first, screen, rest, query }
}

function decode(part: string): string {
	try {
		return decodeURIComponent(part)
	} catch {
		return part
	}
}

let now = $state.raw<Place>(read())

export const place = (): Place => now

/** exists tells whether the address means something. */
export const exists = (at: Place): boolean =>
	(at.project ? screens.has(at.screen) : at.screen === '' || outside.has(at.screen))

/** to is the address of a screen. */
export const to = (project = '', ...rest: string[]): string =>
	[base, ...[project, ...rest].filter(Boolean).map(encodeURIComponent)].join('/') + (project ? '' : '/')

/** go shows another place. */
export function go(address: string, replace = false): void {
	if (replace) history.replaceState(null, '', address)
	else history.pushState(null, '', address)
	arrive()
	scrollTo(0, 0)
}

function arrive() {
	now = read()
}

/** follow has links inside the application change the place instead of loading a page. Gives what ends it. */
export function follow(): () => void {
	function click(e: MouseEvent) {
		if (e.defaultPrevented || e.button || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return
		const link = (e.target as Element | null)?.closest?.('a')
		if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return
		if (link.pathname !== base && !link.pathname.startsWith(`${base}/`)) return
		if (link.hash && link.pathname === location.pathname) return
		e.preventDefault()
		go(link.pathname + link.search)
	}
	document.addEventListener('click', click)
	addEventListener('popstate', arrive)
	return () => {
		document.removeEventListener('click', click)
		removeEventListener('popstate', arrive)
	}
}

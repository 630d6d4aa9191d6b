import { mount } from 'svelte'
import App from './App.svelte'
import { browserPorts } from './browser'
import { openDesk } from './data'
import { begin } from './shell/preferences.svelte'
import './ui/tokens.css'
import { keepApplication } from './worker'

const target = document.getElementById('app')
if (target) {
	await begin()
	mount(App, { target, props: { desk: openDesk(browserPorts()) } })
}
void keepApplication()

import { mount } from 'svelte'
import App from './App.svelte'
import { keepApplication } from './worker'

const target = document.getElementById('app')
if (target) mount(App, { target })
void keepApplication()

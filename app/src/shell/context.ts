// What every screen stands on: the desk, and inside a project its store.
import { getContext, setContext } from 'svelte'
import type { Desk, ProjectStore } from '../data'

const deskKey = Symbol('desk')
const storeKey = Symbol('store')

export const giveDesk = (desk: Desk) => setContext(deskKey, desk)
export const useDesk = (): Desk => getContext(deskKey)
export const giveStore = (store: ProjectStore) => setContext(storeKey, store)
export const useStore = (): ProjectStore => getContext(storeKey)

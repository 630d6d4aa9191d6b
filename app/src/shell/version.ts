// Which build this is: the service puts a hash of it into the address of each of its files.
export const version = /\/assets\/app\/([0-9a-f]+)\//.exec(import.meta.url)?.[1] ?? 'dev'

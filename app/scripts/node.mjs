// Says so where Node is too old for what builds the application.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
	console.error(`The application is built with Node 20.19 or later; this is ${process.versions.node}.`)
	process.exit(1)
}

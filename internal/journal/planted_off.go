//go:build !planted

package journal

// plantedTwice leaves what was written after the last note; only a build with the tag planted can be given it.
const plantedTwice = false

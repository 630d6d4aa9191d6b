//go:build !planted

package api

// plantedNoTurns is a fault that a build with the tag planted can be given, to show that the experiments of ./prove
// notice it: accounts that move much go on as if they were alone.
const plantedNoTurns = false

//go:build !planted

package drawing

// plantedHere is a fault that a build with the tag planted can be given, to show that the experiments of ./prove notice
// it: sets are read in the service itself.
const plantedHere = false

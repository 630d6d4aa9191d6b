//go:build !planted

package mirror

// The faults that a build with the tag planted can be given, to show that the experiments of ./prove notice them. Here
// they do not exist.
const plantedOwnSkip = false // page by an own skip, and go on from the greatest updated_at

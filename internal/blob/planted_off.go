//go:build !planted

package blob

// The faults that a build with the tag planted can be given, to show that the experiments of ./prove notice them. Here
// they do not exist.
const (
	plantedNoSync  = false // do not wait for the disk when a file is written
	plantedPatient = false // wait for the store for ever
	plantedTrust   = false // take a write whose outcome is unknown for done
)

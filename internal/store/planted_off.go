//go:build !planted

package store

import "io/fs"

// The faults that a build with the tag planted can be given, to show that the experiments of ./prove notice them. Here
// they do not exist.
const (
	plantedAckEarly     = false // acknowledge before the commit
	plantedNoCheckpoint = false // never empty the log
	plantedSyncNormal   = false // do not wait for the disk when committing
	plantedWallClock    = false // take updated_at from the wall clock, even when it went back
	plantedGroupOfOne   = false // commit every write alone
	plantedLoseChanges  = false // leave one in forty out of the change log
	plantedNoWayBack    = false // say of the next release that no earlier program can serve its database
	plantedNoHide       = false // do not keep what a record was before it was hidden
	plantedRestartEarly = false // let the log begin anew before it was copied elsewhere
	plantedTornSnapshot = false // let a snapshot see each table at another moment
)

func plantedMissFrame(int64) bool { return false }

func plantedPause() {}

// plantedNext tells whether the program is one of the next release, with migrations of its own.
func plantedNext() bool { return false }

func plantedFolder(files fs.FS) fs.FS { return files }

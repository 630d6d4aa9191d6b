//go:build planted

package store

import (
	"os"
	"time"
)

var (
	planted             = os.Getenv("GROUNDWORK_PLANT")
	plantedAckEarly     = planted == "ack-early"
	plantedNoCheckpoint = planted == "no-checkpoint"
	plantedSyncNormal   = planted == "sync-normal"
	plantedWallClock    = planted == "wall-clock"
	plantedGroupOfOne   = planted == "group-of-one"
	plantedLoseChanges  = planted == "lose-changes"
	plantedNoHide       = planted == "no-hide"
	plantedRestartEarly = planted == "restart-early"
	plantedTornSnapshot = planted == "torn-snapshot"
)

// plantedMissFrame leaves one frame in fifty out of what is copied elsewhere.
func plantedMissFrame(frame int64) bool { return planted == "miss-frame" && frame%50 == 0 }

// plantedPause makes the time in which an early acknowledgement is a lie long enough for any experiment to hit it.
func plantedPause() { time.Sleep(10 * time.Millisecond) }

//go:build planted

package store

import (
	"embed"
	"io/fs"
	"os"
	"strings"
	"time"
)

//go:embed migrations_next/*.sql
var nextMigrations embed.FS

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
	plantedNoWayBack    = planted == "next-release-only"
)

// plantedMissFrame leaves one frame in fifty out of what is copied elsewhere.
func plantedMissFrame(frame int64) bool { return planted == "miss-frame" && frame%50 == 0 }

// plantedPause makes the time in which an early acknowledgement is a lie long enough for any experiment to hit it.
func plantedPause() { time.Sleep(10 * time.Millisecond) }

// plantedNext tells whether the program is one of the next release, with migrations of its own.
func plantedNext() bool { return strings.HasPrefix(planted, "next-release") }

func plantedFolder(files fs.FS) fs.FS { return nextFolder{files} }

// nextFolder adds the migrations of the next release.
type nextFolder struct{ fs.FS }

func (n nextFolder) Open(name string) (fs.File, error) {
	if f, err := nextMigrations.Open("migrations_next/" + name); err == nil && name != "." {
		return f, nil
	}
	return n.FS.Open(name)
}

func (n nextFolder) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(n.FS, name)
	if err != nil {
		return nil, err
	}
	next, err := nextMigrations.ReadDir("migrations_next")
	return append(all, next...), err
}

//go:build !planted

package main

import "time"

// plantedClock is the wrong clock that a build with the tag planted can be given. Here there is none.
func plantedClock() func() time.Time { return nil }

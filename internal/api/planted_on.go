//go:build planted

package api

import "os"

// plantedNoTurns: see planted_off.go.
var plantedNoTurns = os.Getenv("GROUNDWORK_PLANT") == "no-turns"

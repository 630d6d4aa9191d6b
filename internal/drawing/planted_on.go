//go:build planted

package drawing

import "os"

// plantedHere: see planted_off.go.
var plantedHere = os.Getenv("GROUNDWORK_PLANT") == "drawings-in-service"

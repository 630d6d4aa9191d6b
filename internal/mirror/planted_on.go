//go:build planted

package mirror

import "os"

var plantedOwnSkip = os.Getenv("GROUNDWORK_PLANT") == "mirror-own-skip"

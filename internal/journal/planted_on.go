//go:build planted

package journal

import "os"

var plantedTwice = os.Getenv("GROUNDWORK_PLANT") == "journal-not-cut"

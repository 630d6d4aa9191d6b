//go:build planted

package blob

import "os"

var (
	planted       = os.Getenv("GROUNDWORK_PLANT")
	plantedNoSync = planted == "file-no-sync"
)

//go:build planted

package blob

import "os"

var (
	planted        = os.Getenv("GROUNDWORK_PLANT")
	plantedNoSync  = planted == "file-no-sync"
	plantedPatient = planted == "store-patient"
	plantedTrust   = planted == "store-trust"
)

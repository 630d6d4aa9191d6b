//go:build planted

package identity

import "os"

var (
	planted        = os.Getenv("GROUNDWORK_PLANT")
	plantedLink    = planted == "link-to-anybody"
	plantedReach   = planted == "pending-effective"
	plantedLower   = planted == "lower-case"
	plantedChain   = planted == "unproven-inviter"
	plantedReturn  = planted == "removed-returns"
	plantedProfile = planted == "profile-early"
)

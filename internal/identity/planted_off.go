//go:build !planted

package identity

// The faults that a build with the tag planted can be given, to show that the experiments of ./prove notice them. Here
// they do not exist.
const (
	plantedLink    = false // show the link of an invitation to whoever invites
	plantedReach   = false // make memberships effective although the address is not proven
	plantedLower   = false // compare addresses by the lower case of Unicode
	plantedChain   = false // show the link of an invitation to an inviter who is not proven
	plantedReturn  = false // let those in whom somebody made that was removed
	plantedProfile = false // show a profile before the person has come
)

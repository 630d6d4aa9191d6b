//go:build !soak

package store

// What a build with the tag soak looks at: see litecache_checks_on.go.
const checksPages = false

func (*litePage) seal(uintptr)  {}
func (*litePage) check(uintptr) {}

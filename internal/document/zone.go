package document

import (
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // a machine may know no time zones

	"groundwork/internal/fault"
)

// CheckZone refuses, for a field, what is not the name of a time zone in the IANA database. Names that only some
// machines have (localtime, right/…) are refused too: a record means the same wherever it is read.
func CheckZone(field, name string) error {
	_, err := time.LoadLocation(name)
	own := slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return strings.Trim(part, ".") == "" }) ||
		name == "" || name == "Local" || name == "localtime" || name == "posixrules" || name == "Factory" ||
		strings.HasPrefix(name, "right/") || strings.HasPrefix(name, "posix/")
	if err != nil || own {
		return fault.Field(field, "It must be the name of a time zone such as America/New_York or UTC; %q is none.", name)
	}
	return nil
}

package share

import (
	"time"

	"groundwork/internal/resource"
)

// What files are made of: records of other nouns, of which these fields are read.
var (
	sites     = &resource.View[site]{Name: "share.sites", Of: []string{"projects"}}
	listNames = &resource.View[named]{Name: "share.listNames", Of: []string{"issue_lists"}}
	numbers   = &resource.View[numbered]{Name: "share.numbers", Of: []string{"sheets"}}
	deletions = &resource.View[deletion]{Name: "share.deletions", Of: []string{"issues"}}
	filed     = &resource.View[filing]{Name: "share.filed", Of: []string{"attachments"}}
)

// named is a record by its name.
type named struct {
	Name string `json:"name"`
}

// site is a project with where its days begin and end.
type site struct {
	Name     string  `json:"name"`
	TimeZone *string `json:"time_zone"`
}

// day is the moment, in microseconds since 1970, as the site's clocks show it.
func (s *site) day(micros int64) time.Time {
	zone, err := time.LoadLocation(orElse(s.TimeZone, "UTC"))
	if err != nil {
		zone = time.UTC
	}
	return time.UnixMicro(micros).In(zone)
}

// deletion is whether a record is deleted.
type deletion struct {
	Deleted bool `json:"deleted"`
}

// numbered is how a sheet is found by its number.
type numbered struct {
	UID         string `json:"uid"`
	Name        string `json:"name"`
	VersionName string `json:"version_name"`
	Current     bool   `json:"current"`
}

// filing is what a report says of a document.
type filing struct {
	Name    string  `json:"name"`
	Folder  *string `json:"folder"`
	Deleted bool    `json:"deleted"`
}

func orElse[T any](value *T, other T) T {
	if value == nil {
		return other
	}
	return *value
}

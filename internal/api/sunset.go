package api

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"groundwork/internal/fault"
)

// chooseMajor finds the version that the caller asks for, and refuses one that has ended. The headers Deprecation and
// Sunset tell of one that will.
func (e *Edge) chooseMajor(c *Call) error {
	accept := c.r.Header["Accept"]
	if c.end.Gives == EventStream && admitsEvents(accept) {
		accept = nil
	}
	major, err := majors(e.config.Majors).choose(accept)
	if err != nil {
		return err
	}
	c.Major = major
	if e.config.Auth == nil {
		return nil
	}
	ending, err := e.config.Auth.Ending(c.Context(), major)
	if err != nil {
		return err
	}
	if ending != nil {
		sunset := time.UnixMicro(ending.SunsetAt).UTC()
		c.SetHeader("Deprecation", fmt.Sprintf("@%d", ending.DeprecatedAt/1_000_000))
		c.SetHeader("Sunset", sunset.Format(http.TimeFormat))
		if c.Store.Now() >= ending.SunsetAt {
			return fault.New(fault.NotAcceptable, "Version %d of the API ended on %s. %s", major,
				sunset.Format("2 January 2006"), e.insteadOf(major))
		}
	}
	e.config.Auth.UsedMajor(c.Credential, major)
	return nil
}

// insteadOf says what to do when a version has ended.
func (e *Edge) insteadOf(major int) string {
	newest := slices.Max(e.config.Majors)
	if newest == major {
		return "No other version is served yet: ask the operator of this service."
	}
	return fmt.Sprintf("Ask for version %d in the Accept header: application/vnd.groundwork+json; version=%d.", newest,
		newest)
}

// do runs the function that answers for the caller's version.
func (c *Call) do() error {
	if other := c.end.Majors[c.Major]; other != nil {
		return other(c)
	}
	return c.end.Do(c)
}

//go:build planted

package document

import (
	"os"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

var planted = os.Getenv("GROUNDWORK_PLANT")

// plantCreated gives a new record a field of the next release.
func plantCreated(c *Core) {
	if strings.HasPrefix(planted, "next-release") {
		c.Later = jsontext.Value(`{"next_release":"` + c.UID + `"}`)
	}
}

// plantUpdated drops what a later release wrote.
func plantUpdated(c *Core) {
	if planted == "drop-later" {
		c.Later = nil
	}
}

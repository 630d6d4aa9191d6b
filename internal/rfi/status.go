package rfi

import (
	"crypto/rand"
	"encoding/hex"
	"regexp"

	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
)

// Status is one of the six states that RFIs of a project are in. Admins rename them; they are neither added nor
// deleted.
type Status struct {
	document.Record
	Label string `json:"label" write:"solid,max=255"`
	Color string `json:"color" write:"solid,max=7"`
}

// first is the status of a new RFI.
const first document.State = 1

var statuses = &resource.Kind[Status]{
	Number: 11, Plural: "rfi_statuses", Name: "RFI status", Path: "rfis/statuses", Check: checkStatus, Seed: seed,
}

// seed gives the statuses of a new project, in display order. Their uids are short and unique inside the project only.
func seed() []Status {
	all := []Status{
		{Label: "draft", Color: "#34b27d"},
		{Label: "open", Color: "#2f80ed"},
		{Label: "sent", Color: "#9b51e0"},
		{Label: "answered", Color: "#f2994a"},
		{Label: "void", Color: "#828282"},
		{Label: "closed", Color: "#000000"},
	}
	given := map[string]bool{}
	for i := range all {
		uid := shortUID()
		for given[uid] {
			uid = shortUID()
		}
		given[uid], all[i].UID = true, uid
	}
	return all
}

func shortUID() string {
	var b [4]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

var sixDigits = regexp.MustCompile(`^#[0-9A-Fa-f]{6}$`)

func checkStatus(_ *resource.Tx, _, now *Status) error {
	if !sixDigits.MatchString(now.Color) {
		return fault.Field("color", "It must be a color such as #2f80ed.")
	}
	return nil
}

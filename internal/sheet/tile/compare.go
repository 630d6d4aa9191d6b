package tile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/pyramid"
	"groundwork/internal/sheet/register"
)

// comparison is what two sheets laid over each other are shown as.
type comparison struct {
	Old      reference `json:"old"`
	New      reference `json:"new"`
	Status   string    `json:"status"`
	Message  *string   `json:"message"`
	TilesURL *string   `json:"tiles_url"`
	Width    float64   `json:"width"`
	Height   float64   `json:"height"`
}

type reference struct {
	UID string `json:"uid"`
	URL string `json:"url"`
}

// The states of a comparison: those of a shareable.
const (
	incomplete = "incomplete"
	complete   = "complete"
	errored    = "errored"
)

// compare is the route that lays two sheets over each other.
func compare() api.Route {
	number := api.Schema{"type": "number", "description": "In points."}
	ref := api.Schema{"$ref": "#/components/schemas/Reference"}
	text := func(about string, more api.Schema) api.Schema {
		more["type"], more["description"] = []any{"string", "null"}, about
		return more
	}
	return api.Route{
		Method: "GET", Pattern: "/projects/{project}/sheets/{uid}/compare/{other}", Access: api.Member,
		Right: auth.Everyone, Do: showComparison, Poll: true,
		Summary: "Compare two sheets of the same size: what only the one published earlier has is red, what only the later one has is blue, what both have is grey. While the drawings are not ready, the status is incomplete: ask again.",
		Tag:     "sheets", Extension: true, Status: 200, Errors: []int{400},
		Out: api.Schema{
			"type": "object", "additionalProperties": false, "required": []any{
				"old", "new", "status", "message", "tiles_url", "width", "height",
			},
			"properties": api.Schema{
				"old": ref, "new": ref, "width": number, "height": number,
				"status":  api.Schema{"type": "string", "enum": []any{incomplete, complete, errored}},
				"message": text("Why it is errored.", api.Schema{}),
				"tiles_url": text("A Deep Zoom descriptor, as that of a sheet; null until the status is complete.",
					api.Schema{"format": "uri"}),
			},
		},
	}
}

func showComparison(c *api.Call) error {
	now, at, err := register.Sheets.Read(c, c.Param("uid"))
	if err != nil {
		return err
	}
	old, before, err := register.Sheets.Read(c, c.Param("other"))
	if err != nil {
		return err
	}
	switch {
	case old.UID == now.UID:
		return fault.New(fault.Invalid, "Sheet %s cannot be compared with itself.", now.UID)
	case !register.SameSize(old, now):
		return fault.New(fault.Invalid,
			"Sheet %s is %s and sheet %s is %s: only sheets of the same size can be compared.", now.UID, inches(now),
			old.UID, inches(old))
	}
	// inside one set neither is older: the order is that of the question
	if before > at && old.VersionSet != now.VersionSet {
		old, now = now, old
	}
	path := c.Base + "/projects/" + c.Scope.Project().UID + "/sheets/"
	out := comparison{
		Old: reference{old.UID, path + old.UID}, New: reference{now.UID, path + now.UID},
		Width: max(old.Width, now.Width), Height: max(old.Height, now.Height),
	}
	out.Status, out.Message = readiness(old, now)
	if out.Status == complete {
		both := laidOver(old.TilesURL, now.TilesURL)
		url := pyramid.URL(c, both)
		out.TilesURL = &url
	}
	return c.SendJSON(200, out)
}

func inches(s *register.Sheet) string {
	return fmt.Sprintf("%.4g × %.4g inches", s.Width/72, s.Height/72)
}

// readiness tells whether sheets can be laid over each other, or why they never can.
func readiness(both ...*register.Sheet) (status string, message *string) {
	status = complete
	for _, s := range both {
		say := ""
		switch {
		case s.FileURL == "":
			say = fmt.Sprintf("Sheet %s has no drawing.", s.UID)
		case s.TilesError != nil:
			say = fmt.Sprintf("Sheet %s cannot be compared: %s", s.UID, *s.TilesError)
		case s.TilesURL == "":
			status = incomplete
		}
		if say != "" {
			return errored, &say
		}
	}
	return status, nil
}

// laidOver names the tiles of a comparison: those of both, and a hash of both hashes.
func laidOver(old, now pyramid.Tiles) pyramid.Tiles {
	sum := sha256.Sum256([]byte(old + " " + now))
	return pyramid.Tiles(old.Object() + "." + now.Object() + "/" + hex.EncodeToString(sum[:])[:hashShown])
}

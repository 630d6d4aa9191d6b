package sheet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"

	"groundwork/internal/api"
	"groundwork/internal/drawing"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
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
		Method: "GET", Pattern: "/projects/{project}/sheets/{uid}/compare/{other}", Access: api.Member, Right: everyone, Do: showComparison, Poll: true,
		Summary: "Compare two sheets of the same size: what only the one published earlier has is red, what only the later one has is blue, what both have is grey. While the drawings are not ready, the status is incomplete: ask again.",
		Tag:     "sheets", Extension: true, Status: 200, Errors: []int{400},
		Out: api.Schema{
			"type": "object", "additionalProperties": false, "required": []any{"old", "new", "status", "message", "tiles_url", "width", "height"},
			"properties": api.Schema{
				"old": ref, "new": ref, "width": number, "height": number,
				"status":    api.Schema{"type": "string", "enum": []any{incomplete, complete, errored}},
				"message":   text("Why it is errored.", api.Schema{}),
				"tiles_url": text("A Deep Zoom descriptor, as that of a sheet; null until the status is complete.", api.Schema{"format": "uri"}),
			},
		},
	}
}

func showComparison(c *api.Call) error {
	now, at, err := sheets.Read(c, c.Param("uid"))
	if err != nil {
		return err
	}
	old, before, err := sheets.Read(c, c.Param("other"))
	if err != nil {
		return err
	}
	switch {
	case old.UID == now.UID:
		return fault.New(fault.Invalid, "Sheet %s cannot be compared with itself.", now.UID)
	case !sameSize(old, now):
		return fault.New(fault.Invalid, "Sheet %s is %s and sheet %s is %s: only sheets of the same size can be compared.", now.UID, inches(now), old.UID, inches(old))
	}
	if before > at && old.VersionSet != now.VersionSet { // inside one set neither is older: the order is that of the question
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
		url := resource.TilesURL(c, both)
		out.TilesURL = &url
	}
	return c.SendJSON(200, out)
}

// tolerance is by how many points sheets of one size may differ: programs that make PDFs round.
const tolerance = 2

func sameSize(a, b *Sheet) bool {
	return math.Abs(a.Width-b.Width) <= tolerance && math.Abs(a.Height-b.Height) <= tolerance
}

func inches(s *Sheet) string {
	return fmt.Sprintf("%.4g × %.4g inches", s.Width/72, s.Height/72)
}

// readiness tells whether sheets can be laid over each other, or why they never can.
func readiness(both ...*Sheet) (status string, message *string) {
	status = complete
	for _, s := range both {
		say := ""
		switch {
		case s.FileURL == "":
			say = fmt.Sprintf("Sheet %s has no drawing.", s.UID)
		case s.TilesError != nil:
			say = fmt.Sprintf("Sheet %s cannot be shown: %s", s.UID, *s.TilesError)
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
func laidOver(old, now resource.Tiles) resource.Tiles {
	sum := sha256.Sum256([]byte(old + " " + now))
	return resource.Tiles(old.Object() + "." + now.Object() + "/" + hex.EncodeToString(sum[:])[:hashShown])
}

// union is how two archives lie over each other.
func (r *rack) union(ctx context.Context, archives []string) (*drawing.Pair, error) {
	old, err := r.open(ctx, archives[0])
	if err != nil {
		return nil, err
	}
	now, err := r.open(ctx, archives[1])
	if err != nil {
		return nil, err
	}
	return drawing.PairOf(old, now), nil
}

// overlay makes a tile of a comparison; there is none where it is nil. Only those that somebody looks at are ever made, and these are remembered.
func (r *rack) overlay(ctx context.Context, archives []string, level, column, row int) (content []byte, kind string, err error) {
	const png = "image/png"
	key := fmt.Sprintf("%s.%s/%d/%d_%d", archives[0], archives[1], level, column, row)
	r.mu.Lock()
	known := r.laid[key]
	r.mu.Unlock()
	if known != nil {
		return known, png, nil
	}
	pair, err := r.union(ctx, archives)
	if err != nil {
		return nil, "", err
	}
	places, ok := pair.Find(level, column, row)
	if !ok {
		return nil, "", nil
	}
	var both [2][]byte
	for i, at := range places {
		if at.Length == 0 {
			continue
		}
		if both[i], err = r.desk.Blobs.Range(ctx, archives[i], at.Offset, at.Length); err != nil {
			return nil, "", lost(err)
		}
	}
	if content, err = drawing.OverlayTiles(both[0], both[1]); err != nil {
		return nil, "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.laid[key] == nil {
		r.weight += len(content)
	}
	r.laid[key] = content
	for other, tile := range r.laid {
		if r.weight <= mostLaid {
			break
		}
		r.weight -= len(tile)
		delete(r.laid, other)
	}
	return content, png, nil
}

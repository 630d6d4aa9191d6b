package register

import (
	"context"

	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/drawing/read"
	"groundwork/internal/resource"
	"groundwork/internal/sheet/pagetext"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

func textRoute(desk *upload.Desk) api.Route {
	r := api.Route{
		Method: "GET", Pattern: "/projects/{project}/sheets/{uid}/text", Access: api.Member, Right: auth.Everyone,
		Tag: "sheets", Status: 200, Extension: true,
		Summary: "List the text on a sheet with its places, or the places of what is searched",
		Query: append(resource.WindowParams()[:2], api.Param{
			Name: "q", Schema: api.Schema{"type": "string"},
			Summary: "Only where a word of the sheet begins with a word of this text. Case and accents do not matter.",
		}),
		Do: func(c *api.Call) error { return listText(c, desk) },
	}
	var one api.Schema
	one, r.Components = document.SchemaOf[pagetext.Place](
		"A text on a sheet and where it stands, as parts of the sheet's width and height.")
	r.Components["TextPlace"], r.Components["TextPlacePage"] = one, resource.PageSchema(api.Schema{
		"$ref": "#/components/schemas/TextPlace",
	})
	r.Out = api.Schema{"$ref": "#/components/schemas/TextPlacePage"}
	return r
}

func listText(c *api.Call, desk *upload.Desk) error {
	_, id, err := Sheets.Read(c, c.Param("uid"))
	if err != nil {
		return err
	}
	w, err := resource.ReadWindow(c)
	if err != nil {
		return err
	}
	t, err := textAt(c.Context(), c.Store, c.Scope.Project(), id, desk)
	if err != nil {
		return err
	}
	all := pagetext.Places(t, store.Asked(c.Query().Get("q")))
	shown := all[min(w.Skip, len(all)):min(w.Skip+w.Limit, len(all))]
	return resource.SendList(c, len(all), w.Next(c, len(all), len(shown), false, 0, 0), func(buf []byte) []byte {
		for i := range shown {
			if i > 0 {
				buf = append(buf, ',')
			}
			one, _ := json.Marshal(shown[i]) // texts and numbers
			buf = append(buf, one...)
		}
		return buf
	})
}

// keptWith reads what is kept with a record and not shown.
const keptWith = "SELECT private FROM records WHERE id = $1"

// textAt reads the text of a sheet; one without text has no lines.
func textAt(ctx context.Context, s *store.Store, p *store.Project, id store.ID, desk *upload.Desk) (*read.Text,
	error,
) {
	var kept private
	err := s.QueryIn(ctx, p, keptWith, []any{id}, func(c *store.Cols) error {
		if c.Null(0) {
			return nil
		}
		return json.Unmarshal(c.Bytes(0), &kept)
	})
	if err != nil || kept.Text == "" {
		return new(read.Text), err
	}
	return pagetext.Read(ctx, desk.Blobs, kept.Text)
}

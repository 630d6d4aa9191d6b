package sheet

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/resource"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

// wordsOf are the words of what is kept with a sheet.
func wordsOf(kept []byte) string {
	var p private
	_ = json.Unmarshal(kept, &p) // it was stored by Marshal
	return p.Words
}

// hit is a text on a sheet and where it stands; from 0 to 1, from the top left corner.
type hit struct {
	Text string `json:"text"`
	// Line is all of the line that it stands in.
	Line string  `json:"line"`
	X0   float64 `json:"x0"`
	Y0   float64 `json:"y0"`
	X1   float64 `json:"x1"`
	Y1   float64 `json:"y1"`
	// Angle is the direction of writing, clockwise: 0, 90, 180 or 270.
	Angle int64 `json:"angle"`
}

// places are where words stand that begin with one of the asked ones, in reading order, neighbours of one line together; every line where nothing is asked.
func (t *Text) places(asked []string) []hit {
	var all []hit
	for i := range t.Lines {
		l := &t.Lines[i]
		begin := -1
		end := func(at int) {
			if begin >= 0 {
				all = append(all, l.place(begin, at))
				begin = -1
			}
		}
		words := strings.Split(l.Text, " ")
		words = words[:min(len(words), len(l.Words))]
		for j, word := range words {
			if len(asked) > 0 && !store.Meets(word, asked) {
				end(j)
			} else if begin < 0 {
				begin = j
			}
		}
		end(len(words))
	}
	return all
}

// place is where some words of a line stand.
func (l *TextLine) place(from, to int) hit {
	a := l.Words[from]
	p := hit{strings.Join(strings.Split(l.Text, " ")[from:to], " "), l.Text, a[0], a[1], a[2], a[3], int64(l.Angle)}
	for _, a := range l.Words[from+1 : to] {
		p.X0, p.Y0, p.X1, p.Y1 = min(p.X0, a[0]), min(p.Y0, a[1]), max(p.X1, a[2]), max(p.Y1, a[3])
	}
	return p
}

func textRoute(desk *upload.Desk) api.Route {
	r := api.Route{
		Method: "GET", Pattern: "/projects/{project}/sheets/{uid}/text", Access: api.Member, Right: everyone, Tag: "sheets", Status: 200, Extension: true,
		Summary: "List the text on a sheet with its places, or the places of what is searched",
		Query: append(resource.WindowParams()[:2], api.Param{
			Name: "q", Schema: api.Schema{"type": "string"}, Summary: "Only where a word of the sheet begins with a word of this text. Case and accents do not matter.",
		}),
		Do: func(c *api.Call) error { return listText(c, desk) },
	}
	var one api.Schema
	one, r.Components = resource.Schema[hit]("A text on a sheet and where it stands, as parts of the sheet's width and height.")
	r.Components["TextPlace"], r.Components["TextPlacePage"] = one, resource.PageSchema(api.Schema{"$ref": "#/components/schemas/TextPlace"})
	r.Out = api.Schema{"$ref": "#/components/schemas/TextPlacePage"}
	return r
}

func listText(c *api.Call, desk *upload.Desk) error {
	_, id, err := sheets.Read(c, c.Param("uid"))
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
	all := t.places(store.Asked(c.Query().Get("q")))
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
func textAt(ctx context.Context, s *store.Store, p *store.Project, id store.ID, desk *upload.Desk) (*Text, error) {
	var kept private
	err := s.QueryIn(ctx, p, keptWith, []any{id}, func(c *store.Cols) error {
		if c.Null(0) {
			return nil
		}
		return json.Unmarshal(c.Bytes(0), &kept)
	})
	if err != nil || kept.Text == "" {
		return new(Text), err
	}
	return ReadText(ctx, desk.Blobs, kept.Text)
}

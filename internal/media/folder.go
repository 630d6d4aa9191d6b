package media

import (
	"net/url"

	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/resource"
)

// folder is a folder that documents are in. It exists as long as one is.
type folder struct {
	Name        *string    `json:"name"` // null is the root
	Attachments collection `json:"attachments"`
}

type collection struct {
	TotalCount int64  `json:"total_count"`
	URL        string `json:"url"`
}

func folders() api.Route {
	r := api.Route{
		Method: "GET", Pattern: "/projects/{project}/attachments/folders", Access: api.Member, Right: auth.Everyone,
		Do:      listFolders,
		Summary: "List the folders that have documents which are not deleted, by name, the root first",
		Tag:     "attachments", Status: 200, Extension: true,
		Query: resource.WindowParams()[:2],
	}
	var one api.Schema
	one, r.Components = document.SchemaOf[folder]("A folder of documents.")
	r.Components["Folder"], r.Components["FolderPage"] = one, resource.PageSchema(api.Schema{
		"$ref": "#/components/schemas/Folder",
	})
	r.Out = api.Schema{"$ref": "#/components/schemas/FolderPage"}
	return r
}

func listFolders(c *api.Call) error {
	w, err := resource.ReadWindow(c)
	if err != nil {
		return err
	}
	values, clock, err := documents.Values(c, "folder")
	if err != nil {
		return err
	}
	c.SetHeader("X-Clock", document.StampText(clock))
	total := len(values)
	shown := values[min(w.Skip, total):min(w.Skip+w.Limit, total)]
	list := c.Base + "/projects/" + c.Scope.Project().UID + "/attachments?deleted=false&folder="
	return resource.SendList(c, total, w.Next(c, total, len(shown), false, 0, 0), func(buf []byte) []byte {
		for i, v := range shown {
			f := folder{Attachments: collection{int64(v.Count), list + url.QueryEscape(v.Text)}}
			if v.Text != "" {
				f.Name = &v.Text
			}
			if i > 0 {
				buf = append(buf, ',')
			}
			one, _ := json.Marshal(f) // texts and a number
			buf = append(buf, one...)
		}
		return buf
	})
}

package register

import (
	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/resource"
	"groundwork/internal/upload"
)

// SheetRoutes is everything the API does with sheets; desk has their files.
func SheetRoutes(desk *upload.Desk) []api.Route {
	return []api.Route{
		resource.List(Sheets, auth.Everyone), resource.Get(Sheets, auth.Everyone),
		api.Extending(resource.Update(Sheets, auth.Admins)),
		api.Extending(resource.Delete(Sheets, auth.Admins)), resource.Restore(Sheets, auth.Admins), textRoute(desk),
		desk.ShownRoute(upload.Shown{Kind: Sheets.Plural, Name: Sheets.Name, Objects: sheetFiles}),
	}
}

// sheetFiles are the files of a sheet; tiles is the whole archive of them.
func sheetFiles(c *api.Call, uid string) (map[string]string, error) {
	s, _, err := Sheets.Read(c, uid)
	if err != nil {
		return nil, err
	}
	return map[string]string{
		"file": string(s.FileURL), "thumbnail": string(s.ThumbnailURL), "tiles": s.TilesURL.Object(),
	}, nil
}

// VersionSetRoutes is everything the API does with version sets, but to publish one.
func VersionSetRoutes() []api.Route {
	return []api.Route{
		resource.List(VersionSets, auth.Everyone), api.Extending(resource.Get(VersionSets, auth.Everyone)),
		api.Extending(resource.Update(VersionSets, auth.Admins)),
		api.Extending(resource.Delete(VersionSets, auth.Admins)), resource.Restore(VersionSets, auth.Admins),
	}
}

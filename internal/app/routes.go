package app

import (
	"groundwork/internal/account"
	"groundwork/internal/api"
	"groundwork/internal/comment"
	"groundwork/internal/drawing"
	"groundwork/internal/fieldreport"
	"groundwork/internal/issue"
	"groundwork/internal/job"
	"groundwork/internal/media"
	"groundwork/internal/oauth"
	"groundwork/internal/project"
	"groundwork/internal/resource"
	"groundwork/internal/rfi"
	"groundwork/internal/share"
	"groundwork/internal/sheet"
	"groundwork/internal/store"
	"groundwork/internal/upload"
	"groundwork/internal/web"
)

// noun is what a family of records brings: everything the API does with it, how it is stored, and what is done with it in the background, if anything.
type noun struct {
	routes []api.Route
	kinds  []resource.AnyKind
	work   func(*job.Queue, *store.Store, *upload.Desk, *drawing.Workshop)
}

// mount is a noun that comes whole.
func mount(routes []api.Route, kinds []resource.AnyKind, work func(*job.Queue, *store.Store, *upload.Desk, *drawing.Workshop)) noun {
	return noun{routes, kinds, work}
}

// nouns mounts each family with one line.
func nouns(desk *upload.Desk) []noun {
	all := &resource.Catalog{}
	mounted := []noun{
		{project.Routes(all.Seed), project.Kinds(), nil},
		{issue.Routes(all), issue.Kinds(), nil},
		{comment.Routes("issues", "rfis", "sheets"), comment.Kinds(), nil},
		{rfi.Routes(all), rfi.Kinds(), nil},
		{fieldreport.Routes(all), fieldreport.Kinds(), nil},
		{media.Routes(desk), media.Kinds(), media.Work},
		{share.Routes(), nil, nil},
		mount(sheet.Mount(desk, all)),
		{[]api.Route{resource.Changes(all)}, nil, nil},
	}
	for _, n := range mounted {
		all.Add(n.kinds...)
	}
	return mounted
}

// Routes is everything the API does beside what the edge does by itself, to be described: only an opened installation can serve it.
func Routes() []api.Route { return routes(nil) }

// Routes is everything the API does beside what the edge does by itself.
func (a *App) Routes() []api.Route { return routes(a.Files) }

func routes(desk *upload.Desk) (routes []api.Route) {
	routes = append(web.Routes(), desk.Routes()...)
	routes = append(routes, oauth.Routes(oauth.Views{Page: web.Site, Consent: web.Consent})...)
	routes = append(routes, account.Routes()...)
	for _, n := range nouns(desk) {
		routes = append(routes, n.routes...)
	}
	return routes
}

// Kinds are all record kinds.
func Kinds() (kinds []resource.AnyKind) {
	for _, n := range nouns(nil) {
		kinds = append(kinds, n.kinds...)
	}
	return kinds
}

// Tools are what shareables are made with.
func (a *App) Tools() *share.Tools {
	all := &resource.Catalog{}
	all.Add(Kinds()...)
	return &share.Tools{Store: a.Store, Auth: a.Auth, Files: a.Files, Drawing: a.Drawing, All: all}
}

package app

import (
	"sync"

	"groundwork/internal/account"
	"groundwork/internal/api"
	"groundwork/internal/comment"
	"groundwork/internal/family"
	"groundwork/internal/fieldreport"
	"groundwork/internal/issue"
	"groundwork/internal/media"
	"groundwork/internal/notice"
	"groundwork/internal/oauth"
	"groundwork/internal/project"
	"groundwork/internal/resource"
	"groundwork/internal/rfi"
	"groundwork/internal/share"
	"groundwork/internal/sheet"
	"groundwork/internal/view"
	"groundwork/internal/web"
	"groundwork/internal/work"
)

// families mounts each noun with one line.
func families() []family.Family {
	return []family.Family{
		project.Family(),
		issue.Family(),
		comment.Family(),
		rfi.Family(),
		fieldreport.Family(),
		media.Family(),
		share.Family(),
		sheet.Family(),
		view.Family(),
		notice.Family(),
		work.Family(),
	}
}

// catalog compiles all kinds, once for the process: they are the program's, not an installation's.
var catalog = sync.OnceValues(func() (*resource.Catalog, error) { return family.Compile(families()) })

// Catalog is all record kinds. Open has shown that it is sound.
func Catalog() *resource.Catalog {
	all, err := catalog()
	if err != nil {
		panic(err)
	}
	return all
}

// Routes is everything the API does beside what the edge does by itself, to be described: only an opened installation
// can serve it.
func Routes() []api.Route {
	return routes(&family.Site{Kinds: Catalog()}, web.Backups{}, web.Forgetting{}, web.Start{})
}

// Routes is everything the API does beside what the edge does by itself.
func (a *App) Routes() []api.Route {
	return routes(a.site(), web.Backups{Seen: a.seenBackups, Begin: a.beginBackup}, a.forgettingPage(), a.startPages())
}

func routes(site *family.Site, backups web.Backups, forgetting web.Forgetting, start web.Start) (routes []api.Route) {
	readable := map[string]string{}
	for _, plural := range family.Followed(notices()) {
		readable[plural] = site.Kinds.Name(plural)
	}
	routes = append(web.Routes(readable, backups, forgetting, start), site.Files.Routes()...)
	routes = append(routes, oauth.Routes(oauth.Views{Page: web.Site, Consent: web.Consent})...)
	routes = append(routes, account.Routes()...)
	for _, f := range families() {
		if f.Routes != nil {
			routes = append(routes, f.Routes(site)...)
		}
	}
	return append(routes, site.Kinds.Changes()...)
}

// site is what the installation gives its families.
func (a *App) site() *family.Site {
	return &family.Site{
		Kinds: Catalog(), Store: a.Store, Auth: a.Auth, Jobs: a.Jobs, Files: a.Files, Drawing: a.Drawing,
		Tells: notices(), Silent: func() bool { return a.Config.NoNotifications }, Base: a.base,
		Archive: a.exportFor,
	}
}

// notices are the changes of which people are told.
func notices() (all []family.Notice) {
	for _, f := range families() {
		all = append(all, f.Tells...)
	}
	return all
}

// Tools are what shareables are made with.
func (a *App) Tools() *share.Tools { return share.ToolsOf(a.site()) }

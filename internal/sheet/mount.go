// Package sheet owns drawings: sheets and the sets in which they come, annotations on them, and snapshots, the pictures
// that people take of them. Its parts lie in folders of their own: how a set comes and is read (intake, over pending
// and pagetext), the register of sheets and version sets, marks, and tiles. It refuses to know how a file travels and
// how a drawing is read: packages upload and drawing do that. Its entry point is Family.
package sheet

import (
	"groundwork/internal/api"
	"groundwork/internal/family"
	"groundwork/internal/resource"
	"groundwork/internal/sheet/intake"
	"groundwork/internal/sheet/mark"
	"groundwork/internal/sheet/pending"
	"groundwork/internal/sheet/register"
	"groundwork/internal/sheet/tile"
	"groundwork/internal/store"
)

// Family declares drawings: sheets, their versions, what is drawn on them and pictures of them.
func Family() family.Family {
	register.Declare()
	return family.Family{
		Name: "sheet", Routes: routes, Work: work,
		Kinds:  []resource.AnyKind{snapshots, register.Sheets, register.VersionSets, mark.Marks},
		Tables: []string{"version_uploads", "version_files", "version_pages"},
		Archives: []family.Side{
			{Table: "version_uploads", Person: "person"},
			{Table: "version_files"},
			{Table: "version_pages", Holds: pending.Holds},
		},
		Arrives: arrives,
		Exports: []string{"sheets", "annotations", "snapshots"},
		Views:   []resource.AnyView{mark.IssueAuthors},
	}
}

// routes is everything the API does with drawings.
func routes(site *family.Site) []api.Route {
	desk := site.Files
	routes := append(mark.Routes(), register.SheetRoutes(desk)...)
	routes = append(routes, register.VersionSetRoutes()...)
	routes = append(routes, intake.PublishRoute())
	routes = append(routes, intake.UploadRoutes(desk)...)
	routes = append(routes, tile.Routes(desk)...)
	return append(routes, snapshotRoutes(desk)...)
}

// work declares what is done with drawings in the background.
func work(site *family.Site) {
	intake.Work(site.Jobs, site.Store, site.Files, site.Drawing)
	tile.Work(site.Jobs, site.Store, site.Files, site.Drawing)
}

// arrives leaves the work that drawings wait for which come from an archive.
func arrives(site *family.Site, tx *store.Tx) error {
	if err := register.Arrive(tx, site.Jobs); err != nil {
		return err
	}
	return intake.Arrive(tx, site.Jobs)
}

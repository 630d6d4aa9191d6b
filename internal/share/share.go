// Package share owns shareables: files that somebody asked for and that are made in the background, such as packets of
// sheets. It keeps what was asked, how far it is, and the file for 30 days; only who asked sees it. It refuses to know
// how a file is composed, which package drawing does, and the nouns whose records it shows: it reads those by plural,
// as the asker sees them.
//
// A kind of shareable is one declaration, listed in kinds:
//
//	var Packets = &Kind[Packet]{Path: "sheets/packets", Name: "Sheet packet", Check: checkPacket, Make: makePacket}
//
// Packet is the body, with the same tags as a record's. Check refuses or completes it in the transaction of the
// request; what it leaves is kept with the job. Make makes the file: it may be begun again after a crash, so it writes
// nothing but the file. It reads records with Order.All, always with Order.Scope, and says how far it is with
// Order.Progress. A fault of the kinds Invalid, NotFound or Forbidden ends the shareable as errored with its message;
// any other error is tried again.
package share

import (
	"context"
	"time"

	"groundwork/internal/api"
	"groundwork/internal/family"
	"groundwork/internal/job"
	"groundwork/internal/resource"
)

// Kept is how long the file of a shareable can be fetched.
const Kept = 30 * 24 * time.Hour

// kinds are all kinds of shareables.
func kinds() []declared { return []declared{Packets, IssueReports, FieldExports, Archives} }

// Family declares shareables. They are no records: their rows are its own.
func Family() family.Family {
	return family.Family{
		Name: "share", Routes: routes, Work: work, Tables: []string{"shareables"}, Views: views(),
		Withdraws: withdraw,
	}
}

// routes is everything the API does with shareables.
func routes(site *family.Site) (routes []api.Route) {
	for _, k := range kinds() {
		routes = append(routes, k.routes(site.Kinds)...)
	}
	return routes
}

// work declares how they are made in the background, and when they end.
func work(site *family.Site) {
	const sweeping = "forget-shareables"
	t := ToolsOf(site)
	for _, k := range kinds() {
		k.work(site.Jobs, t)
	}
	job.Handle(site.Jobs, sweeping, job.Options{Attempts: 5, Backoff: time.Minute},
		func(ctx context.Context, _ struct{}, _ *job.Run) error { return Sweep(ctx, site.Jobs, t) })
	site.Jobs.Every(sweeping, time.Hour)
}

// ToolsOf are the tools of an installation.
func ToolsOf(site *family.Site) *Tools {
	return &Tools{
		Store: site.Store, Auth: site.Auth, Files: site.Files, Drawing: site.Drawing, All: site.Kinds,
		Archive: site.Archive,
	}
}

func views() []resource.AnyView {
	return []resource.AnyView{
		sites, listNames, drawnSheets, versions, numbers, annotations, deletions, comments, photos, filed,
		reportedDays, reportedIssues,
	}
}

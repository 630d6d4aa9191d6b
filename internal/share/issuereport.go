package share

import (
	"context"
	"fmt"

	"groundwork/internal/document"
	"groundwork/internal/drawing"
	"groundwork/internal/drawing/report"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// IssueReport is what is said of a report of issues.
type IssueReport struct {
	IssueUIDs []string `json:"issue_uids" write:""`
	Title     *string  `json:"title" write:"max=255"`
	Format    *string  `json:"format" write:"one=pdf|xlsx|csv"`
	Timezone  *string  `json:"timezone" write:"max=255"`
	Paper     *string  `json:"paper" write:"one=a4|letter"`
}

// How many issues a report may have: to be read, and to be worked with.
const mostIssues, mostRows = 1000, 10_000

// IssueReports are reports of issues to be sent, or to be worked with in a spreadsheet.
var IssueReports = &Kind[IssueReport]{
	Path: "issues/reports", Name: "Issue report", Extension: true, Optional: true,
	Check: checkIssueReport, Make: makeIssueReport,
}

// most is how many issues a report of its format may have.
func (r *IssueReport) most() int {
	if orElse(r.Format, "pdf") == "pdf" {
		return mostIssues
	}
	return mostRows
}

// checkIssueReport finds every issue: fault.NotFound names one that is not there.
func checkIssueReport(in *look, r *IssueReport) error {
	if err := checkZone(r.Timezone); err != nil {
		return err
	}
	if r.IssueUIDs == nil {
		return nil
	}
	return checkNamed(in, "issues", "issue_uids", r.IssueUIDs, r.most())
}

// reportedIssue is what a report shows of an issue.
type reportedIssue struct {
	document.Record
	Number            document.Number       `json:"number"`
	Title             *string               `json:"title"`
	Description       *string               `json:"description"`
	Room              *string               `json:"room"`
	Status            string                `json:"status"`
	Type              *string               `json:"type"`
	AssignedTo        document.PeopleOrNull `json:"assigned_to"`
	IssueList         document.Ref          `json:"issue_list"`
	StartDate         *document.Date        `json:"start_date"`
	DueAt             *document.Time        `json:"due_at"`
	ClosedAt          *document.Time        `json:"closed_at"`
	HasCostImpact     bool                  `json:"has_cost_impact"`
	CostImpact        *document.Money       `json:"cost_impact"`
	CurrencyCode      *string               `json:"currency_code"`
	HasScheduleImpact bool                  `json:"has_schedule_impact"`
	ScheduleImpact    *int64                `json:"schedule_impact"`
	CurrentAnnotation *struct {
		UID     string       `json:"uid"`
		Color   string       `json:"color"`
		Stamp   *string      `json:"stamp"`
		Deleted bool         `json:"deleted"`
		Sheet   document.Ref `json:"sheet"`
	} `json:"current_annotation"`
}

// makeIssueReport reads the issues and has the report made.
func makeIssueReport(ctx context.Context, o *Order[IssueReport]) (File, error) {
	if err := checkZone(o.Ask.Timezone); err != nil {
		return File{}, err
	}
	format := orElse(o.Ask.Format, "pdf")
	g, err := newGathering(ctx, o.Tools, o.Scope)
	if err != nil {
		return File{}, err
	}
	uids, err := g.issues(&o.Ask)
	if err != nil {
		return File{}, err
	}
	r := &report.Issues{Front: g.front(orElse(o.Ask.Title, "Issue report"), o.Ask.Timezone, o.Ask.Paper)}
	g.each = min(max(mostPictures/max(1, len(uids))-1, 1), mostEach)
	one := func(row store.Row) (any, error) { return g.issue(row, format == "pdf") }
	return g.make(drawing.Report{Format: format, Issues: r}, &r.Front, "issues", uids, one, o.Progress)
}

// issues gives the uids of what is asked for: those that are named, each once and in that order, or all that are not
// deleted.
func (g *gathering) issues(ask *IssueReport) (uids []string, err error) {
	if len(ask.IssueUIDs) > 0 { // none and empty are the same once an order was written down
		return distinct(ask.IssueUIDs), nil
	}
	n := 0
	err = g.All.Each(g.ctx, g.Store, g.scope, "issues", func(row store.Row) error {
		if !row.Deleted {
			if n++; n <= ask.most() {
				uids = append(uids, row.UID)
			}
		}
		return nil
	})
	if err == nil && n > ask.most() {
		err = fault.New(fault.Invalid,
			"The project has %d issues; a report in this format has at most %d. Name the issues in issue_uids, or ask for another format: xlsx and csv take %d.", n, ask.most(), mostRows)
	}
	return uids, err
}

// issue is what the report says of one issue.
func (g *gathering) issue(row store.Row, pictured bool) (report.Issue, error) {
	i, err := reportedIssues.Read(row)
	if err != nil {
		return report.Issue{}, err
	}
	out := report.Issue{
		Number: int64(i.Number), Title: orElse(i.Title, ""), Description: orElse(i.Description, ""),
		Room: orElse(i.Room, ""), Status: i.Status, Type: orElse(i.Type, ""),
		CreatedBy: g.person(i.CreatedBy), Created: int64(i.CreatedAt), Start: string(orElse(i.StartDate, "")),
		Due: (*int64)(i.DueAt), Closed: (*int64)(i.ClosedAt),
		HasCost: i.HasCostImpact, HasSchedule: i.HasScheduleImpact, Schedule: i.ScheduleImpact,
		Currency: orElse(i.CurrencyCode, ""),
	}
	if out.Number == 0 {
		out.Number = int64(row.ID.Ordinal())
	}
	if i.CostImpact != nil {
		out.Cost = fmt.Sprintf("%.2f", float64(*i.CostImpact)/100)
	}
	for _, p := range i.AssignedTo {
		out.Assignees = append(out.Assignees, g.person(p))
	}
	if out.List, err = g.list(i.IssueList); err != nil {
		return out, err
	}
	if a := i.CurrentAnnotation; a != nil && !a.Deleted {
		if out.Place, err = g.place(a.UID, a.Sheet, a.Color, orElse(a.Stamp, ""), pictured); err != nil {
			return out, err
		}
	}
	if out.Photos, out.MorePhotos, err = g.photos(row, "issues", pictured); err != nil {
		return out, err
	}
	if out.Documents, err = g.documents(row, "issues"); err != nil {
		return out, err
	}
	if out.Comments, out.MoreComments, err = g.comments(row); err != nil {
		return out, err
	}
	return out, nil
}

var reportedIssues = &resource.View[reportedIssue]{Name: "share.reportedIssues", Of: []string{"issues"}}

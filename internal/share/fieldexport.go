package share

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/drawing"
	"groundwork/internal/drawing/report"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// FieldExport is what is said of an export of field reports.
type FieldExport struct {
	FieldReportUIDs []string `json:"field_report_uids" write:"required"`
	Timezone        *string  `json:"timezone" write:"max=255"`
	FileType        *string  `json:"file_type" write:"one=pdf|xlsx"`
	Paper           *string  `json:"paper" write:"one=a4|letter"`
}

// mostReports is how many field reports an export may have: those of three years.
const mostReports = 1000

// FieldExports are field reports to be sent, or to be worked with in a spreadsheet.
var FieldExports = &Kind[FieldExport]{
	Path: "field_reports/export", Name: "Field report export", Extension: true,
	Located: true, Check: checkFieldExport, Make: makeFieldExport,
}

// checkFieldExport finds every field report: fault.NotFound names one that is not there.
func checkFieldExport(in *look, e *FieldExport) error {
	if err := checkZone(e.Timezone); err != nil {
		return err
	}
	return checkNamed(in, "field_reports", "field_report_uids", e.FieldReportUIDs, mostReports)
}

// reportedDay is what an export shows of a field report.
type reportedDay struct {
	document.Record
	Title         *string       `json:"title"`
	Description   *string       `json:"description"`
	ReportDate    document.Date `json:"report_date"`
	Status        string        `json:"status"`
	PDFFormValues []struct {
		Name  string  `json:"name"`
		Value *string `json:"value"`
	} `json:"pdf_form_values"`
	PGFormValues struct {
		Worklog   []reportedEntry `json:"pg_worklog_entries"`
		Materials []reportedEntry `json:"pg_materials_entries"`
		Equipment []reportedEntry `json:"pg_equipment_entries"`
	} `json:"pg_form_values"`
	CustomItems []reportedItem `json:"custom_items"`
	Weather     *struct {
		Humidity        *float64 `json:"humidity"`
		Rain            *float64 `json:"precipitation_accumulation"`
		RainUnit        *string  `json:"precipitation_accumulation_unit"`
		SpeedUnit       *string  `json:"speed_unit"`
		SummaryKey      *string  `json:"summary_key"`
		TemperatureMax  *float64 `json:"temperature_max"`
		TemperatureMin  *float64 `json:"temperature_min"`
		TemperatureUnit *string  `json:"temperature_unit"`
		WindBearing     *float64 `json:"wind_bearing"`
		WindGust        *float64 `json:"wind_gust"`
		WindSpeed       *float64 `json:"wind_speed"`
	} `json:"weather"`
}

// reportedEntry is an entry of any of the three logs.
type reportedEntry struct {
	Trade       *string  `json:"trade" of:"pg_worklog_entries"`
	Item        *string  `json:"item" of:"pg_materials_entries|pg_equipment_entries"`
	Unit        *string  `json:"unit" of:"pg_materials_entries"`
	Quantity    *float64 `json:"quantity" of:"pg_materials_entries|pg_equipment_entries"`
	Timespan    *int64   `json:"timespan" of:"pg_worklog_entries|pg_equipment_entries"`
	Headcount   *int64   `json:"headcount" of:"pg_worklog_entries"`
	Description *string  `json:"description"`
	Deleted     bool     `json:"deleted"`
}

// reportedItem is an answer of a form.
type reportedItem struct {
	SectionLabel *string        `json:"section_label"`
	ItemLabel    *string        `json:"item_label"`
	ValueName    *string        `json:"value_name"`
	Notes        *string        `json:"notes"`
	TextVal      *string        `json:"text_val"`
	ChoiceVal    *string        `json:"choice_val"`
	NumberVal    *float64       `json:"number_val"`
	DateVal      *document.Date `json:"date_val"`
	ArrayVal     []string       `json:"array_val"`
	ToggleVal    *bool          `json:"toggle_val"`
}

// FieldReports gives the uids of the field reports that somebody sees, of the days from and to, both included, by date;
// "" is no limit. Deleted ones are left out.
func FieldReports(ctx context.Context, t *Tools, scope auth.Scope, from, to string) ([]string, error) {
	type day struct {
		uid  string
		date document.Date
	}
	var found []day
	err := t.All.Each(ctx, t.Store, scope, "field_reports", func(row store.Row) error {
		d, err := reportedDays.Read(row)
		if err == nil && !row.Deleted && (from == "" || string(d.ReportDate) >= from) && (to == "" ||
			string(d.ReportDate) <= to) {
			found = append(found, day{d.UID, d.ReportDate})
		}
		return err
	})
	slices.SortStableFunc(found, func(a, b day) int { return cmp.Compare(a.date, b.date) })
	uids := make([]string, len(found))
	for i, d := range found {
		uids[i] = d.uid
	}
	return uids, err
}

// makeFieldExport reads the field reports and has the export made.
func makeFieldExport(ctx context.Context, o *Order[FieldExport]) (File, error) {
	if err := checkZone(o.Ask.Timezone); err != nil {
		return File{}, err
	}
	format := orElse(o.Ask.FileType, "pdf")
	g, err := newGathering(ctx, o.Tools, o.Scope)
	if err != nil {
		return File{}, err
	}
	uids := distinct(o.Ask.FieldReportUIDs)
	r := &report.Fields{Front: g.front("Field reports", o.Ask.Timezone, o.Ask.Paper)}
	g.each = min(max(mostPictures/max(1, len(uids)), 1), mostOfDay)
	one := func(row store.Row) (any, error) { return g.day(row, format == "pdf") }
	return g.make(drawing.Report{Format: format, Fields: r}, &r.Front, "field_reports", uids, one, o.Progress)
}

// day is what the export says of one field report.
func (g *gathering) day(row store.Row, pictured bool) (report.Field, error) {
	d, err := reportedDays.Read(row)
	if err != nil {
		return report.Field{}, err
	}
	out := report.Field{
		Date: string(d.ReportDate), Title: orElse(d.Title, ""), Description: orElse(d.Description, ""),
		Status: d.Status, By: g.person(d.CreatedBy), Created: int64(d.CreatedAt), Updated: row.Clock,
	}
	if w := d.Weather; w != nil {
		out.Weather = &report.Weather{
			Summary: orElse(w.SummaryKey, ""), Low: w.TemperatureMin, High: w.TemperatureMax,
			TemperatureUnit: orElse(w.TemperatureUnit, ""), Humidity: w.Humidity,
			Rain: w.Rain, RainUnit: orElse(w.RainUnit, ""), Wind: w.WindSpeed, Gust: w.WindGust, Bearing: w.WindBearing,
			SpeedUnit: orElse(w.SpeedUnit, ""),
		}
	}
	for _, e := range d.PGFormValues.Worklog {
		if !e.Deleted {
			out.Work = append(out.Work, report.Work{
				Trade: orElse(e.Trade, ""), Workers: e.Headcount,
				Seconds: e.Timespan, Description: orElse(e.Description, ""),
			})
		}
	}
	out.Materials, out.Equipment = things(d.PGFormValues.Materials), things(d.PGFormValues.Equipment)
	for _, v := range d.PDFFormValues {
		out.Answers = append(out.Answers, report.Answer{Name: v.Name, Value: orElse(v.Value, "")})
	}
	for _, item := range d.CustomItems {
		out.Answers = append(out.Answers, item.answer())
	}
	if out.Photos, out.MorePhotos, err = g.photos(row, "field_reports", pictured); err != nil {
		return out, err
	}
	if out.Documents, err = g.documents(row, "field_reports"); err != nil {
		return out, err
	}
	return out, nil
}

func things(entries []reportedEntry) (out []report.Thing) {
	for _, e := range entries {
		if !e.Deleted {
			out = append(out, report.Thing{
				Item: orElse(e.Item, ""), Unit: orElse(e.Unit, ""), Quantity: e.Quantity,
				Seconds: e.Timespan, Description: orElse(e.Description, ""),
			})
		}
	}
	return out
}

// answer is an answer of a form, whatever its type.
func (i *reportedItem) answer() report.Answer {
	var values []string
	add := func(v string) {
		if v != "" {
			values = append(values, v)
		}
	}
	add(orElse(i.TextVal, ""))
	add(orElse(i.ChoiceVal, ""))
	if i.NumberVal != nil {
		add(strconv.FormatFloat(*i.NumberVal, 'f', -1, 64))
	}
	add(string(orElse(i.DateVal, "")))
	add(strings.Join(i.ArrayVal, ", "))
	switch {
	case i.ToggleVal == nil:
	case *i.ToggleVal:
		add("Yes")
	default:
		add("No")
	}
	name := orElse(i.ItemLabel, "")
	if name == "" {
		name = orElse(i.ValueName, "")
	}
	return report.Answer{
		Section: orElse(i.SectionLabel, ""), Name: name, Value: strings.Join(values, "; "), Notes: orElse(i.Notes, ""),
	}
}

var reportedDays = &resource.View[reportedDay]{Name: "share.reportedDays", Of: []string{"field_reports"}}

// Package fieldreport owns field reports: what was done, used and seen on a day, their rules and routes. It refuses to
// know other nouns: what is linked to a report is known by its plural only.
package fieldreport

import (
	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/family"
	"groundwork/internal/resource"
)

// Report is the report of one day.
type Report struct {
	document.Record
	ProjectUID      string              `json:"project_uid"`
	Title           *string             `json:"title" write:"max=255"`
	Description     *string             `json:"description" write:"max=65535"`
	ReportDate      document.Date       `json:"report_date" write:"required,solid" sort:"" from:"report_date_min" to:"report_date_max"`
	Status          string              `json:"status" write:"one=draft|submitted|archived" filter:"status"`
	FieldReportType *Template           `json:"field_report_type" filter:"template_uid"`
	PDFURL          *string             `json:"pdf_url"`
	PDFFormValues   []FormValue         `json:"pdf_form_values" write:""`
	PGFormValues    FormValues          `json:"pg_form_values" write:""`
	CustomItems     []CustomItem        `json:"custom_items" write:""`
	Weather         *Weather            `json:"weather" write:""`
	Attachments     document.Collection `json:"attachments" slot:"0"`
	Photos          document.Collection `json:"photos" slot:"1"`
	Snapshots       document.Collection `json:"snapshots" slot:"2"`
}

// Template is the form that a report was made from; there are none yet.
type Template struct {
	UID          string `json:"uid"`
	Name         string `json:"name"`
	Status       string `json:"status"`
	ProjectUID   string `json:"project_uid"`
	TemplateType string `json:"template_type"`
}

// Term is what lists are filtered by.
func (t *Template) Term() string {
	if t == nil {
		return ""
	}
	return t.UID
}

// FormValue is a value of a PDF form. Names are values too: no object has names that a client chooses.
type FormValue struct {
	Name  string  `json:"name" write:"required,max=255"`
	Value *string `json:"value" write:"max=65535"`
}

// FormValues are the entries of a report, by what they are about.
type FormValues struct {
	Worklog   []Work      `json:"pg_worklog_entries" write:""`
	Materials []Material  `json:"pg_materials_entries" write:""`
	Equipment []Equipment `json:"pg_equipment_entries" write:""`
}

// Work is who worked for how long, in seconds.
type Work struct {
	UID         string  `json:"uid" write:"max=255"`
	Trade       *string `json:"trade" write:"max=255"`
	Timespan    *int64  `json:"timespan" write:""`
	Headcount   *int64  `json:"headcount" write:""`
	Description *string `json:"description" write:"max=65535"`
	Deleted     bool    `json:"deleted" write:""`
}

// Material is what was used or delivered.
type Material struct {
	UID         string   `json:"uid" write:"max=255"`
	Unit        *string  `json:"unit" write:"max=255"`
	Quantity    *float64 `json:"quantity" write:""`
	Item        *string  `json:"item" write:"max=255"`
	Description *string  `json:"description" write:"max=65535"`
	Deleted     bool     `json:"deleted" write:""`
}

// Equipment is what was in use for how long, in seconds.
type Equipment struct {
	UID         string   `json:"uid" write:"max=255"`
	Timespan    *int64   `json:"timespan" write:""`
	Quantity    *float64 `json:"quantity" write:""`
	Item        *string  `json:"item" write:"max=255"`
	Description *string  `json:"description" write:"max=65535"`
	Deleted     bool     `json:"deleted" write:""`
}

// CustomItem is an answer in a section of a form, in the field of its type.
type CustomItem struct {
	SectionLabel *string        `json:"section_label" write:"max=255"`
	ItemLabel    *string        `json:"item_label" write:"max=255"`
	ValueName    *string        `json:"value_name" write:"max=255"`
	Notes        *string        `json:"notes" write:"max=65535"`
	TextVal      *string        `json:"text_val" write:"max=65535"`
	ChoiceVal    *string        `json:"choice_val" write:"max=255"`
	NumberVal    *float64       `json:"number_val" write:""`
	DateVal      *document.Date `json:"date_val" write:""`
	ArrayVal     []string       `json:"array_val" write:"max=65535"`
	ToggleVal    *bool          `json:"toggle_val" write:""`
}

// Weather is the weather of the day, in units that it names.
type Weather struct {
	Humidity                      *float64 `json:"humidity" write:""`
	PrecipitationAccumulation     *float64 `json:"precipitation_accumulation" write:""`
	PrecipitationAccumulationUnit *string  `json:"precipitation_accumulation_unit" write:"max=255"`
	SpeedUnit                     *string  `json:"speed_unit" write:"max=255"`
	SummaryKey                    *string  `json:"summary_key" write:"max=255"`
	TemperatureMax                *float64 `json:"temperature_max" write:""`
	TemperatureMin                *float64 `json:"temperature_min" write:""`
	TemperatureUnit               *string  `json:"temperature_unit" write:"max=255"`
	WindBearing                   *float64 `json:"wind_bearing" write:""`
	WindGust                      *float64 `json:"wind_gust" write:""`
	WindSpeed                     *float64 `json:"wind_speed" write:""`
}

var reports = &resource.Kind[Report]{
	Number: 13, Plural: "field_reports", Name: "Field report", Check: check, SortBy: true, Links: []string{"attachments", "photos", "snapshots"},
	Defaults: Report{Status: "draft"},
}

// routes is everything the API does with field reports.
func routes(*family.Site) []api.Route {
	written := []api.Route{
		resource.Create(reports, auth.Everyone), resource.Get(reports, auth.Everyone),
		resource.Update(reports, auth.ManagersOrOwn), resource.Delete(reports, auth.ManagersOrOwn),
		resource.Restore(reports, auth.ManagersOrOwn),
	}
	routes := []api.Route{resource.List(reports, auth.Everyone)}
	for _, collection := range reports.Links {
		links := resource.Linked(reports, collection, auth.Everyone, auth.ManagersOrOwn)
		routes, written = append(routes, links[0]), append(written, links[1:]...)
	}
	for i := range written {
		written[i].Extension = true
	}
	return append(routes, written...)
}

// Family declares field reports.
func Family() family.Family {
	return family.Family{
		Name: "fieldreport", Kinds: []resource.AnyKind{reports}, Routes: routes, Exports: []string{"field_reports"},
	}
}

package report

import (
	"io"
	"strings"
	"time"
)

// XLSX writes the report as a workbook: the issues, and what was said about them.
func (r *Issues) XLSX(w io.Writer) error {
	return writeXLSX(w, time.UnixMicro(r.At), r.grid(), r.comments())
}

// CSV writes the issues as rows.
func (r *Issues) CSV(w io.Writer) error { return writeCSV(w, r.grid()) }

func (r *Issues) grid() grid {
	g := grid{name: "Issues", columns: []gridColumn{
		{"Number", 9},
		{"Title", 44},
		{"Status", 12},
		{"Type", 14},
		{"List", 20},
		{"Room", 14},
		{"Assigned to", 28},
		{"Start", 12},
		{"Due", 17},
		{"Closed", 17},
		{"Created", 17},
		{"Created by", 24},
		{"Cost impact", 13},
		{"Cost", 14},
		{"Currency", 10},
		{"Schedule impact", 16},
		{"Days", 8},
		{"Sheet", 12},
		{"Sheet title", 28},
		{"Photos", 9},
		{"Comments", 11},
		{"Documents", 30},
		{"Description", 60},
	}}
	zone := r.zone()
	for i := range r.Issues {
		x := &r.Issues[i]
		place := x.Place
		if place == nil {
			place = &Place{}
		}
		var cost any
		if x.Cost != "" {
			cost = money(x.Cost)
		}
		g.rows = append(g.rows, []any{
			x.Number, x.Title, words(x.Status), words(x.Type), x.List, x.Room, strings.Join(x.Assignees, ", "),
			date(x.Start), clock(x.Due, zone), clock(x.Closed, zone), clock(&x.Created, zone), x.CreatedBy,
			yes(x.HasCost), cost, x.Currency, yes(x.HasSchedule), inUnits(x.Schedule, 86400), place.Sheet, place.Title,
			len(x.Photos) + x.MorePhotos, len(x.Comments) + x.MoreComments,
			strings.Join(x.Documents, "\n"), x.Description,
		})
	}
	return g
}

func (r *Issues) comments() grid {
	g := grid{
		name: "Comments", columns: []gridColumn{{"Issue", 9}, {"Title", 44}, {"By", 24}, {"At", 17}, {"Comment", 80}},
	}
	zone := r.zone()
	for i := range r.Issues {
		for _, c := range r.Issues[i].Comments {
			g.rows = append(g.rows, []any{r.Issues[i].Number, r.Issues[i].Title, c.By, clock(&c.At, zone), c.Text})
		}
	}
	return g
}

// XLSX writes the export as a workbook with a sheet for each kind of entry.
func (r *Fields) XLSX(w io.Writer) error {
	zone := r.zone()
	reports := grid{name: "Field reports", columns: []gridColumn{
		{"Date", 12},
		{"Title", 40},
		{"Status", 12},
		{"By", 24},
		{"Created", 17},
		{"Changed", 17},
		{"Weather", 18},
		{"Low", 8},
		{"High", 8},
		{"Temperature unit", 16},
		{"Humidity", 10},
		{"Precipitation", 14},
		{"Precipitation unit", 18},
		{"Wind", 8},
		{"Gusts", 8},
		{"Wind bearing", 13},
		{"Speed unit", 11},
		{"Workers", 9},
		{"Photos", 9},
		{"Documents", 30},
		{"Description", 60},
	}}
	work := grid{name: "Work log", columns: []gridColumn{
		{"Date", 12}, {"Report", 40}, {"Trade", 24}, {"Workers", 9}, {"Hours", 9}, {"Description", 60},
	}}
	materials := grid{name: "Materials", columns: []gridColumn{
		{"Date", 12}, {"Report", 40}, {"Item", 30}, {"Quantity", 10}, {"Unit", 12}, {"Description", 60},
	}}
	equipment := grid{name: "Equipment", columns: []gridColumn{
		{"Date", 12}, {"Report", 40}, {"Item", 30}, {"Quantity", 10}, {"Hours", 9}, {"Description", 60},
	}}
	answers := grid{name: "Forms", columns: []gridColumn{
		{"Date", 12}, {"Report", 40}, {"Section", 24}, {"Item", 30}, {"Answer", 40}, {"Notes", 40},
	}}
	photos := grid{
		name: "Photos", columns: []gridColumn{{"Date", 12}, {"Report", 40}, {"Photo", 40}, {"Taken", 17}, {"By", 24}},
	}
	for i := range r.Reports {
		f := &r.Reports[i]
		w := f.Weather
		if w == nil {
			w = &Weather{}
		}
		of := []any{date(f.Date), f.title()}
		reports.rows = append(reports.rows, append(of[:2:2], words(f.Status), f.By, clock(&f.Created, zone),
			clock(&f.Updated, zone), w.Summary, orNil(w.Low), orNil(w.High), w.TemperatureUnit, orNil(w.Humidity),
			orNil(w.Rain), w.RainUnit, orNil(w.Wind), orNil(w.Gust), orNil(w.Bearing), w.SpeedUnit, orNil(f.workers()),
			len(f.Photos)+f.MorePhotos, strings.Join(f.Documents, "\n"), f.Description))
		for _, e := range f.Work {
			work.rows = append(work.rows,
				append(of[:2:2], e.Trade, orNil(e.Workers), inUnits(e.Seconds, 3600), e.Description))
		}
		for _, e := range f.Materials {
			materials.rows = append(materials.rows, append(of[:2:2], e.Item, orNil(e.Quantity), e.Unit, e.Description))
		}
		for _, e := range f.Equipment {
			equipment.rows = append(equipment.rows,
				append(of[:2:2], e.Item, orNil(e.Quantity), inUnits(e.Seconds, 3600), e.Description))
		}
		for _, a := range f.Answers {
			answers.rows = append(answers.rows, append(of[:2:2], a.Section, a.Name, a.Value, a.Notes))
		}
		for _, p := range f.Photos {
			in := zone
			if p.Local {
				in = time.UTC
			}
			photos.rows = append(photos.rows, append(of[:2:2], p.Title, clock(p.Taken, in), p.By))
		}
	}
	return writeXLSX(w, time.UnixMicro(r.At), reports, work, materials, equipment, answers, photos)
}

func clock(t *int64, zone *time.Location) any {
	if t == nil {
		return nil
	}
	return at(*t, zone)
}

func orNil[T any](v *T) any {
	if v == nil {
		return nil
	}
	return *v
}

func inUnits(seconds *int64, unit float64) any {
	if seconds == nil {
		return nil
	}
	return float64(*seconds) / unit
}

func yes(v bool) string {
	if v {
		return "Yes"
	}
	return "No"
}

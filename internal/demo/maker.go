package demo

import (
	"math"
	"math/rand/v2"
	"time"
)

// Maker makes what people write on a site, one after the other: bodies of requests. The same seed and day make the
// same.
type Maker struct {
	chance *rand.Rand
	day    time.Time
	told   map[string]bool // what was found where, so that it is not found again
}

// NewMaker begins a row of bodies; day is today, which their dates are near.
func NewMaker(seed uint64, day time.Time) *Maker {
	return &Maker{rand.New(rand.NewPCG(seed, 1)), day.UTC().Truncate(24 * time.Hour), map[string]bool{}}
}

func pick[T any](m *Maker, from []T) T { return from[m.chance.IntN(len(from))] }

// often is true so many times of a hundred.
func (m *Maker) often(percent int) bool { return m.chance.IntN(100) < percent }

func (m *Maker) date(days int) string { return m.day.AddDate(0, 0, days).Format(time.DateOnly) }

// moment is an hour of a working day.
func (m *Maker) moment(days, hour int) string {
	return m.day.AddDate(0, 0, days).Add(time.Duration(hour) * time.Hour).Format(time.RFC3339)
}

// About is what an issue is about, by the order of the lists and the people: where it belongs, who sees to it, and on
// which level it is.
type About struct{ List, Person, Level int }

// Issue gives the body of an issue, without what it refers to.
func (m *Maker) Issue() (map[string]any, About) {
	from, kind := defects, "issue"
	if m.often(8) {
		from, kind = planned, "planned_work"
	}
	d, room, title := m.find(from)
	list := d.list
	if list == punchOne && room.level == 2 {
		list = punchTwo
	}
	body := map[string]any{"title": title, "description": d.detail, "room": room.name, "type": kind}
	if m.often(60) {
		body["description"] = d.detail + " " + pick(m, more)
	}
	if m.often(70) {
		body["due_at"] = m.moment(m.chance.IntN(28)-7, 22)
	}
	if m.often(25) {
		body["start_date"] = m.date(-m.chance.IntN(10))
	}
	if d.cost > 0 {
		body["has_cost_impact"], body["cost_impact"] = true, float64(d.cost)+float64(m.chance.IntN(4))*12.5
	}
	if m.often(12) {
		body["has_schedule_impact"], body["schedule_impact"] = true, int64(1+m.chance.IntN(5))*86400
	}
	return body, About{list, d.person, room.level}
}

// find finds something somewhere, and nothing twice in the same place as long as that is easy.
func (m *Maker) find(from []defect) (d defect, r room, title string) {
	for range 8 {
		d = pick(m, from)
		r = pick(m, sorted[d.in[m.chance.IntN(len(d.in))]])
		if title = d.title + ", " + r.name; !m.told[title] {
			break
		}
	}
	m.told[title] = true
	return d, r, title
}

// RFI gives the body of an RFI, without its answer, and the answer, which may be empty. The first ones are all
// different.
func (m *Maker) RFI(n int) (body map[string]any, answer string) {
	q := questions[n%len(questions)]
	body = map[string]any{"title": q.title, "question": q.question}
	if m.often(80) {
		body["due_at"] = m.moment(m.chance.IntN(21)-5, 22)
	}
	return body, q.answer
}

// Comment is what somebody says of an issue.
func (m *Maker) Comment() string { return pick(m, looked) }

// Report gives the body of the field report of a day.
func (m *Maker) Report(daysAgo int) map[string]any {
	at := m.day.AddDate(0, 0, -daysAgo)
	// From the coldest week in January to the warmest in July.
	warm := math.Round(54 - 28*math.Cos(2*math.Pi*float64(at.YearDay()-15)/365) + float64(m.chance.IntN(13)-6))
	sky := pick(m, skies)
	wet := 0.0
	if sky == "rain" {
		wet = float64(1+m.chance.IntN(12)) / 10
	}
	wind := float64(3 + m.chance.IntN(14))
	body := map[string]any{
		"title": "Daily report " + at.Format("Monday, January 2"), "report_date": at.Format(time.DateOnly),
		"description": pick(m, days), "status": "submitted",
		"weather": map[string]any{
			"summary_key": sky, "temperature_min": warm - 9, "temperature_max": warm + 8,
			"temperature_unit": "fahrenheit", "humidity": float64(40+m.chance.IntN(50)) / 100,
			"precipitation_accumulation": wet, "precipitation_accumulation_unit": "inches", "wind_speed": wind,
			"wind_gust":    wind + float64(4+m.chance.IntN(15)),
			"wind_bearing": float64(m.chance.IntN(36) * 10), "speed_unit": "mph",
		},
	}
	var work, used, ran []map[string]any
	for _, i := range m.chance.Perm(len(trades))[:3+m.chance.IntN(4)] {
		t := trades[i]
		work = append(work, map[string]any{
			"trade": t.name, "description": t.did,
			"headcount": max(1, t.heads+m.chance.IntN(5)-2), "timespan": (7 + m.chance.IntN(3)) * 3600,
		})
	}
	for _, i := range m.chance.Perm(len(materials))[:1+m.chance.IntN(3)] {
		used = append(used, map[string]any{
			"item": materials[i].item, "unit": materials[i].unit, "quantity": 1 + m.chance.IntN(materials[i].most),
		})
	}
	for _, i := range m.chance.Perm(len(machines))[:1+m.chance.IntN(3)] {
		ran = append(ran, map[string]any{"item": machines[i].item, "quantity": 1, "timespan": machines[i].hours * 3600})
	}
	body["pg_form_values"] = map[string]any{
		"pg_worklog_entries": work, "pg_materials_entries": used, "pg_equipment_entries": ran,
	}
	return body
}

package drawing

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"strings"
	"time"
)

// noon is when the reports of the tests are made.
var noon = time.Date(2026, 11, 13, 12, 0, 0, 0, time.UTC).UnixMicro()

const aDay = 24 * int64(time.Hour/time.Microsecond)

func pointer[T any](v T) *T { return &v }

// photograph draws something like a picture from a site: sky, ground and a wall, so that one sees whether it is whole and which way is up.
func photograph(w, h, seed int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			fx, fy := float64(x)/float64(w), float64(y)/float64(h)
			c := color.RGBA{uint8(150 + 80*fy), uint8(180 + 50*fy), uint8(215 + 20*fy), 255}
			if fy > 0.62+0.02*math.Sin(9*fx+float64(seed)) {
				c = color.RGBA{uint8(120 + seed*17%50), 105, 88, 255}
			}
			if fx > 0.25 && fx < 0.7 && fy > 0.28 && fy < 0.75 {
				c = color.RGBA{170, uint8(120 + seed*31%60), 100, 255}
				if int(fx*60)%6 == 0 || int(fy*40)%4 == 0 {
					c = color.RGBA{205, 195, 185, 255}
				}
			}
			img.SetRGBA(x, y, c)
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: 80}); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// pictures gives photographs for the names of the samples: "wide-3" is one, "tall-3", "plan-3" and "broken" are others.
func pictures(name string) Picture {
	kind, number, _ := strings.Cut(name, "-")
	seed := len(number)*7 + int(number[len(number)-1])
	switch kind {
	case "wide":
		return Picture{JPEG: photograph(640, 480, seed), Width: 640, Height: 480}
	case "tall":
		return Picture{JPEG: photograph(360, 640, seed), Width: 360, Height: 640}
	case "plan":
		box := []Point{{0.42, 0.4}, {0.58, 0.4}, {0.58, 0.6}, {0.42, 0.6}}
		return Picture{JPEG: photograph(800, 600, seed), Width: 800, Height: 600, Pin: &Point{0.5, 0.5}, Marks: []Mark{{box, true}}}
	}
	return Picture{Problem: "The image is damaged: it ends too early."}
}

var titles = []string{
	"Fire damper missing at shaft 3", "Door swing conflicts with the accessible route", "Crack in the slab between grid lines C and D, about 40 cm long, to be injected before the screed is laid",
	"Ρωγμή στον τοίχο του ισογείου", "Трещина в стене подвала", "漏水：二階の天井から水が落ちている", "شق في الجدار بالقرب من الباب 12", "סדק בקיר ליד דלת 12",
}

// sample is a report of n issues of all sorts.
func sample(n int) *Issues {
	r := &Issues{Front: Front{Title: "Punch list, level 2", Project: "Harbor Street School", By: "Maria Lindqvist", At: noon, Zone: "America/New_York"}}
	lists := []string{"Fire safety", "Envelope", "Finishes", "", "Mechanical"}
	for k := range n {
		i := Issue{
			Number: int64(k + 1), Title: titles[k%len(titles)], Status: statuses[k*7%4], Type: []string{"issue", "planned_work", "", "other"}[k%4], List: lists[k%len(lists)],
			Assignees: []string{"Ken Okafor", "Ana Souza"}[:1+k%2], Created: noon - int64(k%40)*aDay, CreatedBy: "Maria Lindqvist", Room: fmt.Sprintf("2.%02d", k%30),
		}
		if k%3 != 2 {
			i.Due = pointer(noon + int64(k%9-4)*aDay)
		}
		if i.Status == "closed" {
			i.Closed = pointer(noon - aDay/3)
		}
		if k%2 == 0 {
			i.Description = "The damper shown on M-201 is not installed; the duct runs through the wall without one.\n\nThe contractor was told on site. Work behind the ceiling stops until it is fitted and the fire stopping is inspected."
			i.Comments = []Comment{{"Ken Okafor", noon - 3*aDay, "Ordered, arrives on Thursday."}, {"Maria Lindqvist", noon - aDay, "Please send a photo once it is in, with the label readable, and keep the opening accessible for the inspector."}}
		}
		if k%5 == 0 {
			i.HasCost, i.Cost, i.Currency, i.HasSchedule, i.Schedule = true, "12450.50", "USD", true, pointer(int64(3))
		}
		if k%4 != 3 {
			i.Place = &Place{Sheet: "A-201", Title: "Level 2 floor plan", Color: "#FF0000", Stamp: "QA", Picture: fmt.Sprintf("plan-%d", k)}
		}
		for j := range k % 4 {
			name := "wide"
			if (k+j)%3 == 1 {
				name = "tall"
			}
			i.Photos = append(i.Photos, Photo{Title: fmt.Sprintf("Shaft 3, view %d", j+1), By: "Ken Okafor", Taken: pointer(noon - 2*aDay), Picture: fmt.Sprintf("%s-%d", name, k+j)})
		}
		if k == 5 {
			i.Photos = append(i.Photos, Photo{Title: "From the stair", Picture: "broken-1"})
			i.Documents = []string{"Damper data sheet.pdf (Submittals)", "Letter of 3 March.docx"}
		}
		r.Issues = append(r.Issues, i)
	}
	return r
}

// days is an export of n field reports.
func days(n int) *Fields {
	r := &Fields{Front: Front{Title: "Field reports", Project: "Harbor Street School", By: "Maria Lindqvist", At: noon, Zone: "Europe/Athens"}}
	for k := range n {
		f := Field{
			Date: fmt.Sprintf("2026-11-%02d", 9+k%20), Title: "Daily report", Status: "submitted", By: "Ken Okafor", Created: noon - int64(n-k)*aDay, Updated: noon - int64(n-k)*aDay + aDay/4,
			Description: "Concrete of the north wing poured up to grid line F. Two deliveries came late because of the closed bridge; the crew of the second pour stayed until 18:30.",
			Weather: &Weather{
				Summary: "partly-cloudy-day", Low: pointer(3.5), High: pointer(11.0), TemperatureUnit: "C", Humidity: pointer(0.71), Rain: pointer(1.2), RainUnit: "mm", Wind: pointer(14.0), Gust: pointer(31.0),
				SpeedUnit: "km/h", Bearing: pointer(310.0),
			},
			Work: []Work{
				{"Concrete", "Pour of slab, north wing", pointer(int64(9)), pointer(int64(9 * 3600))}, {"Electrical", "Conduits in the slab, before the pour", pointer(int64(3)), pointer(int64(4*3600 + 1800))},
				{"Σκυροδέματα", "Αναμονές και ξυλότυποι, δεύτερος όροφος", pointer(int64(4)), nil},
			},
			Materials: []Thing{{Item: "Concrete C30/37", Unit: "m³", Quantity: pointer(142.5), Description: "From plant 2, tickets 4411 to 4430"}, {Item: "Rebar B500", Unit: "t", Quantity: pointer(8.25)}},
			Equipment: []Thing{{Item: "Concrete pump 42 m", Quantity: pointer(1.0), Seconds: pointer(int64(7 * 3600))}, {Item: "Crane", Quantity: pointer(1.0), Seconds: pointer(int64(10 * 3600)), Description: "Stood for 40 minutes: wind"}},
			Answers:   []Answer{{"Safety", "Toolbox talk held", "Yes", ""}, {"Safety", "Accidents", "0", "One near miss at the loading bay, reported"}},
		}
		for j := range k % 4 * 2 {
			f.Photos = append(f.Photos, Photo{Title: fmt.Sprintf("Pour, step %d", j+1), By: "Ken Okafor", Taken: pointer(noon - aDay), Picture: fmt.Sprintf("%s-%d", []string{"wide", "tall"}[j%2], j)})
		}
		r.Reports = append(r.Reports, f)
	}
	return r
}

package drawing

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"groundwork/internal/drawing/report"
	"groundwork/internal/fault"
)

// noon is when the reports of the tests are made.
var noon = time.Date(2026, 11, 13, 12, 0, 0, 0, time.UTC).UnixMicro()

const aDay = 24 * int64(time.Hour/time.Microsecond)

func pointer[T any](v T) *T { return &v }

// photograph draws something like a picture from a site: sky, ground and a wall, so that one sees whether it is whole
// and which way is up.
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

// plan draws something like a sheet of 36 by 24 inches and gives the archive of its tiles.
func plan(t *testing.T) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 3600, 2400))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	for x := 0; x < 3600; x += 120 {
		draw.Draw(img, image.Rect(x, 0, x+2, 2400), image.NewUniform(color.Gray{120}), image.Point{}, draw.Src)
	}
	for y := 0; y < 2400; y += 120 {
		draw.Draw(img, image.Rect(0, y, 3600, y+2), image.NewUniform(color.Gray{120}), image.Point{}, draw.Src)
	}
	path := filepath.Join(t.TempDir(), "tiles")
	if err := tilesAt(path, img); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// The files of the samples, by their numbers.
const (
	landscape = iota
	portrait
	ugly
	drawn
	lost
)

// album gives the files of the samples.
func album(t *testing.T) func(int) (io.ReadCloser, error) {
	files := [][]byte{
		landscape: photograph(1600, 1200, 3), portrait: photograph(900, 1600, 4),
		ugly: photograph(1600, 1200, 5)[:5000], drawn: plan(t),
	}
	return func(n int) (io.ReadCloser, error) {
		if n == lost {
			return nil, fault.New(fault.NotFound, "The file is missing.")
		}
		return io.NopCloser(bytes.NewReader(files[n])), nil
	}
}

// shots are the pictures that the samples ask for by name: "wide-3" is one, "tall-3", "plan-3" and "broken-1" are
// others.
func shots(names []string) map[string]Shot {
	out := map[string]Shot{}
	for i, name := range names {
		kind, _, _ := strings.Cut(name, "-")
		s := Shot{File: map[string]int{
			"wide": landscape, "tall": portrait, "broken": ugly, "plan": drawn, "gone": lost,
		}[kind]}
		if kind == "plan" {
			s.View = &View{
				Width: 36 * 72, Height: 24 * 72, Kind: []string{"stamp", "rectangle", "ellipse", "pen"}[i%4],
				Points: []report.Point{{X: 0.5, Y: 0.5}, {X: 0.55, Y: 0.55}},
			}
		}
		out[name] = s
	}
	return out
}

var titles = []string{
	"Fire damper missing at shaft 3", "Door swing conflicts with the accessible route",
	"Crack in the slab between grid lines C and D, about 40 cm long, to be injected before the screed is laid",
	"Ρωγμή στον τοίχο του ισογείου", "Трещина в стене подвала", "漏水：二階の天井から水が落ちている", "شق في الجدار بالقرب من الباب 12",
	"סדק בקיר ליד דלת 12",
}

// sampleIssues is a report of n issues of all sorts.
func sampleIssues(n int) *report.Issues {
	r := &report.Issues{Front: report.Front{
		Title: "Punch list, level 2", Project: "Harbor Street School",
		By: "Maria Lindqvist", At: noon, Zone: "America/New_York",
	}}
	lists := []string{"Fire safety", "Envelope", "Finishes", "", "Mechanical"}
	for k := range n {
		i := report.Issue{
			Number: int64(k + 1), Title: titles[k%len(titles)], Status: []string{
				"open", "in_review", "pending", "closed",
			}[k*7%4], Type: []string{"issue", "planned_work", "", "other"}[k%4], List: lists[k%len(lists)],
			Assignees: []string{"Ken Okafor", "Ana Souza"}[:1+k%2], Created: noon - int64(k%40)*aDay,
			CreatedBy: "Maria Lindqvist", Room: fmt.Sprintf("2.%02d", k%30),
		}
		if k%3 != 2 {
			i.Due = pointer(noon + int64(k%9-4)*aDay)
		}
		if i.Status == "closed" {
			i.Closed = pointer(noon - aDay/3)
		}
		if k%2 == 0 {
			i.Description = "The damper shown on M-201 is not installed; the duct runs through the wall without one.\n\nThe contractor was told on site. Work behind the ceiling stops until it is fitted and the fire stopping is inspected."
			i.Comments = []report.Comment{{
				By: "Ken Okafor", At: noon - 3*aDay, Text: "Ordered, arrives on Thursday.",
			}, {
				By: "Maria Lindqvist", At: noon - aDay,
				Text: "Please send a photo once it is in, with the label readable, and keep the opening accessible for the inspector.",
			}}
		}
		if k%5 == 0 {
			i.HasCost, i.Cost, i.Currency, i.HasSchedule, i.Schedule = true, "12450.50", "USD", true, pointer(int64(3*86400))
		}
		if k%4 != 3 {
			i.Place = &report.Place{
				Sheet: "A-201", Title: "Level 2 floor plan", Color: "#FF0000", Picture: fmt.Sprintf("plan-%d", k),
			}
		}
		for j := range k % 4 {
			name := "wide"
			if (k+j)%3 == 1 {
				name = "tall"
			}
			i.Photos = append(i.Photos, report.Photo{
				Title: fmt.Sprintf("Shaft 3, view %d", j+1), By: "Ken Okafor",
				Taken: pointer(noon - 2*aDay), Picture: fmt.Sprintf("%s-%d-%d", name, k, j),
			})
		}
		if k == 5 {
			i.Photos = append(i.Photos, report.Photo{Title: "From the stair", Picture: "broken-1"}, report.Photo{
				Title: "Lost", Picture: "gone-1",
			})
			i.Documents = []string{"Damper data sheet.pdf (Submittals)", "Letter of 3 March.docx"}
		}
		r.Issues = append(r.Issues, i)
	}
	return r
}

// sampleDays is an export of n field reports.
func sampleDays(n int) *report.Fields {
	r := &report.Fields{Front: report.Front{
		Title: "Field reports", Project: "Harbor Street School", By: "Maria Lindqvist", At: noon, Zone: "Europe/Athens",
	}}
	for k := range n {
		f := report.Field{
			Date: fmt.Sprintf("2026-11-%02d", 9+k%20), Title: "Daily report", Status: "submitted", By: "Ken Okafor",
			Created: noon - int64(n-k)*aDay, Updated: noon - int64(n-k)*aDay + aDay/4,
			Description: "Concrete of the north wing poured up to grid line F. Two deliveries came late because of the closed bridge; the crew of the second pour stayed until 18:30.",
			Weather: &report.Weather{
				Summary: "partly-cloudy-day", Low: pointer(3.5), High: pointer(11.0), TemperatureUnit: "C",
				Humidity: pointer(0.71), Rain: pointer(1.2), RainUnit: "mm", Wind: pointer(14.0), Gust: pointer(31.0),
				SpeedUnit: "km/h", Bearing: pointer(310.0),
			},
			Work: []report.Work{
				{
					Trade: "Concrete", Description: "Pour of slab, north wing", Workers: pointer(int64(9)),
					Seconds: pointer(int64(9 * 3600)),
				},
				{
					Trade: "Electrical", Description: "Conduits in the slab, before the pour",
					Workers: pointer(int64(3)),
					Seconds: pointer(int64(4*3600 + 1800)),
				},
				{
					Trade: "Σκυροδέματα", Description: "Αναμονές και ξυλότυποι, δεύτερος όροφος",
					Workers: pointer(int64(4)),
				},
			},
			Materials: []report.Thing{
				{
					Item: "Concrete C30/37", Unit: "m³", Quantity: pointer(142.5),
					Description: "From plant 2, tickets 4411 to 4430",
				}, {
					Item: "Rebar B500", Unit: "t", Quantity: pointer(8.25),
				},
			},
			Equipment: []report.Thing{{
				Item: "Concrete pump 42 m", Quantity: pointer(1.0), Seconds: pointer(int64(7 * 3600)),
			}, {
				Item: "Crane", Quantity: pointer(1.0), Seconds: pointer(int64(10 * 3600)),
				Description: "Stood for 40 minutes: wind",
			}},
			Answers: []report.Answer{{Section: "Safety", Name: "Toolbox talk held", Value: "Yes"}, {
				Section: "Safety", Name: "Accidents", Value: "0", Notes: "One near miss at the loading bay, reported",
			}},
		}
		for j := range k % 4 * 2 {
			f.Photos = append(f.Photos, report.Photo{
				Title: fmt.Sprintf("Pour, step %d", j+1), By: "Ken Okafor",
				Taken: pointer(noon - aDay), Picture: fmt.Sprintf("%s-%d-%d", []string{"wide", "tall"}[j%2], k, j),
			})
		}
		r.Reports = append(r.Reports, f)
	}
	return r
}

package drawing

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"testing"

	"groundwork/internal/drawing/report"
)

// A report of 500 issues with 2,000 pictures is made by a child that is ended when it takes more than 300 MB.
func TestLargeReportTakesLittleMemory(t *testing.T) {
	const issues, photos = 500, 3
	w := open(t, Config{Memory: 300 << 20})
	r := &report.Issues{Front: report.Front{Title: "Everything", Project: "School", At: noon, Zone: "UTC"}}
	shots := map[string]Shot{}
	for i := range issues {
		one := sampleIssues(1).Issues[0]
		one.Number, one.Place.Picture = int64(i+1), fmt.Sprintf("plan-%d", i)
		shots[one.Place.Picture] = Shot{View: &View{
			Width: 36 * 72, Height: 24 * 72, Kind: "stamp", Points: []report.Point{{X: float64(i) / issues, Y: 0.5}},
		}}
		one.Photos = nil
		for n := range photos {
			name := fmt.Sprintf("photo-%d-%d", i, n)
			one.Photos = append(one.Photos, report.Photo{Title: name, Picture: name})
			shots[name] = Shot{File: 1 + i*photos + n, Whole: true}
		}
		r.Issues = append(r.Issues, one)
	}
	tiles, thumbnail := plan(t), photograph(ThumbnailSide, 240, 1)
	f, path, err := w.Report(t.Context(), Report{Format: "pdf", Issues: r, Shots: shots, Side: ThumbnailSide},
		func(n int) (io.ReadCloser, error) {
			if n == 0 {
				return io.NopCloser(bytes.NewReader(tiles)), nil
			}
			// What stands behind the end of a picture makes it as large as one of a camera, and another one than all
			// others.
			chance := rand.NewChaCha8([32]byte{byte(n), byte(n >> 8)})
			return io.NopCloser(io.MultiReader(bytes.NewReader(thumbnail), io.LimitReader(chance, 16<<10))), nil
		}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	pages, _ := leaves(t, path)
	pictures := 0
	for _, l := range pages {
		pictures += len(l.pictures)
	}
	if pictures != issues*(photos+1) {
		t.Errorf("%d pictures are shown", pictures)
	}
	t.Logf("%d pages, %d MB", len(pages), info.Size()>>20)
}

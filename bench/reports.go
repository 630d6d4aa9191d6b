package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/draw"
)

// The report has so many issues, each with so many photos of its own.
const reportIssues, reportPhotos = 20, 2

// reports asks for reports of issues with photos, in turns with the bare libraries that make the same pictures smaller
// and put them on pages with a title.
func (r *rig) reports(ctx context.Context, _ *field) error {
	g, err := r.newGround(ctx, "reports", "")
	if err != nil {
		return err
	}
	s, err := g.serve(ctx, "reports", nil)
	if err != nil {
		return err
	}
	defer s.stop()
	project, err := g.make(s, "/projects", map[string]any{"name": "Harbour Tower"})
	if err != nil {
		return err
	}
	c := &caller{ctx, "http://" + s.address, g.key}
	at := "/projects/" + project
	r.say("reports: %d issues with %d photos each", reportIssues, reportPhotos)
	photos, err := c.furnish(at)
	if err != nil {
		return err
	}
	for round := range r.Rounds {
		r.say("reports: round %d of %d", round+1, r.Rounds)
		one, err := r.pair(ctx, func() (time.Duration, error) { return compose(photos) },
			func() (time.Duration, error) {
				return c.share(at+"/issues/reports", map[string]any{"title": "Punch list"})
			})
		if err != nil {
			return err
		}
		r.figure("report", one.took)
		r.figure("report, relative", one.took/one.bare)
	}
	return nil
}

// furnish makes issues with photos, waits until all photos are looked at, and gives their previews.
func (c *caller) furnish(project string) (previews [][]byte, err error) {
	for i := range reportIssues {
		var issue struct {
			UID string `json:"uid"`
		}
		if err := c.ask("POST", project+"/issues",
			map[string]any{
				"title":       fmt.Sprintf("Fire damper missing at shaft %d", i),
				"description": "The duct runs through the wall without one.",
			}, &issue); err != nil {
			return nil, err
		}
		for n := range reportPhotos {
			photo, err := c.upload(project, picture(2400, 1800, i*reportPhotos+n))
			if err != nil {
				return nil, err
			}
			if err := c.ask("POST", project+"/issues/"+issue.UID+"/photos", map[string]any{"photo_uid": photo},
				nil); err != nil {
				return nil, err
			}
			preview, err := c.preview(project + "/photos/" + photo)
			if err != nil {
				return nil, err
			}
			previews = append(previews, preview)
		}
	}
	return previews, nil
}

// upload uploads a photo and gives its uid.
func (c *caller) upload(project string, content []byte) (string, error) {
	var offer struct {
		UID string `json:"uid"`
		formOffer
	}
	if err := c.ask("POST", project+"/photos/uploads", map[string]any{"content_type": "image/jpeg", "title": "Shaft"},
		&offer); err != nil {
		return "", err
	}
	_, _, err := offer.post(c.ctx, bytes.NewReader(content), int64(len(content)))
	return offer.UID, err
}

// preview waits for the smaller picture of a photo.
func (c *caller) preview(photo string) (content []byte, err error) {
	for {
		var p struct {
			Preview *string `json:"preview_url"`
			Error   *string `json:"image_error"`
		}
		if err := c.ask("GET", photo, nil, &p); err != nil {
			return nil, err
		}
		switch {
		case p.Error != nil:
			return nil, fmt.Errorf("a photo cannot be read: %s", *p.Error)
		case p.Preview != nil:
			return content, c.ask("GET", *p.Preview, nil, &content)
		}
		<-time.After(50 * time.Millisecond)
	}
}

// picture is a photograph of n's own: gradients with grain, which compress like those of cameras.
func picture(w, h, n int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	grain := uint32(n + 1)
	for y := range h {
		for x := range w {
			grain = grain*1664525 + 1013904223
			noise := uint8(grain >> 28)
			img.SetRGBA(x, y, color.RGBA{
				uint8(x*200/w) + noise, uint8(y*200/h) + noise, uint8((x+y+40*n)/16) + noise, 255,
			})
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: 85}); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// compose has the bare libraries make the pictures smaller and put them on pages, one page for each issue.
func compose(photos [][]byte) (time.Duration, error) {
	began := time.Now()
	pdf := fpdf.New("P", "mm", "A4", "")
	for i, content := range photos {
		if i%reportPhotos == 0 {
			pdf.AddPage()
			pdf.SetFont("Helvetica", "", 12)
			pdf.Cell(0, 10, fmt.Sprintf("Fire damper missing at shaft %d", i/reportPhotos))
		}
		img, err := jpeg.Decode(bytes.NewReader(content))
		if err != nil {
			return 0, err
		}
		small := image.NewRGBA(image.Rect(0, 0, 800, 600))
		draw.CatmullRom.Scale(small, small.Rect, img, img.Bounds(), draw.Src, nil)
		var out bytes.Buffer
		if err := jpeg.Encode(&out, small, &jpeg.Options{Quality: 78}); err != nil {
			return 0, err
		}
		name, options := fmt.Sprint(i), fpdf.ImageOptions{ImageType: "JPEG"}
		pdf.RegisterImageOptionsReader(name, options, &out)
		pdf.ImageOptions(name, 18+float64(i%reportPhotos)*90, 40, 84, 63, false, options, 0, "")
	}
	err := pdf.Output(io.Discard)
	return time.Since(began), err
}

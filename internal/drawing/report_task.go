package drawing

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/drawing/report"
	"groundwork/internal/fault"
)

// about is the sentence of an error that is about a file; "" for others.
func about(err error) string {
	if fault.Is(err, fault.Invalid) || fault.Is(err, fault.NotFound) {
		return fault.Of(err).Message
	}
	return ""
}

// makeReport is the task.
func makeReport(o order) (any, error) {
	r := reportOrder{hatch: o.hatch}
	if err := json.Unmarshal(o.Details, &r); err != nil {
		return nil, err
	}
	if err := r.readRecords(); err != nil {
		return nil, err
	}
	name := "report." + r.Report.Format
	return name, writeNew(o.create, name, r.write)
}

// readRecords reads what the report is made of, where that lies in a file.
func (r *reportOrder) readRecords() error {
	if !r.Gathered {
		return nil
	}
	in, err := r.open(recordsName)
	if err != nil {
		return err
	}
	defer in.Close()
	for from := jsontext.NewDecoder(bufio.NewReader(in)); from.PeekKind() != 0; {
		if issues := r.Report.Issues; issues != nil {
			issues.Issues = append(issues.Issues, report.Issue{})
			err = json.UnmarshalDecode(from, &issues.Issues[len(issues.Issues)-1])
		} else {
			fields := r.Report.Fields
			fields.Reports = append(fields.Reports, report.Field{})
			err = json.UnmarshalDecode(from, &fields.Reports[len(fields.Reports)-1])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *reportOrder) write(w io.Writer) error {
	issues, fields := r.Report.Issues, r.Report.Fields
	switch format := r.Report.Format; {
	case issues != nil && format == "pdf":
		return r.withPictures(issues.Names(), func(p report.Pictures) error { return issues.PDF(w, p) })
	case issues != nil && format == "xlsx":
		return issues.XLSX(w)
	case issues != nil && format == "csv":
		return issues.CSV(w)
	case fields != nil && format == "pdf":
		return r.withPictures(fields.Names(), func(p report.Pictures) error { return fields.PDF(w, p) })
	case fields != nil && format == "xlsx":
		return fields.XLSX(w)
	}
	return errors.New("there is no such report")
}

// ahead is how many pictures are made before they are asked for, atOnce how many at the same time.
const ahead, atOnce = 6, 2

// withPictures has pictures made in the order in which they will be asked for, a few ahead.
func (r *reportOrder) withPictures(names []string, do func(report.Pictures) error) error {
	coming := make(chan chan report.Picture, ahead)
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		slots := make(chan struct{}, atOnce)
		for _, name := range names {
			one := make(chan report.Picture, 1)
			slots <- struct{}{}
			go func() {
				one <- r.picture(r.Report.Shots[name])
				<-slots
			}()
			select {
			case coming <- one:
			case <-stop:
				return
			}
		}
	}()
	made := 0
	return do(func(string) report.Picture {
		r.reached(made)
		made++
		return <-<-coming
	})
}

// picture makes one picture; whatever is wrong with its file becomes a sentence.
func (r *reportOrder) picture(s Shot) (p report.Picture) {
	defer func() {
		if recover() != nil {
			p = report.Picture{Problem: "The image is damaged and cannot be read."}
		}
	}()
	if s.Problem != "" {
		return report.Picture{Problem: s.Problem}
	}
	p, err := r.develop(s)
	if err != nil {
		return report.Picture{Problem: "The picture cannot be shown: it is damaged."}
	}
	return p
}

func (r *reportOrder) develop(s Shot) (report.Picture, error) {
	f, err := r.open(strconv.Itoa(s.File))
	if err != nil {
		return report.Picture{}, err
	}
	defer f.Close()
	if s.View != nil {
		return view(f, s.View, r.Report.Side)
	}
	content, err := io.ReadAll(io.LimitReader(f, mostPreview+1))
	if err != nil {
		return report.Picture{}, err
	}
	c, err := jpeg.DecodeConfig(bytes.NewReader(content))
	if err != nil {
		return report.Picture{}, err
	}
	if max(c.Width, c.Height) > 2*PreviewSide || len(content) > mostPreview {
		return report.Picture{}, fmt.Errorf("the picture has %d × %d pixels", c.Width, c.Height)
	}
	if s.Whole && max(c.Width, c.Height) <= r.Report.Side {
		return report.Picture{JPEG: content, Width: c.Width, Height: c.Height}, nil
	}
	img, err := jpeg.Decode(bytes.NewReader(content))
	if err != nil {
		return report.Picture{}, err
	}
	return pictured(shrink(img, r.Report.Side))
}

// mostPreview is how large a picture is that this package made of a photograph, and more.
const mostPreview = 8 << 20

func pictured(img *image.RGBA) (report.Picture, error) {
	var out bytes.Buffer
	err := jpeg.Encode(&out, img, &jpeg.Options{Quality: 78})
	return report.Picture{JPEG: out.Bytes(), Width: img.Rect.Dx(), Height: img.Rect.Dy()}, err
}

// view draws what surrounds a mark.
func view(r io.ReaderAt, v *View, wide int) (report.Picture, error) {
	t, err := OpenTiles(r)
	if err != nil {
		return report.Picture{}, err
	}
	x0, y0, x1, y1 := v.area()
	img, err := t.cut(r, x0, y0, x1, y1, wide)
	if err != nil {
		return report.Picture{}, err
	}
	p, err := pictured(shrink(img, 2*wide))
	p.Marks, p.Pin = v.marks(x0, y0, x1, y1)
	return p, err
}

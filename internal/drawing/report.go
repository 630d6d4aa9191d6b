package drawing

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strconv"

	"groundwork/internal/drawing/report"
)

// reportTask makes a report.
const reportTask = "report"

// Report is one to be made, of issues or of field reports.
type Report struct {
	// Format is pdf, xlsx or csv.
	Format string
	Issues *report.Issues
	Fields *report.Fields
	// Shots are its pictures, by the names under which it asks for them; Side is how many pixels they have across.
	Shots map[string]Shot
	Side  int
}

// Shot is where a picture of a report comes from: a file by its number, or a sentence that says why there is none.
type Shot struct {
	File    int
	Problem string
	// View is what is shown of a sheet; the file is then an archive of its tiles. Otherwise it is a picture that this package made of a photograph.
	View *View
	// Whole says that the picture is shown as it is: it is small enough.
	Whole bool
}

// reportOrder is what a child is told of a report: its files lie in one folder, under their numbers.
type reportOrder struct {
	Folder string
	Report Report
}

// Report makes a report; open gives the file of a number, and progress is told how far it is, from 0 to 100. A picture whose file is not there is left out with
// the sentence of that error, if it is one for people. The result is removed with the File.
func (w *Workshop) Report(ctx context.Context, r Report, open func(file int) (io.ReadCloser, error), progress func(percent int)) (*File, string, error) {
	f, err := w.clear()
	if err != nil {
		return nil, "", err
	}
	path, err := f.report(ctx, r, open, progress)
	if err != nil {
		return nil, "", errors.Join(err, f.Close())
	}
	return f, path, nil
}

func (f *File) report(ctx context.Context, r Report, open func(int) (io.ReadCloser, error), progress func(int)) (string, error) {
	brought, done := map[int]bool{}, 0
	for _, s := range r.Shots {
		done++
		if brought[s.File] || s.Problem != "" {
			continue
		}
		in, err := open(s.File)
		if wrong := about(err); wrong != "" {
			for other, o := range r.Shots {
				if o.File == s.File && o.Problem == "" {
					o.Problem = wrong
					r.Shots[other] = o
				}
			}
			continue
		}
		if err != nil {
			return "", err
		}
		brought[s.File] = true
		if err := errors.Join(f.bring(strconv.Itoa(s.File), in), in.Close()); err != nil {
			return "", err
		}
		progress(50 * done / len(r.Shots))
	}
	var name, place string
	err := f.told(func(pictures int) { progress(50 + 45*pictures/max(1, len(r.Shots))) }, func() (err error) {
		place, err = f.do(ctx, "The report", reportTask, reportOrder{f.folder, r}, &name)
		return err
	})
	if err != nil {
		return "", err
	}
	return filepath.Join(place, filepath.Base(name)), nil
}

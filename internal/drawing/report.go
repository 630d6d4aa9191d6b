package drawing

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"

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
	if err := f.bringShots(r.Shots, open, func(done, of int) { progress(50 * done / of) }); err != nil {
		return "", err
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

// bringShots brings the files of all pictures; a shot whose file is not there says so from then on.
func (f *File) bringShots(shots map[string]Shot, open func(int) (io.ReadCloser, error), progress func(done, of int)) error {
	var files []int
	for _, s := range shots {
		if s.Problem == "" {
			files = append(files, s.File)
		}
	}
	slices.Sort(files)
	files = slices.Compact(files)
	wrong := make([]string, len(files))
	err := several(len(files), func(i int) error {
		in, err := open(files[i])
		if wrong[i] = about(err); wrong[i] != "" {
			return nil
		}
		if err != nil {
			return err
		}
		return f.bringNumber(files[i], in)
	}, func(done int) { progress(done, len(files)) })
	if err != nil {
		return err
	}
	for name, s := range shots {
		if i, found := slices.BinarySearch(files, s.File); found && s.Problem == "" {
			s.Problem = wrong[i]
			shots[name] = s
		}
	}
	return nil
}

package drawing

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"

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
	// Records, where it is not nil, gives put what it is made of, each a report.Issue or a report.Field: these lie in a
	// file from then on, and nobody holds all of them but the child. It is done before anything else, and may say more
	// of the report, such as its pictures.
	Records func(r *Report, put func(record any) error) error `json:"-"`
}

// Shot is where a picture of a report comes from: a file by its number, or a sentence that says why there is none.
type Shot struct {
	File    int
	Problem string
	// View is what is shown of a sheet; the file is then an archive of its tiles. Otherwise it is a picture that this
	// package made of a photograph.
	View *View
	// Whole says that the picture is shown as it is: it is small enough.
	Whole bool
}

// reportOrder is what a child is told of a report: it asks for its files by their numbers.
type reportOrder struct {
	Report Report
	// Gathered says that its records lie in a file.
	Gathered bool

	*hatch `json:"-"`
}

// Report makes a report; open gives the file of a number, and progress is told how far it is, from 0 to 100. A picture
// whose file is not there is left out with the sentence of that error, if it is one for people. The result is removed
// with the File.
func (w *Workshop) Report(ctx context.Context, r Report, open func(file int) (io.ReadCloser, error),
	progress func(percent int),
) (*File, string, error) {
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

func (f *File) report(ctx context.Context, r Report, open func(int) (io.ReadCloser, error), progress func(int)) (string,
	error,
) {
	if r.Records != nil {
		if err := f.keepRecords(&r); err != nil {
			return "", err
		}
	}
	if err := f.bringShots(r.Shots, open, func(done, of int) { progress(50 * done / of) }); err != nil {
		return "", err
	}
	var name, place string
	err := f.told(func(pictures int) { progress(50 + 45*pictures/max(1, len(r.Shots))) }, func() (err error) {
		place, err = f.do(ctx, "The report", reportTask, reportOrder{Report: r, Gathered: r.Records != nil}, &name)
		return err
	})
	if err != nil {
		return "", err
	}
	return filepath.Join(place, filepath.Base(name)), nil
}

// recordsName is the file of a report's records. No file that is brought has the name, as those have numbers.
const recordsName = "records"

// keepRecords has the records of a report written.
func (f *File) keepRecords(r *Report) error {
	file, err := os.OpenFile(filepath.Join(f.folder, recordsName), os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(file)
	err = r.Records(r, func(record any) error { return json.MarshalWrite(out, record) })
	if err == nil {
		err = out.Flush()
	}
	return errors.Join(err, file.Close())
}

// bringShots brings the files of all pictures; a shot whose file is not there says so from then on.
func (f *File) bringShots(shots map[string]Shot, open func(int) (io.ReadCloser, error),
	progress func(done, of int),
) error {
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

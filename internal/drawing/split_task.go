package drawing

import (
	"bufio"
	"errors"
	"io"
	"os"

	"github.com/klippa-app/go-pdfium/requests"
	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
)

// mostRead is the size up to which a file is split by the library that reads all of it.
const mostRead = 128 << 20

// splitTask makes a PDF of one page. The first library shares and keeps more; what it refuses, the one that draws can
// still copy.
func splitTask(d *document, o pageOrder, create maker) (any, error) {
	if o.Page < 1 {
		return nil, bad("The PDF has no page %d.", o.Page)
	}
	const file = "page.pdf"
	out, err := create(file)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	if err := write(out, func(w io.Writer) error { return d.extract(o.Page, w) }); err != nil {
		if err := out.Truncate(0); err != nil {
			return nil, err
		}
		if _, err := out.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		if err := write(out, func(w io.Writer) error { return d.copy(o.Page, w) }); err != nil {
			if trouble := (*os.PathError)(nil); errors.As(err, &trouble) {
				return nil, err
			}
			return nil, unreadable(name(o.Page), err)
		}
	}
	return Picture{Path: file}, out.Close()
}

func write(out *os.File, do func(io.Writer) error) error {
	w := bufio.NewWriter(out)
	return errors.Join(do(w), w.Flush())
}

// writeNew writes a new file.
func writeNew(create maker, name string, do func(io.Writer) error) error {
	out, err := create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(out, do), out.Close())
}

// extract writes one page with pdfcpu.
func (d *document) extract(number int, w io.Writer) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.Join(errors.New("pdfcpu stopped"), err)
		}
	}()
	if d.foreign == nil {
		info, err := d.file.Stat()
		if err != nil {
			return err
		}
		if info.Size() > mostRead {
			return errors.New("the file is too large")
		}
		api.DisableConfigDir()
		conf := model.NewDefaultConfiguration()
		conf.ValidationMode = model.ValidationRelaxed
		conf.Cmd = model.TRIM
		// A second handle: the library that draws has its own place in the file.
		in, err := d.again()
		if err != nil {
			return err
		}
		defer in.Close()
		// What is read later comes from memory.
		if d.foreign, err = api.ReadValidateAndOptimize(in, conf); err != nil {
			return err
		}
	}
	one, err := pdfcpu.ExtractPages(d.foreign, []int{number}, false)
	if err != nil {
		return err
	}
	return api.WriteContext(one, w)
}

// copy writes one page with the library that draws.
func (d *document) copy(number int, w io.Writer) error {
	made, err := d.lib.FPDF_CreateNewDocument(&requests.FPDF_CreateNewDocument{})
	if err != nil {
		return err
	}
	defer func() { _, _ = d.lib.FPDF_CloseDocument(&requests.FPDF_CloseDocument{Document: made.Document}) }()
	if _, err := d.lib.FPDF_ImportPagesByIndex(&requests.FPDF_ImportPagesByIndex{
		Source:      d.handle,
		Destination: made.Document, PageIndices: []int{number - 1},
	}); err != nil {
		return err
	}
	_, err = d.lib.FPDF_SaveAsCopy(&requests.FPDF_SaveAsCopy{Document: made.Document, FileWriter: w})
	return err
}

package drawing

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/klippa-app/go-pdfium"
	pdf "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/tetratelabs/wazero"
)

// document is the PDF that a child has open; it stays open for the next task about the same file.
type document struct {
	name    string
	file    *os.File
	again   func() (*os.File, error) // opens it once more
	lib     pdfium.Pdfium
	handle  references.FPDF_DOCUMENT
	pages   int
	foreign *model.Context // the same file as the other library reads it
}

// task makes a task of a function on the open document and, where the order names one, one of its pages.
func (d *document) task(do func(d *document, o pageOrder, create maker) (any, error)) task {
	return func(o order) (any, error) {
		var page pageOrder
		if err := json.Unmarshal(o.Details, &page); err != nil {
			return nil, err
		}
		if err := d.open(inputName, o.hatch); err != nil {
			return nil, err
		}
		if page.Page < 0 || page.Page > d.pages {
			return nil, bad("The PDF has %d pages; there is no page %d.", d.pages, page.Page)
		}
		return do(d, page, o.create)
	}
}

// open makes the document that of a file.
func (d *document) open(name string, from *hatch) error {
	if d.name == name {
		return nil
	}
	if d.lib == nil {
		return errors.New("the library that draws was not started")
	}
	if d.name != "" {
		_, err := d.lib.FPDF_CloseDocument(&requests.FPDF_CloseDocument{Document: d.handle})
		if err = errors.Join(err, d.file.Close()); err != nil {
			return err
		}
	}
	*d = document{lib: d.lib}
	again := func() (*os.File, error) { return from.open(name) }
	file, err := again()
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		return bad("The PDF is empty.")
	}
	if info.Size() > math.MaxInt32 {
		return bad("The PDF has %d MB; at most %d MB are read.", info.Size()>>20, math.MaxInt32>>20)
	}
	doc, err := d.lib.OpenDocument(&requests.OpenDocument{FileReader: file, FileReaderSize: info.Size()})
	if err != nil {
		return unreadable("The PDF", err)
	}
	count, err := d.lib.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: doc.Document})
	if err != nil {
		return unreadable("The PDF", err)
	}
	if count.PageCount > MostPages {
		return bad("The PDF has %d pages; at most %d are read. Split it into several files.", count.PageCount,
			MostPages)
	}
	if count.PageCount < 1 {
		return bad("The PDF has no pages.")
	}
	d.name, d.file, d.again, d.handle, d.pages = name, file, again, doc.Document, count.PageCount
	return nil
}

// start starts the library. What it compiled is kept on disk, as that takes seconds. It sees no file system. A child
// starts it before it has seen any file and loses sight of the disk then: what was compiled is never written by one
// that a file may have taken over.
func (d *document) start(cache string) error {
	kept, err := wazero.NewCompilationCacheWithDir(filepath.Join(cache, "compiled"))
	if err != nil {
		return err
	}
	pool, err := webassembly.Init(webassembly.Config{
		MinIdle: 1, MaxIdle: 1, MaxTotal: 1, Stdout: io.Discard, Stderr: os.Stderr, FSConfig: wazero.NewFSConfig(),
		RuntimeConfig: wazero.NewRuntimeConfig().WithCompilationCache(kept),
	})
	if err != nil {
		return err
	}
	d.lib, err = pool.GetInstance(time.Minute)
	return err
}

// unreadable says what the library found. What it does not explain is a fault in the file that it did not expect.
func unreadable(what string, err error) error {
	switch {
	case errors.Is(err, pdf.ErrPassword):
		return bad("The PDF is protected by a password. Remove the protection and upload it again.")
	case errors.Is(err, pdf.ErrSecurity):
		return bad("The PDF is encrypted in a way that cannot be read. Remove the protection and upload it again.")
	case errors.Is(err, pdf.ErrFormat), errors.Is(err, pdf.ErrFile):
		return bad("The file is no PDF, or it is damaged.")
	}
	e := bad("%s is damaged and cannot be read.", what)
	e.Cause = err
	return e
}

// page names a page for the library.
func (d *document) page(number int) requests.Page {
	return requests.Page{ByIndex: &requests.PageByIndex{Document: d.handle, Index: number - 1}}
}

// size gives the size of a page, which is one that can be drawn.
func (d *document) size(number int) (Size, error) {
	s, err := d.lib.FPDF_GetPageSizeByIndexF(&requests.FPDF_GetPageSizeByIndexF{Document: d.handle, Index: number - 1})
	if err != nil {
		return Size{}, unreadable(name(number), err)
	}
	size := Size{float64(s.Size.Width), float64(s.Size.Height)}
	const most = mostInches * 72
	switch largest := max(size.Width, size.Height); {
	case !(min(size.Width, size.Height) > 0) || math.IsInf(largest, 0):
		return size, bad("%s has no size.", name(number))
	case largest > most+1:
		return size, bad("%s is %s inches long; at most %d are read.", name(number),
			strconv.FormatFloat(largest/72, 'f', 0, 64), mostInches)
	}
	return size, nil
}

// pagesTask gives the sizes of all pages; one that has none that can be drawn has 0.
func pagesTask(d *document, _ pageOrder, _ maker) (any, error) {
	sizes := make([]Size, d.pages)
	for i := range sizes {
		if size, err := d.size(i + 1); err == nil {
			sizes[i] = size
		}
	}
	return sizes, nil
}

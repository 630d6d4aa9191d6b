package uploads

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"groundwork/prove/estate"
	"groundwork/prove/lab"
)

// hostileDrawings are files that whoever reads PDFs should survive.
func hostileDrawings() map[string][]byte {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(bytes.Repeat([]byte("0 0 1 1 re f\n"), 2<<20)) // into memory
	_ = z.Close()
	const catalog, pages = "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
	page := func(more string) string {
		return "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 792 612] /Contents 4 0 R " + more + " >>"
	}
	good := estate.Drawings("A-101", "A-102")
	return map[string][]byte{
		"nothing":                         nil,
		"no PDF":                          []byte("<html><script>alert(1)</script></html>"),
		"half a PDF":                      good[:len(good)/2],
		"a PDF without its end":           good[:len(good)-40],
		"pages that are their own parent": estate.PDF(catalog, "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>"),
		"a billion pages": estate.PDF(catalog, "<< /Type /Pages /Kids [3 0 R] /Count 1000000000 >>",
			page(""), estate.PDFStream("", "")),
		"a page of a thousand kilometres": estate.PDF(catalog, pages,
			"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 3e9 3e9] /Contents 4 0 R >>", estate.PDFStream("", "0 0 1 1 re f")),
		"a page of no size": estate.PDF(catalog, pages,
			"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 0 0] /Contents 4 0 R >>", estate.PDFStream("", "0 0 1 1 re f")),
		"a form that contains itself": estate.PDF(catalog, pages, page("/Resources << /XObject << /X 5 0 R >> >>"),
			estate.PDFStream("", "/X Do"),
			estate.PDFStream("/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >>",
				"/X Do /X Do")),
		"27 MB of squares in 30 KB": estate.PDF(catalog, pages, page(""),
			estate.PDFStream("/Filter /FlateDecode", packed.String())),
		"arrays ninety thousand deep": estate.PDF(catalog, pages, page("/Deep "+strings.Repeat("[", 90_000)),
			estate.PDFStream("", "")),
		"a script and a program to start": estate.PDF(
			"<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (while(1){}) >> /AA << /WC << /S /Launch /F (/bin/sh) >> >> >>", pages, page(""), estate.PDFStream("", "")),
		"a picture of 100 gigapixels": estate.PDF(catalog, pages, page("/Resources << /XObject << /I 5 0 R >> >>"),
			estate.PDFStream("", "700 0 0 600 0 0 cm /I Do"),
			estate.PDFStream("/Type /XObject /Subtype /Image /Width 400000 /Height 250000 /BitsPerComponent 8 /ColorSpace /DeviceGray", "x")),
		"numbers that are too large": estate.PDF(catalog, pages,
			"<< /Type /Page /Parent 2 0 R /Rotate 99999999999999999999 /MediaBox [-1e308 1e308 1e309 nan] /Contents 99999999999 0 R >>", estate.PDFStream("", "")),
	}
}

// drawings uploads such sets, waits until each was read or given up, and looks at what is served of them.
func (r *raid) drawings() error {
	sets := map[string]*estate.DrawingSet{}
	for name, content := range hostileDrawings() {
		r.count("drawing")
		s, err := estate.SendSet(r.t, r.client, r.project, content)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		sets[name] = s
	}
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		if err := estate.AwaitSet(r.t, r.client, r.project, sets[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if s := sets[name]; s.Processing.Status == "errored" && !s.HasError() {
			r.wrong("%s was given up without a word", name)
		}
	}
	sheets, _, err := r.client.ListAll(r.t, r.project+"/sheets")
	if err != nil {
		return err
	}
	for _, raw := range sheets {
		var f lab.Fields
		if err := json.Unmarshal(raw, &f); err != nil {
			return err
		}
		for _, field := range []string{"file_url", "thumbnail_url"} {
			a, err := r.client.DoWithoutKey(r.t, http.MethodGet, f.Text(field), nil, "")
			if err != nil || a.Status != http.StatusOK || len(a.Body) == 0 {
				r.wrong("the %s of a sheet: %v, %v", field, a, err)
				continue
			}
			r.harmless("a sheet", a)
		}
	}
	return nil
}

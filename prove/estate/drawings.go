package estate

import (
	"bytes"
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/prove/lab"
)

// DrawingSet is a set of drawings on its way.
type DrawingSet struct {
	UID      string `json:"uid"`
	Complete string `json:"complete_url"`
	Requests []struct {
		URL string `json:"url"`
	} `json:"file_upload_requests"`
	Processing struct {
		Status string  `json:"status"`
		Error  *string `json:"error"`
		Files  []struct {
			Error *string `json:"error"`
			Pages []struct {
				Error *string `json:"error"`
			} `json:"pages"`
		} `json:"files"`
	} `json:"processing"`
}

// HasError tells whether anything says what is wrong with the set, a file or a page of it.
func (s *DrawingSet) HasError() bool {
	said := s.Processing.Error != nil
	for _, f := range s.Processing.Files {
		said = said || f.Error != nil
		for _, p := range f.Pages {
			said = said || p.Error != nil
		}
	}
	return said
}

// ended tells whether the set was read, or given up.
func (s *DrawingSet) ended() bool {
	return s.Processing.Status == "complete" || s.Processing.Status == "errored"
}

// SendSet uploads files as a set of drawings, which is then read in the background.
func SendSet(t *lab.Trial, c *lab.Client, project string, files ...[]byte) (*DrawingSet, error) {
	s := &DrawingSet{}
	if err := c.MustDo(t, http.MethodPost, project+"/sheets/uploads",
		lab.Object{"num_files": len(files), "version_name": "Issued for construction"}, s); err != nil {
		return nil, err
	}
	for i, content := range files {
		f := &lab.UploadForm{}
		if err := c.MustDo(t, http.MethodPost, s.Requests[i].URL, lab.Object{"file_name": fmt.Sprintf("set %d.pdf", i)},
			f); err != nil {
			return nil, err
		}
		a, err := c.PostFile(t, f, content)
		if err == nil && a.Status == http.StatusSeeOther {
			a, err = c.DoWithoutKey(t, http.MethodGet, f.Webhook, nil, "")
		}
		if err == nil && a.Status != http.StatusOK {
			err = fmt.Errorf("the upload of a drawing: %s", a)
		}
		if err != nil {
			return nil, err
		}
	}
	return s, c.MustDo(t, http.MethodPost, s.Complete, nil, s)
}

// AwaitSet waits until a set was read or given up.
func AwaitSet(t *lab.Trial, c *lab.Client, project string, s *DrawingSet) error {
	for !s.ended() {
		select {
		case <-t.Done():
			return fmt.Errorf("a set of drawings is not read: %w", t.Err())
		case <-time.After(10 * time.Millisecond):
		}
		a, err := lab.DoUntilAnswered(t, c, http.MethodGet, project+"/sheets/uploads/"+s.UID, nil)
		if err == nil {
			err = json.Unmarshal(a.Body, s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// AwaitTiles waits until all sheets of a project were cut into tiles, which changes them.
func AwaitTiles(t *lab.Trial, c *lab.Client, project string) error {
	for {
		records, _, err := c.ListAll(t, project+"/sheets")
		if err != nil {
			return err
		}
		waits := 0
		for _, raw := range records {
			var f lab.Fields
			if err := json.Unmarshal(raw, &f); err != nil {
				return err
			}
			if f.Text("tiles_url") == "" && f.Text("tiles_error") == "" {
				waits++
			}
		}
		if waits == 0 {
			return nil
		}
		select {
		case <-t.Done():
			return fmt.Errorf("%d sheets have no tiles: %w", waits, t.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Drawings is a PDF with a page for each number, which stands in its lower right corner.
func Drawings(numbers ...string) []byte {
	kids := ""
	for i := range numbers {
		kids += fmt.Sprintf("%d 0 R ", 4+2*i)
	}
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>", fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids, len(numbers)),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	}
	for i, number := range numbers {
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 792 612] /Resources << /Font << /F 3 0 R >> >> /Contents %d 0 R >>", 5+2*i),
			PDFStream("", fmt.Sprintf(
				"BT /F 9 Tf 640 60 Td (FLOOR PLAN) Tj ET\nBT /F 20 Tf 690 24 Td (%s) Tj ET\n40 40 600 500 re S",
				number)))
	}
	return PDF(objects...)
}

// PDF is a PDF of these objects; the first is its catalog.
func PDF(objects ...string) []byte {
	var b bytes.Buffer
	var places []int
	b.WriteString("%PDF-1.7\n")
	for i, o := range objects {
		places = append(places, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	end := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(places)+1)
	for _, at := range places {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(places)+1, end)
	return b.Bytes()
}

// PDFStream is an object for PDF that has a content beside its dictionary.
func PDFStream(dictionary, content string) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dictionary, len(content), content)
}

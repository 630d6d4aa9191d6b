package apitest_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	. "groundwork/internal/apitest"

	"groundwork/internal/await"
)

// endlessPDF has pages that take hours: a large picture, drawn again and again in the same place.
func endlessPDF(t *testing.T, pages int) []byte {
	t.Helper()
	const side = 4000
	var picture, b bytes.Buffer
	z := zlib.NewWriter(&picture)
	_, err := z.Write(make([]byte, side*side))
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	content := "600 0 0 700 0 0 cm " + strings.Repeat("/I Do ", 100_000)
	fmt.Fprintf(&b, "%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[%s]/Count %d>>endobj\n", strings.Repeat("3 0 R ", pages), pages)
	b.WriteString("3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>endobj\n")
	fmt.Fprintf(&b, "4 0 obj<</Length %d>>stream\n%s\nendstream endobj\n", len(content), content)
	fmt.Fprintf(&b, "5 0 obj<</Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8/ColorSpace/DeviceGray/Filter/FlateDecode/Length %d>>stream\n%s\nendstream endobj\n",
		side, side, picture.Len(), picture.String())
	b.WriteString("trailer<</Root 1 0 R/Size 6>>\n%%EOF")
	return b.Bytes()
}

// TestTilesComeLast: as long as somebody waits for a file, no tiles are cut; then they are.
func TestTilesComeLast(t *testing.T) {
	t.Parallel()
	Engines(t, func(t *testing.T, engine string) {
		s := Start(t, engine)
		ada := s.Account("ada")
		project := ada.Project("P")
		work(t, s)
		waiting, err := s.App.Drawing.Bring(strings.NewReader("somebody waits for this"))
		if err != nil {
			t.Fatal(err)
		}
		for _, version := range []string{"Issue 1", "Issue 2"} {
			set := ada.UploadSet(project, version, true, SetFile{
				version + ".pdf", plainPDF("0 0 612 792", "0 0 612 792", "0 0 612 792"),
			})
			until(t, ada, project, set, ended)
		}
		tiled := func() (n int) {
			for _, sheet := range sheetsOf(t, ada, project, "") {
				if sheet.TilesURL != "" {
					n++
				}
			}
			return n
		}
		if n := tiled(); n > 0 {
			t.Errorf("%d sheets have tiles", n)
		}
		if err := waiting.Close(); err != nil {
			t.Fatal(err)
		}
		await.True(t, 5*time.Minute, "fewer than 6 sheets have tiles", func() bool { return tiled() >= 6 })
	})
}

// TestEndlessDrawing: a file whose pages never end is given up with a sentence, and holds up a set that is sent after
// it for one page only.
func TestEndlessDrawing(t *testing.T) {
	t.Parallel()
	Engines(t, func(t *testing.T, engine string) {
		s := Start(t, engine)
		ada := s.Account("ada")
		project := ada.Project("P")
		ctx, cancel := context.WithCancel(t.Context())
		s.App.Jobs.Start(ctx)
		// What the library compiles at its first start would be taken for a part of the page.
		until(t, ada, project, ada.UploadSet(project, "Issue 1", true, SetFile{"first.pdf", plainPDF("0 0 612 792")}),
			ended)
		cancel()
		if err := s.App.Jobs.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Restart(ReadWithin(2 * time.Second))
		endless := ada.UploadSet(project, "Issue 2", true, SetFile{"endless.pdf", endlessPDF(t, 3)}, SetFile{
			"behind.pdf", plainPDF("0 0 612 792"),
		})
		good := ada.UploadSet(project, "Issue 3", true, SetFile{
			"good.pdf", plainPDF("0 0 612 792", "0 0 612 792", "0 0 612 792", "0 0 612 792"),
		})
		work(t, s)
		if r := until(t, ada, project, good, ended); r.Status != "complete" || r.Processing.PagesDone != 4 {
			t.Errorf("the good set is %+v", r)
		}
		// Its four pages take twelve tasks: had each waited for a page of the other file, that would be through.
		if r := progress(t, ada, project, endless); ended(r) || r.Processing.PagesDone > 1 {
			t.Errorf("by now the endless one is %+v", r)
		}
		r := until(t, ada, project, endless, ended)
		if f := r.Processing.Files[0]; f.FileName != "endless.pdf" || f.Status != "errored" ||
			f.Error != "No page of the file can be read. The first: Page 1 could not be read within 2s." {
			t.Errorf("the endless file is %+v", f)
		}
		if f := r.Processing.Files[1]; f.Status != "complete" || len(f.Pages) != 1 || !r.Processing.Published {
			t.Errorf("the file behind it is %+v", f)
		}
	})
}

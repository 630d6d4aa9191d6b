package apitest_test

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"net/http"
	"os"
	"strings"
	"testing"

	. "groundwork/internal/apitest"
	"groundwork/internal/drawing"
)

// scannedSheet is a PDF of one page that is nothing but a picture of a drawing: of A-214, a plan.
func scannedSheet(t *testing.T, s *Server) []byte {
	t.Helper()
	var content strings.Builder
	say := func(size, x, y int, text string) {
		fmt.Fprintf(&content, "BT /F %d Tf %d %d Td (%s) Tj ET ", size, x, y, text)
	}
	content.WriteString("15 15 762 582 re S 560 15 m 560 597 l S 560 110 m 777 110 l S ")
	say(8, 570, 95, "SHEET NUMBER")
	say(36, 590, 40, "A-214")
	say(8, 570, 190, "SHEET TITLE")
	say(14, 570, 150, "SECOND FLOOR PLAN")
	say(9, 570, 500, "HARBOR STREET SCHOOL")
	say(9, 570, 480, "CONSTRUCTION DOCUMENTS")
	say(9, 40, 40, "VERIFY ALL DIMENSIONS IN THE FIELD BEFORE CONSTRUCTION BEGINS")
	say(12, 200, 300, "MECHANICAL ROOM")
	drawn := fmt.Appendf(nil, "%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"+
		"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 792 612]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj\n"+
		"4 0 obj<</Length %d>>stream\n%s\nendstream endobj 5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n"+
		"trailer<</Root 1 0 R/Size 6>>\n%%%%EOF", content.Len(), content.String())
	f, err := s.App.Drawing.Bring(bytes.NewReader(drawn))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := f.Render(t.Context(), 1, 150)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(picture.Path)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	grey := image.NewGray(img.Bounds())
	draw.Draw(grey, grey.Rect, img, image.Point{}, draw.Src)
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	if _, err := z.Write(grey.Pix); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return fmt.Appendf(nil, "%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"+
		"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 792 612]/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>>>endobj\n"+
		"4 0 obj<</Length 25>>stream\n792 0 0 612 0 0 cm /X Do \nendstream endobj 5 0 obj<</Type/XObject/Subtype/Image/Width %d/Height %d"+
		"/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/FlateDecode/Length %d>>stream\n%s\nendstream endobj\n"+
		"trailer<</Root 1 0 R/Size 6>>\n%%%%EOF", grey.Rect.Dx(), grey.Rect.Dy(), packed.Len(), packed.Bytes())
}

// A scanned drawing is published under the number that was recognised on it, is found by its words, and shows where
// they stand. Without a recogniser it has the name of its file, as before.
func TestScannedDrawings(t *testing.T) {
	t.Parallel()
	Engines(t, func(t *testing.T, engine string) {
		for _, way := range []struct{ recognition, name string }{
			{drawing.RecognitionAuto, "A-214"}, {drawing.RecognitionOff, "scan p001"},
		} {
			s := Start(t, engine, Recognition(way.recognition))
			ada := s.Account("ada")
			project := ada.Project("P")
			work(t, s)
			set := ada.UploadSet(project, "Issue 1", true, SetFile{"scan.pdf", scannedSheet(t, s)})
			r := until(t, ada, project, set, ended)
			sheets := sheetsOf(t, ada, project, "")
			if r.Status != "complete" || len(sheets) != 1 || sheets[0].Name != way.name {
				t.Fatalf("%s: %+v, %+v", way.recognition, r, sheets)
			}
			found := sheetsOf(t, ada, project, "q=mechanical")
			if way.recognition == drawing.RecognitionOff {
				if len(found) != 0 {
					t.Errorf("found %+v", found)
				}
				continue
			}
			if sheets[0].Description != "SECOND FLOOR PLAN" || len(found) != 1 {
				t.Errorf("the sheet is %+v, found %+v", sheets[0], found)
			}
			var text struct {
				Data []struct {
					Text           string
					X0, Y0, X1, Y1 float64
				}
			}
			answer := ada.Want(http.StatusOK, "GET", "/projects/"+project+"/sheets/"+sheets[0].UID+"/text?q=mechanical", nil)
			if err := json.Unmarshal(answer.Body, &text); err != nil || len(text.Data) != 1 ||
				text.Data[0].X0 < 0.24 || text.Data[0].X0 > 0.27 || text.Data[0].Y0 < 0.48 || text.Data[0].Y1 > 0.53 {
				t.Errorf("the word stands at %s, %v", answer.Body, err)
			}
		}
	})
}

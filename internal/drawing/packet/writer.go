package packet

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"groundwork/internal/fault"
)

// mostBytes is how large a packet becomes: what is pinned to a sheet's file is written for each page that shows it, so
// that files do not bound it.
const mostBytes = 2 << 30

var errTooLarge = fault.New(fault.Invalid, "The packet would be larger than %d GB. Ask for fewer sheets at once.",
	mostBytes>>30)

// writer writes the objects of a PDF as they come: of the file itself nothing is kept but where each object lies.
type writer struct {
	out *bufio.Writer
	at  int64
	// offsets are where the objects lie, by number less one; 0 of one that is only reserved.
	offsets []int64
	// same finds an object by what it holds: typefaces and pictures that many sheets share are in the packet once.
	same map[[sha256.Size]byte]int
	// root is the object of the tree of pages.
	root int
}

func newWriter(out io.Writer) *writer {
	w := &writer{out: bufio.NewWriterSize(out, 1<<16), same: map[[sha256.Size]byte]int{}}
	w.root = w.reserve(1)[0]
	// Bytes beyond ASCII in the second line tell programs that this is no text.
	w.print("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	return w
}

// print writes text; an error stays with the buffer and comes out at the end.
func (w *writer) print(parts ...string) {
	for _, s := range parts {
		n, _ := w.out.WriteString(s)
		w.at += int64(n)
	}
}

// reserve gives numbers to objects that are written later.
func (w *writer) reserve(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		w.offsets = append(w.offsets, 0)
		numbers[i] = len(w.offsets)
	}
	return numbers
}

// body is what stands under a number: text, and behind it what a stream holds. That may be large, so it is not copied
// on its way.
type body struct {
	text   string
	stream bool
	holds  []byte
}

// write writes an object under a number that was reserved.
func (w *writer) write(number int, text string) error { return w.writeBody(number, body{text: text}) }

func (w *writer) writeBody(number int, o body) error {
	w.offsets[number-1] = w.at
	w.print(fmt.Sprintf("%d 0 obj\n", number), o.text)
	if o.stream {
		w.print("\nstream\n")
		n, _ := w.out.Write(o.holds)
		w.at += int64(n)
		w.print("\nendstream")
	}
	w.print("\nendobj\n")
	if w.at > mostBytes {
		return errTooLarge
	}
	_, err := w.out.Write(nil)
	return err
}

// put writes an object, unless one like it is there, and gives its number.
func (w *writer) put(o body) (int, error) {
	hash := sha256.New()
	fmt.Fprintln(hash, o.text, o.stream)
	hash.Write(o.holds)
	sum := [sha256.Size]byte(hash.Sum(nil))
	if n, have := w.same[sum]; have {
		return n, nil
	}
	n := w.reserve(1)[0]
	w.same[sum] = n
	return n, w.writeBody(n, o)
}

// end writes the table of objects.
func (w *writer) end(catalog, info int) error {
	for i, at := range w.offsets {
		if at == 0 { // it belonged to a page that had to be read in another way
			if err := w.write(i+1, "null"); err != nil {
				return err
			}
		}
	}
	start := w.at
	w.print(fmt.Sprintf("xref\n0 %d\n0000000000 65535 f \n", len(w.offsets)+1))
	for _, at := range w.offsets {
		w.print(fmt.Sprintf("%010d 00000 n \n", at))
	}
	w.print(fmt.Sprintf("trailer\n<</Size %d/Root %d 0 R/Info %d 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(w.offsets)+1,
		catalog, info, start))
	return w.out.Flush()
}

// text is a string of a PDF in any script.
func text(s string) string {
	var b strings.Builder
	b.WriteString("<FEFF")
	for _, unit := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, "%04X", unit)
	}
	b.WriteString(">")
	return b.String()
}

// stream is an object that holds bytes.
func stream(content string) body {
	return body{fmt.Sprintf("<</Length %d>>", len(content)), true, []byte(content)}
}

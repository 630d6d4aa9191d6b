package archive

import (
	"archive/zip"
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"

	"github.com/go-json-experiment/json"
)

// writer writes the entries of an archive, one after the other, and notes their hashes. Nothing is compressed, and
// every entry has the same time: the same content is the same archive, whatever release writes it.
type writer struct {
	zip     *zip.Writer
	entries []entry
	counts  []count

	open  *entry
	sum   hash.Hash
	lines int64
	to    io.Writer
	buf   *bufio.Writer
}

func newWriter(to io.Writer) *writer { return &writer{zip: zip.NewWriter(to)} }

// firstDay is 1 January 1980, the first that the format knows.
const firstDay = 1<<5 | 1

// begin begins an entry.
func (w *writer) begin(path string) error {
	//nolint:staticcheck // Modified would add a field of its own
	to, err := w.zip.CreateHeader(&zip.FileHeader{Name: path, Method: zip.Store, ModifiedDate: firstDay})
	if err != nil {
		return err
	}
	w.open, w.sum, w.lines, w.to = &entry{Path: path}, sha256.New(), 0, to
	w.buf = bufio.NewWriterSize(direct{w}, 1<<16)
	return nil
}

// direct writes what was gathered.
type direct struct{ w *writer }

func (d direct) Write(b []byte) (int, error) {
	_, _ = d.w.sum.Write(b) // never fails
	d.w.open.Bytes += int64(len(b))
	return d.w.to.Write(b)
}

// Write writes into the entry that was begun.
func (w *writer) Write(b []byte) (int, error) { return w.buf.Write(b) }

// line writes a line of JSON.
func (w *writer) line(text []byte) error {
	w.lines++
	_, err := w.buf.Write(text)
	return errors.Join(err, w.buf.WriteByte('\n'))
}

func (w *writer) value(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return w.line(text)
}

// end ends the entry; counted says that it is of lines.
func (w *writer) end(counted bool) error {
	if w.buf == nil {
		return nil // it was not begun, for a reason that somebody tells
	}
	if err := w.buf.Flush(); err != nil {
		return err
	}
	w.open.SHA256 = hex.EncodeToString(w.sum.Sum(nil))
	w.entries, w.buf = append(w.entries, *w.open), nil
	if counted {
		w.counts = append(w.counts, count{w.open.Path, w.lines})
	}
	return nil
}

// whole writes an entry at once.
func (w *writer) whole(path string, content []byte) error {
	err := w.begin(path)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.end(false)
	}
	return err
}

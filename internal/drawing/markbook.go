package drawing

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"groundwork/internal/drawing/packet"
)

// marksName is the file of a packet's marks. No file that is brought has the name, as those have numbers.
const marksName = "marks"

// MarkBook is what is drawn on the sheets of a packet: the marks lie in a file, one after the other, and a child reads
// those of the sheet that it draws. So a mark is written once, on however many sheets it is, and a process holds those
// of one sheet at most.
type MarkBook struct {
	// Ends are where the marks end in the file, On which of them are on each sheet.
	Ends []int64
	On   [][]int

	out *bufio.Writer
}

// Add writes a mark and gives its number.
func (b *MarkBook) Add(m *packet.Mark) (int, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return 0, err
	}
	b.Ends = append(b.Ends, b.begin(len(b.Ends))+int64(len(text)))
	_, err = b.out.Write(text)
	return len(b.Ends) - 1, err
}

// Put puts a mark on a sheet, over those that are on it already.
func (b *MarkBook) Put(mark, sheet int) { b.On[sheet] = append(b.On[sheet], mark) }

// begin is where a mark begins in the file.
func (b *MarkBook) begin(mark int) int64 {
	if mark == 0 {
		return 0
	}
	return b.Ends[mark-1]
}

// book has the marks of a packet written; nil where there are none.
func (f *File) book(sheets int, mark func(*MarkBook) error) (*MarkBook, error) {
	if mark == nil {
		return nil, nil
	}
	out, err := os.OpenFile(filepath.Join(f.folder, marksName), os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	b := &MarkBook{On: make([][]int, sheets), out: bufio.NewWriter(out)}
	err = mark(b)
	if err == nil {
		err = b.out.Flush()
	}
	return b, errors.Join(err, out.Close())
}

// read gives the marks of a sheet.
func (b *MarkBook) read(in io.ReaderAt, sheet int) ([]packet.Mark, error) {
	var marks []packet.Mark
	for _, n := range b.On[sheet] {
		from := b.begin(n)
		var m packet.Mark
		if err := json.UnmarshalRead(io.NewSectionReader(in, from, b.Ends[n]-from), &m); err != nil {
			return nil, err
		}
		marks = append(marks, m)
	}
	return marks, nil
}

// Package table owns reading tables that other programs write: CSV in the usual encodings and forms, and spreadsheets
// (XLSX). It gives texts, row by row and within bounds, and evaluates nothing. It refuses to know what a column means.
package table

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Table is one table of a file.
type Table struct {
	// Name is that of the sheet; blank in a CSV file.
	Name string
	Rows []Row
	// Notes are sentences about what was odd.
	Notes []string
}

// Row is a row that has something in it, and where it stands, from 1.
type Row struct {
	Line  int
	Cells []string
}

// The bounds of a file. All of it is in memory at once.
const (
	mostBytes   = 256 << 20
	mostRows    = 1_000_000
	mostColumns = 1_000
	mostCells   = 10_000_000
	mostCell    = 1 << 20
	// A spreadsheet may show one text in many cells, which is written once: what all cells say, together.
	mostText = 256 << 20
	// A line may have more separators than cells that say something.
	mostSeparators = 16_384
	// Of a spreadsheet, which is compressed: the parts that are read, unpacked, and how many there are of them.
	mostUnpacked = 512 << 20
	mostParts    = 10_000
	mostSheets   = 100
	// Of one part: how deep its elements lie, and how long one of them, or a text in it, is as it is written.
	mostDepth = 64
	mostToken = 4 << 20
)

// bounds are those of a reading; tests have smaller ones.
type bounds struct {
	bytes, unpacked, token     int64
	rows, columns, cells, cell int
	parts, sheets, depth       int
	text, separators           int
	counted, said              int // cells, and bytes in them, so far
}

func usual() *bounds {
	return &bounds{
		bytes: mostBytes, unpacked: mostUnpacked, rows: mostRows, columns: mostColumns, cells: mostCells,
		cell: mostCell, parts: mostParts, sheets: mostSheets, text: mostText, separators: mostSeparators,
		depth: mostDepth, token: mostToken,
	}
}

// Read reads all tables of a file. Its errors are sentences that begin with a small letter and have no end: what is
// wrong with the file.
func Read(path string) ([]Table, error) { return usual().read(path) }

func (b *bounds) read(path string) ([]Table, error) {
	info, err := os.Stat(path) // before it is opened: a pipe would wait for somebody who writes
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, errors.New("there is no such file")
	case err != nil:
		return nil, fmt.Errorf("it cannot be read: %w", plain(err))
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no file")
	case info.Size() > b.bytes:
		return nil, fmt.Errorf("it has %d MB; a table may have at most %d MB", info.Size()>>20, b.bytes>>20)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", plain(err))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, b.bytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("it cannot be read: %w", plain(err))
	case int64(len(text)) > b.bytes:
		return nil, fmt.Errorf("it grows while it is read")
	case len(bytes.TrimSpace(text)) == 0:
		return nil, errors.New("it is empty")
	case bytes.HasPrefix(text, []byte("PK\x03\x04")):
		return b.readXLSX(text)
	case bytes.HasPrefix(text, []byte("\xd0\xcf\x11\xe0")):
		return nil, errors.New(
			"it is a spreadsheet in the old form (XLS), or one with a password. Open it and save it as XLSX or CSV")
	case bytes.HasPrefix(text, []byte("%PDF")):
		return nil, errors.New("it is a PDF, not a table. Put PDFs into a folder and import that")
	}
	t, err := b.readCSV(text)
	if err != nil {
		return nil, err
	}
	return []Table{t}, nil
}

// plain is an error without the path, which is said already.
func plain(err error) error {
	var where *os.PathError
	if errors.As(err, &where) {
		return where.Err
	}
	return err
}

// add adds a row that is not blank; the error says which bound it breaks.
func (b *bounds) add(t *Table, line int, cells []string) error {
	last := -1
	for i, text := range cells {
		if len(text) > b.cell {
			return fmt.Errorf("row %d has a cell of %d KB; a cell may have at most %d KB", line, len(text)>>10, b.cell>>10)
		}
		if strings.TrimSpace(text) != "" {
			last = i
		}
	}
	if last < 0 {
		return nil
	}
	if last >= b.columns {
		return fmt.Errorf("row %d has %d columns; a table may have at most %d", line, last+1, b.columns)
	}
	if len(t.Rows) >= b.rows {
		return fmt.Errorf("it has more than %d rows; split it", b.rows)
	}
	if b.counted += last + 1; b.counted > b.cells {
		return fmt.Errorf("it has more than %d cells; split it", b.cells)
	}
	for _, text := range cells[:last+1] {
		b.said += len(text)
	}
	if b.said > b.text {
		return fmt.Errorf("its cells have more than %d MB of text; split it", b.text>>20)
	}
	t.Rows = append(t.Rows, Row{line, cells[:last+1]})
	return nil
}

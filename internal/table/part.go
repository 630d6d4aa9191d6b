package table

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// partReader reads the elements of a part of a spreadsheet, within bounds: the decoder alone would remember every
// element that is open, and hold the longest one as a whole.
type partReader struct {
	*xml.Decoder
	*book
	in   *metered
	open []string
}

func (k *book) reader(from io.Reader) *partReader {
	in := &metered{from: from, left: &k.left}
	return &partReader{Decoder: xml.NewDecoder(in), book: k, in: in}
}

// Token gives the next element, end or text. What is open must be closed in turn; io.EOF is the end of the part.
func (d *partReader) Token() (xml.Token, error) {
	d.in.token = d.token
	token, err := d.RawToken()
	if errors.Is(err, io.EOF) && len(d.open) > 0 {
		return nil, io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	switch e := token.(type) {
	case xml.StartElement:
		if len(d.open) >= d.depth {
			return nil, told{fmt.Errorf("it is no spreadsheet: its elements lie more than %d deep", d.depth)}
		}
		d.open = append(d.open, e.Name.Local)
	case xml.EndElement:
		last := len(d.open) - 1
		if last < 0 || d.open[last] != e.Name.Local {
			return nil, errors.New("an end without a beginning")
		}
		d.open = d.open[:last]
	}
	return token, nil
}

// Skip reads on to the end of the element that was begun last.
func (d *partReader) Skip() error {
	for depth := len(d.open); len(d.open) >= depth; {
		if _, err := d.Token(); err != nil {
			return err
		}
	}
	return nil
}

// each calls fn with every element of a part, which may read on in it. A part that is not there has none.
func (k *book) each(name string, fn func(*partReader, xml.StartElement) error) error {
	f := k.parts[strings.ToLower(name)]
	if f == nil {
		return nil
	}
	r, err := f.Open()
	if err != nil {
		return fmt.Errorf("its part %s cannot be read", name)
	}
	defer r.Close()
	d := k.reader(r)
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			if e, is := token.(xml.StartElement); is {
				err = fn(d, e)
			}
		}
		if err != nil {
			return k.wrong(name, err)
		}
	}
}

// told is a sentence about a file; anything else that goes wrong inside of a part is damage.
type told struct{ error }

func (k *book) wrong(name string, err error) error {
	var t told
	switch {
	case errors.Is(err, errTooMuch):
		return fmt.Errorf("it becomes more than %d MB when it is unpacked; a spreadsheet may not", k.unpacked>>20)
	case errors.Is(err, errTooLong):
		return fmt.Errorf("it is no spreadsheet: an element or a text in it has more than %d MB", k.token>>20)
	case errors.As(err, &t):
		return t.error
	}
	return fmt.Errorf("it is no spreadsheet: its part %s is damaged", name)
}

var (
	errTooMuch = errors.New("too much")
	errTooLong = errors.New("too long")
)

// metered ends where more would be unpacked than may be, of all parts or for one token.
type metered struct {
	from  io.Reader
	left  *int64
	token int64
}

func (m *metered) Read(p []byte) (int, error) {
	switch {
	case *m.left <= 0:
		return 0, errTooMuch
	case m.token <= 0:
		return 0, errTooLong
	}
	n, err := m.from.Read(p[:min(int64(len(p)), *m.left, m.token)])
	*m.left -= int64(n)
	m.token -= int64(n)
	return n, err
}

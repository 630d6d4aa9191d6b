package drawing

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/internal/drawing/packet"
	"groundwork/internal/fault"
)

// packetTask puts a packet together.
const packetTask = "packet"

// packetOrder is what a child is told of a packet: it asks for its files by their numbers.
type packetOrder struct {
	Packet *packet.Packet
	// Marks are what is drawn, where that lies in a file.
	Marks *MarkBook
}

// sheetWithin is how long one sheet of a packet may take, on a busy machine.
const sheetWithin = 30 * time.Second

// tellEvery is how often progress is looked at.
const tellEvery = 200 * time.Millisecond

// PacketSource is where the parts of a packet come from.
type PacketSource struct {
	// Open gives the file of a number.
	Open func(file int) (io.ReadCloser, error)
	// Mark, where it is not nil, says what is drawn on the sheets.
	Mark func(b *MarkBook) error
}

// Packet puts sheets together into one PDF; progress is told how far it is, from 0 to 100. The result is removed with
// the File. fault.Invalid names the sheet that cannot be read.
func (w *Workshop) Packet(ctx context.Context, p *packet.Packet, from PacketSource, progress func(percent int)) (*File,
	string, error,
) {
	f, err := w.clear()
	if err != nil {
		return nil, "", err
	}
	path, err := f.packet(ctx, p, from, progress)
	if err != nil {
		return nil, "", errors.Join(err, f.Close())
	}
	return f, path, nil
}

func (f *File) packet(ctx context.Context, p *packet.Packet, from PacketSource, progress func(int)) (string, error) {
	book, err := f.book(len(p.Sheets), from.Mark)
	if err != nil {
		return "", err
	}
	var files []int
	for _, s := range p.Sheets {
		files = append(files, s.File)
	}
	slices.Sort(files)
	files = slices.Compact(files)
	err = several(len(files), func(i int) error {
		in, err := from.Open(files[i])
		if err != nil {
			return err
		}
		return f.bringNumber(files[i], in)
	}, func(done int) { progress(40 * done / len(files)) })
	if err != nil {
		return "", err
	}
	var name, place string
	err = f.told(func(page int) { progress(40 + 55*page/len(p.Pages())) }, func() (err error) {
		place, err = f.do(ctx, "The packet", packetTask, packetOrder{p, book}, &name)
		return err
	})
	if err != nil {
		return "", f.blame(p, err)
	}
	return filepath.Join(place, filepath.Base(name)), nil
}

// told does something in a child, and tells now and then how far the child says it is.
func (f *File) told(reached func(int), do func() error) error {
	f.reached.Store(0)
	ended, told := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(told)
		for look := time.NewTicker(tellEvery); ; {
			select {
			case <-ended:
				look.Stop()
				return
			case <-look.C:
				reached(int(f.reached.Load()))
			}
		}
	}()
	err := do()
	close(ended)
	<-told
	return err
}

// blame names the sheet at which a child was ended: nothing else is different from the packets that can be made.
func (f *File) blame(p *packet.Packet, err error) error {
	var e *fault.Error
	order := p.Pages()
	if at := f.reached.Load(); errors.As(err, &e) && e.Kind == fault.Invalid && at >= 0 && at < int64(len(order)) &&
		!strings.HasPrefix(e.Message, "The packet would") {
		e.Message = strings.Replace(e.Message, "The packet", "Sheet "+p.Sheets[order[at]].Name, 1)
	}
	return err
}

// packetTask is the task; the library that draws is started only for what the other one refuses.
func (d *document) packetTask(o order) (any, error) {
	var p packetOrder
	if err := json.Unmarshal(o.Details, &p); err != nil {
		return nil, err
	}
	const name = "packet.pdf"
	from := packet.Source{
		Open: func(n int) (io.ReadSeekCloser, error) { return o.open(strconv.Itoa(n)) },
		Mended: func(n int) (io.ReadSeekCloser, error) {
			if err := d.open(strconv.Itoa(n), o.hatch); err != nil {
				return nil, err
			}
			var out bytes.Buffer
			if err := d.copy(1, &out); err != nil {
				return nil, unreadable(name, err)
			}
			return held{bytes.NewReader(out.Bytes())}, nil
		},
		Within: sheetWithin,
		Begins: o.reached,
	}
	if p.Marks != nil {
		in, err := o.open(marksName)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		from.Marks = func(sheet int) ([]packet.Mark, error) { return p.Marks.read(in, sheet) }
	}
	return name, writeNew(o.create, name, func(w io.Writer) error { return packet.Write(w, p.Packet, from) })
}

// held is a file in memory.
type held struct{ *bytes.Reader }

func (held) Close() error { return nil }

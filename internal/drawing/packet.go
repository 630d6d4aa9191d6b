package drawing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
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

// packetOrder is what a child is told of a packet: its files lie in one folder, under their numbers.
type packetOrder struct {
	Folder string
	Packet *packet.Packet
}

// sheetWithin is how long one sheet of a packet may take, on a busy machine.
const sheetWithin = 30 * time.Second

// tellEvery is how often progress is looked at.
const tellEvery = 200 * time.Millisecond

// Packet puts sheets together into one PDF; open gives the file of a number, and progress is told how far it is, from 0 to 100. The result is removed with the
// File. fault.Invalid names the sheet that cannot be read.
func (w *Workshop) Packet(ctx context.Context, p *packet.Packet, open func(file int) (io.ReadCloser, error), progress func(percent int)) (*File, string, error) {
	f, err := w.clear()
	if err != nil {
		return nil, "", err
	}
	path, err := f.packet(ctx, p, open, progress)
	if err != nil {
		return nil, "", errors.Join(err, f.Close())
	}
	return f, path, nil
}

func (f *File) packet(ctx context.Context, p *packet.Packet, open func(int) (io.ReadCloser, error), progress func(int)) (string, error) {
	var files []int
	for _, s := range p.Sheets {
		files = append(files, s.File)
	}
	slices.Sort(files)
	files = slices.Compact(files)
	err := several(len(files), func(i int) error {
		in, err := open(files[i])
		if err != nil {
			return err
		}
		return f.bringNumber(files[i], in)
	}, func(done int) { progress(40 * done / len(files)) })
	if err != nil {
		return "", err
	}
	var name, place string
	err = f.told(func(sheet int) { progress(40 + 55*sheet/len(p.Sheets)) }, func() (err error) {
		place, err = f.do(ctx, "The packet", packetTask, packetOrder{f.folder, p}, &name)
		return err
	})
	if err != nil {
		return "", f.blame(p, err)
	}
	return filepath.Join(place, filepath.Base(name)), nil
}

// told does something in a child, and tells now and then how far the child says it is.
func (f *File) told(reached func(int), do func() error) error {
	ended, told := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(told)
		for look := time.NewTicker(tellEvery); ; {
			select {
			case <-ended:
				look.Stop()
				return
			case <-look.C:
				reached(f.reached())
			}
		}
	}()
	err := do()
	close(ended)
	<-told
	return err
}

// reachedName is the file in which a child notes the sheet that it is at.
const reachedName = "reached"

// noting gives what a child notes with. The file stays open and is never cut short: to make such a note anew for each sheet has some file systems write it to the
// disk, which takes as long as the sheet. What cannot be noted is no reason to stop.
func noting(folder string) (note func(int), end func()) {
	f, err := os.Create(filepath.Join(folder, reachedName))
	if err != nil {
		return func(int) {}, func() {}
	}
	return func(n int) { _, _ = f.WriteAt(fmt.Appendf(nil, "%10d", n), 0) }, func() { _ = f.Close() }
}

func (f *File) reached() int {
	text, err := os.ReadFile(filepath.Join(f.folder, reachedName))
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(string(bytes.TrimSpace(text)))
	return n
}

// blame names the sheet at which a child was ended: nothing else is different from the packets that can be made.
func (f *File) blame(p *packet.Packet, err error) error {
	var e *fault.Error
	if at := f.reached(); errors.As(err, &e) && e.Kind == fault.Invalid && at < len(p.Sheets) {
		e.Message = strings.Replace(e.Message, "The packet", "Sheet "+p.Sheets[at].Name, 1)
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
	note, end := noting(p.Folder)
	defer end()
	file := func(n int) string { return filepath.Join(p.Folder, strconv.Itoa(n)) }
	from := packet.Source{
		Open: func(n int) (io.ReadSeekCloser, error) { return os.Open(file(n)) },
		Mended: func(n int) (io.ReadSeekCloser, error) {
			if err := d.open(file(n), o.Cache); err != nil {
				return nil, err
			}
			var out bytes.Buffer
			if err := d.copy(1, &out); err != nil {
				return nil, unreadable(name, err)
			}
			return held{bytes.NewReader(out.Bytes())}, nil
		},
		Within: sheetWithin,
		Begins: note,
	}
	return name, write(filepath.Join(o.Place, name), func(w io.Writer) error { return packet.Write(w, p.Packet, from) })
}

// held is a file in memory.
type held struct{ *bytes.Reader }

func (held) Close() error { return nil }

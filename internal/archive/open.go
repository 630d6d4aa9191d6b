package archive

import (
	"archive/zip"
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-json-experiment/json"
)

// The bounds of what is read of a file that comes from elsewhere.
const (
	mostEntries  = 4_000_000
	mostManifest = 1 << 30
	mostLine     = 16 << 20 // a record has 1 MiB at most, and what is kept with it
	mostProject  = 1 << 16
	// mostRatio is by how much an entry may be larger than it is stored: some tools compress what they pack anew.
	mostRatio = 200
	smallest  = 1 << 20 // what is smaller may be compressed as well as it can be
)

// refused says why an archive is not taken.
func refused(format string, args ...any) error {
	return fmt.Errorf("The archive cannot be imported: %w. Nothing was changed.", fmt.Errorf(format, args...))
}

// opened is an archive whose manifest was read.
type opened struct {
	manifest
	file    *os.File
	entries map[string]*zip.File
	known   map[string]entry
	id      string // the hash of the manifest
	// gone are the people, by uid, who were erased here.
	gone map[string]*Forgotten
}

// open opens an archive and holds that it has exactly the entries that its manifest names.
func open(path string) (o *opened, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("The archive cannot be read: %w.", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no file that can be read.", path)
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		return nil, refused("it is no ZIP file, or it is cut short")
	}
	o = &opened{file: f, entries: map[string]*zip.File{}, known: map[string]entry{}}
	if err := o.list(z.File, info.Size()); err != nil {
		return nil, err
	}
	return o, o.readManifest()
}

// list takes the entries of the file within the bounds: none twice, none that says it is larger than it can be, none
// that shares its bytes with others.
func (o *opened) list(all []*zip.File, size int64) error {
	if len(all) > mostEntries {
		return refused("it has %d entries; %d is the most", len(all), mostEntries)
	}
	var stored uint64
	for _, f := range all {
		if o.entries[f.Name] != nil {
			return refused("it has the entry %s twice", shorten(f.Name))
		}
		if f.Method != zip.Store && f.Method != zip.Deflate {
			return refused("the entry %s is compressed in a way that is not known", shorten(f.Name))
		}
		if stored += f.CompressedSize64; f.CompressedSize64 > uint64(size) || stored > uint64(size) {
			return refused("its entries are larger than the file")
		}
		if f.UncompressedSize64 > smallest && f.UncompressedSize64/mostRatio > f.CompressedSize64 {
			return refused("the entry %s would become more than %d times as large as it is", shorten(f.Name), mostRatio)
		}
		o.entries[f.Name] = f
	}
	return nil
}

func (o *opened) readManifest() error {
	f := o.entries[manifestEntry]
	if f == nil {
		return refused("it has no %s: it is no archive of a project, or it is cut short", manifestEntry)
	}
	text, err := readWhole(f, mostManifest)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	o.id = hex.EncodeToString(sum[:])
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if json.Unmarshal(text, &head) != nil || head.Format != formatName {
		return refused("its manifest is not that of a project's archive")
	}
	if head.Version > formatVersion {
		return refused("it is of version %d of the format, and this release knows %d: a later release imports it",
			head.Version, formatVersion)
	}
	if head.Version < 1 || json.Unmarshal(text, &o.manifest, json.RejectUnknownMembers(true)) != nil {
		return refused("its manifest is damaged")
	}
	for _, e := range o.Entries {
		f := o.entries[e.Path]
		if f == nil {
			return refused("the entry %s is missing", shorten(e.Path))
		}
		if _, twice := o.known[e.Path]; twice || e.Path == manifestEntry || e.Bytes < 0 ||
			f.UncompressedSize64 != uint64(e.Bytes) {
			return refused("the entry %s is not as the manifest says", shorten(e.Path))
		}
		o.known[e.Path] = e
	}
	for name := range o.entries {
		if _, named := o.known[name]; !named && name != manifestEntry {
			return refused("the entry %s is not in the manifest", shorten(name))
		}
	}
	return nil
}

// readWhole reads a small entry.
func readWhole(f *zip.File, most int64) ([]byte, error) {
	if f.UncompressedSize64 > uint64(most) {
		return nil, refused("the entry %s is larger than it may be", shorten(f.Name))
	}
	in, err := f.Open()
	if err != nil {
		return nil, refused("the entry %s is damaged", shorten(f.Name))
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	if err != nil || int64(len(text)) > most {
		return nil, refused("the entry %s is damaged", shorten(f.Name))
	}
	return text, nil
}

// reading is an entry as it is read: to its end, it fails where it is not what the manifest says.
func (o *opened) reading(path string) (io.ReadCloser, error) {
	e, named := o.known[path]
	if !named {
		return nil, refused("it has no %s", shorten(path))
	}
	in, err := o.entries[path].Open()
	if err != nil {
		return nil, refused("the entry %s is damaged", shorten(path))
	}
	return &verified{in: in, sum: sha256.New(), left: e.Bytes, entry: e}, nil
}

// verified reads no more than it must.
type verified struct {
	in  io.ReadCloser
	sum interface {
		io.Writer
		Sum(in []byte) []byte
	}
	left  int64
	entry entry
}

// Read reads on.
func (v *verified) Read(b []byte) (int, error) {
	n, err := v.in.Read(b)
	_, _ = v.sum.Write(b[:n]) // never fails
	v.left -= int64(n)
	switch {
	case v.left < 0, err != nil && !errors.Is(err, io.EOF), err != nil && v.left > 0:
		return 0, refused("the entry %s is damaged", shorten(v.entry.Path))
	case err != nil && hex.EncodeToString(v.sum.Sum(nil)) != v.entry.SHA256:
		return 0, refused("the entry %s has other bytes than the manifest says", shorten(v.entry.Path))
	}
	return n, err
}

// Close ends it.
func (v *verified) Close() error { return v.in.Close() }

// verify reads everything and holds it against the manifest.
func (o *opened) verify(progress func(share float64)) error {
	var total, done int64
	for _, e := range o.Entries {
		total += e.Bytes
	}
	for _, e := range o.Entries {
		in, err := o.reading(e.Path)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, in)
		if err = errors.Join(err, in.Close()); err != nil {
			return err
		}
		done += e.Bytes
		progress(float64(done) / float64(max(total, 1)))
	}
	return nil
}

// each shows the lines of an entry; one that is not there has none.
func (o *opened) each(path string, each func(n int, line []byte) error) error {
	if _, there := o.known[path]; !there {
		return nil
	}
	in, err := o.reading(path)
	if err != nil {
		return err
	}
	defer in.Close()
	from := bufio.NewReaderSize(in, 1<<16)
	var long []byte
	for n := 1; ; n++ {
		long = long[:0]
		for {
			part, err := from.ReadSlice('\n')
			long = append(long, part...)
			if len(long) > mostLine {
				return refused("line %d of %s is longer than it may be", n, path)
			}
			if err == nil {
				break
			}
			if errors.Is(err, io.EOF) && len(long) == 0 {
				return nil
			}
			if errors.Is(err, io.EOF) {
				return refused("the last line of %s is cut short", path)
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				return err
			}
		}
		if err := each(n, o.rid(long[:len(long)-1])); err != nil {
			return err
		}
	}
}

// rid gives a line without anything of the people who were erased here.
func (o *opened) rid(line []byte) []byte {
	for _, g := range o.gone {
		line = []byte(g.Replace(string(line)))
	}
	return line
}

// bad says what is wrong with a line.
func bad(path string, n int, why error) error { return refused("line %d of %s: %w", n, path, why) }

var errLine = errors.New("it is not of the form of such a line")

// parse reads a line strictly.
func parse(path string, n int, line []byte, into any) error {
	if json.Unmarshal(line, into, json.RejectUnknownMembers(true)) != nil {
		return bad(path, n, errLine)
	}
	return nil
}

func (o *opened) close() error { return o.file.Close() }

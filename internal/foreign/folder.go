package foreign

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// File is a drawing, a document or a picture in a folder.
type File struct {
	// Path is where it lies in the folder, with slashes.
	Path string
	// Type is its content type.
	Type   string
	Size   int64
	SHA256 string
}

// Name is the name of the file without its folders, as people see it.
func (f *File) Name() string { return Shown(path.Base(f.Path)) }

// Title is a name for people.
func (f *File) Title() string {
	name := f.Name()
	title := strings.TrimSpace(strings.TrimSuffix(name, path.Ext(name)))
	if title == "" {
		title = name
	}
	return clip(title, mostTitle)
}

// Folder is where the file lies, blank at the top. One that would be too long ends with a mark of the whole: files of
// two such folders are no versions of each other.
func (f *File) Folder() string {
	folder := path.Dir(f.Path)
	if folder == "." {
		return ""
	}
	if utf8.RuneCountInString(folder) > mostTitle {
		sum := sha256.Sum256([]byte(folder))
		return clip(Shown(folder), mostTitle-9) + " " + hex.EncodeToString(sum[:4])
	}
	return Shown(folder)
}

// Shown is a text from elsewhere as it can be shown: without what would move the cursor, or turn letters around.
func Shown(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) {
			return ' '
		}
		return c
	}, text)
}

// Folder is a folder whose files are brought in.
type Folder struct {
	root *os.Root
	// PDFs and Photos are in the order of their paths.
	PDFs, Photos []File
	// Notes are sentences about what was left out.
	Notes []string
	// Unread is how many PDFs and pictures are left out that cannot be read.
	Unread int
}

// fileTypes are the files that are taken, by their endings: their types, and how they begin.
var fileTypes = map[string]struct {
	kind   string
	begins func(head []byte) bool
}{
	".pdf":  {"application/pdf", func(h []byte) bool { return bytes.Contains(h, []byte("%PDF-")) }},
	".jpg":  {"image/jpeg", isJPEG},
	".jpeg": {"image/jpeg", isJPEG},
	".png":  {"image/png", func(h []byte) bool { return bytes.HasPrefix(h, []byte("\x89PNG")) }},
	".heic": {"image/heic", isHEIF},
	".heif": {"image/heif", isHEIF},
}

func isJPEG(h []byte) bool { return bytes.HasPrefix(h, []byte("\xff\xd8\xff")) }

func isHEIF(h []byte) bool { return len(h) > 12 && string(h[4:8]) == "ftyp" }

// mostFiles is how many files a folder may have, with those in folders of it.
const mostFiles = 100_000

var errTooMany = errors.New("too many")

// OpenFolder looks through a folder and those in it. Nothing outside of it is read: links are not followed. What cannot
// be read, or is no PDF and no picture, is left out and told.
func OpenFolder(ctx context.Context, where string) (*Folder, error) {
	return openFolder(ctx, where, mostFiles)
}

func openFolder(ctx context.Context, where string, most int) (*Folder, error) {
	root, err := os.OpenRoot(where)
	if err != nil {
		return nil, fmt.Errorf("The folder %s cannot be read: %w.", where, bare(err))
	}
	f := &Folder{root: root}
	seen, dotted := 0, 0
	err = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if seen++; seen > most {
			return errTooMany
		}
		if err != nil {
			f.unread(name, err)
			return nil
		}
		if name != "." && strings.HasPrefix(path.Base(name), ".") || path.Base(name) == "Thumbs.db" ||
			path.Base(name) == "__MACOSX" {
			if !systems(path.Base(name)) {
				dotted++
			}
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if e.IsDir() {
			return nil
		}
		f.add(name, e)
		return nil
	})
	if dotted > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("Files and folders whose names begin with a dot were left out: %d.", dotted))
	}
	switch {
	case errors.Is(err, errTooMany):
		err = fmt.Errorf("The folder %s has more than %d files. Import its folders one by one.", where, most)
	case err == nil && len(f.PDFs)+len(f.Photos) == 0:
		err = fmt.Errorf("The folder %s has no PDF and no picture (JPEG, PNG, HEIC) that can be read.%s", where, f.why())
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return f, nil
}

func (f *Folder) why() string {
	if len(f.Notes) == 0 {
		return ""
	}
	return " " + f.Notes[0]
}

// systems tells whether a file is one that systems leave in every folder.
func systems(name string) bool {
	return name == "Thumbs.db" || name == "__MACOSX" || name == ".DS_Store" || strings.HasPrefix(name, "._")
}

// leave tells that a file is left out.
func (f *Folder) leave(name, why string) {
	f.Notes = append(f.Notes, fmt.Sprintf("%s was left out: %s.", Shown(strings.ToValidUTF8(name, "?")), why))
}

// unread tells that a file, or a folder, cannot be read.
func (f *Folder) unread(name string, err error) {
	f.Unread++
	f.leave(name, "it cannot be read: "+bare(err).Error())
}

func (f *Folder) add(name string, e fs.DirEntry) {
	kind, known := fileTypes[strings.ToLower(path.Ext(name))]
	switch {
	case e.Type()&fs.ModeSymlink != 0:
		f.leave(name, "it is a link, and links are not followed")
		return
	case !e.Type().IsRegular():
		f.leave(name, "it is no file")
		return
	case !utf8.ValidString(name):
		f.leave(name, "its name is no text")
		return
	case !known:
		why := "it is no PDF and no picture"
		if ending := strings.ToLower(path.Ext(name)); ending == ".csv" || ending == ".xlsx" {
			why = "tables are imported by themselves"
		}
		f.leave(name, why)
		return
	}
	in, err := f.Open(name)
	if err != nil {
		f.unread(name, err)
		return
	}
	defer in.Close()
	head := make([]byte, 1024)
	n, err := io.ReadFull(in, head)
	switch {
	case errors.Is(err, io.EOF):
		f.leave(name, "it is empty")
		return
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		f.unread(name, err)
		return
	case !kind.begins(head[:n]):
		f.leave(name, "it is not what its ending says")
		return
	}
	sum := sha256.New()
	sum.Write(head[:n])
	rest, err := io.Copy(sum, in)
	if err != nil {
		f.unread(name, err)
		return
	}
	one := File{Path: name, Type: kind.kind, Size: int64(n) + rest, SHA256: hex.EncodeToString(sum.Sum(nil))}
	if kind.kind == "application/pdf" {
		f.PDFs = append(f.PDFs, one)
	} else {
		f.Photos = append(f.Photos, one)
	}
}

// Open opens a file of the folder.
func (f *Folder) Open(name string) (io.ReadCloser, error) {
	in, err := f.root.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := in.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no file any more")
	}
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return in, nil
}

// Close closes the folder.
func (f *Folder) Close() error { return f.root.Close() }

// bare is an error without the path, which is said already.
func bare(err error) error {
	var where *fs.PathError
	if errors.As(err, &where) {
		return where.Err
	}
	return err
}

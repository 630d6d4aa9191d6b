package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"io"
	"os"
	"path"
	"path/filepath"
)

// beside are the files that go with a program. They lie as in the repository, so that they lead to each other.
var beside = []string{
	"CHANGELOG.md",
	"LICENSE",
	"README.md",
	"docs/archive.md",
	"docs/coming.md",
	"docs/contract.md",
	"docs/forgetting.md",
	"docs/licences.md",
	"docs/mirror.md",
	"docs/oauth.md",
	"docs/operating.md",
	"docs/people.md",
	"docs/promises.md",
	"docs/security.md",
	"docs/speed.md",
}

// archive packs a program and what goes with it, for people who install no package: a zip for Windows, else a tar.
func (r *release) archive(b built, folder string) (string, error) {
	name := "groundwork_" + r.version + "_" + b.shown()
	pack, ending := r.packTar, ".tar.gz"
	if b.system == "windows" {
		pack, ending = r.packZip, ".zip"
	}
	where := filepath.Join(folder, name+ending)
	f, err := os.Create(where)
	if err != nil {
		return "", err
	}
	err = pack(f, func(add func(name string, mode os.FileMode, content []byte) error) error {
		for _, file := range append([]string{b.program()}, beside...) {
			source, mode := filepath.Join(r.top, file), os.FileMode(0o644)
			if file == b.program() {
				source, mode = b.path, 0o755
			}
			content, err := os.ReadFile(source)
			if err != nil {
				return err
			}
			if err := add(path.Join(name, file), mode, content); err != nil {
				return err
			}
		}
		return nil
	})
	if closed := f.Close(); err == nil {
		err = closed
	}
	return where, err
}

// filler is given how files are added, and adds them.
type filler func(add func(name string, mode os.FileMode, content []byte) error) error

func (r *release) packTar(to io.Writer, fill filler) error {
	packed, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(packed)
	err = fill(func(name string, mode os.FileMode, content []byte) error {
		return r.tarFile(t, tar.Header{Name: name, Mode: int64(mode)}, content)
	})
	if err == nil {
		err = t.Close()
	}
	if err == nil {
		err = packed.Close()
	}
	return err
}

// tarFile adds an entry with the time of the release, of nobody but who is named.
func (r *release) tarFile(t *tar.Writer, h tar.Header, content []byte) error {
	if h.Typeflag == 0 {
		h.Typeflag = tar.TypeReg
	}
	h.ModTime, h.Size, h.Format = r.time, int64(len(content)), tar.FormatPAX
	if err := t.WriteHeader(&h); err != nil {
		return err
	}
	_, err := t.Write(content)
	return err
}

func (r *release) packZip(to io.Writer, fill filler) error {
	z := zip.NewWriter(to)
	err := fill(func(name string, mode os.FileMode, content []byte) error {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: r.time}
		h.SetMode(mode)
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = w.Write(content)
		}
		return err
	})
	if err == nil {
		err = z.Close()
	}
	return err
}

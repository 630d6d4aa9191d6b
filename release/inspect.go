package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// listed is how an entry of an archive is shown: its mode, owner and name.
func listed(h *tar.Header) string {
	owner := h.Uname + ":" + h.Gname
	if h.Uname == "" {
		owner = fmt.Sprintf("%d:%d", h.Uid, h.Gid)
	}
	name := "/" + strings.Trim(strings.TrimPrefix(h.Name, "."), "/")
	if h.Typeflag == tar.TypeDir && name != "/" {
		name += "/"
	}
	return fmt.Sprintf("%04o %s %s", h.Mode&0o7777, owner, name)
}

// eachEntry shows the entries of a tar, packed or not.
func eachEntry(content []byte, packed bool, each func(h *tar.Header, content []byte) error) error {
	var from io.Reader = bytes.NewReader(content)
	if packed {
		z, err := gzip.NewReader(from)
		if err != nil {
			return err
		}
		from = z
	}
	for t := tar.NewReader(from); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		body, err := io.ReadAll(t)
		if err == nil {
			err = each(h, body)
		}
		if err != nil {
			return err
		}
	}
}

// debParts is what a .deb holds: files that say what it is, and those that are unpacked.
type debParts struct {
	control map[string]string
	files   []string
}

// readDeb reads a .deb: an ar archive of a version and two packed tars.
func readDeb(path string) (debParts, error) {
	parts := debParts{control: map[string]string{}}
	content, err := os.ReadFile(path)
	if err != nil {
		return parts, err
	}
	members, err := readAr(content)
	if err != nil {
		return parts, err
	}
	if string(members["debian-binary"]) != "2.0\n" {
		return parts, errors.New("this is no package of Debian")
	}
	err = eachEntry(members["control.tar.gz"], true, func(h *tar.Header, content []byte) error {
		parts.control[strings.TrimPrefix(h.Name, "./")] = string(content)
		return nil
	})
	if err != nil {
		return parts, err
	}
	return parts, eachEntry(members["data.tar.gz"], true, func(h *tar.Header, _ []byte) error {
		parts.files = append(parts.files, listed(h))
		return nil
	})
}

// readAr reads the members of an ar archive by name.
func readAr(content []byte) (map[string][]byte, error) {
	const magic, head = "!<arch>\n", 60
	if !bytes.HasPrefix(content, []byte(magic)) {
		return nil, errors.New("this is no ar archive")
	}
	out := map[string][]byte{}
	for rest := content[len(magic):]; len(rest) > 0; {
		if len(rest) < head {
			return nil, io.ErrUnexpectedEOF
		}
		size, err := strconv.Atoi(strings.TrimSpace(string(rest[48:58])))
		if err != nil || size < 0 || size > len(rest)-head {
			return nil, errors.New("a member of the ar archive has no sound size")
		}
		out[strings.TrimRight(strings.TrimSpace(string(rest[:16])), "/")] = rest[head : head+size]
		rest = rest[min(len(rest), head+size+size%2):]
	}
	return out, nil
}

// imageParts is what an archive of an image holds, by its tag's index.
type imageParts struct {
	blobs map[string][]byte // by path
	index index
	tag   string
}

// readImage reads the archive of an image and holds every blob against its digest.
func readImage(path string) (*imageParts, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := &imageParts{blobs: map[string][]byte{}}
	err = eachEntry(content, false, func(h *tar.Header, content []byte) error {
		if strings.HasPrefix(h.Name, "blobs/") && blobPath(digest(content)) != h.Name {
			return fmt.Errorf("%s has other content than its name says", h.Name)
		}
		p.blobs[h.Name] = content
		return nil
	})
	if err != nil {
		return nil, err
	}
	var outer index
	if err := json.Unmarshal(p.blobs["index.json"], &outer); err != nil || len(outer.Manifests) != 1 {
		return nil, fmt.Errorf("index.json names %d images, %w", len(outer.Manifests), err)
	}
	p.tag = outer.Manifests[0].Annotations["org.opencontainers.image.ref.name"]
	return p, p.read(outer.Manifests[0], &p.index)
}

// read reads a part of the image that is JSON.
func (p *imageParts) read(d descriptor, value any) error {
	content, found := p.blobs[blobPath(d.Digest)]
	if !found || int64(len(content)) != d.Size {
		return fmt.Errorf("%s is not there, or has another size than its descriptor says", d.Digest)
	}
	return json.Unmarshal(content, value)
}

// platform gives what is of one kind of processor.
func (p *imageParts) platform(t target) (m manifest, c imageConfig, err error) {
	for _, d := range p.index.Manifests {
		if d.Platform != nil && *d.Platform == (platform{t.processor, t.system}) {
			if err = p.read(d, &m); err == nil {
				err = p.read(m.Config, &c)
			}
			return m, c, err
		}
	}
	return m, c, fmt.Errorf("the image has nothing for %s", t)
}

// unpack lists the file system of a platform's image, and makes it in a folder unless that is "". Owners are kept where
// this user may.
func (p *imageParts) unpack(m manifest, c imageConfig, folder string) (list []string, err error) {
	if len(m.Layers) != len(c.RootFS.DiffIDs) {
		return nil, errors.New("the image has other layers than its configuration says")
	}
	for i, d := range m.Layers {
		packed := p.blobs[blobPath(d.Digest)]
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return nil, err
		}
		plain, err := io.ReadAll(z)
		if err != nil {
			return nil, err
		}
		if digest(plain) != c.RootFS.DiffIDs[i] {
			return nil, fmt.Errorf("layer %d has other content than the configuration says", i)
		}
		err = eachEntry(plain, false, func(h *tar.Header, content []byte) error {
			list = append(list, listed(h))
			if folder == "" {
				return nil
			}
			return place(filepath.Join(folder, filepath.FromSlash(h.Name)), h, content)
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// place makes an entry of an archive.
func place(path string, h *tar.Header, content []byte) error {
	var err error
	if h.Typeflag == tar.TypeDir {
		err = os.MkdirAll(path, 0o755)
	} else {
		err = os.WriteFile(path, content, 0o644)
	}
	if err == nil && os.Getuid() == 0 {
		err = os.Chown(path, h.Uid, h.Gid)
	}
	if err == nil {
		err = os.Chmod(path, h.FileInfo().Mode())
	}
	return err
}

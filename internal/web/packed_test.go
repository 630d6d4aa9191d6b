package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Update asks for what is generated to be written anew.
var Update = flag.Bool("update", false,
	"pack what browsers load, from assets and vendored; take the pictures in docs/img")

// contents gives every file that browsers load, by name, as it is before packing.
func contents(t *testing.T) map[string][]byte {
	t.Helper()
	const swagger = "vendored/swagger-ui-dist/"
	from := map[string][]string{
		"swagger-ui-bundle.js":   {swagger + "swagger-ui-bundle.js"},
		"swagger-ui.css":         {swagger + "swagger-ui.css"},
		"swagger-ui-licence.txt": {swagger + "NOTICE", swagger + "LICENSE"},
		"swagger-ui-parts.txt":   {swagger + "swagger-ui-bundle.js.LICENSE.txt"},
	}
	own, err := filepath.Glob("assets/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range own {
		from[filepath.Base(path)] = []string{path}
	}
	all := map[string][]byte{}
	for name, paths := range from {
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all[name] = append(all[name], content...)
		}
	}
	return all
}

// TestPacked holds the packed files against what they were packed from.
func TestPacked(t *testing.T) {
	all := contents(t)
	if *Update {
		repack(t, all)
	}
	var want, got []string
	for name, content := range all {
		want = append(want, name+".gz", name+".zst")
		if kinds[filepath.Ext(name)] == "" {
			t.Errorf("%s: its content type is not in kinds", name)
		}
		for _, ext := range []string{".gz", ".zst"} {
			packed, err := os.ReadFile("packed/" + name + ext)
			if err != nil {
				t.Error(err)
				continue
			}
			if plain, err := unpack(ext, packed); err != nil || !bytes.Equal(plain, content) {
				t.Errorf("packed/%s%s is not what it should be packed from (%v); run make update", name, ext, err)
			}
		}
	}
	entries, err := os.ReadDir("packed")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("packed has %q, want %q; run make update", got, want)
	}
}

func unpack(ext string, packed []byte) ([]byte, error) {
	if ext == ".gz" {
		r, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	}
	r, err := zstd.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// repack writes the folder anew, where something in it is not as it should be: other releases of the packer write other
// bytes for the same content.
func repack(t *testing.T, all map[string][]byte) {
	t.Helper()
	entries, err := os.ReadDir("packed")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if all[e.Name()[:len(e.Name())-len(filepath.Ext(e.Name()))]] == nil {
			if err := os.Remove("packed/" + e.Name()); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		var zipped bytes.Buffer
		w, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(all[name]); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(8<<20),
			zstd.WithEncoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		for ext, packed := range map[string][]byte{".gz": zipped.Bytes(), ".zst": z.EncodeAll(all[name], nil)} {
			path := "packed/" + name + ext
			if old, err := os.ReadFile(path); err == nil {
				if plain, err := unpack(ext, old); err == nil && bytes.Equal(plain, all[name]) {
					continue
				}
			}
			if err := os.WriteFile(path, packed, 0o644); err != nil {
				t.Fatal(err)
			}
			t.Errorf("%s was packed anew; this program still has the old one. Run it once more.", path)
		}
	}
}

// TestVendored holds the files of others against the manifest: each is listed, with its hash, and has a licence beside
// it.
func TestVendored(t *testing.T) {
	text, err := os.ReadFile("vendored/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest []struct {
		Package, Version, Registry, Integrity, Licence, Use, Folder string
		Files                                                       map[string]string
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&manifest); err != nil {
		t.Fatal(err)
	}
	folders := map[string]bool{}
	for _, p := range manifest {
		folders[p.Folder] = true
		if p.Package == "" || p.Version == "" || p.Registry == "" || p.Integrity == "" || p.Licence == "" ||
			p.Use == "" || p.Files["LICENSE"] == "" {
			t.Errorf("%s: the manifest must say package, version, registry, integrity, licence, use, and list the file LICENSE", p.Folder)
		}
		entries, err := os.ReadDir(p.Folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			content, err := os.ReadFile(filepath.Join(p.Folder, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != p.Files[e.Name()] {
				t.Errorf("%s/%s is not the file that the manifest lists: its SHA-256 is %x", p.Folder, e.Name(), sum)
			}
			delete(p.Files, e.Name())
		}
		for name := range p.Files {
			t.Errorf("%s/%s is in the manifest and not there", p.Folder, name)
		}
	}
	for _, pattern := range []string{"vendored/*", "testdata/*"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, folder := range found {
			if filepath.Ext(folder) != ".json" && !folders[folder] {
				t.Errorf("%s is not in the manifest", folder)
			}
		}
	}
}

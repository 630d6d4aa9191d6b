package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// sampleBill is the bill of a program that is made of one library.
const sampleBill = `{"bomFormat":"CycloneDX","specVersion":"1.5","serialNumber":"urn:uuid:0","version":1,
"metadata":{"component":{"bom-ref":"groundwork","type":"application","name":"groundwork"}},
"components":[{"bom-ref":"pkg:golang/a@v1","type":"library","name":"a","version":"v1","purl":"pkg:golang/a@v1"}],
"dependencies":[{"ref":"groundwork","dependsOn":["pkg:golang/a@v1"]},{"ref":"pkg:golang/a@v1","dependsOn":[]}]}`

// sample is a release of a program that is a few bytes for each target.
func sample(t *testing.T) (*release, []built) {
	t.Helper()
	top, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	r := &release{top: top, version: "0.1.0", commit: "abcdef123456", time: time.Unix(1_790_000_000, 0).UTC()}
	folder := t.TempDir()
	var programs []built
	for _, target := range targets {
		b := built{target, filepath.Join(folder, target.String()), filepath.Join(folder, target.String()+".cdx.json")}
		for path, text := range map[string]string{b.path: "program for " + target.String(), b.bill: sampleBill} {
			if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		programs = append(programs, b)
	}
	return r, programs
}

func TestArchives(t *testing.T) {
	r, programs := sample(t)
	want := append([]string{"groundwork"}, beside...)
	for _, b := range programs {
		where, err := r.archive(b, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(where)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		var program string
		note := func(name string, mode os.FileMode, text []byte) {
			_, name, _ = strings.Cut(name, "/")
			if name == b.program() {
				if program = string(text); mode.Perm() != 0o755 {
					t.Errorf("%s: the program has mode %v", where, mode)
				}
				name = "groundwork"
			}
			names = append(names, name)
		}
		if b.system == "windows" {
			z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range z.File {
				from, err := f.Open()
				if err != nil {
					t.Fatal(err)
				}
				var text bytes.Buffer
				if _, err := text.ReadFrom(from); err != nil {
					t.Fatal(err)
				}
				note(f.Name, f.Mode(), text.Bytes())
			}
		} else if err := eachEntry(content, true, func(h *tar.Header, content []byte) error {
			note(h.Name, h.FileInfo().Mode(), content)
			if !h.ModTime.Equal(r.time) {
				t.Errorf("%s is of %v", h.Name, h.ModTime)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(names, want) || program != "program for "+b.String() {
			t.Errorf("%s has %v, %q", where, names, program)
		}
	}
}

// TestTwice makes everything twice; the control has a program of another time, and must differ.
func TestTwice(t *testing.T) {
	r, programs := sample(t)
	first, second := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b", "c")
	files, err := r.twice(programs[0], first, second)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 6 {
		t.Errorf("made %v", files)
	}
	later := *r
	later.time = r.time.Add(time.Second)
	folder := t.TempDir()
	again, err := later.packOne(programs[0], folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"deb", "rpm", "image"} {
		one, err := sumFile(files[kind])
		if err != nil {
			t.Fatal(err)
		}
		if other, err := sumFile(again[kind]); err != nil || one == other {
			t.Errorf("the %s has no time in it: %v", kind, err)
		}
	}
	if _, err := r.lookAtDeb(t.Context(), files, ""); err != nil {
		t.Error(err)
	}
	if _, err := r.lookAtRPM(t.Context(), files, ""); err != nil {
		t.Error(err)
	}
}

func TestImage(t *testing.T) {
	r, programs := sample(t)
	where, err := r.image(programs[:2], t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	parts, err := readImage(where)
	if err != nil {
		t.Fatal(err)
	}
	if parts.tag != "0.1.0" || len(parts.index.Manifests) != 2 {
		t.Errorf("the image is %s, with %d platforms", parts.tag, len(parts.index.Manifests))
	}
	for _, b := range programs[:2] {
		m, c, err := parts.platform(b.target)
		if err != nil {
			t.Fatal(err)
		}
		root := t.TempDir()
		list, err := parts.unpack(m, c, root)
		if err != nil || !slices.Equal(list, imageFiles) {
			t.Errorf("%s: %v\n%s", b.target, err, strings.Join(list, "\n"))
		}
		if text, err := os.ReadFile(filepath.Join(root, "groundwork")); err != nil ||
			string(text) != "program for "+b.String() {
			t.Errorf("the program for %s is %q, %v", b.target, text, err)
		}
		if c.Architecture != b.processor || c.Config.User != "65532:65532" || c.Config.Entrypoint[0] != "/groundwork" ||
			c.Config.Healthcheck.Test[0] != "CMD" || c.Config.Healthcheck.Interval == 0 {
			t.Errorf("%s is configured as %+v", b.target, c)
		}
	}
	if _, _, err := parts.platform(target{"linux", "s390x"}); err == nil {
		t.Error("the image has something for a machine that it was not made for")
	}
	var old []loaded
	if err := json.Unmarshal(parts.blobs["manifest.json"], &old); err != nil || len(old) != 2 ||
		parts.blobs[old[1].Config] == nil || parts.blobs[old[1].Layers[1]] == nil {
		t.Errorf("older engines find %+v, %v", old, err)
	}
}

// TestDamagedImage plants what the inspection must find.
func TestDamagedImage(t *testing.T) {
	r, programs := sample(t)
	where, err := r.image(programs[:1], t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(where)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(content, []byte(`"created_by"`))
	if at < 0 {
		t.Fatal("the configuration is not where it should be")
	}
	content[at+1] = 'C'
	if err := os.WriteFile(where, content, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readImage(where); err == nil || !strings.Contains(err.Error(), "other content") {
		t.Errorf("a changed image is read: %v", err)
	}
}

func TestAuthorities(t *testing.T) {
	pool, n := x509.NewCertPool(), 0
	for rest := authorities(); len(rest) > 0; n++ {
		var block *pem.Block
		block, rest = pem.Decode(rest)
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		pool.AddCert(c)
	}
	if n < 80 {
		t.Errorf("only %d authorities", n)
	}
}

func TestBill(t *testing.T) {
	r, programs := sample(t)
	image, err := r.image(programs[:2], t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	where, err := r.writeBill(image, programs[:2])
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(where)
	if err != nil {
		t.Fatal(err)
	}
	var all bill
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	refs := []string{all.Metadata.Component["bom-ref"].(string)}
	for _, c := range all.Components {
		refs = append(refs, c["bom-ref"].(string))
	}
	for _, want := range []string{
		"groundwork_0.1.0_image.tar", "groundwork_linux_amd64", "groundwork_linux_arm64", "pkg:golang/a@v1",
	} {
		if !slices.Contains(refs, want) {
			t.Errorf("%s is not among %v", want, refs)
		}
	}
	if len(refs) != 5 { // and the list of authorities
		t.Errorf("the bill has %v", refs)
	}
	for _, d := range all.Dependencies {
		for _, ref := range append(d.DependsOn, d.Ref) {
			if !slices.Contains(refs, ref) {
				t.Errorf("%s depends on %s, which is not there", d.Ref, ref)
			}
		}
	}
}

func TestEmpty(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "out")
	if err := empty(folder); err != nil {
		t.Fatal(err)
	}
	precious := filepath.Join(folder, "precious")
	if err := os.WriteFile(precious, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := empty(folder); err == nil {
		t.Error("a folder of somebody else is emptied")
	}
	if err := os.WriteFile(filepath.Join(folder, sumsName), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := empty(folder); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 0 {
		t.Errorf("it has %v, %v", entries, err)
	}
}

// TestAll makes the files of a whole release from programs that are a few bytes.
func TestAll(t *testing.T) {
	r, programs := sample(t)
	out := t.TempDir()
	files, err := r.packAll(programs, programs[:2], out)
	if err != nil {
		t.Fatal(err)
	}
	sums, err := writeSums(out, files)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := command(t.Context(), out, nil, "sha256sum", "--check", "--strict", sumsName); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(sums)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"groundwork_0.1.0_linux_amd64.tar.gz", "groundwork_0.1.0_linux_arm64.tar.gz",
		"groundwork_0.1.0_macos_amd64.tar.gz", "groundwork_0.1.0_macos_arm64.tar.gz",
		"groundwork_0.1.0_windows_amd64.zip", "groundwork_0.1.0_amd64.deb", "groundwork_0.1.0_arm64.deb",
		"groundwork-0.1.0-1.x86_64.rpm", "groundwork-0.1.0-1.aarch64.rpm", "groundwork_0.1.0_image.tar",
		"groundwork_0.1.0_image.tar.cdx.json", "groundwork-chart-0.1.0.tgz", "groundwork_0.1.0_deploy.tar.gz",
	} {
		if !strings.Contains(string(text), "  "+want+"\n") {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
}

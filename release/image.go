package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// The kinds of things in an image, by the specification of the Open Container Initiative.
const (
	indexType    = "application/vnd.oci.image.index.v1+json"
	manifestType = "application/vnd.oci.image.manifest.v1+json"
	configType   = "application/vnd.oci.image.config.v1+json"
	layerType    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// nobody is the user in the image: a number that no system gives to a person.
const nobody = 65532

// certificates is where the image has the authorities that outgoing connections trust.
const certificates = "/etc/ssl/certs/ca-certificates.crt"

type (
	descriptor struct {
		MediaType   string            `json:"mediaType"`
		Digest      string            `json:"digest"`
		Size        int64             `json:"size"`
		Platform    *platform         `json:"platform,omitempty"`
		Annotations map[string]string `json:"annotations,omitempty"`
	}
	platform struct {
		Architecture string `json:"architecture"`
		OS           string `json:"os"`
	}
	index struct {
		SchemaVersion int               `json:"schemaVersion"`
		MediaType     string            `json:"mediaType"`
		Manifests     []descriptor      `json:"manifests"`
		Annotations   map[string]string `json:"annotations,omitempty"`
	}
	manifest struct {
		SchemaVersion int               `json:"schemaVersion"`
		MediaType     string            `json:"mediaType"`
		Config        descriptor        `json:"config"`
		Layers        []descriptor      `json:"layers"`
		Annotations   map[string]string `json:"annotations,omitempty"`
	}
	imageConfig struct {
		Created      string   `json:"created"`
		Architecture string   `json:"architecture"`
		OS           string   `json:"os"`
		Config       settings `json:"config"`
		RootFS       rootFS   `json:"rootfs"`
		History      []step   `json:"history"`
	}
	settings struct {
		User         string              `json:"User"`
		ExposedPorts map[string]struct{} `json:"ExposedPorts"`
		Env          []string            `json:"Env"`
		Entrypoint   []string            `json:"Entrypoint"`
		Cmd          []string            `json:"Cmd"`
		Volumes      map[string]struct{} `json:"Volumes"`
		WorkingDir   string              `json:"WorkingDir"`
		Labels       map[string]string   `json:"Labels"`
		StopSignal   string              `json:"StopSignal"`
		// Docker and Podman know it, though the specification does not; Kubernetes has probes of its own.
		Healthcheck healthcheck `json:"Healthcheck"`
	}
	healthcheck struct {
		Test        []string
		Interval    time.Duration
		Timeout     time.Duration
		StartPeriod time.Duration
		Retries     int
	}
	rootFS struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"`
	}
	step struct {
		Created   string `json:"created"`
		CreatedBy string `json:"created_by"`
	}
	// loaded is what engines without a store of manifests read: one platform by one name.
	loaded struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
)

// layout is an image on its way into a file.
type layout struct {
	r     *release
	to    *tar.Writer
	wrote map[string]bool // digests
}

// layer is a part of a file system, packed.
type layer struct {
	packed []byte
	plain  string // the digest of what is in it
}

// image makes an image for Linux on all given processors, as an archive of an OCI layout. No engine is needed.
func (r *release) image(programs []built, folder string) (where string, err error) {
	where = filepath.Join(folder, "groundwork_"+r.version+"_image.tar")
	f, err := os.Create(where)
	if err != nil {
		return "", err
	}
	l := &layout{r: r, to: tar.NewWriter(f), wrote: map[string]bool{}}
	err = l.write(programs)
	if err == nil {
		err = l.to.Close()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return where, err
}

func (l *layout) write(programs []built) error {
	if err := l.file("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`)); err != nil {
		return err
	}
	base, err := l.r.layer(baseFiles())
	if err != nil {
		return err
	}
	all := index{SchemaVersion: 2, MediaType: indexType, Annotations: l.r.annotations()}
	var old []loaded
	for _, p := range programs {
		program, err := os.ReadFile(p.path)
		if err != nil {
			return err
		}
		own, err := l.r.layer([]entry{{tar.Header{Name: "groundwork", Mode: 0o755}, program}})
		if err != nil {
			return err
		}
		one, load, err := l.platform(p.target, base, own)
		if err != nil {
			return err
		}
		all.Manifests, old = append(all.Manifests, one), append(old, load)
	}
	inner, err := l.blob(indexType, all)
	if err != nil {
		return err
	}
	inner.Annotations = map[string]string{
		"org.opencontainers.image.ref.name": l.r.imageTag(),
		"io.containerd.image.name":          "groundwork:" + l.r.imageTag(),
	}
	if err := l.json("index.json", index{
		SchemaVersion: 2, MediaType: indexType, Manifests: []descriptor{inner},
	}); err != nil {
		return err
	}
	return l.json("manifest.json", old)
}

// platform writes what is of one kind of processor.
func (l *layout) platform(t target, layers ...layer) (descriptor, loaded, error) {
	when := l.r.time.Format(time.RFC3339)
	c := imageConfig{
		Created: when, Architecture: t.processor, OS: t.system, Config: l.r.settings(),
		RootFS: rootFS{Type: "layers"},
		History: []step{
			{when, "certificates, user and folders"},
			{when, "groundwork " + l.r.version + " of commit " + l.r.commit},
		},
	}
	m := manifest{SchemaVersion: 2, MediaType: manifestType, Annotations: l.r.annotations()}
	old := loaded{RepoTags: []string{"groundwork:" + l.r.imageTag() + "-" + t.processor}}
	for _, part := range layers {
		c.RootFS.DiffIDs = append(c.RootFS.DiffIDs, part.plain)
		d, err := l.bytes(layerType, part.packed)
		if err != nil {
			return d, old, err
		}
		m.Layers, old.Layers = append(m.Layers, d), append(old.Layers, blobPath(d.Digest))
	}
	var err error
	if m.Config, err = l.blob(configType, c); err != nil {
		return descriptor{}, old, err
	}
	old.Config = blobPath(m.Config.Digest)
	d, err := l.blob(manifestType, m)
	d.Platform = &platform{t.processor, t.system}
	return d, old, err
}

// settings is how the program runs in the image. Where it is reached, whoever starts it says.
func (r *release) settings() settings {
	return settings{
		User: fmt.Sprintf("%d:%d", nobody, nobody), ExposedPorts: map[string]struct{}{"8080/tcp": {}},
		Env: []string{
			"PATH=/", "SSL_CERT_FILE=" + certificates, "GROUNDWORK_DATA=/data", "GROUNDWORK_LISTEN=0.0.0.0:8080",
		},
		Entrypoint: []string{"/groundwork"}, Cmd: []string{"serve"}, Volumes: map[string]struct{}{"/data": {}},
		WorkingDir: "/", Labels: r.annotations(), StopSignal: "SIGTERM",
		Healthcheck: healthcheck{
			Test: []string{"CMD", "/groundwork", "ready"}, Interval: 15 * time.Second, Timeout: 10 * time.Second,
			StartPeriod: 5 * time.Minute, Retries: 3,
		},
	}
}

func (r *release) annotations() map[string]string {
	return map[string]string{
		"org.opencontainers.image.title":    "Groundwork",
		"org.opencontainers.image.version":  r.version,
		"org.opencontainers.image.revision": r.commit,
		"org.opencontainers.image.created":  r.time.Format(time.RFC3339),
		"org.opencontainers.image.licenses": "Apache-2.0",
	}
}

// entry is a file or folder of the image.
type entry struct {
	tar.Header
	content []byte
}

// baseFiles is all that the program needs around it.
func baseFiles() []entry {
	folder := func(name string, mode int64, owner int) entry {
		return entry{tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: mode, Uid: owner, Gid: owner}, nil}
	}
	file := func(name, content string) entry { return entry{tar.Header{Name: name, Mode: 0o644}, []byte(content)} }
	user := fmt.Sprint(nobody)
	return []entry{
		folder("data", 0o700, nobody),
		folder("etc", 0o755, 0),
		file("etc/group", "root:x:0:\ngroundwork:x:"+user+":\n"),
		file("etc/passwd", "root:x:0:0:root:/:/sbin/nologin\ngroundwork:x:"+user+":"+user+
			":Groundwork:/data:/sbin/nologin\n"),
		folder("etc/ssl", 0o755, 0),
		folder("etc/ssl/certs", 0o755, 0),
		file(certificates[1:], string(authorities())),
		folder("tmp", 0o1777, 0),
	}
}

// authorities is Mozilla's list, in PEM. Those that Mozilla trusts under conditions are left out: a file cannot say
// them.
func authorities() []byte {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a buffer takes all
		}
	}
	return out.Bytes()
}

// layer packs files.
func (r *release) layer(entries []entry) (layer, error) {
	var plain, packed bytes.Buffer
	t := tar.NewWriter(&plain)
	for _, e := range entries {
		if err := r.tarFile(t, e.Header, e.content); err != nil {
			return layer{}, err
		}
	}
	if err := t.Close(); err != nil {
		return layer{}, err
	}
	z := gzip.NewWriter(&packed)
	_, err := z.Write(plain.Bytes())
	if err == nil {
		err = z.Close()
	}
	return layer{packed.Bytes(), digest(plain.Bytes())}, err
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func blobPath(digest string) string { return "blobs/sha256/" + digest[len("sha256:"):] }

// blob writes a value as a part of the image that is found by its digest.
func (l *layout) blob(kind string, value any) (descriptor, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return descriptor{}, err
	}
	return l.bytes(kind, text)
}

func (l *layout) bytes(kind string, content []byte) (descriptor, error) {
	d := descriptor{MediaType: kind, Digest: digest(content), Size: int64(len(content))}
	if l.wrote[d.Digest] {
		return d, nil
	}
	l.wrote[d.Digest] = true
	return d, l.file(blobPath(d.Digest), content)
}

func (l *layout) json(name string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return l.file(name, text)
}

func (l *layout) file(name string, content []byte) error {
	return l.r.tarFile(l.to, tar.Header{Name: name, Mode: 0o644}, content)
}

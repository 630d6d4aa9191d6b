package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// check makes this machine's packages and image from bin/groundwork twice, compares them, and looks into them. Each
// line says what was done, or why it could not be.
func (r *release) check(ctx context.Context) error {
	top, err := os.MkdirTemp("", "groundwork-release-check-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(top)
	b := built{here(), filepath.Join(r.top, "bin", "groundwork"), filepath.Join(r.top, "bin", "groundwork.cdx.json")}
	if _, err := os.Stat(b.path); err != nil {
		return fmt.Errorf("make build makes what is packed: %w", err)
	}
	if _, err := os.Stat(b.bill); err != nil {
		return fmt.Errorf("make audit writes its bill of materials: %w", err)
	}
	files, err := r.twice(b, filepath.Join(top, "first"), filepath.Join(top, "some", "where", "else"))
	if err != nil {
		return err
	}
	for _, look := range []func(context.Context, map[string]string, string) (string, error){
		r.lookAtDeb, r.lookAtRPM, r.lookAtImage,
	} {
		said, err := look(ctx, files, top)
		if err != nil {
			return err
		}
		fmt.Println(said)
	}
	return nil
}

// twice makes everything in two folders and compares it; it gives the files of the first by their kind.
func (r *release) twice(b built, first, second string) (map[string]string, error) {
	made := map[string][2]string{}
	for i, folder := range []string{first, second} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, err
		}
		// Whoever packs may have another mask.
		mask := syscall.Umask([]int{0o022, 0o077}[i])
		files, err := r.packOne(b, folder)
		syscall.Umask(mask)
		if err != nil {
			return nil, err
		}
		for kind, path := range files {
			pair := made[kind]
			pair[i] = path
			made[kind] = pair
		}
	}
	files := map[string]string{}
	for kind, pair := range made {
		one, err := sumFile(pair[0])
		if err != nil {
			return nil, err
		}
		other, err := sumFile(pair[1])
		if err != nil {
			return nil, err
		}
		if one != other || filepath.Base(pair[0]) != filepath.Base(pair[1]) {
			return nil, fmt.Errorf("the %s differs when it is made again: %s %s, %s %s", kind, filepath.Base(pair[0]),
				one, filepath.Base(pair[1]), other)
		}
		files[kind] = pair[0]
	}
	fmt.Printf("release     %d files are the same, byte for byte, when they are made again\n", len(files))
	return files, nil
}

// packOne makes the files of one program.
func (r *release) packOne(b built, folder string) (map[string]string, error) {
	files := map[string]string{}
	for _, format := range []string{"deb", "rpm"} {
		path, err := r.pack(format, b, folder)
		if err != nil {
			return nil, err
		}
		files[format] = path
	}
	var err error
	if files["image"], err = r.image([]built{b}, folder); err != nil {
		return nil, err
	}
	for _, kind := range []string{"deb", "rpm", "image"} {
		if files[kind+" bill"], err = r.writeBill(files[kind], []built{b}); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// debFiles is what the .deb brings, and nothing else. The data folder is not among it: no package manager can remove
// what it does not know.
var debFiles = []string{
	"0640 root:groundwork /etc/groundwork/env",
	"0755 root:root /usr/bin/groundwork",
	"0644 root:root /usr/lib/systemd/system/groundwork.service",
	"0755 root:root /usr/sbin/groundworkctl",
	"0644 root:root /usr/share/doc/groundwork/CHANGELOG.md",
	"0644 root:root /usr/share/doc/groundwork/README.md",
	"0644 root:root /usr/share/doc/groundwork/copyright",
	"0644 root:root /usr/share/doc/groundwork/docs/archive.md",
	"0644 root:root /usr/share/doc/groundwork/docs/coming.md",
	"0644 root:root /usr/share/doc/groundwork/docs/contract.md",
	"0644 root:root /usr/share/doc/groundwork/docs/forgetting.md",
	"0644 root:root /usr/share/doc/groundwork/docs/licences.md",
	"0644 root:root /usr/share/doc/groundwork/docs/mirror.md",
	"0644 root:root /usr/share/doc/groundwork/docs/oauth.md",
	"0644 root:root /usr/share/doc/groundwork/docs/operating.md",
	"0644 root:root /usr/share/doc/groundwork/docs/people.md",
	"0644 root:root /usr/share/doc/groundwork/docs/promises.md",
	"0644 root:root /usr/share/doc/groundwork/docs/security.md",
	"0644 root:root /usr/share/doc/groundwork/docs/speed.md",
}

func (r *release) lookAtDeb(ctx context.Context, files map[string]string, _ string) (string, error) {
	parts, err := readDeb(files["deb"])
	if err != nil {
		return "", err
	}
	brought := slices.DeleteFunc(parts.files, func(line string) bool { return strings.HasSuffix(line, "/") })
	slices.SortFunc(brought, byName)
	if !slices.Equal(brought, debFiles) {
		return "", fmt.Errorf("the .deb has the files\n%s\nand should have\n%s", strings.Join(brought, "\n"),
			strings.Join(debFiles, "\n"))
	}
	for name, want := range map[string]string{
		"control": "\nVersion: " + r.version + "\n", "conffiles": "/etc/groundwork/env\n", "preinst": "useradd",
		"postinst": "try-restart", "prerm": "systemctl stop", "postrm": "stays in /var/lib/groundwork",
	} {
		if !strings.Contains(parts.control[name], want) {
			return "", fmt.Errorf("%s of the .deb lacks %q:\n%s", name, want, parts.control[name])
		}
	}
	said := fmt.Sprintf("deb         %d files and 4 scripts as they should be", len(brought))
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		return said + "; NOT RUN: dpkg-deb is not here to read it", nil
	}
	_, err = command(ctx, "", nil, "dpkg-deb", "--info", files["deb"])
	return said + "; dpkg-deb reads it", err
}

// byName orders listed entries by their names.
func byName(a, b string) int {
	return strings.Compare(a[strings.LastIndexByte(a, ' '):], b[strings.LastIndexByte(b, ' '):])
}

func (r *release) lookAtRPM(ctx context.Context, files map[string]string, _ string) (string, error) {
	if _, err := exec.LookPath("rpm"); err != nil {
		return "rpm         NOT RUN: rpm is not here to read it", nil
	}
	list, err := command(ctx, "", nil, "rpm", "--query", "--package", "--nosignature", "--queryformat",
		"[%{FILEMODES:perms} %{FILEUSERNAME}:%{FILEGROUPNAME} %{FILENAMES}\n]", files["rpm"])
	if err != nil {
		return "", err
	}
	for _, want := range []string{
		"-rw-r----- root:groundwork /etc/groundwork/env\n", "-rwxr-xr-x root:root /usr/bin/groundwork\n",
	} {
		if !strings.Contains(list, want) {
			return "", fmt.Errorf("the .rpm lacks %q:\n%s", want, list)
		}
	}
	_, err = command(ctx, "", nil, "rpm", "--checksig", "--nosignature", files["rpm"])
	return "rpm         rpm reads it, and its digests are right", err
}

// imageFiles is the whole file system of the image.
var imageFiles = []string{
	"0700 65532:65532 /data/",
	"0755 0:0 /etc/",
	"0644 0:0 /etc/group",
	"0644 0:0 /etc/passwd",
	"0755 0:0 /etc/ssl/",
	"0755 0:0 /etc/ssl/certs/",
	"0644 0:0 /etc/ssl/certs/ca-certificates.crt",
	"1777 0:0 /tmp/",
	"0755 0:0 /groundwork",
}

func (r *release) lookAtImage(ctx context.Context, files map[string]string, top string) (string, error) {
	parts, err := readImage(files["image"])
	if err != nil {
		return "", err
	}
	m, c, err := parts.platform(here())
	if err != nil {
		return "", err
	}
	root := filepath.Join(top, "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		return "", err
	}
	list, err := parts.unpack(m, c, root)
	if err != nil {
		return "", err
	}
	if !slices.Equal(list, imageFiles) {
		return "", fmt.Errorf("the image has the files\n%s\nand should have\n%s", strings.Join(list, "\n"),
			strings.Join(imageFiles, "\n"))
	}
	said := fmt.Sprintf("image       %s: all digests are right, %d entries as they should be:\n            %s", parts.tag,
		len(list), strings.Join(list, "\n            "))
	ran, err := r.runImage(ctx, root, filepath.Join(top, "data"), c.Config)
	var cannot notRun
	if errors.As(err, &cannot) {
		return said + "\nimage       NOT RUN: " + string(cannot), nil
	}
	return said + "\nimage       " + ran, err
}

// notRun is why something could not be tried here.
type notRun string

func (n notRun) Error() string { return string(n) }

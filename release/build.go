package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
)

// buildAll makes a release: everything that people install, beside its bills of materials and checksums.
func (r *release) buildAll(ctx context.Context, out string) error {
	if err := empty(out); err != nil {
		return err
	}
	if r.dirty {
		fmt.Println("The tree has changes that no commit has: this is nothing to give to anybody.")
	}
	programs, err := os.MkdirTemp("", "groundwork-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(programs)
	var made, linux []built
	for _, t := range targets {
		fmt.Printf("compiling %s for %s\n", r.version, t)
		b, err := r.compile(ctx, t, programs)
		if err != nil {
			return err
		}
		if made = append(made, b); t.system == "linux" {
			linux = append(linux, b)
		}
	}
	files, err := r.packAll(made, linux, out)
	if err != nil {
		return err
	}
	sums, err := writeSums(out, files)
	if err != nil {
		return err
	}
	signed, err := signFile(sums, os.Getenv(keyVariable))
	if err != nil {
		return err
	}
	for _, path := range append(files, sums) {
		if err := show(path); err != nil {
			return err
		}
	}
	if signed == "" {
		fmt.Printf("%s is unsigned: %s names no key.\n", sumsName, keyVariable)
		return nil
	}
	return show(signed)
}

// packAll makes all files but the checksums.
func (r *release) packAll(programs, linux []built, out string) (files []string, err error) {
	keep := func(path string, of []built, err error) error {
		if err != nil {
			return err
		}
		files = append(files, path)
		if len(of) == 0 {
			return nil
		}
		path, err = r.writeBill(path, of)
		files = append(files, path)
		return err
	}
	for _, b := range programs {
		path, err := r.archive(b, out)
		if err := keep(path, []built{b}, err); err != nil {
			return files, err
		}
	}
	for _, b := range linux {
		for _, format := range []string{"deb", "rpm"} {
			path, err := r.pack(format, b, out)
			if err := keep(path, []built{b}, err); err != nil {
				return files, err
			}
		}
	}
	image, err := r.image(linux, out)
	if err := keep(image, linux, err); err != nil {
		return files, err
	}
	chart, err := r.packFolder("deploy/helm/groundwork", "groundwork", filepath.Join(out,
		"groundwork-chart-"+r.version+".tgz"))
	if err := keep(chart, nil, err); err != nil {
		return files, err
	}
	examples, err := r.packFolder("deploy", "groundwork_"+r.version+"_deploy", filepath.Join(out,
		"groundwork_"+r.version+"_deploy.tar.gz"))
	err = keep(examples, nil, err)
	return files, err
}

// empty makes a folder, or empties it where it holds an earlier release and nothing else.
func empty(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	ours := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == sumsName })
	if len(entries) > 0 && !ours {
		return fmt.Errorf("%s holds something that is no release; choose another folder with -out", folder)
	}
	for _, e := range entries {
		if err := os.Remove(filepath.Join(folder, e.Name())); err != nil {
			return err
		}
	}
	return os.MkdirAll(folder, 0o755)
}

// show prints a file with its size.
func show(path string) error {
	info, err := os.Stat(path)
	if err == nil {
		fmt.Printf("%10d  %s\n", info.Size(), filepath.Base(path))
	}
	return err
}

// chartVersions are the two lines of a chart that name the release.
var chartVersions = regexp.MustCompile(`(?m)^(version|appVersion): .*$`)

// packFolder packs a folder of the repository under another name; charts in it get the version of the release.
func (r *release) packFolder(folder, as, where string) (string, error) {
	f, err := os.Create(where)
	if err != nil {
		return "", err
	}
	top := filepath.Join(r.top, filepath.FromSlash(folder))
	err = r.packTar(f, func(add func(name string, mode os.FileMode, content []byte) error) error {
		return filepath.WalkDir(top, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			name, err := filepath.Rel(top, file)
			if err != nil {
				return err
			}
			content, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			mode := os.FileMode(0o644)
			if info.Mode()&0o100 != 0 {
				mode = 0o755
			}
			if d.Name() == "Chart.yaml" {
				content = chartVersions.ReplaceAllFunc(content, r.chartVersion)
			}
			return add(path.Join(as, filepath.ToSlash(name)), mode, content)
		})
	})
	return where, cmp.Or(err, f.Close())
}

func (r *release) chartVersion(line []byte) []byte {
	if line[0] == 'v' {
		return []byte("version: " + r.version)
	}
	return []byte(`appVersion: "` + r.imageTag() + `"`)
}

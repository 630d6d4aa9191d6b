package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	"github.com/goreleaser/nfpm/v2/rpm"
)

// packager is one format of packages.
type packager struct {
	pack nfpm.Packager
	// creates has the programs that make users, which must be there before files are unpacked.
	creates string
	suggest []string
}

var packagers = map[string]packager{
	"deb": {deb.Default, "passwd", []string{"tesseract-ocr", "postgresql", "caddy"}},
	"rpm": {rpm.DefaultRPM, "shadow-utils", []string{"tesseract", "postgresql-server", "caddy"}},
}

// maintainer is who packages say they are from. The formats take a name without an address; the policy of Debian asks
// its own packages for one, and there is none to give.
const maintainer = "The Groundwork authors"

// pack makes a package of one format from a program.
func (r *release) pack(format string, b built, folder string) (string, error) {
	p := packagers[format]
	info := r.info(format, b)
	where := filepath.Join(folder, p.pack.ConventionalFileName(r.info(format, b)))
	f, err := os.Create(where)
	if err != nil {
		return "", err
	}
	if err := errors.Join(p.pack.Package(info, f), f.Close()); err != nil {
		return "", fmt.Errorf("the %s for %s: %w", format, b.target, err)
	}
	return where, nil
}

// info describes a package: its files, whose they are, and what runs when it comes and goes. It is made anew for each
// use, since packers write into it.
func (r *release) info(format string, b built) *nfpm.Info {
	p := packagers[format]
	from := func(path string) string { return filepath.Join(r.top, filepath.FromSlash(path)) }
	file := func(source, target string, mode os.FileMode) *files.Content {
		return &files.Content{
			Source: source, Destination: target, Type: files.TypeFile,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: r.time},
		}
	}
	settings := file(from("deploy/package/env"), "/etc/groundwork/env", 0o640)
	settings.Type, settings.FileInfo.Group = files.TypeConfigNoReplace, "groundwork"
	const docs = "/usr/share/doc/groundwork/"
	contents := files.Contents{
		file(b.path, "/usr/bin/groundwork", 0o755),
		file(from("deploy/package/groundworkctl"), "/usr/sbin/groundworkctl", 0o755),
		file(from("deploy/systemd/groundwork.service"), "/usr/lib/systemd/system/groundwork.service", 0o644),
		settings,
		file(from("LICENSE"), docs+"copyright", 0o644),
	}
	for _, f := range beside {
		if f != "LICENSE" {
			contents = append(contents, file(from(f), docs+f, 0o644))
		}
	}
	info := &nfpm.Info{
		Name: "groundwork", Arch: b.processor, Platform: "linux", Version: r.version, VersionSchema: "none",
		Section: "web", Priority: "optional", Maintainer: maintainer, License: "Apache-2.0", MTime: r.time,
		Description: "Self-hosted service for construction project data\nDrawings, issues, RFIs, photos and reports " +
			"of building sites, with an application for people and an API for programs.",
		DisableGlobbing: true,
		Overridables: nfpm.Overridables{
			Depends: []string{p.creates}, Recommends: []string{"ca-certificates"}, Suggests: p.suggest,
			Contents: contents,
			Scripts: nfpm.Scripts{
				PreInstall: from("deploy/package/preinst"), PostInstall: from("deploy/package/postinst"),
				PreRemove: from("deploy/package/prerm"), PostRemove: from("deploy/package/postrm"),
			},
			RPM: nfpm.RPM{BuildHost: "localhost", Compression: "gzip"},
			Deb: nfpm.Deb{Compression: "gzip"},
		},
	}
	if format == "deb" {
		info.Depends, info.Deb.Predepends = nil, []string{p.creates}
	}
	return info
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"groundwork/internal/credential"
)

func TestPlay(t *testing.T) {
	says := func(name, said string, err error) part {
		return part{name, func(context.Context) (string, error) { return said, err }}
	}
	for _, c := range []struct {
		name    string
		part    part
		require string
		well    bool
		line    string
	}{
		{"ok", says("a", "all of it", nil), "", true, "a             ok "},
		{"failed", says("a", "", errors.New("broken")), "", false, "FAILED"},
		{"not run", says("a", "", notRun{"no network"}), "b", true, "NOT RUN"},
		{"not run, wrapped", says("a", "", fmt.Errorf("looking: %w", notRun{"no network"})), "", true, "NOT RUN"},
		{"not run, required", says("a", "", notRun{"no network"}), "a", false, "no network"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			if well := play(t.Context(), &out, []part{c.part, says("z", "last", nil)},
				[]string{c.require}); well != c.well {
				t.Errorf("well: %t, want %t", well, c.well)
			}
			if !strings.Contains(out.String(), c.line) || !strings.Contains(out.String(), "z             ok") {
				t.Errorf("printed:\n%s", &out)
			}
		})
	}
}

func TestClassify(t *testing.T) {
	const bsd = "Redistribution and use in source and binary forms, with or without\nmodification, are permitted provided that the following conditions are met:\n"
	for _, c := range []struct{ name, text, ids, bad string }{
		{"MIT", "Permission is hereby granted, free of charge, to any person obtaining\na copy of this software and associated documentation files (the \"Software\")", "MIT", ""},
		{"BSD-2", bsd + "1. ... 2. ...", "BSD-2-Clause", ""},
		{"BSD-3", bsd + "* Neither the name of X may be used to endorse or promote products", "BSD-3-Clause", ""},
		{
			"BSD-4", bsd + "3. All advertising materials mentioning features or use of this software must", "",
			"BSD-4-Clause",
		},
		{"Apache", "   Apache License\n   Version 2.0, January 2004", "Apache-2.0", ""},
		{
			"MPL", "Mozilla Public License Version 2.0\n1.12. \"Secondary License\" means either the GNU General Public License, Version 2.0, the GNU Lesser\nGeneral Public License, " +
				"Version 2.1, the GNU Affero General Public License, Version 3.0, or any later versions of those licenses.",
			"MPL-2.0", "",
		},
		{"ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that the above", "ISC", ""},
		{"0BSD", "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted.\n\nTHE SOFTWARE IS", "0BSD", ""},
		{"GPL", "GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007", "", "GPL"},
		{"AGPL", "GNU AFFERO\nGENERAL PUBLIC LICENSE", "", "AGPL"},
		{"MIT or GPL", "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files. Or the GNU General Public License.", "MIT", "GPL"},
		{"SSPL", "Server Side Public License\nVERSION 1, OCTOBER 16, 2018", "", "SSPL"},
		{"home-made", "You may use this on Sundays.", "", ""},
		{"empty", "", "", ""},
	} {
		if ids, bad := classify(c.text); strings.Join(ids, ",") != c.ids || strings.Join(bad, ",") != c.bad {
			t.Errorf("%s: %v, refused %v; want %q, refused %q", c.name, ids, bad, c.ids, c.bad)
		}
	}
}

func TestModuleLicence(t *testing.T) {
	const mit = "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files"
	for _, c := range []struct {
		name     string
		files    map[string]string
		licences string
		problem  string
	}{
		{"plain", map[string]string{"LICENSE": mit}, "MIT", ""},
		{"copying", map[string]string{"COPYING": mit}, "MIT", ""},
		{"none", map[string]string{"README.md": mit}, "", "no licence file"},
		{"only a part has one", map[string]string{"part/LICENSE": mit}, "MIT", "no licence file"},
		{"unknown", map[string]string{"LICENSE": "Ask me."}, "", "no licence that is known"},
		{
			"a part is GPL",
			map[string]string{"LICENSE": mit, "part/COPYING": "GNU General Public License"},
			"MIT",
			"names GPL",
		},
		{
			"another licence beside",
			map[string]string{"LICENSE": mit, "LICENSE-X": "Apache License, Version 2.0"},
			"Apache-2.0,MIT", "",
		},
		{
			"code that is named so",
			map[string]string{"LICENSE": mit, "license_check.go": "GNU General Public License"},
			"MIT", "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := t.TempDir()
			m := &module{path: "example.com/m", folders: []string{top, filepath.Join(top, "part")}}
			if err := os.Mkdir(m.folders[1], 0o755); err != nil {
				t.Fatal(err)
			}
			for name, text := range c.files {
				if err := os.WriteFile(filepath.Join(top, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			m.classify()
			if strings.Join(m.licences, ",") != c.licences || !strings.Contains(m.problem, c.problem) ||
				(m.problem == "") != (c.problem == "") {
				t.Errorf("%v, %q; want %s, %q", m.licences, m.problem, c.licences, c.problem)
			}
		})
	}
}

func TestReasons(t *testing.T) {
	b := &build{modules: []*module{{path: "a", direct: true}, {path: "b"}}, tests: []*module{{path: "c", direct: true}}}
	if got := b.unreasoned(map[string]string{"a": "x", "c": "y"}); got != nil {
		t.Errorf("complains of %v", got)
	}
	got := b.unreasoned(map[string]string{"a": "x", "d": "z"})
	if len(got) != 2 || !strings.HasPrefix(got[0], "c is asked for") || !strings.HasPrefix(got[1], "d has a reason") {
		t.Errorf("complains of %v", got)
	}
}

// TestSame builds a program in two folders. The control leaves out -trimpath and must differ.
func TestSame(t *testing.T) {
	for _, c := range []struct {
		flag string
		same bool
	}{{"-trimpath", true}, {"-trimpath=false", false}} {
		folders := []string{filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "elsewhere")}
		for _, folder := range folders {
			if err := os.Mkdir(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{
				"go.mod":  "module m\n",
				"main.go": "package main\n\nfunc main() { panic(1) }\n",
			} {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		sum, err := same(folders[0], folders[1], func(folder string) (string, error) {
			_, err := run(t.Context(), folder, []string{"CGO_ENABLED=0"}, "go", "build", c.flag, "-buildvcs=false",
				"-o", "m", ".")
			return filepath.Join(folder, "m"), err
		})
		if (err == nil) != c.same || len(sum) != 64 {
			t.Errorf("%s: %s, %v", c.flag, sum, err)
		}
	}
}

func TestScan(t *testing.T) {
	secret, _ := credential.NewSecret(credential.KindKey)
	wrong := []byte(secret)
	wrong[10] ^= 1
	key := "-----BEGIN RSA PRIVATE " + "KEY-----"
	for _, c := range []struct {
		name, file, text string
		finds            string
	}{
		{"nothing", "a.go", "package a // gwk_… and the work/flow of /healthz, https://example.com/home/x\n", ""},
		{"a key", "a.txt", "x\nkey " + secret + "\n", "a.txt:2 holds a secret of this service."},
		{"a key that opens nothing", "a.txt", string(wrong), ""},
		{"a private key", "testdata/k.pem", key, "testdata/k.pem:1 holds a private key."},
		{
			"a private key of others", "internal/web/vendored/x/k.js", key,
			"internal/web/vendored/x/k.js:1 holds a private key.",
		},
		{"a cloud's key", "a.yml", "id: AKIA" + "ABCDEFGHIJKLMNOP", "a.yml:1 holds a key of a cloud."},
		{"a token", "a.yml", "ghp_" + strings.Repeat("a1", 18), "a.yml:1 holds a token of a forge."},
		{
			"a path", "a.md", "see /ro" + "ot/x or `/ho" + "me/ann/y`",
			"a.md:1 holds a path of somebody's machine.,a.md:1 holds a path of somebody's machine.",
		},
		{"a path in a file of others", "internal/web/vendored/x/a.js", " /Use" + "rs/ann/y", ""},
		{"a host", "a.sh", "GOPROXY=https://proxy.golang." + "org", "a.sh:1 holds a host that serves packages."},
		{"packed", "a.gz", "\x00" + secret, ""},
	} {
		if got := strings.Join(scan(c.file, []byte(c.text)), ","); got != c.finds {
			t.Errorf("%s: %q, want %q", c.name, got, c.finds)
		}
	}
}

func TestTree(t *testing.T) {
	t.Chdir("../..")
	files, err := tree(t.Context(), "Makefile", "scripts/audit")
	if err != nil || !slices.Contains(files, "Makefile") || !slices.Contains(files, "scripts/audit/audit_test.go") {
		t.Errorf("%v, %v", files, err)
	}
}

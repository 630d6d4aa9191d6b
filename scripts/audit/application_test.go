package main

import (
	"strings"
	"testing"
)

func TestReadApplication(t *testing.T) {
	const mit = "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and " +
		"associated documentation files (the \"Software\"), to deal in the Software without restriction"
	const isc = "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby " +
		"granted, provided that the above copyright notice and this permission notice appear in all copies."
	const lock = `{"packages": {"": {}, "node_modules/a": {"version": "1.0.0", "integrity": "sha512-x"}}}`
	for _, tt := range []struct{ name, part, problem string }{
		{"a known licence", "a 1.0.0 (MIT)\n\n" + mit, ""},
		{"only its name", "a 1.0.0 (ISC)\n\nLicence: ISC", ""},
		{"only the name of one that is not allowed", "a 1.0.0 (AGPL-3.0)\n\nLicence: AGPL-3.0", "reads as"},
		{"the licence of a part beside its own", "a 1.0.0 (ISC)\n\n" + isc + "\n" + mit, ""},
		{"another text", "a 1.0.0 (ISC)\n\n" + mit, "says that its licence is ISC"},
		{"a text that asks more", "a 1.0.0 (MIT)\n\n" + mit + "\nGNU Affero General Public License", "reads as"},
		{"another version", "a 1.0.1 (MIT)\n\n" + mit, `the lock file has version "1.0.0"`},
	} {
		parts, problems, err := readApplication([]byte("Head.\n"+noticeLine+tt.part+"\n"), []byte(lock))
		if err != nil || len(parts) != 1 || (tt.problem == "") != (len(problems) == 0) ||
			!strings.Contains(strings.Join(problems, " "), tt.problem) {
			t.Errorf("%s: %v, %q, %v", tt.name, parts, problems, err)
		}
	}
	if _, problems, err := readApplication([]byte("Head.\n"), []byte(lock)); err != nil || len(problems) != 1 {
		t.Errorf("no package: %q, %v", problems, err)
	}
	if _, _, err := readApplication([]byte("Head.\n"+noticeLine+"nothing"), []byte(lock)); err == nil {
		t.Error("a part without a name is read")
	}
}

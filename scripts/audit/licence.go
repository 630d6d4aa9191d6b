package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licence is one that is known by a phrase that only its text has.
type licence struct {
	id     string
	phrase string
	// without is a phrase that makes it another one.
	without string
}

// allowed are the licences under which others may use, change and pass on this service whatever they do with it.
// Phrases are in plain form.
var allowed = []licence{
	{"MIT", "permission is hereby granted free of charge to any person obtaining a copy of this software and associated documentation files", ""},
	{"BSD-3-Clause", "redistribution and use in source and binary forms with or without modification are permitted provided that the following conditions are met", "all advertising materials"},
	{"Apache-2.0", "apache license version 2 0", ""},
	{"ISC", "permission to use copy modify and or distribute this software for any purpose with or without fee is hereby granted provided", ""},
	{"ISC", "permission to use copy modify and distribute this software for any purpose with or without fee is hereby granted provided", ""},
	{"0BSD", "permission to use copy modify and or distribute this software for any purpose with or without fee is hereby granted the software", ""},
	{"MPL-2.0", "mozilla public license version 2 0", ""},
	{"Unlicense", "this is free and unencumbered software released into the public domain", ""},
	{"CC0-1.0", "cc0 1 0 universal", ""},
	{"Zlib", "altered source versions must be plainly marked as such and must not be misrepresented as being the original software", ""},
	{"OFL-1.1", "this license becomes null and void if any of the above conditions are not met", ""},
	{"Bitstream-Vera", "only if the fonts are renamed to names not containing either the words bitstream or the word vera", ""},
	{"blessing", "sqlite is public domain", ""},
}

// refused are licences that ask more of those who run or change this service than its own does, or forbid some of them
// to.
var refused = []licence{
	{"AGPL", "gnu affero general public license", ""},
	{"GPL", "gnu general public license", ""},
	{"LGPL", "gnu lesser general public license", ""},
	{"LGPL", "gnu library general public license", ""},
	{"SSPL", "server side public license", ""},
	{"BUSL", "business source license", ""},
	{"Commons Clause", "commons clause", ""},
	{"Elastic", "elastic license", ""},
	{"BSD-4-Clause", "all advertising materials mentioning features or use", ""},
	{"CC-BY-NC", "attribution noncommercial", ""},
}

// secondary is where the Mozilla Public License names others that may be combined with it.
const secondary = "means either the gnu general public license version 2 0 the gnu lesser general public license version 2 1 the gnu affero general public license version 3 0 or any later versions of those licenses"

var notWord = regexp.MustCompile(`[^a-z0-9]+`)

// plain is a text without case, signs and line breaks.
func plain(text string) string { return notWord.ReplaceAllString(strings.ToLower(text), " ") }

// classify names the licences that a text holds, and those among them that are refused.
func classify(text string) (ids, bad []string) {
	words := strings.ReplaceAll(plain(text), secondary, "")
	for _, l := range allowed {
		if !strings.Contains(words, l.phrase) || l.without != "" && strings.Contains(words, l.without) {
			continue
		}
		id := l.id
		if id == "BSD-3-Clause" && !strings.Contains(words, "to endorse or promote") {
			id = "BSD-2-Clause"
		}
		ids = append(ids, id)
	}
	for _, l := range refused {
		if strings.Contains(words, l.phrase) {
			bad = append(bad, l.id)
		}
	}
	return ids, bad
}

var (
	mainLicence = regexp.MustCompile(`(?i)^((un)?licen[sc]e|copying)(\.(txt|md))?$`)
	// Beside it lie the licences of parts that were taken from elsewhere.
	partLicence = regexp.MustCompile(`(?i)^(licen[sc]e|copying)[-_.]`)
	notices     = regexp.MustCompile(`(?i)third|3rd`)
)

// repeating are modules whose list of notices is of more than what they add to a binary, and is left out.
var repeating = map[string]string{
	"modernc.org/sqlite": "it has all modules that its tests and theirs ask for; those in the binary are looked at one by one",
}

// classify finds the licences of a module in its folder and in those of its packages.
func (m *module) classify() {
	found := false
	for i, folder := range m.folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			m.problem = err.Error()
			return
		}
		for _, e := range entries {
			isMain := mainLicence.MatchString(e.Name())
			if e.IsDir() || !isMain && !partLicence.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
				continue
			}
			if repeating[m.path] != "" && notices.MatchString(e.Name()) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(folder, e.Name()))
			if err != nil {
				m.problem = err.Error()
				return
			}
			ids, bad := classify(string(text))
			if len(bad) > 0 {
				m.problem = e.Name() + " names " + strings.Join(bad, ", ")
			}
			if isMain && len(ids) == 0 && m.problem == "" {
				m.problem = e.Name() + " is of no licence that is known here"
			}
			found = found || isMain && i == 0
			m.licences = append(m.licences, ids...)
		}
	}
	slices.Sort(m.licences)
	m.licences = slices.Compact(m.licences)
	if !found && m.problem == "" {
		m.problem = "it has no licence file"
	}
}

// classifyFile names the licences of one file; none when it is not there.
func classifyFile(path string) (ids, bad []string, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	ids, bad = classify(string(text))
	return ids, bad, err
}

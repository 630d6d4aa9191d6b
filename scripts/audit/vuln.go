package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const publicDatabase = "https://vuln.go.dev"

// vulnerabilities asks the database about all that the binary can call. A database that cannot be reached is notRun.
func vulnerabilities(ctx context.Context, database string) (string, error) {
	if database == "" {
		database = publicDatabase
	}
	if u, err := url.Parse(database); err != nil || u.Scheme == "" {
		full, err := filepath.Abs(database)
		if err != nil {
			return "", err
		}
		database = (&url.URL{Scheme: "file", Path: filepath.ToSlash(full)}).String()
	}
	date, err := dated(ctx, database)
	if err != nil {
		return "", notRun{fmt.Sprintf(
			"The vulnerability database %s cannot be reached (%v). GOVULNDB=FOLDER names a copy.", database, err)}
	}
	if _, err := run(ctx, "", nil, "make", "bin/govulncheck"); err != nil {
		return "", err
	}
	packages, err := ownPackages(ctx)
	if err != nil {
		return "", err
	}
	out, err := run(ctx, "", []string{"CGO_ENABLED=0"}, "bin/govulncheck",
		append([]string{"-db", database, "-format", "json"}, packages...)...)
	if err != nil {
		return "", err
	}
	called, present, err := findings(strings.NewReader(string(out)))
	said := fmt.Sprintf("the database %s of %s knows nothing that the binary can call, and %d that it only has",
		database, date.Format(time.DateOnly), len(present))
	if len(called) > 0 {
		said = fmt.Sprintf("the database %s of %s", database, date.Format(time.DateOnly))
	}
	return said, errors.Join(err, joined(called))
}

// ownPackages are the packages of this module in the binary. All are named: from main alone no command would be seen,
// as they are found by reflection; of a package that is named, whatever it exports counts as called.
func ownPackages(ctx context.Context) ([]string, error) {
	out, err := run(ctx, "", []string{"CGO_ENABLED=0"}, "go", "list", "-deps", "-f",
		"{{with .Module}}{{if .Main}}{{$.ImportPath}}{{end}}{{end}}", "./cmd/groundwork")
	return strings.Fields(string(out)), err
}

// dated tells when the database was last changed.
func dated(ctx context.Context, database string) (time.Time, error) {
	var text []byte
	var err error
	if u, parseErr := url.Parse(database); parseErr == nil && u.Scheme == "file" {
		text, err = os.ReadFile(filepath.Join(filepath.FromSlash(u.Path), "index", "db.json"))
	} else {
		text, err = fetch(ctx, database+"/index/db.json")
	}
	if err != nil {
		return time.Time{}, err
	}
	var index struct{ Modified time.Time }
	if err := json.Unmarshal(text, &index); err != nil {
		return time.Time{}, err
	}
	if index.Modified.IsZero() {
		return time.Time{}, errors.New("it has no date")
	}
	return index.Modified, nil
}

func fetch(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", address, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, errors.New(response.Status)
	}
	return io.ReadAll(io.LimitReader(response.Body, 1<<20))
}

// findings reads the messages of govulncheck: the vulnerabilities in functions that can be reached, and those in code
// that is only there.
func findings(from io.Reader) (called, present []string, err error) {
	type frame struct{ Module, Version, Package, Function string }
	reached, there := map[string]string{}, map[string]bool{}
	for dec := json.NewDecoder(from); ; {
		var message struct {
			Finding *struct {
				OSV          string
				FixedVersion string `json:"fixed_version"`
				Trace        []frame
			}
		}
		if err := dec.Decode(&message); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, nil, fmt.Errorf("govulncheck: %w", err)
		}
		f := message.Finding
		if f == nil || len(f.Trace) == 0 {
			continue
		}
		there[f.OSV] = true
		if at := f.Trace[0]; at.Function != "" {
			fixed := "there is no version without it"
			if f.FixedVersion != "" {
				fixed = "fixed in " + f.FixedVersion
			}
			reached[f.OSV] = fmt.Sprintf("%s: %s %s, %s.%s can be called; %s.", f.OSV, at.Module, at.Version,
				at.Package, at.Function, fixed)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(there)) {
		if text := reached[id]; text != "" {
			called = append(called, text)
		} else {
			present = append(present, id)
		}
	}
	return called, present, nil
}

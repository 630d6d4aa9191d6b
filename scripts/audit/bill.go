package main

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// The bill of materials is CycloneDX 1.5. It holds no time and no random number: the same binary has the same bill.
type (
	bom struct {
		Format       string       `json:"bomFormat"`
		SpecVersion  string       `json:"specVersion"`
		SerialNumber string       `json:"serialNumber"`
		Version      int          `json:"version"`
		Metadata     metadata     `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	metadata struct {
		Component component `json:"component"`
	}
	component struct {
		Ref      string     `json:"bom-ref"`
		Type     string     `json:"type"`
		Name     string     `json:"name"`
		Version  string     `json:"version,omitempty"`
		Hashes   []hash     `json:"hashes,omitempty"`
		Licenses []choice   `json:"licenses,omitempty"`
		PURL     string     `json:"purl,omitempty"`
		Scope    string     `json:"scope,omitempty"`
		More     []property `json:"properties,omitempty"`
	}
	hash struct {
		Alg     string `json:"alg"`
		Content string `json:"content"`
	}
	choice struct {
		License named `json:"license"`
	}
	named struct {
		ID string `json:"id"`
	}
	property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	dependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn"`
	}
)

// billOf writes the bill of materials of a binary for any system, unless a licence is in the way.
func billOf(ctx context.Context, binary, bill string) (string, error) {
	b, err := readBuild(ctx, binary)
	if err != nil {
		return "", err
	}
	for _, m := range b.modules {
		if m.problem == "" {
			m.classify()
		}
	}
	if problems := b.problems(); len(problems) > 0 {
		return "", joined(problems)
	}
	return b.writeBill(ctx, binary, bill)
}

// writeBill writes the bill of materials of the binary that was read.
func (b *build) writeBill(ctx context.Context, binary, bill string) (string, error) {
	content, err := os.ReadFile(binary)
	if err != nil {
		return "", err
	}
	graph, err := run(ctx, "", nil, "go", "mod", "graph")
	if err != nil {
		return "", err
	}
	all, err := b.bom(sha256.Sum256(content), edges(string(graph)))
	if err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s, CycloneDX %s, %d components", bill, all.SpecVersion,
		len(all.Components)), os.WriteFile(bill, append(text, '\n'), 0o644)
}

// edges reads `go mod graph`: who asks for whom, by path. Which versions were asked for does not matter; one was
// chosen.
func edges(graph string) map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(graph) {
		from, to, _ := strings.Cut(strings.TrimSpace(line), " ")
		from, _, _ = strings.Cut(from, "@")
		to, _, _ = strings.Cut(to, "@")
		if !slices.Contains(out[from], to) {
			out[from] = append(out[from], to)
		}
	}
	return out
}

const own = "groundwork"

func (b *build) bom(sum [32]byte, asks map[string][]string) (*bom, error) {
	all := &bom{Format: "CycloneDX", SpecVersion: "1.5", SerialNumber: serial(sum), Version: 1}
	all.Metadata.Component = component{
		Ref: own, Type: "application", Name: own, Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}},
	}
	std := component{
		Ref: "pkg:golang/std@" + b.goVersion, Type: "library", Name: "std", Version: b.goVersion,
		Licenses: choices([]string{"BSD-3-Clause"}), PURL: "pkg:golang/std@" + b.goVersion, Scope: "required",
	}
	all.Components = []component{std}
	refs := map[string]string{own: own}
	for _, m := range b.modules {
		c := component{
			Ref: "pkg:golang/" + m.path + "@" + m.version, Type: "library", Name: m.path, Version: m.version,
			Licenses: choices(m.licences), Scope: "required",
		}
		c.PURL = c.Ref
		given, ok := strings.CutPrefix(m.sum, "h1:")
		content, err := base64.StdEncoding.DecodeString(given)
		if !ok || err != nil || len(content) != sha256.Size {
			return nil, fmt.Errorf("%s %s has the sum %q", m.path, m.version, m.sum)
		}
		// go.sum's h1 is the SHA-256 of the list of the module's files with their SHA-256.
		c.Hashes, c.More = []hash{{"SHA-256", hex.EncodeToString(content)}}, []property{{"go.sum", m.sum}}
		all.Components, refs[m.path] = append(all.Components, c), c.Ref
	}
	top := []string{std.Ref}
	for _, f := range b.browser {
		if strings.HasPrefix(f.Folder, fontFolder) {
			c := typeface(f)
			all.Components, top = append(all.Components, c), append(top, c.Ref)
			continue
		}
		if !strings.HasPrefix(f.Folder, "vendored/") && f.Folder != appFolder {
			continue // tests only
		}
		c := component{
			Ref: "pkg:npm/" + f.Package + "@" + f.Version, Type: "library", Name: f.Package,
			Version: f.Version, Licenses: choices([]string{f.Licence}), Scope: "required",
		}
		c.PURL = c.Ref
		given, ok := strings.CutPrefix(f.Integrity, "sha512-")
		content, err := base64.StdEncoding.DecodeString(given)
		if !ok || err != nil || len(content) != sha512.Size {
			return nil, errors.New("the integrity of " + f.Package + " is not a SHA-512")
		}
		c.Hashes = []hash{{"SHA-512", hex.EncodeToString(content)}}
		all.Components = append(all.Components, c)
		top = append(top, c.Ref)
	}
	for _, path := range slices.Sorted(maps.Keys(refs)) {
		d := dependency{Ref: refs[path], DependsOn: []string{}}
		for _, to := range asks[path] {
			if ref := refs[to]; ref != "" {
				d.DependsOn = append(d.DependsOn, ref)
			}
		}
		if path == own {
			d.DependsOn = append(d.DependsOn, top...)
		}
		slices.Sort(d.DependsOn)
		all.Dependencies = append(all.Dependencies, d)
	}
	return all, nil
}

func choices(ids []string) []choice {
	out := make([]choice, len(ids))
	for i, id := range ids {
		out[i] = choice{named{id}}
	}
	return out
}

// serial is a UUID that follows from the binary.
func serial(sum [32]byte) string {
	id := sha1.Sum(append([]byte("groundwork bill of materials "), sum[:]...))
	id[6], id[8] = id[6]&0x0f|0x50, id[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:16])
}

// typeface is a family of letters as a part of the binary; its hash is that of the list of its files with their hashes.
func typeface(f browserFile) component {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(f.Files)) {
		fmt.Fprintf(sum, "%s  %s\n", f.Files[name], name)
	}
	ref := "pkg:generic/" + strings.ReplaceAll(f.Package, " ", "-") + "@" + strings.ReplaceAll(f.Version, " ", "-")
	return component{
		Ref: ref, PURL: ref, Type: "library", Name: f.Package, Version: f.Version,
		Licenses: choices([]string{f.Licence}), Scope: "required",
		Hashes: []hash{{"SHA-256", hex.EncodeToString(sum.Sum(nil))}},
	}
}

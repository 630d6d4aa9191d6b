package main

import (
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// bill is a bill of materials in CycloneDX, as far as it is put together here; make audit says what is in a program.
type bill struct {
	Format       string           `json:"bomFormat"`
	SpecVersion  string           `json:"specVersion"`
	SerialNumber string           `json:"serialNumber"`
	Version      int              `json:"version"`
	Metadata     billOf           `json:"metadata"`
	Components   []map[string]any `json:"components"`
	Dependencies []billArrow      `json:"dependencies"`
}

type billOf struct {
	Component map[string]any `json:"component"`
}

type billArrow struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

const (
	// rootsModule has the list of authorities that is in the image.
	rootsModule = "golang.org/x/crypto/x509roots/fallback"
	// programRef is how the bill of a program calls the program.
	programRef = "groundwork"
)

// writeBill writes the bill of materials of something that was made beside it: the programs in it and all that is in
// them.
func (r *release) writeBill(where string, programs []built) (string, error) {
	sum, err := sumFile(where)
	if err != nil {
		return "", err
	}
	name := filepath.Base(where)
	kind := "application"
	if strings.HasSuffix(name, "_image.tar") {
		kind = "container"
	}
	all := bill{
		Format: "CycloneDX", SpecVersion: "1.5", SerialNumber: serial(sum), Version: 1,
		Metadata: billOf{map[string]any{
			"bom-ref": name, "type": kind, "name": name, "version": r.version,
			"hashes": []map[string]string{{"alg": "SHA-256", "content": sum}},
		}},
	}
	arrows := map[string][]string{name: nil}
	for _, p := range programs {
		if err := all.add(p, name, arrows); err != nil {
			return "", fmt.Errorf("%s: %w", p.bill, err)
		}
	}
	if kind == "container" {
		c := rootsComponent()
		all.Components = append(all.Components, c)
		arrows[name] = append(arrows[name], c["bom-ref"].(string))
	}
	slices.SortFunc(all.Components, func(a, b map[string]any) int {
		return strings.Compare(a["bom-ref"].(string), b["bom-ref"].(string))
	})
	for ref, on := range arrows {
		slices.Sort(on)
		all.Dependencies = append(all.Dependencies, billArrow{ref, slices.Compact(append([]string{}, on...))})
	}
	slices.SortFunc(all.Dependencies, func(a, b billArrow) int { return strings.Compare(a.Ref, b.Ref) })
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return "", err
	}
	return where + ".cdx.json", os.WriteFile(where+".cdx.json", append(text, '\n'), 0o644)
}

// add adds a program and what it is made of.
func (all *bill) add(p built, to string, arrows map[string][]string) error {
	text, err := os.ReadFile(p.bill)
	if err != nil {
		return err
	}
	var one bill
	if err := json.Unmarshal(text, &one); err != nil {
		return err
	}
	own := programRef + "_" + p.String()
	program := one.Metadata.Component
	program["bom-ref"] = own
	for _, c := range append(one.Components, program) {
		ref, _ := c["bom-ref"].(string)
		if ref == "" {
			return fmt.Errorf("a component without a reference: %v", c["name"])
		}
		if !slices.ContainsFunc(all.Components, func(has map[string]any) bool { return has["bom-ref"] == ref }) {
			all.Components = append(all.Components, c)
		}
	}
	for _, d := range one.Dependencies {
		if d.Ref == programRef {
			d.Ref = own
		}
		arrows[d.Ref] = append(arrows[d.Ref], d.DependsOn...)
	}
	arrows[to] = append(arrows[to], own)
	return nil
}

// rootsComponent is the list of authorities as a part of the image.
func rootsComponent() map[string]any {
	version := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if d.Path == rootsModule {
				version = d.Version
			}
		}
	}
	ref := "pkg:golang/" + rootsModule + "@" + version
	return map[string]any{
		"bom-ref": ref, "purl": ref, "type": "library", "name": "Mozilla's list of certificate authorities",
		"version": version, "licenses": []map[string]any{{"license": map[string]string{"id": "MPL-2.0"}}},
	}
}

// serial is a UUID that follows from a sum.
func serial(sum string) string {
	id := sha1.Sum([]byte("groundwork release " + sum))
	id[6], id[8] = id[6]&0x0f|0x50, id[8]&0x3f|0x80
	text := hex.EncodeToString(id[:16])
	return fmt.Sprintf("urn:uuid:%s-%s-%s-%s-%s", text[:8], text[8:12], text[12:16], text[16:20], text[20:])
}

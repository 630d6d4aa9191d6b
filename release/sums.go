package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sumsName is the file of checksums, in the form that sha256sum --check reads.
const sumsName = "SHA256SUMS"

// sumFile is the SHA-256 of a file, in hexadecimal digits.
func sumFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// writeSums writes the checksums of files beside them.
func writeSums(folder string, files []string) (string, error) {
	var out strings.Builder
	for _, path := range slices.Sorted(slices.Values(files)) {
		sum, err := sumFile(path)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "%s  %s\n", sum, filepath.Base(path))
	}
	where := filepath.Join(folder, sumsName)
	return where, os.WriteFile(where, []byte(out.String()), 0o644)
}

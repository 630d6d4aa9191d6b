package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"

	"groundwork/internal/credential"
)

// trace is something that must not stand in the tree. The patterns are written so that they do not find themselves.
type trace struct {
	what    string
	pattern *regexp.Regexp
	// real tells a find from what only looks like it; nil for all.
	real func(text string) bool
	// foreign files may hold it: others wrote them.
	foreign bool
}

var traces = []trace{
	{"a private key", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE K[E]Y-----`), nil, false},
	{"a secret of this service", regexp.MustCompile(`\bgw[a-z]_[0-9A-Za-z]{38}\b`), func(s string) bool {
		return credential.ValidSecret(s[2], s)
	}, false},
	{"a key of a cloud", regexp.MustCompile(`\b(AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[0-9A-Za-z_-]{35}\b`), nil, false},
	{"a token of a forge", regexp.MustCompile(
		`\b(gh[pousr]_[0-9A-Za-z]{36}|github_pat_[0-9A-Za-z_]{60,}|glpat-[0-9A-Za-z_-]{20,})\b`), nil, false},
	{"a token of a chat", regexp.MustCompile(`\bxox[abprs]-[0-9A-Za-z-]{20,}`), nil, false},
	{"a path of somebody's machine", regexp.MustCompile(`(^|[\s"'=:(` + "`" +
		`])/(root|home/[a-z][a-z0-9_-]*|Users/[A-Za-z][\w.-]*|work)/[\w.]`), nil, true},
	{
		"a host that serves packages",
		regexp.MustCompile(`(?i)\b(proxy\.golang\.o[r]g|registry\.(npmjs|yarnpkg)\.[a-z]+|[a-z0-9-]*(artifactory|nexus|goproxy)[a-z0-9-]*\.[a-z0-9.-]+)\b`), nil, true,
	},
}

// theirs tells whether others wrote a file.
func theirs(name string) bool {
	return strings.HasPrefix(name, "internal/web/vendored/") && !strings.HasSuffix(name, ".json") ||
		strings.HasPrefix(name, "internal/web/testdata/")
}

// scanTree looks through every file that is committed or would be.
func scanTree(ctx context.Context) (string, error) {
	files, err := tree(ctx)
	if err != nil {
		return "", err
	}
	var found []string
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		found = append(found, scan(name, content)...)
	}
	return fmt.Sprintf("%d files hold no keys, tokens, paths of machines and hosts of packages",
		len(files)-len(found)), joined(found)
}

// scan tells what a file holds that it must not, by line; secrets are not repeated.
func scan(name string, content []byte) (found []string) {
	if bytes.IndexByte(content[:min(len(content), 8000)], 0) >= 0 {
		return nil // packed from what is looked at as text
	}
	number := 0
	for line := range bytes.Lines(content) {
		number++
		for _, t := range traces {
			if t.foreign && theirs(name) {
				continue
			}
			for _, text := range t.pattern.FindAllString(string(line), -1) {
				if t.real == nil || t.real(text) {
					found = append(found, fmt.Sprintf("%s:%d holds %s.", name, number, t.what))
				}
			}
		}
	}
	return found
}

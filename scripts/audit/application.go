package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// The application in the browser is built from packages that make app fetches; what of them is in it stands in a file
// beside it, with their licences, and what they hash to in the lock file.
const (
	appNotices = "internal/web/dist/licences.txt"
	appLock    = "app/package-lock.json"
	appFolder  = "dist/"
	noticeLine = "\n--------------------------------------------------------------------------------\n\n"
)

var noticeHead = regexp.MustCompile(`^(\S+) (\S+) \(([^)]+)\)\n`)

// readApplication reads which packages are in the application, and what is wrong with their licences.
func readApplication(notices, lock []byte) (parts []browserFile, problems []string, err error) {
	var locked struct {
		Packages map[string]struct{ Version, Integrity string }
	}
	if err := json.Unmarshal(lock, &locked); err != nil {
		return nil, nil, fmt.Errorf("the lock file of the application: %w", err)
	}
	for _, text := range strings.Split(string(notices), noticeLine)[1:] {
		head := noticeHead.FindStringSubmatch(text)
		if head == nil {
			return nil, nil, fmt.Errorf("the licences of the application have a part without a name: %.60q", text)
		}
		p := browserFile{Package: head[1], Version: head[2], Licence: head[3], Folder: appFolder, Use: appUses[head[1]]}
		entry := locked.Packages["node_modules/"+p.Package]
		p.Integrity = entry.Integrity
		if entry.Version != p.Version {
			problems = append(problems, fmt.Sprintf("%s %s is in the application, and the lock file has version %q.",
				p.Package, p.Version, entry.Version))
		}
		body := strings.TrimSpace(text[len(head[0]):])
		ids, bad := classify(body)
		named := body == "Licence: "+p.Licence && slices.ContainsFunc(allowed, func(l licence) bool { return l.id == p.Licence })
		// What a package took from another one may have a licence of its own, which is one of the allowed ones too.
		if len(bad) > 0 || !slices.Contains(ids, p.Licence) && !named {
			problems = append(problems, fmt.Sprintf("%s %s says that its licence is %s, and the text reads as %v %v.",
				p.Package, p.Version, p.Licence, ids, bad))
		}
		parts = append(parts, p)
	}
	if len(parts) == 0 {
		problems = append(problems, "The licences of the application name no package.")
	}
	return parts, problems, nil
}

// addApplication adds the packages of the application to what browsers load.
func (b *build) addApplication() error {
	text, err := os.ReadFile(appNotices)
	if err != nil {
		return err
	}
	locked, err := os.ReadFile(appLock)
	if err != nil {
		return err
	}
	parts, problems, err := readApplication(text, locked)
	b.browser, b.foreign = append(b.browser, parts...), problems
	return err
}

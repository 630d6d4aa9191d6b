package house

import (
	"fmt"
	"strings"
)

// The floors, lowest first. A package imports only what lies on a lower floor than its own.
const (
	ground    = iota // knows nothing of ours
	binding          // composes files
	craft            // works on bytes, wherever they lie
	reading          // what the bytes say
	storage          // where bytes lie
	authority        // who calls and what runs later
	edge             // HTTP
	engine           // what all record kinds share
	nouns            // the record kinds and the pages
	showing          // what is made with all of it, from outside
	wiring
	command
	proof // only tests and the test runner import these
)

// floors places every package. A new package is placed here first; that is the moment to think about its arrows.
var floors = map[string]int{
	"internal/fault": ground,
	"internal/draft": ground,

	"internal/drawing/print": ground,

	"internal/drawing/report": binding,
	"internal/drawing/packet": binding,

	"internal/drawing": craft,

	"internal/drawing/read": reading,

	"internal/store": storage,
	"internal/blob":  storage,
	"internal/mail":  storage,

	"internal/auth": authority,
	"internal/job":  authority,

	"internal/api": edge,

	"internal/resource": engine,
	"internal/upload":   engine,

	"internal/project":     nouns,
	"internal/issue":       nouns,
	"internal/rfi":         nouns,
	"internal/sheet":       nouns,
	"internal/media":       nouns,
	"internal/comment":     nouns,
	"internal/fieldreport": nouns,
	"internal/submittal":   nouns,
	"internal/share":       nouns,
	"internal/notice":      nouns,
	"internal/oauth":       nouns,
	"internal/account":     nouns,
	"internal/web":         nouns,

	"internal/demo": showing,

	"internal/app": wiring,

	"cmd/groundwork": command,

	"internal/pgtest":  proof,
	"internal/s3test":  proof,
	"internal/apitest": proof,
	"internal/house":   proof,
	"scripts/test":     proof,
	"scripts/audit":    proof,
	"scripts/fuzz":     proof,
	"scripts/drawings": proof,
	"scripts/bodies":   proof,
	"prove":            proof,
}

// notKinds lie on the floor of the nouns without being a record kind: they are not deleted one by one.
var notKinds = map[string]bool{"internal/account": true, "internal/share": true, "internal/notice": true, "internal/oauth": true, "internal/web": true}

// commanded are nouns that a command is made of, and where: beside the line that mounts them, only these files may know them.
var commanded = map[string][]string{"internal/sheet": {"internal/app/sheets.go", "cmd/groundwork/sheets.go"}}

// directions holds the arrows: they run down only.
func directions(t *tree) []string {
	var out []string
	unplaced := map[string]bool{}
	for _, s := range t.sources {
		floor, placed := floors[s.folder()]
		if unplaced[s.folder()] {
			continue
		}
		if !placed {
			unplaced[s.folder()] = true
			out = append(out, s.folder()+": the package has no floor. Place it in floors_test.go: that decides what it may import and who may import it.")
			continue
		}
		for _, spec := range s.file.Imports {
			target, ours := own(spec)
			if !ours || target == s.folder() {
				continue
			}
			if reason := refusal(s, floor, target); reason != "" {
				out = append(out, fmt.Sprintf("%s imports %s. %s", t.line(s, spec.Pos()), target, reason))
			}
		}
	}
	return out
}

// refusal says why a file may not import a package, or nothing.
func refusal(s *source, floor int, target string) string {
	below, placed := floors[target]
	switch {
	case !placed:
		return "That package has no floor in floors_test.go."
	case below == proof && (s.isTest() || floor == proof):
		return ""
	case below == proof:
		return "It exists for tests; the service must not carry it."
	case target == "internal/draft" && floor < showing && !s.isTest():
		return "Drawings are drawn for demonstrations and tests. What reads them must not know how these were made, or it proves nothing."
	case below < floor:
		return ""
	case below == nouns && floor == nouns:
		return "Nouns never import each other, so that each can be understood, changed and deleted alone: declare a reference (kind and path) through resource."
	case below == floor:
		return "Packages of one floor stand side by side and never meet: what both need belongs on a lower floor."
	case target == "internal/app":
		return "Nothing but the command imports app: it is the one place that knows everything."
	case floor == storage:
		return "What stores must not know what is stored: then any floor above can change without touching it."
	default:
		return "Arrows run down only: a lower floor that knows a higher one cannot be understood or tested without it."
	}
}

// engines lists the words that only store may use, and the folders that are free to.
var engines = struct {
	words []string
	free  map[string]string
}{
	words: []string{"sqlite", "postgres"},
	free: map[string]string{
		"internal/store":   "the engines live here",
		"internal/app":     "configuration: the person who runs the service chooses an engine by its address",
		"internal/pgtest":  "starts a real server for tests",
		"internal/apitest": "plays every test on each engine",
		"internal/house":   "holds this rule",
		"scripts/test":     "compares what ran on each engine",
		"scripts/audit":    "names the modules that the binary is made of",
		"prove":            "tries the promises on each engine",
	},
}

func namesEngine(text string) string {
	for _, word := range engines.words {
		if strings.Contains(strings.ToLower(text), word) {
			return word
		}
	}
	return ""
}

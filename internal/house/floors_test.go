package house

import (
	"fmt"
	"slices"
	"strings"
)

// The floors, lowest first. A package imports only what lies on a lower floor than its own.
const (
	machine     = iota // what operating systems do differently
	ground             // knows nothing else of ours
	binding            // composes files
	reading            // what letters say
	craft              // works on bytes, wherever they lie
	storage            // where bytes lie
	people             // who there is
	post               // what they are told
	proofs             // what they show to be let in
	consent            // what they allow programs
	authority          // who calls and what runs later
	content            // what records say; knows no HTTP
	edge               // HTTP
	engine             // what all record kinds share
	declaration        // what a noun says of itself
	parts              // of a noun that has several: what stands below its records
	records            // of such a noun
	works              // what is done with them
	nouns              // the record kinds and the pages
	showing            // what is made with all of it, from outside
	bringing           // what comes from elsewhere that way
	wiring
	command
	proof      // only tests, the test runner and the experiments import these
	equipment  // what experiments are made with
	material   // what several of them bring along
	experiment // the experiments, by promise
	proving
)

// floors places every package. A new package is placed here first; that is the moment to think about its arrows.
var floors = map[string]int{
	"internal/system": machine,

	"internal/fault": ground,
	"internal/draft": ground,

	// Connections know no routes: what stands on HTTP stands on them, and they can be tried with any handler.
	"internal/transport": ground,

	// Texts that are not shown, and origins of requests: words that several floors share.
	"internal/redact": ground,
	"internal/ipnet":  ground,

	// Processors are the process's: whoever does heavy work asks for one, wherever it stands.
	"internal/processor": ground,

	// What a request is called, and its spans, go with it through every floor.
	"internal/trace": ground,

	// Requests to other servers, and files of lines that survive a kill, know nothing of what they carry.
	"internal/client":  ground,
	"internal/journal": ground,
	"internal/follow":  binding,

	// Tables are texts in rows; what columns mean is for whoever asks.
	"internal/table": ground,

	"internal/drawing/print": ground,

	// Whoever reads drawings and whoever keeps them in order call disciplines alike.
	"internal/drawing/discipline": ground,

	"internal/drawing/report": binding,
	"internal/drawing/packet": binding,

	"internal/drawing": craft,
	// Rules and hashing of passwords ask no database: whose they are is said by whoever asks.
	"internal/password": craft,

	// Certificates come and are kept beside everything: they know connections, and nobody else.
	"internal/certificate": craft,

	"internal/drawing/read": reading,

	"internal/health": storage,

	"internal/store": storage,
	"internal/blob":  storage,
	"internal/mail":  storage,

	// How a letter looks, how one comes back, and what a domain says of its mail know nothing of ours.
	"internal/mail/paper":     ground,
	"internal/mail/bounce":    ground,
	"internal/mail/published": ground,

	// Accounts are there before anybody shows a credential.
	"internal/identity": people,

	"internal/letter": post,
	// Keys, sessions and tokens look alike to whoever admits them, and to whoever gives them out.
	"internal/credential": proofs,
	"internal/grant":      consent,

	// Copies of everything ask where bytes lie, and nobody.
	"internal/backup": people,

	"internal/auth": authority,
	"internal/job":  authority,

	"internal/document": content,

	"internal/api": edge,

	"internal/resource": engine,
	"internal/upload":   engine,
	"internal/pyramid":  engine,

	"internal/family": declaration,

	// The parts of a noun are its own: refusal holds that nobody else imports them.
	"internal/sheet/pending":  parts,
	"internal/sheet/pagetext": parts,
	"internal/sheet/mark":     parts,
	"internal/sheet/register": records,
	"internal/sheet/intake":   works,
	"internal/sheet/tile":     works,

	"internal/project":     nouns,
	"internal/issue":       nouns,
	"internal/rfi":         nouns,
	"internal/sheet":       nouns,
	"internal/media":       nouns,
	"internal/comment":     nouns,
	"internal/fieldreport": nouns,
	"internal/submittal":   nouns,
	"internal/view":        nouns,
	"internal/share":       nouns,
	"internal/notice":      nouns,
	"internal/work":        nouns,
	"internal/oauth":       nouns,
	"internal/account":     nouns,
	"internal/web":         nouns,

	"internal/demo": showing,
	// An archive has what all nouns say of themselves, and knows none.
	"internal/archive": showing,
	// Files of other services become records through the catalogue; it knows kinds by their plurals.
	"internal/foreign": showing,
	// What is forgotten is of all nouns and of all tables, and knows none.
	"internal/forget": showing,

	// A mirror makes an archive of what another server shows, and brings that in.
	"internal/mirror": bringing,

	"internal/app": wiring,

	"cmd/groundwork": command,

	"internal/await":  proof,
	"internal/pgtest": proof,
	"internal/s3test": proof,

	"internal/mail/dnstest":  proof,
	"internal/mail/smtptest": proof,

	"internal/apitest": proof,
	"internal/house":   proof,
	"scripts/test":     proof,
	"scripts/audit":    proof,
	"scripts/fuzz":     proof,
	"scripts/drawings": proof,
	"scripts/bodies":   proof,

	"internal/acmetest": proof,

	"prove/lab": equipment,

	"prove/estate":  material,
	"prove/openapi": material,
	"prove/oauth":   material,

	"prove/durability":            experiment,
	"prove/atomicity":             experiment,
	"prove/ordering":              experiment,
	"prove/idempotency":           experiment,
	"prove/tenancy":               experiment,
	"prove/tenancy/identity":      experiment,
	"prove/mirror":                experiment,
	"prove/availability":          experiment,
	"prove/availability/drawings": experiment,
	"prove/availability/fuzz":     experiment,
	"prove/availability/uploads":  experiment,
	"prove/availability/fairness": experiment,

	"prove": proving,

	// It packs what was built, and knows nothing of it.
	"release": proving,
}

// notKinds lie on the floor of the nouns without being a record kind: they are not deleted one by one.
var notKinds = map[string]bool{
	"internal/account": true, "internal/share": true, "internal/notice": true,
	"internal/oauth": true, "internal/web": true,
}

// commanded are nouns that a command is made of, and where: beside the line that mounts them, only these files may know
// them.
var commanded = map[string][]string{
	"internal/sheet": {"internal/app/sheets.go", "internal/app/files_drawings.go", "cmd/groundwork/sheets.go"},
}

// nounOf is the noun that a package is a part of: "internal/sheet" for "internal/sheet/tile", and "" for what is none.
func nounOf(folder string) string {
	for noun, floor := range floors {
		if floor == nouns && strings.HasPrefix(folder, noun+"/") {
			return noun
		}
	}
	return ""
}

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
			out = append(out, s.folder()+
				": the package has no floor. Place it in floors_test.go: that decides what it may import and who may import it.")
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
	case below == proof && (s.isTest() || floor >= proof):
		return ""
	case below >= proof && floor < proof:
		return "It exists for tests; the service must not carry it."
	case nounOf(target) != "" && nounOf(target) != s.folder() && nounOf(target) != nounOf(s.folder()) && !s.isTest() &&
		!slices.Contains(commanded[nounOf(target)], s.name):
		return "The parts of a noun are its own business: only the noun knows them, so that it can be changed and deleted as a whole."
	case target == "internal/draft" && floor < showing && !s.isTest():
		return "Drawings are drawn for demonstrations and tests. What reads them must not know how these were made, or it proves nothing."
	case below < floor:
		return ""
	case below == experiment && floor == experiment:
		return "Experiments never import each other, so that each promise can be tried alone: what several need belongs into the lab."
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
		"release":          "names the database servers that packages suggest",
	},
}

// mayNameEngines tells whether a folder is free to: itself, or as one of the experiments.
func mayNameEngines(folder string) bool {
	return engines.free[folder] != "" || strings.HasPrefix(folder, experiments+"/")
}

func namesEngine(text string) string {
	for _, word := range engines.words {
		if strings.Contains(strings.ToLower(text), word) {
			return word
		}
	}
	return ""
}

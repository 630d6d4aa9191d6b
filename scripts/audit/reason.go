package main

// reasons says why each module is used that go.mod asks for itself: a dependency is a promise to follow it for years.
var reasons = map[string]string{
	"github.com/RoaringBitmap/roaring/v2":      "sets of record numbers in memory, by which lists are filtered and counted",
	"github.com/alecthomas/kong":               "the command line",
	"github.com/anishathalye/porcupine":        "experiments: checks that histories of concurrent requests are linearizable",
	"github.com/cespare/xxhash/v2":             "entity tags",
	"github.com/chromedp/cdproto":              "tests: what chromedp says to a browser",
	"github.com/chromedp/chromedp":             "tests: looks at pages in a real browser",
	"github.com/emersion/go-sasl":              "tests: signing in to the mail server of the tests",
	"github.com/emersion/go-smtp":              "tests: a mail server that receives what is sent",
	"github.com/getkin/kin-openapi":            "tests: another reader of the OpenAPI document than our own writer",
	"github.com/go-json-experiment/json":       "strict JSON: duplicate names, invalid UTF-8 and wrong case are refused; fast encoding",
	"github.com/google/uuid":                   "uids of records",
	"github.com/hanwen/go-fuse/v2":             "experiments: a disk that loses what was not written through, for power cuts",
	"github.com/jackc/pgx/v5":                  "PostgreSQL",
	"github.com/klauspost/compress":            "zstd and fast gzip of answers",
	"github.com/pressly/goose/v3":              "migrations, one text for both engines",
	"github.com/prometheus/client_golang":      "the metrics page",
	"github.com/santhosh-tekuri/jsonschema/v6": "tests: holds answers against the published schemas",
	"github.com/wneessen/go-mail":              "composing mail and handing it over by SMTP",
	"golang.org/x/crypto":                      "argon2id for passwords",
	"golang.org/x/sys":                         "experiments: loop devices, mounts and traced processes; other modules need it in the binary",
	"golang.org/x/text":                        "one form of the characters that a keyboard can compose in two ways",
	"golang.org/x/tools":                       "tests: the text archives of the API's transcripts",
	"modernc.org/sqlite":                       "SQLite without C: the writer, and migrations",
	"zombiezen.com/go/sqlite":                  "SQLite's direct interface, for reads",
}

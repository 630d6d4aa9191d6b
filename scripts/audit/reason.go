package main

// reasons says why each module is used that go.mod asks for itself: a dependency is a promise to follow it for years.
var reasons = map[string]string{
	"codeberg.org/go-pdf/fpdf":                 "writing PDF: reports, covers, what is drawn on sheets",
	"filippo.io/age":                           "encrypting backups",
	"github.com/BurntSushi/toml":               "the file of settings",
	"github.com/RoaringBitmap/roaring/v2":      "sets of record numbers in memory, by which lists are filtered and counted",
	"github.com/alecthomas/kong":               "the command line",
	"github.com/bep/imagemeta":                 "photographs: when and where they were taken, which way is up",
	"github.com/cespare/xxhash/v2":             "entity tags",
	"github.com/chromedp/cdproto":              "tests: what chromedp says to a browser",
	"github.com/chromedp/chromedp":             "tests: looks at pages in a real browser",
	"github.com/emersion/go-sasl":              "tests: signing in to the mail server of the tests",
	"github.com/emersion/go-smtp":              "tests: a mail server that receives what is sent",
	"github.com/gen2brain/heic":                "photographs of telephones; it carries libheif and libde265 (LGPL-3.0) as a WebAssembly module",
	"github.com/getkin/kin-openapi":            "tests: another reader of the OpenAPI document than our own writer",
	"github.com/go-json-experiment/json":       "strict JSON: duplicate names, invalid UTF-8 and wrong case are refused; fast encoding",
	"github.com/google/uuid":                   "uids of records",
	"github.com/jackc/pgx/v5":                  "PostgreSQL",
	"github.com/klauspost/compress":            "zstd and fast gzip of answers; zstd of backups",
	"github.com/minio/minio-go/v7":             "files in a bucket of an S3-compatible store",
	"github.com/klippa-app/go-pdfium":          "PDF: text with its places, and rendering, as a WebAssembly module in a process of its own",
	"github.com/pdfcpu/pdfcpu":                 "PDF: a page becomes a file of its own",
	"github.com/tetratelabs/wazero":            "runs WebAssembly without C; the PDF library is compiled once and kept",
	"github.com/pressly/goose/v3":              "migrations, one text for both engines",
	"github.com/prometheus/client_golang":      "the metrics page",
	"github.com/santhosh-tekuri/jsonschema/v6": "tests: holds answers against the published schemas",
	"github.com/wneessen/go-mail":              "composing mail and handing it over by SMTP",
	"golang.org/x/crypto":                      "argon2id for passwords",
	"golang.org/x/image":                       "making pictures smaller; the typefaces of drawings and reports",
	"golang.org/x/net":                         "the names of mail domains in their one ASCII form (IDNA)",
	"golang.org/x/oauth2":                      "tests: a client of the sign-in for programs that we did not write",
	"golang.org/x/sys":                         "the walls around the process that reads files",
	"golang.org/x/text":                        "one form of the characters that a keyboard can compose in two ways",
	"golang.org/x/tools":                       "tests: the text archives of the API's transcripts",
	"modernc.org/libc":                         "the memory in which SQLite keeps its pages",
	"modernc.org/sqlite":                       "SQLite without C: the writer, and migrations",
	"zombiezen.com/go/sqlite":                  "SQLite's direct interface, for reads",
}

// appUses says what packages of the application are for; one that is not here is there because another one needs it.
var appUses = map[string]string{
	"@lucide/svelte": "the icons",
	"dexie":          "keeps the store and the outbox in the browser's database",
	"svelte":         "draws the screens",
}

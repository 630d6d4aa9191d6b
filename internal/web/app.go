package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"groundwork/internal/api"
	"groundwork/internal/fault"
)

// dist is the application as `make app` builds it from the folder app: plain, under names that stay.
//
//go:embed all:dist
var dist embed.FS

// appPolicy lets the application run what this service serves and nothing that stands in a page or comes as text.
// Pictures that were just taken have blob: addresses. Trusted Types are of Svelte's templates, which are fixed when the
// application is built, and of its own worker.
const appPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; " +
	"connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; " +
	"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types svelte-trusted-html groundwork"

var appPage = &api.Page{Policy: appPolicy, Refusal: refusal}

// application is the program in the browser. Every address under /app/ is its page: what it shows there is its own
// matter.
func application() []api.Route {
	part := api.Route{
		Method: "GET", Pattern: "/assets/app/{build}/{part}", Access: api.Public, Alone: true, Page: page, Do: sendPart,
		Summary: "Load a part of the application.", Tag: "pages", Extension: true, Status: 200,
	}
	worker := api.Route{
		Method: "GET", Pattern: "/app/worker.js", Access: api.Public, Alone: true, Page: appPage, Do: sendWorker,
		Summary: "Load what keeps the application in the browser.", Tag: "pages", Extension: true, Status: 200,
	}
	bare := site("GET", "/app", api.Public, "Be led to the application.", func(c *api.Call) error { return c.Redirect(home) })
	shell := site("GET", "/app/{rest...}", api.Person, "Work in the application.", sendShell)
	shell.Page = appPage
	return []api.Route{part, worker, bare, shell}
}

// built is the application as it is served.
type built struct {
	hash   string                        // of all its files
	parts  map[string]func() *api.Packed // by name
	shell  []byte                        // its page
	worker func() *api.Packed
}

// build reads the application. That it cannot is a bug of the build. Each file is compressed when it is first asked
// for: all of them would take more memory and time at the start than everything else together.
var build = sync.OnceValue(func() *built {
	files, names := map[string][]byte{}, []string{}
	sum := sha256.New()
	entries, err := fs.ReadDir(dist, "dist") // sorted
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		content, err := fs.ReadFile(dist, "dist/"+e.Name())
		if err != nil {
			panic(err)
		}
		one := sha256.Sum256(content)
		sum.Write([]byte(e.Name() + "\x00"))
		sum.Write(one[:])
		files[e.Name()] = content
	}
	b := &built{hash: hex.EncodeToString(sum.Sum(nil)[:8]), parts: map[string]func() *api.Packed{}}
	place := "/assets/app/" + b.hash + "/"
	b.shell = bytes.ReplaceAll(files["index.html"], []byte(`="./`), []byte(`="`+place))
	b.worker = pack("worker.js", bytes.ReplaceAll(files["worker.js"], []byte("BUILD"), []byte(b.hash)))
	delete(files, "index.html")
	delete(files, "worker.js")
	for name, content := range files {
		b.parts[name] = pack(name, content)
		names = append(names, name)
	}
	list, err := json.Marshal(names)
	if err != nil {
		panic(err)
	}
	b.parts["files.json"] = pack("files.json", list)
	return b
})

func pack(name string, content []byte) func() *api.Packed {
	return sync.OnceValue(func() *api.Packed { return packNow(name, content) })
}

func packNow(name string, content []byte) *api.Packed {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write(content); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(512<<10), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(content)
	return &api.Packed{
		Type: kinds[path.Ext(name)], Tag: hex.EncodeToString(sum[:8]),
		Gzip: zipped.Bytes(), Zstd: z.EncodeAll(content, nil),
	}
}

// sendPart serves a file under an address that never means anything else. A tab that was opened before an update has
// the files of its build from its worker; one that has no worker yet is told to load the page again.
func sendPart(c *api.Call) error {
	b := build()
	file := b.parts[c.Param("part")]
	if c.Param("build") != b.hash || file == nil {
		return fault.New(fault.Unknown, "This part is of another release of the application. Load the page again.")
	}
	c.SetHeader("Cache-Control", "public, max-age=31536000, immutable")
	return c.SendPacked(file())
}

// sendShell answers every address of the application with its page, which is the same for everybody.
func sendShell(c *api.Call) error {
	if file := c.Param("rest"); strings.HasSuffix(file, ".js") || strings.HasSuffix(file, ".css") {
		return fault.New(fault.Unknown, "There is no such file.")
	}
	b := build()
	c.TellAccount()
	c.SetHeader("Cache-Control", "private, no-cache")
	if c.Fresh(b.hash) {
		return nil
	}
	c.SetHeader("Content-Type", "text/html; charset=utf-8")
	return c.Send(http.StatusOK, b.shell)
}

// sendWorker serves the worker. Browsers compare it with the one that they have, and another build is another worker.
func sendWorker(c *api.Call) error {
	c.SetHeader("Cache-Control", "no-cache")
	return c.SendPacked(build().worker())
}

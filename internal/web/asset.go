package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"path"
	"strings"
	"sync"

	"groundwork/internal/api"
	"groundwork/internal/fault"
)

//go:embed packed
var packed embed.FS

// kinds are the content types by the end of a file's name.
var kinds = map[string]string{
	".css":         "text/css; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".json":        "application/json",
	".png":         "image/png",
	".svg":         "image/svg+xml",
	".txt":         "text/plain; charset=utf-8",
	".webmanifest": "application/manifest+json",
	".woff2":       "font/woff2",
}

// asset serves a file under an address that never means anything else, so that a browser asks for it once.
var asset = api.Route{
	Method: "GET", Pattern: "/assets/{file}", Access: api.Public, Alone: true, Page: page, Do: sendAsset,
	Summary: "Load a part of a page.", Tag: "documentation", Extension: true, Status: 200,
}

func sendAsset(c *api.Call) error {
	file := shelf().byAddress[c.Param("file")]
	if file == nil {
		return fault.New(fault.Unknown, "There is no such file. Load the page again that asked for it.")
	}
	c.SetHeader("Cache-Control", "public, max-age=31536000, immutable")
	return c.SendPacked(file)
}

// files are what browsers load: by the name that templates use, and by the last segment of their address, which holds a
// hash of the content.
type files struct{ byName, byAddress map[string]*api.Packed }

// shelf reads all packed files when the first is asked for. That one is broken is a bug of the build.
var shelf = sync.OnceValue(func() files {
	all := files{map[string]*api.Packed{}, map[string]*api.Packed{}}
	entries, err := packed.ReadDir("packed")
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		name, is := strings.CutSuffix(e.Name(), ".zst")
		if !is {
			continue
		}
		file := &api.Packed{Type: kinds[path.Ext(name)], Zstd: read(name + ".zst"), Gzip: read(name + ".gz")}
		sum := sha256.Sum256(file.Zstd)
		file.Tag = hex.EncodeToString(sum[:8])
		all.byName[name], all.byAddress[hashed(name, file.Tag)] = file, file
	}
	return all
})

func read(name string) []byte {
	content, err := packed.ReadFile("packed/" + name)
	if err != nil {
		panic(err)
	}
	return content
}

func hashed(name, tag string) string {
	ext := path.Ext(name)
	return strings.TrimSuffix(name, ext) + "." + tag + ext
}

// address is where a browser finds a file. A name that is not there is a bug in a template.
func address(name string) (string, error) {
	file := shelf().byName[name]
	if file == nil {
		return "", fmt.Errorf("web: there is no asset %s", name)
	}
	return "/assets/" + hashed(name, file.Tag), nil
}

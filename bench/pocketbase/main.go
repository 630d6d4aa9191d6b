// Command pocketbase is the rival: PocketBase as its own documentation sets it up, with issues of the same fields. It
// owns the rival's configuration and data, writes both into a file for the client, and serves.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"
)

// pragmas are PocketBase's own with one change: a write that was answered survives a power cut, as everywhere in this
// comparison.
const pragmas = "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=journal_size_limit(200000000)&_pragma=synchronous(FULL)" +
	"&_pragma=foreign_keys(ON)&_pragma=temp_store(MEMORY)&_pragma=cache_size(-32000)"

// world is what a client must know.
type world struct {
	Token  string   `json:"token"`
	People []string `json:"people"`
	List   string   `json:"list"`
	IDs    []string `json:"ids"`
	Pad    int      `json:"pad"` // length of a description
	Config []string `json:"config"`
}

func main() {
	listen := flag.String("listen", "", "the address to serve")
	data := flag.String("data", "", "the data folder")
	issues := flag.Int("issues", 0, "how many issues to make")
	size := flag.Int("size", 0, "how many bytes of JSON an issue shall have")
	out := flag.String("out", "", "where what a client must know is written")
	flag.Parse()
	if err := run(*listen, *data, *out, *issues, *size); err != nil {
		log.Fatal(err)
	}
}

func run(listen, data, out string, issues, size int) error {
	app := pocketbase.NewWithConfig(pocketbase.Config{
		HideStartBanner: true, DefaultDataDir: data,
		DBConnect: func(path string) (*dbx.DB, error) { return dbx.Open("sqlite", path+pragmas) },
	})
	if err := app.Bootstrap(); err != nil {
		return err
	}
	if err := app.RunAllMigrations(); err != nil {
		return err
	}
	// The service does not log requests that succeed; PocketBase's log of them is off, too.
	app.Settings().Logs.MaxDays = 0
	if err := app.Save(app.Settings()); err != nil {
		return err
	}
	w, err := seed(app, issues, size)
	if err != nil {
		return err
	}
	w.Config = []string{
		"github.com/pocketbase/pocketbase v0.39.9, as its documentation starts it, in a process of its own",
		"its default pragmas (WAL, 32 MB of cache, foreign keys on), with synchronous=FULL in place of NORMAL",
		fmt.Sprintf("its default pool: at most %d connections, %d kept", core.DefaultDataMaxOpenConns,
			core.DefaultDataMaxIdleConns),
		"rate limiter off, request log off",
		"one collection of issues for the one project, so that its plain list needs no filter; every rule is `@request.auth.id != \"\"`",
		"an index on each of: " + indexed(),
		"lists are sorted by @rowid, its cheapest stable order; relations are not expanded",
	}
	text, err := json.Marshal(w)
	if err != nil {
		return err
	}
	if err := os.WriteFile(out, text, 0o600); err != nil {
		return err
	}
	return apis.Serve(app, apis.ServeConfig{HttpAddr: listen})
}

// token lets a client act as a person for a day.
func token(person *core.Record) (string, error) { return person.NewStaticAuthToken(24 * time.Hour) }

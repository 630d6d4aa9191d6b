package apitest

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the responses in testdata/api from what the service answers now")

// TestTranscripts plays testdata/api on each engine, then looks at the suite as a whole: what it reached and what SQL
// it ran.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("../../testdata/api/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("there are no transcripts in testdata/api")
	}
	var shared struct {
		sync.Mutex
		document []byte
		contract *contract
		finished int
	}
	contracts := func(document []byte) (*contract, error) {
		shared.Lock()
		defer shared.Unlock()
		var err error
		if shared.contract == nil {
			shared.document = document
			shared.contract, err = newContract(document)
		}
		if !bytes.Equal(shared.document, document) {
			t.Error("two servers describe themselves differently")
		}
		return shared.contract, err
	}

	t.Cleanup(func() {
		if shared.finished < 2*len(files) {
			return // only some were asked for, or one broke off and has failed
		}
		for _, name := range shared.contract.unplayed() {
			t.Errorf("no transcript plays %s with success", name)
		}
		for engine, statements := range ran {
			all := statements.all()
			if !slices.ContainsFunc(all, onRecords.MatchString) {
				t.Errorf("%s: %d statements were seen and none reads records: the trace is broken", engine, len(all))
			}
			for _, sql := range all {
				if scanning(sql) {
					t.Errorf("%s: a statement walks over records to skip or count them: %s", engine, sql)
				}
			}
		}
	})
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			Engines(t, func(t *testing.T, engine string) {
				archive, err := txtar.ParseFile(file)
				if err != nil {
					t.Fatal(err)
				}
				rewrite := *update && engine == SQLite
				played := play(t, archive, engine, contracts, !rewrite, further)
				if rewrite {
					if err := os.WriteFile(file, txtar.Format(played), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				shared.Lock()
				shared.finished++
				shared.Unlock()
			})
		})
	}
}

package web_test

import (
	"os"
	"testing"

	"groundwork/internal/drawing"
)

// TestMain lets this test program be the child that the services under test read drawings with.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == drawing.WorkerCommand {
		os.Exit(drawing.Work())
	}
	os.Exit(m.Run())
}

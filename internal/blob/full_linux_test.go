package blob

import (
	"bytes"
	"os"
	"testing"

	"groundwork/internal/fault"
)

// TestAFullDisk writes to the device that is always full; ./prove fills a real disk.
func TestAFullDisk(t *testing.T) {
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := fill(t.Context(), f, bytes.NewReader(make([]byte, 1000))); !fault.Is(err, fault.Full) {
		t.Errorf("got %v", err)
	}
}

package health_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"groundwork/internal/fault"
	"groundwork/internal/health"
)

func TestOneLineEach(t *testing.T) {
	var log strings.Builder
	h := health.New(slog.New(slog.NewTextHandler(&log, nil)))
	full := &fault.Error{Kind: fault.Full, Message: "The disk is full.", Cause: errors.New("no space left on device")}
	if h.Noted(errors.New("something else")) || h.Err() != nil {
		t.Fatal("an error of another kind is a trouble")
	}
	for range 1000 {
		if !h.Noted(fmt.Errorf("a write: %w", full)) {
			t.Fatal("a full disk is no trouble")
		}
	}
	if err := h.Err(); !fault.Is(err, fault.Unavailable) || fault.Of(err).Message != "The disk is full." {
		t.Errorf("ready: %v", err)
	}
	if !h.Noted(h.Err()) {
		t.Error("an answer that tells of a trouble is logged as another")
	}
	h.Begin(health.Files, errors.New("connection refused"))
	if got, want := fault.Of(h.Err()).Message, "The disk is full. The file store does not answer."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for range 2 {
		h.End(health.Disk)
		h.End(health.Files)
	}
	if h.Err() != nil || h.Troubled(health.Disk) {
		t.Errorf("still: %v", h.Err())
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 4 || !strings.Contains(lines[0], "no space left on device") ||
		!strings.Contains(lines[2], "met=1000") {
		t.Errorf("log:\n%s", &log)
	}
}

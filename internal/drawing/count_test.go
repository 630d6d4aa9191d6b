package drawing

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"groundwork/internal/trace"
)

// TestEndsAreCounted has children end in different ways: each is counted, and the log says for which request.
func TestEndsAreCounted(t *testing.T) {
	var said bytes.Buffer
	w := open(t, Config{
		Memory: 200 << 20, Within: 5 * time.Second, Log: slog.New(trace.Logged(slog.NewTextHandler(&said, nil))),
	})
	f := bring(t, w, []byte("hello"))
	ctx := trace.Of(t.Context(), "abc-9")
	for _, task := range []string{"sum", "spin", "gradually", "crash"} {
		var result any
		_, err := f.do(ctx, "The file", task, struct{}{}, &result)
		if (err == nil) != (task == "sum") {
			t.Fatalf("%s: %v", task, err)
		}
	}
	c := w.Counts()
	if c.Busy != 0 || c.Ended[endedSlow] != 1 || c.Ended[endedMemory] != 1 || c.Ended[endedDied] != 2 ||
		c.Done["sum"] != 1 || c.Done["crash"] != 1 || c.Spent["spin"] < time.Second || c.Started < 4 {
		t.Errorf("%+v", c)
	}
	lines := strings.Count(said.String(), "a drawing worker ended")
	if lines != 4 || strings.Count(said.String(), "request=abc-9") != lines {
		t.Errorf("the log says %s", said.String())
	}
}

package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestSecretIsNeverShown(t *testing.T) {
	const canary = "canary-4711"
	s := Secret(canary)
	var out bytes.Buffer
	fmt.Fprintf(&out, "%v %s %q %x %X %d %#v %+v %v %v\n", s, s, s, s, s, s, s, s, struct{ S Secret }{s}, []Secret{s})
	slog.New(slog.NewTextHandler(&out, nil)).Info("text", "secret", s, "group", map[string]any{"s": s})
	slog.New(slog.NewJSONHandler(&out, nil)).Info("json", "secret", s, "group", map[string]any{"s": s})
	encoded, err := json.Marshal(map[string]any{"secret": s})
	if err != nil {
		t.Fatal(err)
	}
	out.Write(encoded)
	fmt.Fprintf(&out, "%v", fmt.Errorf("failed with %v", s))
	if text := out.String(); strings.Contains(text, canary) || strings.Contains(text, "63616e617279") ||
		strings.Count(text, redacted) < 15 {
		t.Errorf("the secret shows:\n%s", text)
	}
}

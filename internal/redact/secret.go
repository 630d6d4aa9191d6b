// Package redact owns texts that must not be shown: passwords, tokens, what an operator sets in secret. It refuses to
// know what they are for. Its one type, Secret, reads [redacted] however it is printed.
package redact

import (
	"fmt"
	"log/slog"
)

// Secret is a text that must not reach a log or a message: however it is printed, it reads [redacted].
type Secret string

const redacted = "[redacted]"

// String hides the secret; string(s) gives it.
func (s Secret) String() string { return redacted }

// Format hides the secret from every verb of fmt.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, redacted) }

// LogValue hides the secret from logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText hides the secret from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

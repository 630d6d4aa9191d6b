package store_test

import (
	"strings"
	"testing"

	"groundwork/internal/store"
)

// TestNoServerAnswers: that a server cannot be reached is said once, without the password.
func TestNoServerAnswers(t *testing.T) {
	for url, said := range map[string]string{
		"postgres://anna:canary@127.0.0.1:1/none":  "no database server answers at 127.0.0.1:1: ",
		"postgres://anna:canary@host.invalid/none": "the name of the database server, host.invalid, is not known: ",
	} {
		_, err := store.Open(t.Context(), store.Config{URL: url})
		if err == nil || !strings.HasPrefix(err.Error(), said) || strings.Contains(err.Error(), "canary") ||
			strings.Contains(err.Error(), "`") || strings.Count(err.Error(), "refused") > 1 {
			t.Errorf("%s: %v", said, err)
		}
	}
}

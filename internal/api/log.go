package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"
)

// log writes the one line that a request leaves: neither its path, which may hold a capability, nor its query, body or
// credentials.
func (e *Edge) log(c *Call, took time.Duration) {
	level := slog.LevelDebug
	switch {
	case c.status >= 500 && c.status != http.StatusServiceUnavailable || c.problem != nil && c.status < 400:
		level = slog.LevelError
	case c.status >= 500:
		level = slog.LevelWarn
	case c.status >= 400:
		level = slog.LevelInfo
	}
	ctx := c.Context()
	if c.problem != nil && e.config.Noted != nil && e.config.Noted(c.problem) {
		level = slog.LevelDebug
	}
	if errors.Is(c.problem, context.Canceled) && ctx.Err() != nil {
		level = slog.LevelDebug
	}
	if !e.config.Log.Enabled(ctx, level) {
		return
	}
	line := make([]slog.Attr, 0, 9)
	line = append(line,
		slog.String("method", clip(c.r.Method)), slog.String("route", c.end.Pattern), slog.Int("status", c.status),
		slog.Duration("took", took), slog.String("request", c.RequestID))
	if c.Credential != nil {
		line = append(line, slog.String("account", c.Credential.Account.UID), slog.String("key", c.Credential.ID))
	}
	if c.status == http.StatusUnauthorized || c.status == http.StatusForbidden ||
		c.status == http.StatusTooManyRequests {
		line = append(line, slog.String("address", c.address().String()))
	}
	if c.problem != nil {
		line = append(line, slog.String("cause", c.problem.Error()))
	}
	e.config.Log.LogAttrs(ctx, level, "request", line...)
}

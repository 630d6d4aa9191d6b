package certificate

import (
	"context"
	"log/slog"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// details has what the library says written to log, at level debug, whatever it thinks of it: what matters is said
// once, by the keeper, in its own words.
func details(log *slog.Logger) *zap.Logger { return zap.New(&lines{log: log}) }

// lines is a zapcore.Core.
type lines struct {
	log    *slog.Logger
	fields []zapcore.Field
}

// Enabled tells whether anybody reads it.
func (l *lines) Enabled(zapcore.Level) bool {
	return l.log.Enabled(context.Background(), slog.LevelDebug)
}

// With gives a core whose lines have further fields.
func (l *lines) With(fields []zapcore.Field) zapcore.Core {
	return &lines{l.log, append(l.fields[:len(l.fields):len(l.fields)], fields...)}
}

// Check adds the core to those that write an entry.
func (l *lines) Check(e zapcore.Entry, c *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if l.Enabled(e.Level) {
		return c.AddCore(e, l)
	}
	return c
}

// Write writes one line.
func (l *lines) Write(e zapcore.Entry, fields []zapcore.Field) error {
	values := zapcore.NewMapObjectEncoder()
	for _, f := range append(l.fields[:len(l.fields):len(l.fields)], fields...) {
		f.AddTo(values)
	}
	l.log.Debug("certificates: "+e.Message, "level", e.Level.String(), "part", e.LoggerName, "fields", values.Fields)
	return nil
}

// Sync has nothing to do.
func (*lines) Sync() error { return nil }

// Package transport owns what lies below a request: the connections of the service, TLS, deadlines, how requests follow
// each other on the wire, and the bounds of the HTTP server. Every answer on its connections is JSON, those that
// net/http writes by itself too. It refuses to know routes, callers and what an answer says. Its entry point is
// NewServer, to be served on a NewListener.
package transport

import (
	"log/slog"
	"net/http"
	"time"
)

// NewServer makes an HTTP server for h with the bounds that every installation has. Serve it on a NewListener. A route
// that moves large files gives itself more time with http.ResponseController.
func NewServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ConnState:         watch,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		// OPTIONS * is answered as any unknown path is.
		DisableGeneralOptionsHandler: true,
	}
}

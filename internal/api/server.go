package api

import (
	"log/slog"
	"net/http"
	"time"
)

// NewServer makes an HTTP server for h with the bounds that every installation has. Serve it on a NewListener. A route that moves large files
// gives itself more time with http.ResponseController.
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

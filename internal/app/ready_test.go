package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"groundwork/internal/blob"
	"groundwork/internal/fault"
	"groundwork/internal/redact"
	"groundwork/internal/s3test"
)

// TestReadyTellsOfADeadStore takes the way to the bucket away and gives it back.
func TestReadyTellsOfADeadStore(t *testing.T) {
	server := s3test.Shared(t)
	behind, err := url.Parse(server.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	var dead atomic.Bool
	proxy := httputil.NewSingleHostReverseProxy(behind)
	link := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if dead.Load() {
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(w, r)
	}))
	defer link.Close()
	through := *server
	through.Endpoint = link.URL

	var log strings.Builder
	a, err := Open(t.Context(), Config{
		Data: filepath.Join(t.TempDir(), "data"), BlobURL: redact.Secret(through.URL("ready")),
		Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelInfo})),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for _, c := range []struct {
		dead bool
		want string
	}{{false, ""}, {true, "The file store does not answer."}, {false, ""}} {
		dead.Store(c.dead)
		for range 3 {
			a.look(t.Context())
		}
		err := a.ready(t.Context())
		if c.want == "" && err != nil || c.want != "" &&
			(!fault.Is(err, fault.Unavailable) || fault.Of(err).Message != c.want) {
			t.Errorf("dead %v: %v", c.dead, err)
		}
	}
	if n := strings.Count(log.String(), "trouble begins"); n != 1 || !strings.Contains(log.String(), "does not answer") ||
		strings.Count(log.String(), "trouble is over") != 1 {
		t.Errorf("log:\n%s", &log)
	}

	// A service that is being stopped has no trouble of its own.
	dead.Store(true)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	a.look(stopped)
	if err := a.Health.Err(); err != nil {
		t.Errorf("stopped: %v", err)
	}
}

// TestReadyTellsOfLostFiles takes the files away from under a server, as when a disk is unmounted: the folder is there
// and answers, and has none of them.
func TestReadyTellsOfLostFiles(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		a := open(t, c)
		if err := a.SameStores(t.Context()); err != nil {
			t.Fatal(err)
		}
		files := blob.Folder(string(a.Config.BlobURL))
		for _, step := range []struct {
			do   func() error
			lost bool
		}{
			{func() error { return nil }, false},
			{func() error { return errors.Join(os.Rename(files, files+".away"), os.Mkdir(files, 0o700)) }, true},
			{func() error { return errors.Join(os.RemoveAll(files), os.Rename(files+".away", files)) }, false},
		} {
			if err := step.do(); err != nil {
				t.Fatal(err)
			}
			a.look(t.Context())
			err := a.ready(t.Context())
			if (err != nil) != step.lost || err != nil && !fault.Is(err, fault.Unavailable) {
				t.Errorf("lost %v: %v", step.lost, err)
			}
		}
	})
}

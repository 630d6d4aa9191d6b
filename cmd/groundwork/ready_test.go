package main

import (
	"strings"
	"testing"
)

func TestReady(t *testing.T) {
	p := newPlace(t)
	s := serve(t, p)
	// Nothing is opened: another folder, and no lock, will do.
	elsewhere := newPlace(t)
	if said := works(t, elsewhere, "", "ready", "--listen", s.address); said != "ready at "+s.address {
		t.Errorf("it says %q", said)
	}
	s.stop(t)
	fails(t, elsewhere, "No server answers at "+s.address, "", "ready", "--listen", s.address)
}

// TestReadyBehindAProxy has the service answer nobody but a proxy that is not here.
func TestReadyBehindAProxy(t *testing.T) {
	p := newPlace(t)
	s := serve(t, p, "--trusted-proxy", "192.0.2.1", "--public-url", "https://build.example.com")
	works(t, p, "", "ready", "--listen", s.address)
	s.base = "http://" + s.address
	for _, path := range []string{"/sign-in", "/readyz", "/healthz"} {
		if status, _ := s.get(t, "", path); status != 403 {
			t.Errorf("who is not the proxy gets %d of %s", status, path)
		}
	}
	// Who cannot read the data folder gets no more than that.
	fails(t, newPlace(t), "reached through its proxy only", "", "ready", "--listen", s.address)
}

func TestVersionFlag(t *testing.T) {
	p := newPlace(t)
	flag, command := works(t, p, "", "--version"), works(t, p, "", "version")
	if flag != command || !strings.HasPrefix(flag, "groundwork ") {
		t.Errorf("--version says %q, version %q", flag, command)
	}
}

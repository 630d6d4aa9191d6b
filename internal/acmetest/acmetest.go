// Package acmetest owns the certificate authority that tests run against: a real one, built from a module of its own
// under tools, on ports of the loopback interface, gone when the process that started it is gone. It is imported by
// tests, never by the service.
package acmetest

import (
	"bufio"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
)

// Blocked is a name for which the authority gives no certificate, Elsewhere one that leads to another machine.
const (
	Blocked   = "blocked.example.org"
	Elsewhere = "elsewhere.example.org"
)

// Authority is a running one. Every name leads to this machine, but Elsewhere.
type Authority struct {
	// Directory is where it is asked, an URL; Roots the file with which that address is trusted.
	Directory, Roots string

	t          testing.TB
	management string
	say        io.Writer
	hear       *bufio.Scanner
}

// Start builds the authority, where it is not built yet, and starts one for this test.
func Start(t testing.TB) *Authority {
	t.Helper()
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	a := &Authority{t: t, Roots: filepath.Join(folder, "ca.pem")}
	cmd := exec.Command(program, folder)
	cmd.Stderr = os.Stderr
	leash, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = leash.Close()
		_ = cmd.Wait() // it was told to end; how it does so says nothing
	})
	a.say, a.hear = leash, bufio.NewScanner(out)
	if !a.hear.Scan() {
		t.Fatal("the certificate authority ended before it answered")
	}
	a.Directory, a.management, _ = strings.Cut(a.hear.Text(), " ")
	return a
}

// Leads says where ports 80 and 443 of all names lead to; "" is nowhere.
func (a *Authority) Leads(plain, secure string) {
	a.t.Helper()
	for word, address := range map[string]string{"http": plain, "tls": secure} {
		if address == "" {
			address = "-"
		}
		a.tell(word + " " + address)
	}
}

// Away has nobody answer at the authority's address; Back has the same authority answer again.
func (a *Authority) Away() { a.t.Helper(); a.tell("away") }

// Back ends Away.
func (a *Authority) Back() { a.t.Helper(); a.tell("back") }

func (a *Authority) tell(line string) {
	a.t.Helper()
	if _, err := fmt.Fprintln(a.say, line); err != nil || !a.hear.Scan() || a.hear.Text() != "ok" {
		a.t.Fatalf("the certificate authority did not do %q: %v", line, err)
	}
}

// Orders is how many certificates were asked for.
func (a *Authority) Orders() int {
	a.t.Helper()
	n, err := strconv.Atoi(string(a.get("/orders")))
	if err != nil {
		a.t.Fatal(err)
	}
	return n
}

// Revoked tells whether the authority has revoked a certificate that it gave.
func (a *Authority) Revoked(c *x509.Certificate) bool {
	a.t.Helper()
	var told struct{ Status string }
	if err := json.Unmarshal(a.get("/cert-status-by-serial/"+c.SerialNumber.Text(16)), &told); err != nil {
		a.t.Fatal(err)
	}
	return told.Status == "Revoked"
}

// Pool trusts what the authority gives.
func (a *Authority) Pool() *x509.CertPool {
	a.t.Helper()
	block, _ := pem.Decode(a.get("/roots/0"))
	if block == nil {
		a.t.Fatal("the certificate authority shows no root")
	}
	root, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		a.t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(root)
	return pool
}

func (a *Authority) get(path string) []byte {
	a.t.Helper()
	response, err := http.Get(a.management + path)
	if err != nil {
		a.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = errors.New(response.Status)
	}
	if err != nil {
		a.t.Fatalf("%s: %v", path, err)
	}
	return text
}

// built makes the program once in a process; go build itself knows when there is nothing to do.
var built = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "groundwork").Output()
	if err != nil {
		return "", fmt.Errorf("find the sources: %w", err)
	}
	top := strings.TrimSpace(string(out))
	program := filepath.Join(top, "bin", "acme")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", program, ".")
	cmd.Dir = filepath.Join(top, "tools", "acme")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=readonly")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the certificate authority: %w\n%s", err, text)
	}
	return program, nil
})

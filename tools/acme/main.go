// Command acme is the certificate authority that tests run against: Let's Encrypt's Pebble, on ports of the loopback
// interface that it chooses and prints, with a name server of its own that leads every name to this machine. It ends
// when its standard input does, so that it never outlives whoever started it. Its dependencies have this module of
// their own, far from the service's.
//
//	acme FOLDER
//
// FOLDER gets ca.pem, with which the authority's own address is trusted. Lines on standard input change what happens,
// each is answered with a line:
//
//	http ADDRESS   where port 80 of all names leads to; tls ADDRESS the same for port 443; - is nowhere
//	away           nobody answers at the authority's address any more
//	back           the same authority answers there again
package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"github.com/miekg/dns"
)

const loopback = "127.0.0.1:0"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "acme:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: acme FOLDER")
	}
	// Every order is validated, at once, and no request is refused by chance.
	for name, value := range map[string]string{
		"PEBBLE_VA_NOSLEEP": "1", "PEBBLE_AUTHZREUSE": "0", "PEBBLE_WFE_NONCEREJECT": "0",
	} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	names, err := serveNames()
	if err != nil {
		return err
	}
	plain, err := newGate()
	if err != nil {
		return err
	}
	secure, err := newGate()
	if err != nil {
		return err
	}
	quiet, store := log.New(io.Discard, "", 0), db.NewMemoryStore()
	issuer := ca.New(quiet, store, "", "ecdsa", 0, 1, map[string]ca.Profile{
		"default": {Description: "ninety days", ValidityPeriod: 90 * 24 * 60 * 60},
	})
	validator := va.New(quiet, plain.port(), secure.port(), false, names, store)
	if err := store.AddBlockedDomain("blocked.example.org"); err != nil {
		return err
	}
	front := wfe.New(quiet, store, validator, issuer, []string{"acme.example.org"}, false, false, 0, 0)
	a := &authority{handler: front.Handler()}
	if a.certificate, err = ownCertificate(filepath.Join(args[0], "ca.pem")); err != nil {
		return err
	}
	if err := a.open(loopback); err != nil {
		return err
	}
	management, err := net.Listen("tcp", loopback)
	if err != nil {
		return err
	}
	inside := http.NewServeMux()
	inside.Handle("/", front.ManagementHandler())
	inside.HandleFunc("GET /orders", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, a.orders.Load()) })
	go func() { _ = http.Serve(management, inside) }()
	fmt.Printf("https://%s%s http://%s\n", a.address, wfe.DirectoryPath, management.Addr())
	return obey(a, plain, secure)
}

// obey does what the lines of standard input say, until it ends.
func obey(a *authority, plain, secure *gate) error {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		word, address, _ := strings.Cut(lines.Text(), " ")
		var err error
		switch word {
		case "http":
			plain.to.Store(&address)
		case "tls":
			secure.to.Store(&address)
		case "away":
			err = a.server.Close()
		case "back":
			err = a.open(a.address)
		default:
			err = errors.New("there is no such command")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", lines.Text(), err)
		}
		fmt.Println("ok")
	}
	return nil
}

// authority is what clients see.
type authority struct {
	handler     http.Handler
	certificate tls.Certificate
	address     string
	server      *http.Server
	orders      atomic.Int64 // how many were asked for
}

func (a *authority) open(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	a.address = l.Addr().String()
	a.server = &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/order-plz" {
				a.orders.Add(1)
			}
			a.handler.ServeHTTP(w, r)
		}),
		ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: 5 * time.Second,
	}
	secure := tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{a.certificate}})
	go func(s *http.Server) { _ = s.Serve(secure) }(a.server)
	return nil
}

// ownCertificate makes the certificate of the authority's own address, and writes it where clients read it.
func ownCertificate(file string) (c tls.Certificate, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return c, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, BasicConstraintsValid: true, IsCA: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return c, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, os.WriteFile(file, text, 0o600)
}

// serveNames answers questions for names: all are on this machine, but those below elsewhere, where nobody answers.
func serveNames() (address string, err error) {
	l, err := net.Listen("tcp", loopback)
	if err != nil {
		return "", err
	}
	server := &dns.Server{Listener: l, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		answer := new(dns.Msg)
		answer.SetReply(q)
		for _, one := range q.Question {
			if one.Qtype != dns.TypeA {
				continue
			}
			address := net.IPv4(127, 0, 0, 1)
			if strings.HasPrefix(one.Name, "elsewhere.") {
				address = net.IPv4(127, 0, 0, 9)
			}
			answer.Answer = append(answer.Answer, &dns.A{
				Hdr: dns.RR_Header{Name: one.Name, Rrtype: dns.TypeA, Class: dns.ClassINET}, A: address,
			})
		}
		_ = w.WriteMsg(answer)
	})}
	go func() { _ = server.ActivateAndServe() }()
	return l.Addr().String(), nil
}

// gate is a port of the names, which leads to an address that can be changed.
type gate struct {
	listener net.Listener
	to       atomic.Pointer[string]
}

func newGate() (*gate, error) {
	l, err := net.Listen("tcp", loopback)
	if err != nil {
		return nil, err
	}
	g := &gate{listener: l}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go g.lead(c)
		}
	}()
	return g, nil
}

func (g *gate) port() int { return g.listener.Addr().(*net.TCPAddr).Port }

// lead copies both ways until both sides have said everything.
func (g *gate) lead(from net.Conn) {
	defer from.Close()
	address := g.to.Load()
	if address == nil || *address == "-" {
		return
	}
	to, err := net.Dial("tcp", *address)
	if err != nil {
		return
	}
	defer to.Close()
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(to, from); _ = to.(*net.TCPConn).CloseWrite() })
	both.Go(func() { _, _ = io.Copy(from, to); _ = from.(*net.TCPConn).CloseWrite() })
	both.Wait()
}

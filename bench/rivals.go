package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// rival is PocketBase with its data.
type rival struct {
	*server
	Token  string
	People []string
	List   string
	IDs    []string
	Pad    int
	Config []string
}

func (p *rival) headers() string { return "Authorization: " + p.Token + "\r\n" }

// startRival makes the rival's data and starts it; its issues have as many bytes of JSON as those of the service.
func (r *rig) startRival(ctx context.Context, name string, issues, size int) (*rival, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	p := &rival{server: &server{name: name, address: address}}
	out := filepath.Join(r.folder, name+".json")
	err = r.start(ctx, p.server, appendRequest(nil, "GET", "/api/health", "", nil), nil, r.tool("pocketbase"),
		"-listen", address, "-data", filepath.Join(r.folder, name), "-issues", strconv.Itoa(issues), "-size",
		strconv.Itoa(size), "-out", out)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(out)
	return p, errors.Join(err, json.Unmarshal(text, p))
}

// question is a request that a server answers.
type question struct {
	s       *server
	request []byte
}

// startFloor starts a floor that answers, at the paths that are named, what servers answer now.
func (r *rig) startFloor(ctx context.Context, name string, secure bool, answers map[string]question) (*server, error) {
	folder := filepath.Join(r.folder, name)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	for path, q := range answers {
		w, status, err := q.s.ask(q.request)
		if err != nil {
			return nil, err
		}
		if status != 200 {
			return nil, fmt.Errorf("%s: %d", path, status)
		}
		if err := os.WriteFile(filepath.Join(folder, path), w.body, 0o600); err != nil {
			return nil, err
		}
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	s := &server{name: name, address: address, secure: secure}
	args := []string{"-listen", address, "-folder", folder}
	if secure {
		args = append(args, r.certificate()...)
	}
	return s, r.start(ctx, s, appendRequest(nil, "GET", "/healthz", "", nil), nil, r.tool("floor"), args...)
}

// certificate gives the options that name the certificate, the same for the service and the floor.
func (r *rig) certificate() []string {
	return []string{"--tls-cert", filepath.Join(r.folder, "cert.pem"), "--tls-key", filepath.Join(r.folder, "key.pem")}
}

// certify makes a certificate for the loopback address.
func (r *rig) certify() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(48 * time.Hour),
	}
	cert, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(r.folder, "cert.pem"),
			pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), 0o600),
		os.WriteFile(filepath.Join(r.folder, "key.pem"),
			pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600),
	)
}

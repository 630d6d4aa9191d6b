package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/crypto/ssh"
)

// newKey makes a private key as ssh-keygen writes it.
func newKey(t *testing.T, key any) string {
	t.Helper()
	block, err := ssh.MarshalPrivateKey(key, "")
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(block))
}

// TestSignature has OpenSSH verify what was signed, and refuse what was changed.
func TestSignature(t *testing.T) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	text := newKey(t, private)
	folder := t.TempDir()
	keyFile, sums, allowed := filepath.Join(folder, "key"), filepath.Join(folder, sumsName), filepath.Join(folder, "allowed")
	if err := os.WriteFile(keyFile, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(sums, []byte("00  file\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	made, err := signFile(sums, text)
	if err != nil || made != sums+".sig" {
		t.Fatal(made, err)
	}
	first, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := signFile(sums, keyFile); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(made); err != nil || !bytes.Equal(first, again) {
		t.Errorf("signed again, with the key from a file, it is another signature: %v", err)
	}
	key, err := readKey(text)
	if err != nil {
		t.Fatal(err)
	}
	line := append([]byte("release@groundwork "), ssh.MarshalAuthorizedKey(key.PublicKey())...)
	if err := os.WriteFile(allowed, line, 0o644); err != nil {
		t.Fatal(err)
	}
	verify := func(content string) error {
		cmd := exec.Command("ssh-keygen", "-Y", "verify", "-f", allowed, "-I", "release@groundwork", "-n", namespace,
			"-s", made)
		cmd.Stdin = bytes.NewReader([]byte(content))
		out, err := cmd.CombinedOutput()
		t.Logf("%s", out)
		return err
	}
	if err := verify("00  file\n"); err != nil {
		t.Errorf("OpenSSH (apt-get install openssh-client) does not verify it: %v", err)
	}
	if verify("01  file\n") == nil {
		t.Error("OpenSSH verifies other content")
	}
}

func TestKeysThatAreNone(t *testing.T) {
	if made, err := signFile("nowhere", ""); made != "" || err != nil {
		t.Errorf("without a key: %q, %v", made, err)
	}
	large, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for name, given := range map[string]string{
		"a path of nothing": filepath.Join(t.TempDir(), "key"), "an RSA key": newKey(t, large),
		"no key": "-----BEGIN OPENSSH PRIVATE " + "KEY-----\nAAAA\n-----END OPENSSH PRIVATE " + "KEY-----\n",
	} {
		if key, err := readKey(given); err == nil {
			t.Errorf("%s gives %v", name, key)
		}
	}
}

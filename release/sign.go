package main

import (
	"crypto/rand"
	"crypto/sha512"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/crypto/ssh"
)

// namespace keeps a signature of a release from being shown as one of something else.
const namespace = "groundwork-release"

// signedPart and signature are the forms that OpenSSH describes in PROTOCOL.sshsig: what is signed, and what is
// written. Whoever has OpenSSH can verify it; nothing else needs to be installed.
const (
	signMagic = "SSHSIG"
	signHash  = "sha512"
)

type signedPart struct {
	Namespace, Reserved, HashAlgorithm string
	Hash                               []byte
}

type signature struct {
	Version                            uint32
	PublicKey                          []byte
	Namespace, Reserved, HashAlgorithm string
	Signature                          []byte
}

// readKey reads the key that signs: the text of a private key of OpenSSH, or the path of one. Without one it is nil.
func readKey(given string) (ssh.Signer, error) {
	if given == "" {
		return nil, nil
	}
	text := []byte(given)
	if !strings.Contains(given, "PRIVATE KEY") {
		var err error
		if text, err = os.ReadFile(given); err != nil {
			return nil, fmt.Errorf("the key that signs cannot be read: %w", err)
		}
	}
	key, err := ssh.ParsePrivateKey(text)
	if err != nil {
		return nil, fmt.Errorf("the key that signs is no private key of OpenSSH without a passphrase: %w", err)
	}
	// Only such signatures are the same each time.
	if key.PublicKey().Type() != ssh.KeyAlgoED25519 {
		return nil, errors.New("the key that signs is no ed25519 key; ssh-keygen -t ed25519 makes one")
	}
	return key, nil
}

// sign gives a signature of a text as ssh-keygen -Y sign makes it.
func sign(key ssh.Signer, text []byte) ([]byte, error) {
	hash := sha512.Sum512(text)
	part := ssh.Marshal(signedPart{Namespace: namespace, HashAlgorithm: signHash, Hash: hash[:]})
	made, err := key.Sign(rand.Reader, append([]byte(signMagic), part...))
	if err != nil {
		return nil, err
	}
	whole := ssh.Marshal(signature{
		Version: 1, PublicKey: key.PublicKey().Marshal(), Namespace: namespace, HashAlgorithm: signHash,
		Signature: ssh.Marshal(made),
	})
	return pem.EncodeToMemory(&pem.Block{Type: "SSH SIGNATURE", Bytes: append([]byte(signMagic), whole...)}), nil
}

// signFile writes the signature of a file beside it; "" where there is no key.
func signFile(path, given string) (string, error) {
	key, err := readKey(given)
	if err != nil || key == nil {
		return "", err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	made, err := sign(key, text)
	if err != nil {
		return "", err
	}
	return path + ".sig", os.WriteFile(path+".sig", made, 0o644)
}

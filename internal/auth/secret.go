package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"log/slog"
)

// The kinds of secrets that this service gives out; the letter shows in each secret.
const (
	KindKey        byte = 'k'
	KindUpload     byte = 'u'
	KindAccess     byte = 'a' // a token that lets an application in
	KindRefresh    byte = 'r' // a token that renews it
	KindClient     byte = 's' // the secret of an application
	KindCode       byte = 'c' // what an application exchanges for its first tokens
	KindSession    byte = 'b' // of a browser
	KindCapability byte = 'i' // what the link of an invitation, or of a forgotten password, carries
)

const (
	base62      = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	randomChars = 32 // 190 bits
	sumChars    = 6
	secretChars = len("gwk_") + randomChars + sumChars
)

// NewSecret makes a secret that is shown once, and the hash under which it is kept.
func NewSecret(kind byte) (secret, hash string) {
	return compose(kind, func(pool []byte) { rand.Read(pool) })
}

// Derive makes the secret that belongs to a name: always the same, and known only to this installation.
func (a *Auth) Derive(kind byte, name string) (secret, hash string) {
	round := 0
	return compose(kind, func(pool []byte) {
		round++
		at := 0
		for part := 0; at < len(pool); part++ {
			at += copy(pool[at:], a.Sign("secret", fmt.Appendf(nil, "%c %d %d %s", kind, round, part, name)))
		}
	})
}

// compose makes a secret of random bytes.
func compose(kind byte, random func([]byte)) (secret, hash string) {
	text := make([]byte, 0, secretChars)
	text = append(text, 'g', 'w', kind, '_')
	var pool [64]byte
	for len(text) < secretChars-sumChars {
		random(pool[:])
		for _, b := range pool {
			// 248 is the greatest multiple of 62 in a byte: beyond it the first letters would be likelier.
			if b < 248 && len(text) < secretChars-sumChars {
				text = append(text, base62[b%62])
			}
		}
	}
	sum := checksum(text)
	secret = string(append(text, sum[:]...))
	return secret, Hash(secret)
}

// ValidSecret tells whether the text can be a secret of the kind: its form and its checksum are right. It asks no database.
func ValidSecret(kind byte, text string) bool {
	if len(text) != secretChars || text[0] != 'g' || text[1] != 'w' || text[2] != kind || text[3] != '_' {
		return false
	}
	for i := len("gwk_"); i < len(text); i++ {
		if c := text[i]; (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	sum := checksum([]byte(text[:secretChars-sumChars]))
	return text[secretChars-sumChars:] == string(sum[:])
}

// Hash is how a secret is kept: secrets are random, so a plain SHA-256 is enough.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// checksum tells a mistyped secret from a wrong one.
func checksum(text []byte) (sum [sumChars]byte) {
	n := crc32.ChecksumIEEE(text)
	for i := len(sum) - 1; i >= 0; i-- {
		sum[i] = base62[n%62]
		n /= 62
	}
	return sum
}

// Secret is a text that must not reach a log or a message: however it is printed, it reads [redacted].
type Secret string

const redacted = "[redacted]"

// String hides the secret; string(s) gives it.
func (s Secret) String() string { return redacted }

// Format hides the secret from every verb of fmt.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, redacted) }

// LogValue hides the secret from logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText hides the secret from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

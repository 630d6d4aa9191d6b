package credential

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"
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
	// Base62 are the characters of secrets.
	Base62      = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	randomChars = 32 // 190 bits
	sumChars    = 6
	secretChars = len("gwk_") + randomChars + sumChars
)

// NewSecret makes a secret that is shown once, and the hash under which it is kept.
func NewSecret(kind byte) (secret, hash string) {
	return Compose(kind, "", func(pool []byte) { rand.Read(pool) })
}

// markChars is how much of a marked secret tells what it belongs to. What is left, 130 bits, is as far from being
// guessed as before.
const markChars = 10

// NewMark makes the beginning that secrets have which belong together. Nobody can guess one: 59 bits.
func NewMark() string {
	secret, _ := NewSecret(KindRefresh)
	return MarkOf(secret)
}

// NewMarked is NewSecret for a secret that begins with a mark.
func NewMarked(kind byte, mark string) (secret, hash string) {
	return Compose(kind, mark, func(pool []byte) { rand.Read(pool) })
}

// MarkOf is the mark of a secret of the right form.
func MarkOf(secret string) string { return secret[len("gwr_") : len("gwr_")+markChars] }

// Compose makes a secret of random bytes, which begins with a mark.
func Compose(kind byte, mark string, random func([]byte)) (secret, hash string) {
	text := make([]byte, 0, secretChars)
	text = append(append(text, 'g', 'w', kind, '_'), mark...)
	var pool [64]byte
	for len(text) < secretChars-sumChars {
		random(pool[:])
		for _, b := range pool {
			// 248 is the greatest multiple of 62 in a byte: beyond it the first letters would be likelier.
			if b < 248 && len(text) < secretChars-sumChars {
				text = append(text, Base62[b%62])
			}
		}
	}
	sum := checksum(text)
	secret = string(append(text, sum[:]...))
	return secret, Hash(secret)
}

// ValidSecret tells whether the text can be a secret of the kind: its form and its checksum are right. It asks no
// database.
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
		sum[i] = Base62[n%62]
		n /= 62
	}
	return sum
}

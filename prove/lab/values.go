package lab

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"regexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Fields is an object of which only some values matter.
type Fields map[string]jsontext.Value

// Text is the value of a field that is a string; empty for null and absent.
func (f Fields) Text(name string) string {
	var s string
	_ = json.Unmarshal(f[name], &s) // null and absent are ""
	return s
}

// JSON is the object as it is sent; the same values give the same bytes.
func (f Fields) JSON() []byte {
	b, err := json.Marshal(f, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return b
}

// QuotedJSON is a text as a JSON string.
func QuotedJSON(text string) jsontext.Value {
	b, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		panic(err)
	}
	return b
}

// Object is any JSON object.
type Object = map[string]any

// fileLink is the address of a file, which is another every hour.
var fileLink = regexp.MustCompile(`"[a-z_]*url":"[^"]*/files/[^"]*"`)

// WithoutFileLinks is a record without the links to its files, for comparing: they are made anew for each answer.
func WithoutFileLinks(raw jsontext.Value) []byte { return fileLink.ReplaceAll(raw, nil) }

// OneOf chooses by chance.
func OneOf[T any](random *rand.Rand, from []T) T { return from[random.IntN(len(from))] }

// Digest is the SHA-256 of a content, in hexadecimal as the service shows it.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// RandomBytes cannot be compressed, and no two are the same.
func RandomBytes(r *rand.Rand, n int) []byte {
	var seed [32]byte
	for i := range seed {
		seed[i] = byte(r.Uint32())
	}
	b := make([]byte, n)
	_, _ = rand.NewChaCha8(seed).Read(b) // never fails
	return b
}

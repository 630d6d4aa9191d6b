// Package blob owns where the bytes of files lie: a local folder, or a bucket of an S3-compatible store. An object is
// written once, whole, under a name that this package made, and never changes after that. It refuses to know what an
// object is for: people's file names, types, hashes and rights are kept in records, by others.
package blob

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"io"
	"log/slog"
	"strings"
	"time"

	"groundwork/internal/fault"
)

// Store keeps objects. All errors that a client may meet are faults: Unavailable when the store does not answer, or
// when it is not known whether it did what it was asked for.
type Store interface {
	// Put reads r to its end and keeps what it read. Nothing is visible under the name until all of it is durable; an
	// error of r is returned as it is and leaves nothing. Full when there is no room; Conflict when the name exists.
	Put(ctx context.Context, name string, r io.Reader) (size int64, err error)
	// Open gives an object to read. NotFound when there is none.
	Open(ctx context.Context, name string) (Object, error)
	// Range gives so many bytes of an object, one at least, from a place in it, in one exchange: for what is small and
	// asked for often. NotFound when there is no object, or when it ends before that.
	Range(ctx context.Context, name string, offset, length int64) ([]byte, error)
	// Delete removes an object; one that does not exist is removed already.
	Delete(ctx context.Context, name string) error
	// Each tells of every object that exists during the whole call, in no particular order, until fn returns an error,
	// which it returns.
	Each(ctx context.Context, fn func(Info) error) error
	// Link gives an address at which the store itself serves the object to whoever has it; it is empty where the
	// service must stream. It does not look whether the object exists.
	Link(ctx context.Context, name string, l Link) (string, error)
	// Sweep removes what interrupted writes have left, if nothing was added to it since before.
	Sweep(ctx context.Context, before time.Time) error
	// Check writes, reads and removes an object; the error says what is wrong and what to do.
	Check(ctx context.Context) error
}

// Object is an open object. It reads what it is asked for, not what comes before it, and is for one goroutine.
type Object interface {
	io.ReadSeekCloser
	Size() int64
}

// Info is what the store knows of an object by itself.
type Info struct {
	Name     string
	Size     int64
	Modified time.Time
}

// Link says how the store is to serve an object.
type Link struct {
	// Type and Disposition are what its headers say.
	Type, Disposition string
	Until             time.Time
}

var errURL = errors.New("The blob URL must be file:FOLDER or s3://BUCKET/PREFIX?endpoint=URL.")

// Open gives the store at the URL, file:FOLDER or s3://BUCKET/PREFIX?endpoint=URL. A folder is made when it does not
// exist; a bucket must exist, and is not looked at yet, so that a service whose store is down can start. No error
// repeats the URL: it may hold a secret.
func Open(_ context.Context, url string, log *slog.Logger) (Store, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if folder, local := cutFile(url); local {
		return openFolder(folder)
	}
	p, err := parsePlace(url)
	if err != nil {
		return nil, err
	}
	return openBucket(p, log)
}

// CheckURL tells whether Open understands the URL. It touches nothing.
func CheckURL(url string) error {
	if folder, local := cutFile(url); local {
		return checkFolder(folder)
	}
	_, err := parsePlace(url)
	return err
}

// Folder is the folder that the URL names; it is empty for a bucket.
func Folder(url string) string {
	folder, _ := cutFile(url)
	if checkFolder(folder) != nil || !strings.HasPrefix(url, "file:") {
		return ""
	}
	return folder
}

// cutFile takes the path out of file:PATH or file:///PATH, as it is: a folder's name may have any character.
func cutFile(url string) (folder string, local bool) {
	folder, local = strings.CutPrefix(url, "file:")
	return strings.TrimPrefix(folder, "//"), local
}

// letters are one case only: some file systems do not tell the other apart.
var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

const nameChars = 32 // 160 bits

// NewName makes a name that no object had before.
func NewName() string {
	var raw [nameChars * 5 / 8]byte
	rand.Read(raw[:])
	return letters.EncodeToString(raw[:])
}

// Part names what is made of an object: always the same name for the same part, which no other object has.
func Part(name, part string) string {
	sum := sha256.Sum256([]byte(name + "/" + part))
	return letters.EncodeToString(sum[:nameChars*5/8])
}

// validName tells whether NewName can have made it. Whatever passes is one plain element of a path.
func validName(name string) bool {
	if len(name) != nameChars {
		return false
	}
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (c < '2' || c > '7') {
			return false
		}
	}
	return true
}

func errName(name string) error {
	return errors.New("blob: " + strings.ToValidUTF8(name[:min(len(name), nameChars)],
		"?") + "… is not a name that NewName made")
}

func missing() error { return fault.New(fault.NotFound, "The file is not in the store.") }

func exists() error {
	return fault.New(fault.Conflict, "A file with this name is in the store already.")
}

func full(cause error) error {
	return &fault.Error{Kind: fault.Full, Message: "There is no room left to store the file.", Cause: cause}
}

func unavailable(cause error) error {
	return &fault.Error{
		Kind: fault.Unavailable, Message: "The file store cannot answer right now. Please try again.",
		RetryAfter: retryAfter, Cause: cause,
	}
}

const retryAfter = 2 * time.Second

package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"groundwork/internal/blob"
	"groundwork/internal/redact"
)

// Secret is what backups are encrypted or opened with; the zero value leaves them open.
type Secret struct {
	// Recipient is a public key, age1…: whoever has the key that belongs to it opens the backup.
	Recipient string
	// Passphrase encrypts and opens.
	Passphrase redact.Secret
	// Identity is the text of a key file of age, and opens.
	Identity redact.Secret
}

// Check tells whether the secret can be meant.
func (s Secret) Check() error {
	_, err := parseRecipient(s.Recipient)
	if err == nil && s.Recipient != "" && s.Passphrase != "" {
		err = errors.New("A backup is encrypted with --recipient or with --passphrase-file, not with both.")
	}
	return err
}

func parseRecipient(text string) ([]age.Recipient, error) {
	if text == "" {
		return nil, nil
	}
	recipients, err := age.ParseRecipients(strings.NewReader(text))
	if err != nil || len(recipients) != 1 {
		return nil, errors.New("The recipient must be one public key of age, age1…")
	}
	return recipients, nil
}

// sealer encrypts what is written to a place.
type sealer struct {
	recipients []age.Recipient
	name       string // of the public key; parts that are sealed for another one have other names
	how        string // for the manifest
}

const (
	sealedFor  = "recipient"
	sealedWith = "passphrase"
	// workFactor has a guess take 64 MiB.
	workFactor = 16
	mostOfKey  = 1 << 16
)

var errPassphrase = errors.New("The passphrase is not the one with which the backups at this place are encrypted.")

func (p *Place) sealer(ctx context.Context, s Secret) (*sealer, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if s.Passphrase == "" {
		recipients, err := parseRecipient(s.Recipient)
		if recipients == nil {
			return &sealer{}, err
		}
		return &sealer{recipients, s.Recipient, sealedFor}, err
	}
	identity, err := p.unlock(ctx, string(s.Passphrase))
	if err != nil {
		return nil, err
	}
	if identity == nil {
		if identity, err = p.lock(ctx, string(s.Passphrase)); err != nil {
			return nil, err
		}
	}
	return &sealer{[]age.Recipient{identity.Recipient()}, identity.Recipient().String(), sealedWith}, nil
}

// lock makes the key that a passphrase opens. Parts are encrypted with the key: to go from the passphrase to a key is
// slow on purpose.
func (p *Place) lock(ctx context.Context, passphrase string) (*age.X25519Identity, error) {
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, err
	}
	with, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return nil, err
	}
	with.SetWorkFactor(workFactor)
	var sealed bytes.Buffer
	w, err := age.Encrypt(&sealed, with)
	if err == nil {
		_, err = io.WriteString(w, identity.String())
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		_, err = p.keys.Put(ctx, blob.NewName(), &sealed)
	}
	return identity, failed(err)
}

// unlock gives the key that a passphrase opens; nil where the place has none at all.
func (p *Place) unlock(ctx context.Context, passphrase string) (*age.X25519Identity, error) {
	with, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return nil, err
	}
	with.SetMaxWorkFactor(workFactor) // a key that another one put there is not worth gigabytes
	all, err := sizes(ctx, p.keys)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	for name := range all {
		sealed, err := readAll(ctx, p.keys, name, mostOfKey)
		if err != nil {
			return nil, failed(err)
		}
		if r, err := age.Decrypt(bytes.NewReader(sealed), with); err == nil {
			if text, err := io.ReadAll(r); err == nil {
				return age.ParseX25519Identity(string(text))
			}
		}
	}
	return nil, errPassphrase
}

// errPlain keeps what anybody can have written at the place from being taken for what only who has the secret can make.
var errPlain = errors.New("The backup is not encrypted, and a key was given to open it: whoever can write at this place may have put it there. Choose another one with --at, or leave the key away if it is meant.")

// identities are what opens what is encrypted.
func (p *Place) identities(ctx context.Context, s Secret, how string) ([]age.Identity, error) {
	switch {
	case how == "" && (s.Identity != "" || s.Passphrase != ""):
		return nil, errPlain
	case how == "":
		return nil, nil
	case s.Identity != "":
		all, err := age.ParseIdentities(strings.NewReader(string(s.Identity)))
		if err != nil {
			return nil, errors.New("The identity file is no key file of age: it has a line AGE-SECRET-KEY-1….")
		}
		return all, nil
	case s.Passphrase != "":
		one, err := p.unlock(ctx, string(s.Passphrase))
		if err == nil && one == nil {
			err = errPassphrase
		}
		return []age.Identity{one}, err
	case how == sealedWith:
		return nil, errors.New("The backup is encrypted: give --passphrase-file.")
	default:
		return nil, errors.New("The backup is encrypted: give --identity-file, the key that belongs to its recipient.")
	}
}

// seal gives what is stored of a reader.
func (s *sealer) seal(r io.Reader) (io.Reader, error) {
	if s.recipients == nil {
		return r, nil
	}
	return age.EncryptReader(r, s.recipients...)
}

// open gives what was sealed.
func open(r io.Reader, identities []age.Identity) (io.Reader, error) {
	if identities == nil {
		return r, nil
	}
	out, err := age.Decrypt(r, identities...)
	if errors.As(err, new(*age.NoIdentityMatchError)) {
		return nil, errors.New("The backup is encrypted for another key than the one that was given.")
	}
	return out, err
}

// bytesOf seals a text that fits into memory, compressed.
func (s *sealer) bytesOf(content []byte, with *zstd.Encoder) ([]byte, error) {
	r, err := s.seal(bytes.NewReader(with.EncodeAll(content, nil)))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// textOf is bytesOf backwards; nothing longer than most comes out.
func textOf(stored []byte, identities []age.Identity, most int64) ([]byte, error) {
	r, err := open(bytes.NewReader(stored), identities)
	if err != nil {
		return nil, err
	}
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<30))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	content, err := io.ReadAll(io.LimitReader(z, most+1))
	if err == nil && int64(len(content)) > most {
		err = errDamaged
	}
	return content, err
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// verified reads no more than it must, and fails at the end of anything that is not what it should be.
type verified struct {
	r    io.Reader
	hash interface {
		io.Writer
		Sum(in []byte) []byte
	}
	left int64
	want string
}

func verify(r io.Reader, size int64, hash string) io.Reader {
	return &verified{r: r, hash: sha256.New(), left: size, want: hash}
}

var errBytes = errors.New("it has other bytes than it should have")

func (v *verified) Read(b []byte) (int, error) {
	n, err := v.r.Read(b)
	_, _ = v.hash.Write(b[:n]) // never fails
	v.left -= int64(n)
	switch {
	case v.left < 0:
		return 0, fmt.Errorf("%w: there are more of them", errBytes)
	case errors.Is(err, io.EOF) && v.left > 0:
		return 0, fmt.Errorf("%w: %d of them are missing", errBytes, v.left)
	case errors.Is(err, io.EOF) && hex.EncodeToString(v.hash.Sum(nil)) != v.want:
		return 0, errBytes
	}
	return n, err
}

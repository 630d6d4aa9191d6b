package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// cost is what checking one password takes: about 40 ms and 19 MiB.
type cost struct {
	memory uint32 // KiB
	time   uint32
	lanes  uint8
}

var passwordCost = cost{memory: 19 * 1024, time: 2, lanes: 1}

const (
	mostHashing = 2 // at once, so that sign-ins cannot take all memory and cores
	saltBytes   = 16
	hashBytes   = 32
)

// encodePassword gives the form in which a password is kept: argon2id in the PHC string format.
func (a *Auth) encodePassword(ctx context.Context, password Secret) (string, error) {
	salt := make([]byte, saltBytes)
	rand.Read(salt)
	sum, err := a.hashPassword(ctx, password, salt, passwordCost, hashBytes)
	if err != nil {
		return "", err
	}
	return kept(passwordCost, salt, sum), nil
}

// kept is a password's hash in the PHC string format.
func kept(c cost, salt, sum []byte) string {
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.memory, c.time, c.lanes, encode(salt), encode(sum))
}

// hashPassword waits for a free place, then hashes. The same characters give the same hash however a keyboard composed them.
func (a *Auth) hashPassword(ctx context.Context, password Secret, salt []byte, c cost, size uint32) ([]byte, error) {
	select {
	case a.hashing <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-a.hashing }()
	return argon2.IDKey(norm.NFC.Bytes([]byte(password)), salt, c.time, c.memory, c.lanes, size), nil
}

// decodePassword takes a kept password apart.
func decodePassword(encoded string) (c cost, salt, sum []byte, err error) {
	parts := strings.Split(encoded, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return c, nil, nil, errDamaged
	}
	if n, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.memory, &c.time, &c.lanes); n != 3 || err != nil {
		return c, nil, nil, errDamaged
	}
	// What costs much more than ours was not written by us.
	if c.memory > 1<<20 || c.time < 1 || c.time > 16 || c.lanes < 1 {
		return c, nil, nil, errDamaged
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	sum, sumErr := base64.RawStdEncoding.DecodeString(parts[5])
	// The readers above pass over line breaks and what follows a number.
	if saltErr != nil || sumErr != nil || len(sum) < 16 || kept(c, salt, sum) != encoded {
		return c, nil, nil, errDamaged
	}
	return c, salt, sum, nil
}

var errDamaged = errors.New("the kept password of an account is damaged")

// Password says whose e-mail address and password these are. A wrong password, an unknown address and an account without password are the same
// fault.Unauthenticated and cost the same time; who has the right password of a disabled account gets fault.Forbidden.
func (a *Auth) Password(ctx context.Context, email string, password Secret) (*Account, error) {
	var account *Account
	var encoded string
	if !printable(email) {
		email = "" // an engine could refuse to compare it
	}
	err := a.store.Query(ctx, `SELECT `+accountColumns("a")+`, a.password FROM accounts a WHERE a.email_key = $1 AND a.password IS NOT NULL`,
		[]any{EmailKey(email)}, func(c *store.Cols) error {
			account, encoded = readAccount(c), c.Text(accountWidth)
			return nil
		})
	if err != nil {
		return nil, err
	}
	c, salt, want := passwordCost, make([]byte, saltBytes), make([]byte, hashBytes)
	if account != nil {
		if c, salt, want, err = decodePassword(encoded); err != nil {
			return nil, err
		}
	}
	if len(password) > mostPassword {
		password = password[:mostPassword]
		account = nil
	}
	got, err := a.hashPassword(ctx, password, salt, c, uint32(len(want)))
	if err != nil {
		return nil, err
	}
	if equal := subtle.ConstantTimeCompare(got, want) == 1; !equal || account == nil {
		return nil, fault.New(fault.Unauthenticated, "The e-mail address or the password is wrong.")
	}
	if account.Disabled {
		return nil, fault.New(fault.Forbidden, "The account has been disabled. Ask the operator of this service.")
	}
	return account, nil
}

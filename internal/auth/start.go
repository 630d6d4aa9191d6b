package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strings"

	"groundwork/internal/credential"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/password"
	"groundwork/internal/store"
)

const (
	// codesNote is the note of the hashes of the codes with which the first account can be made.
	codesNote = "start_codes"
	// mostCodes is of how many starts the codes are good, where several processes share a database.
	mostCodes = 16

	// codeLetters are those of codes: no two of them look alike. They are 32, so that a byte picks each equally often.
	codeLetters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	codeChars   = 16 // 80 bits
	codeGroup   = 4
)

// Begun tells whether the installation has an account. Once it has one it never has none again, and nothing is asked.
func (a *Auth) Begun(ctx context.Context) (bool, error) {
	if a.begun.Load() {
		return true, nil
	}
	none, err := a.Empty(ctx)
	if err == nil && !none {
		a.begun.Store(true)
	}
	return err == nil && !none, err
}

// OfferStart makes a code with which the first account can be made in a browser: the one moment at which it is known.
// "" where there is an account. Any process of the installation takes it. With alone no other process can have
// given one out, so that codes of earlier starts end.
func (a *Auth) OfferStart(ctx context.Context, alone bool) (code string, err error) {
	if begun, err := a.Begun(ctx); err != nil || begun {
		return "", err
	}
	code = newStartCode()
	return code, a.store.Write(ctx, func(tx *store.Tx) error {
		if err := a.InTurn(tx); err != nil {
			return err
		}
		kept, err := tx.Note(codesNote)
		if err != nil {
			return err
		}
		hashes := strings.Fields(kept)
		if alone {
			hashes = nil
		}
		hashes = append(hashes, hashStartCode(code))
		return tx.SetNote(codesNote, strings.Join(hashes[max(0, len(hashes)-mostCodes):], " "))
	})
}

// Start makes the first account, an operator's, for whoever has a code of OfferStart, and gives the secret of a session
// in the browser. fault.Conflict when there is an account; fault.Invalid for a code that is not good, and for what is
// no usable address, name or password; fault.Limited after many wrong codes. A code that is good is good again until
// the account is made.
func (a *Auth) Start(ctx context.Context, code string, n identity.NewAccount, from Visit) (session string,
	who *identity.Account,
	err error,
) {
	if err := a.notBegun(ctx); err != nil {
		return "", nil, err
	}
	if err := a.tryStartCode(ctx, code, from); err != nil {
		return "", nil, err
	}
	n.Operator = true
	who, err = a.CreateFirst(ctx, n, func(tx *store.Tx) error {
		if err := goodStartCode(tx.Query, code); err != nil {
			return err
		}
		return tx.SetNote(codesNote, "")
	})
	if err != nil {
		return "", nil, err
	}
	a.begun.Store(true)
	a.log.InfoContext(ctx, "the first account was made in a browser; it is an operator's", "account", who.UID,
		"address", from.Address)
	session, err = a.begin(ctx, who.UID, who.Compared(), from)
	return session, who, err
}

// notBegun refuses with fault.Conflict once there is an account.
func (a *Auth) notBegun(ctx context.Context) error {
	begun, err := a.Begun(ctx)
	if err == nil && begun {
		err = identity.ErrBegun()
	}
	return err
}

// tryStartCode refuses a code that is not good. Attempts become slow, and are then refused before anything is looked
// up.
func (a *Auth) tryStartCode(ctx context.Context, code string, from Visit) error {
	bounds := password.StartCodes(from.Address)
	over, err := a.tries.Take(a.store.Now(), bounds...)
	if err != nil {
		return err
	}
	if err = a.tries.Slow(ctx, over); err == nil {
		err = goodStartCode(a.QueryIn(ctx), code)
	}
	switch {
	case err == nil:
		a.tries.Succeeded(bounds...)
	case password.CrowdedOut(err):
		a.tries.Untried(bounds...)
	case fault.Is(err, fault.Invalid):
		if late := a.notBegun(ctx); late != nil { // the account that was made meanwhile ended the codes
			a.tries.Untried(bounds...)
			return late
		}
		a.log.WarnContext(ctx, "somebody tried a wrong code to make the first account", "address", from.Address)
	}
	return err
}

// goodStartCode refuses with fault.Invalid a code that no start gave out. It takes as long whatever the code has in
// common with one that is good.
func goodStartCode(ask identity.Query, code string) error {
	kept, good, hash := "", 0, hashStartCode(code)
	err := ask(`SELECT value FROM instance WHERE name = $1`, []any{codesNote}, func(c *store.Cols) error {
		kept = c.Text(0)
		return nil
	})
	for _, known := range strings.Fields(kept) {
		good |= subtle.ConstantTimeCompare([]byte(known), []byte(hash))
	}
	if err == nil && good != 1 {
		err = fault.Field("code",
			"This is not the code. The server printed it when it was last started, with the words: Make the first account.")
	}
	return err
}

// newStartCode makes a code that people can read out and type: K7QX-4MPD-9TRB-2HWN.
func newStartCode() string {
	random := make([]byte, codeChars)
	rand.Read(random)
	var text strings.Builder
	for i, b := range random {
		if i > 0 && i%codeGroup == 0 {
			text.WriteByte('-')
		}
		text.WriteByte(codeLetters[int(b)%len(codeLetters)])
	}
	return text.String()
}

// asTyped takes out of a code what people add, and the letters that they take for others.
var asTyped = strings.NewReplacer("-", "", " ", "", "\t", "", "\u00a0", "", "O", "0", "I", "1", "L", "1")

// hashStartCode is what is kept of a code.
func hashStartCode(code string) string {
	sum := sha256.Sum256([]byte(asTyped.Replace(strings.ToUpper(strings.TrimSpace(code)))))
	return hex.EncodeToString(sum[:])
}

// Admit makes a session for an account that need not show its password: the caller knows by other means that the
// browser is the operator's own. fault.Unauthenticated for a disabled account.
func (a *Auth) Admit(ctx context.Context, account string, from Visit) (session string, err error) {
	seen := ""
	err = a.store.Write(ctx, func(tx *store.Tx) error {
		return credential.LockAccount(tx, account, func(c *store.Cols) error {
			seen = c.Text(0)
			return nil
		})
	})
	if err != nil {
		return "", err
	}
	return a.begin(ctx, account, seen, from)
}

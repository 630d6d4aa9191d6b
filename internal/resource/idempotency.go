package resource

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"groundwork/internal/api"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// A request with an Idempotency-Key takes effect once: what it answered is written in the transaction of its effect, so
// that it survives whatever the effect survives, and a repetition finds it there. Writes to a project are serial, so a
// repetition that comes while the first one runs waits for it.

const (
	keyHeader = "Idempotency-Key"
	keyKept   = 24 * time.Hour
	mostKey   = 255

	findRequest  = "SELECT digest, status, record, clock, tally, version, doc FROM requests WHERE account = $1 AND request = $2 AND created_at > $3"
	dropRequest  = "DELETE FROM requests WHERE account = $1 AND request = $2 AND created_at <= $3"
	keepRequest  = "INSERT INTO requests (account, request, digest, created_at, status, record, clock, tally, version, doc) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
	sweepRequest = "DELETE FROM requests WHERE created_at <= $1"
)

// outcome is what a write answers: a record, as it was stored.
type outcome struct {
	status int
	row    store.Row
	again  bool   // it is the answer of an earlier request
	beside string // what is shown and not stored, as JSON members
}

// runOnce runs do, or gives what it gave for the same key before: fault.Mismatch when that was with another body,
// fault.Invalid for a key that is none.
func runOnce(tx *store.Tx, c *api.Call, body api.Object, do func() (int, store.Row, error)) (out outcome, err error) {
	key := c.Header(keyHeader)
	if key == "" {
		out.status, out.row, err = do()
		return out, err
	}
	if len(key) > mostKey || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return out, refuseAfter(do,
			fault.New(fault.Invalid, "The header %s must have 1 to %d visible ASCII characters.", keyHeader, mostKey))
	}
	account, request, digest := c.Credential.Account.UID, digestOf(c.Method(), c.Path(), key), digestOfBody(body)
	found, expired := "", tx.Now()-keyKept.Microseconds()
	err = tx.As(account, func() error {
		return tx.Query(findRequest, []any{account, request, expired}, func(cols *store.Cols) error {
			found = cols.Text(0)
			out = outcome{status: int(cols.Int(1)), again: true, row: store.Row{
				ID: store.ID(cols.Int(2)), Clock: cols.Int(3), Tally: cols.Text(4), Version: int(cols.Int(5)),
				Doc: cols.Bytes(6),
			}}
			return nil
		})
	})
	switch {
	case err != nil:
		return out, err
	case found == digest:
		return out, nil
	case found != "":
		return out, refuseAfter(do, fault.New(fault.Mismatch,
			"The %s was used already, with another body. Use a new key for a new request.", keyHeader))
	}
	if out.status, out.row, err = do(); err != nil {
		return out, err
	}
	return out, tx.As(account, func() error {
		if err := tx.Exec(dropRequest, account, request, expired); err != nil {
			return err
		}
		// Where another process did the same at the same time, this fails, and the store runs the write again: then the
		// other's is found.
		r := out.row
		return tx.Exec(keepRequest, account, request, digest, tx.Now(), out.status, r.ID, r.Clock, r.Tally, r.Version,
			r.Doc)
	})
}

// OncePerKey runs do as a write of the caller, once for each Idempotency-Key, for what is no record: it gives the uid
// that do gave, now or before.
func OncePerKey(c *api.Call, body api.Object, do func(*Tx) (uid string, err error)) (string, error) {
	var out outcome
	err := Edit(c, func(tx *Tx) (err error) {
		out, err = runOnce(tx.Tx, c, body, func() (int, store.Row, error) {
			uid, err := do(tx)
			return 201, store.Row{Doc: []byte(uid)}, err
		})
		return err
	})
	if out.again {
		c.SetHeader("Idempotent-Replayed", "true")
	}
	return string(out.row.Doc), err
}

// RememberRequest notes, in the transaction of its effect, that a request with an Idempotency-Key made something whose
// answer is not kept because it holds a secret. A repetition is fault.Conflict, naming what was made; fault.Mismatch
// with another body. Without a key it does nothing.
func RememberRequest(tx *store.Tx, c *api.Call, body api.Object, made string) error {
	key := c.Header(keyHeader)
	if key == "" {
		return nil
	}
	out, err := runOnce(tx, c, body, func() (int, store.Row, error) {
		return http.StatusConflict, store.Row{Doc: []byte(made)}, nil
	})
	if err != nil || !out.again {
		return err
	}
	return fault.New(fault.Conflict, "This request made %s already. Its secret was shown then, and is kept nowhere.",
		out.row.Doc)
}

// refuseAfter refuses with err unless do has something to refuse itself, which comes first in the order of refusals.
// Either takes back what do did.
func refuseAfter(do func() (int, store.Row, error), err error) error {
	if _, _, first := do(); first != nil {
		return first
	}
	return err
}

func digestOf(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))
}

func digestOfBody(body api.Object) string {
	parts := make([]string, 0, 2*len(body))
	for _, f := range body {
		parts = append(parts, f.Name, string(f.Value))
	}
	return digestOf(parts...)
}

// SweepRequests forgets the requests whose keys have expired.
func SweepRequests(ctx context.Context, s *store.Store) error {
	return s.In(store.SweepOffice).Write(ctx, func(tx *store.Tx) error {
		return tx.Exec(sweepRequest, tx.Now()-keyKept.Microseconds())
	})
}

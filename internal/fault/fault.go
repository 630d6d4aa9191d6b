// Package fault owns the kinds of errors a caller can meet and the HTTP status each one has.
// It imports only the standard library and knows nothing of records, routes or databases.
package fault

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Kind says what went wrong in the terms of the API.
type Kind uint8

// The kinds, in the order in which a request can meet them.
const (
	Internal Kind = iota
	Unknown       // no such path
	Method
	Unauthenticated
	Forbidden
	NotAcceptable
	Limited
	NotFound
	Conflict
	Precondition
	TooLarge
	Invalid
	Mismatch // an Idempotency-Key used again with another body
	Unavailable
	Full
	Unsatisfiable // a range beyond the end of a file
)

// statuses is the one table from kinds to HTTP statuses.
var statuses = [...]int{
	Internal: 500, Unknown: 404, Method: 405, Unauthenticated: 401, Forbidden: 403, NotAcceptable: 406, Limited: 429,
	NotFound: 404, Conflict: 409, Precondition: 412, TooLarge: 413, Invalid: 400, Mismatch: 422, Unavailable: 503,
	Full: 507, Unsatisfiable: 416,
}

// Status is the HTTP status of the kind.
func (k Kind) Status() int { return statuses[k] }

// Error is an error that a caller may read: Message is a whole sentence, Fields says more per field of the body.
type Error struct {
	Kind    Kind
	Message string
	Fields  map[string]string
	// URL is the address of the record that stands in the way, where the caller may know it.
	URL string
	// RetryAfter is told to the client where it is not zero.
	RetryAfter time.Duration
	// Cause is for the log, never for the client.
	Cause error
}

func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Message + ": " + e.Cause.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Cause }

// New makes an error of kind k; the message is a whole sentence.
func New(k Kind, format string, args ...any) *Error {
	return &Error{Kind: k, Message: fmt.Sprintf(format, args...)}
}

// Missing says that a record does not exist. Every 404 of a record has this one form.
func Missing(kind, uid string) *Error {
	return New(NotFound, "%s %s does not exist.", kind, clip(uid))
}

// Taken says that the uid which a client chose for a new record is in use. url leads to the record, or is empty where
// the caller did not make it.
func Taken(uid, url string) *Error {
	e := New(Conflict, "The uid %s is taken.", uid)
	if e.URL = url; url != "" {
		e.Message = "The uid " + uid +
			" is taken by a record that you made. Read it at its url: it may be the one that you meant to create."
	}
	return e
}

// Fields says which fields of a request were refused, and why. It is nil when there are none.
func Fields(fields map[string]string) error {
	if len(fields) == 0 {
		return nil
	}
	return refusal(fields)
}

func refusal(fields map[string]string) *Error {
	parts := make([]string, 0, len(fields))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name == General {
			parts = append(parts, fields[name])
			continue
		}
		parts = append(parts, clip(name)+": "+fields[name])
	}
	return &Error{Kind: Invalid, Message: "The request is not valid. " + strings.Join(parts, " "), Fields: fields}
}

// General is the key in Fields of a problem with the whole body.
const General = "_general"

// Field refuses one field.
func Field(name, format string, args ...any) *Error {
	return refusal(map[string]string{name: fmt.Sprintf(format, args...)})
}

// Busy says that the outcome of a write is not known or that the service cannot serve now; the client may try again.
func Busy(cause error) *Error {
	return &Error{
		Kind: Unavailable, Message: "The service cannot answer right now. Please try again.",
		RetryAfter: time.Second, Cause: cause,
	}
}

// Of gives err as an *Error; what is not one becomes Internal, with err as its cause.
func Of(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Kind: Internal, Message: "Something went wrong on our side. The team has been notified.", Cause: err}
}

// Cause is what an operator wants to know of err: what lies behind a sentence that was meant for a client.
func Cause(err error) error {
	var e *Error
	if errors.As(err, &e) && e.Cause != nil {
		return e.Cause
	}
	return err
}

// Is tells whether err is of kind k.
func Is(err error, k Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == k
}

// clip keeps a client's own text inside a message short.
func clip(s string) string {
	const most = 100
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

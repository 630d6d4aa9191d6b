package auth

import (
	"crypto/hmac"
	"encoding/base32"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
)

// letterPurpose is that of the mark in the IDs of letters.
const letterPurpose = "letter"

// letterMark is how many bytes of a mark an ID has: nobody can try many, as each needs a mail to this service.
const letterMark = 10

// letterLife is for how long after it was made a letter can come back. Mail servers give up after five days.
const letterLife = 14 * 24 * time.Hour

var plainUID = regexp.MustCompile(`^[0-9A-Za-z-]{1,64}$`)

var markForm = base32.StdEncoding.WithPadding(base32.NoPadding)

// LetterID is the ID that a letter to an account goes under, by the uid of the letter: with it whoever received the
// letter, or could not deliver it, can say which one that was, and nobody else can.
func (a *Auth) LetterID(letter, account string) string {
	if !plainUID.MatchString(letter) || !plainUID.MatchString(account) {
		return letter
	}
	return letter + "." + account + "." + a.letterMark(letter, account)
}

// LetterOf takes an ID apart that LetterID made, lately: ok is false for every other.
func (a *Auth) LetterOf(id string) (letter, account string, ok bool) {
	parts := strings.Split(id, ".")
	if len(parts) != 3 || !a.sameMark(parts[2], parts[0], parts[1]) {
		return "", "", false
	}
	made, err := madeAt(parts[0])
	if err != nil || time.UnixMicro(a.store.Now()).Sub(made) > letterLife {
		return "", "", false
	}
	return parts[0], parts[1], true
}

func (a *Auth) letterMark(letter, account string) string {
	mark := a.Sign(letterPurpose, []byte(letter+" "+account))
	return strings.ToLower(markForm.EncodeToString(mark[:letterMark]))
}

// sameMark compares without telling by its time how much is right.
func (a *Auth) sameMark(mark, letter, account string) bool {
	return hmac.Equal([]byte(strings.ToLower(mark)), []byte(a.letterMark(letter, account)))
}

var errNoTime = errors.New("the uid has no time in it")

// madeAt is when a uid was made that has its time in it, as those of jobs have.
func madeAt(uid string) (time.Time, error) {
	id, err := uuid.Parse(uid)
	if err != nil {
		return time.Time{}, err
	}
	if id.Version() != 7 {
		return time.Time{}, errNoTime
	}
	return time.Unix(id.Time().UnixTime()), nil
}

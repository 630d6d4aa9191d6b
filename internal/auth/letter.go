package auth

import (
	"context"
	"fmt"
	"html"
	"strings"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/mail"
	"groundwork/internal/store"
)

// LetterKind is the kind of the jobs that write to people; their arguments are a Letter.
const LetterKind = "letter"

// Letter is a mail to be written. It holds no secret: a link is made when the mail is, so that none lies in the database while the letter waits.
type Letter struct {
	Kind LetterAbout `json:"kind"`
	// Email is whom it is for. Whether somebody has the address is found out when it is written.
	Email string `json:"email"`
	// From and Project say who invites, and to what.
	From    string `json:"from"`
	Project string `json:"project"`
	// Major and Sunset are the version that ends, and when, in microseconds.
	Major  int   `json:"major"`
	Sunset int64 `json:"sunset"`
}

// LetterAbout is what a letter is about.
type LetterAbout string

// What letters are about.
const (
	AboutInvitation LetterAbout = "invitation"
	AboutReset      LetterAbout = "reset"
	AboutVersion    LetterAbout = "version"
)

// Write makes the mail of a letter, with a fresh link where it carries one. Nobody is written to who has no account, or a disabled one: then to is false.
func (a *Auth) Write(ctx context.Context, base string, l Letter) (m mail.Message, to bool, err error) {
	account, err := a.AccountByEmail(ctx, l.Email)
	if fault.Is(err, fault.NotFound) || err == nil && account.Disabled {
		return m, false, nil
	}
	if err != nil {
		return m, false, err
	}
	var subject, label string
	var paragraphs []string
	link := base + "/account"
	switch l.Kind {
	case AboutInvitation:
		subject = fmt.Sprintf("%s invites you to %s", oneLine(l.From), oneLine(l.Project))
		paragraphs = []string{fmt.Sprintf("%s has put you on the team of the project %s.", oneLine(l.From), oneLine(l.Project))}
		if account.Invited {
			label = "Accept the invitation"
			paragraphs = append(paragraphs, "Open this link to choose a password. It works once, and for two weeks.")
			if link, err = a.link(ctx, base, Invitation, account.UID); err != nil {
				return m, false, err
			}
		} else {
			label = "Sign in"
			paragraphs = append(paragraphs, "You have an account already: sign in as always.")
		}
	case AboutReset:
		subject, label = "A new password for Groundwork", "Choose a new password"
		paragraphs = []string{
			"Somebody, probably you, has asked for a new password for this address. Open this link to choose one. It works once, and for an hour.",
			"If it was not you, do nothing: your password stays as it is.",
		}
		if link, err = a.link(ctx, base, Reset, account.UID); err != nil {
			return m, false, err
		}
	case AboutVersion:
		day := time.UnixMicro(l.Sunset).UTC().Format("2 January 2006")
		subject, link, label = fmt.Sprintf("Version %d of the Groundwork API ends on %s", l.Major, day), base+"/docs", "The API reference"
		paragraphs = []string{
			fmt.Sprintf("A program that uses your account still asks for version %d of the API. That version is deprecated. From %s on it is refused.", l.Major, day),
			"What to do: have the program ask for a newer version in its Accept header, such as application/vnd.groundwork+json; version=N. " +
				"The reference says which versions there are. You get this once a month while the old version is in use.",
		}
	default:
		return m, false, fmt.Errorf("auth: no letter is about %q", l.Kind)
	}
	return letter(account, subject, paragraphs, label, link), true, nil
}

func (a *Auth) link(ctx context.Context, base string, purpose Purpose, account string) (link string, err error) {
	err = a.store.Write(ctx, func(tx *store.Tx) error {
		link, err = a.NewLink(tx, base, purpose, account)
		return err
	})
	return link, err
}

// Name is how an account is called: its names, or its address.
func (a *Account) Name() string {
	if name := strings.TrimSpace(text(a.FirstName) + " " + text(a.LastName)); name != "" {
		return name
	}
	return a.Email
}

// letter says the same in text and in HTML.
func letter(to *Account, subject string, paragraphs []string, label, link string) mail.Message {
	plain := "Hello " + oneLine(to.Name()) + ",\n\n" + strings.Join(paragraphs, "\n\n") + "\n\n" + label + ":\n" + link + "\n\n-- \nGroundwork\n"
	var rich strings.Builder
	rich.WriteString(`<!doctype html><html lang="en"><body style="font:16px/1.5 sans-serif;max-width:36em">`)
	for _, p := range append([]string{"Hello " + oneLine(to.Name()) + ","}, paragraphs...) {
		rich.WriteString("<p>" + html.EscapeString(p) + "</p>")
	}
	rich.WriteString(`<p><a href="` + html.EscapeString(link) + `">` + html.EscapeString(label) + `</a></p><p>Groundwork</p></body></html>`)
	name := oneLine(to.Name())
	if name == to.Email {
		name = ""
	}
	return mail.Message{To: mail.Address{Name: name, Email: to.Email}, Subject: clip(subject, 200), Text: plain, HTML: rich.String()}
}

// oneLine keeps what people chose themselves from looking like a paragraph of ours.
func oneLine(s string) string {
	return clip(strings.Join(strings.Fields(strings.Map(visible, strings.Map(spaced, s))), " "), 120)
}

func spaced(r rune) rune {
	switch r {
	case '\n', '\r', '\t', '\u2028', '\u2029', 0x85:
		return ' '
	}
	return r
}

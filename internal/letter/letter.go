// Package letter owns what the service writes to people about their accounts: which letters there are, what each says,
// and how many on its security an account gets on a day. It refuses to make links, which are credentials, and to send
// mail. Letter.Message writes one, Tell leaves one to be written.
package letter

import (
	"fmt"
	"strings"
	"time"

	"groundwork/internal/identity"
	"groundwork/internal/mail"
	"groundwork/internal/mail/paper"
)

// Kind is the kind of the jobs that write to people; their arguments are a Letter.
const Kind = "letter"

// Letter is a mail to be written. It holds no secret: a link is made when the mail is, so that none lies in the
// database while the letter waits.
type Letter struct {
	Kind About `json:"kind"`
	// Email is whom it is for. Whether somebody has the address is found out when it is written.
	Email string `json:"email"`
	// From and Project say who invites, and to what.
	From    string `json:"from"`
	Project string `json:"project"`
	// Major and Sunset are the version that ends, and when, in microseconds.
	Major  int   `json:"major"`
	Sunset int64 `json:"sunset"`

	// A letter on the security of an account names it by uid, says what was made, when (microseconds), and what ended;
	// Last tells that no more follow today.
	Account      string   `json:"account"`
	What         string   `json:"what"`
	At           int64    `json:"at"`
	Keys         []string `json:"keys"`
	Applications []string `json:"applications"`
	Last         bool     `json:"last"`
}

// About is what a letter is about.
type About string

// What letters are about.
const (
	AboutInvitation About = "invitation"
	AboutReset      About = "reset"
	AboutVersion    About = "version"
)

// Message is the mail of a letter to an account. fresh makes the link that an invitation or a new password needs, which
// is the only thing of it that can fail.
func (l Letter) Message(house paper.House, account *identity.Account, fresh func() (string, error)) (m mail.Message,
	err error,
) {
	var subject, label string
	var paragraphs []string
	base := house.Base
	link := base + "/account"
	switch l.Kind {
	case AboutInvitation:
		by, project := identity.PlainName(l.From, "Somebody"), identity.PlainName(l.Project, "a project")
		subject = fmt.Sprintf("%s invites you to %s", by, project)
		paragraphs = []string{fmt.Sprintf("%s has put you on the team of the project %s.", by, project)}
		if account.Invited || !account.Proven {
			label = "Accept the invitation"
			paragraphs = append(paragraphs, "Open this link to choose a password. It works once, and for two weeks.")
			if !account.Invited {
				paragraphs = append(paragraphs,
					"There is an account for this address, which nobody has confirmed. With the new password it is yours, and nobody else's.")
			}
			if link, err = fresh(); err != nil {
				return m, err
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
		if link, err = fresh(); err != nil {
			return m, err
		}
	case AboutVersion:
		day := time.UnixMicro(l.Sunset).UTC().Format("2 January 2006")
		subject, link, label = fmt.Sprintf("Version %d of the Groundwork API ends on %s", l.Major,
			day), base+"/docs", "The API reference"
		paragraphs = []string{
			fmt.Sprintf("A program that uses your account still asks for version %d of the API. That version is deprecated. From %s on it is refused.", l.Major, day),
			"What to do: have the program ask for a newer version in its Accept header, such as application/vnd.groundwork+json; version=N. " +
				"The reference says which versions there are. You get this once a month while the old version is in use.",
		}
	default:
		if subject, paragraphs, label, link = l.security(base); subject == "" {
			return m, fmt.Errorf("auth: no letter is about %q", l.Kind)
		}
	}
	return mailTo(house, account, subject, paragraphs, label, link), nil
}

// mailTo says the same in text and in HTML.
func mailTo(house paper.House, to *identity.Account, subject string, paragraphs []string, label, link string,
) mail.Message {
	name := identity.PlainName(to.Name(), "")
	hello := strings.TrimSpace("Hello "+name) + ","
	m := write(house, hello, identity.Clip(subject, 200), paragraphs, label, link)
	m.To, m.Account = mail.Address{Name: name, Email: to.MailTo()}, to.UID
	return m
}

// write sets a letter in both forms.
func write(house paper.House, hello, subject string, paragraphs []string, label, link string) mail.Message {
	page := paper.Page{
		House: house.Name, Title: subject, Preview: paragraphs[0], Hello: hello,
		Button: paper.Link{Label: label, Address: link},
	}
	for _, text := range paragraphs {
		page.Parts = append(page.Parts, paper.Part{Text: text})
	}
	return mail.Message{
		Subject: subject,
		Text: hello + "\n\n" + strings.Join(paragraphs, "\n\n") + "\n\n" + label + ":\n" + link +
			"\n\n-- \nGroundwork\n",
		HTML: page.HTML(),
	}
}

// Test is the letter with which an operator finds out whether mail arrives.
func Test(house paper.House, to string, at time.Time) mail.Message {
	m := write(house, "Hello,", "A test letter", []string{
		"This letter was sent to find out whether mail arrives. It did.",
		"If it lay among unwanted mail, look at its headers: Authentication-Results should say spf=pass or dkim=pass. " +
			"groundwork doctor says what the domain of the sender publishes.",
		"It was written on " + at.UTC().Format("2 January 2006 at 15:04:05 UTC") + ".",
	}, "Open the service", house.Base+"/")
	m.To.Email = to
	return m
}

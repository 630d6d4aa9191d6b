package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/letter"
	"groundwork/internal/mail"
	"groundwork/internal/mail/bounce"
	"groundwork/internal/mail/paper"
	"groundwork/internal/mail/published"
	"groundwork/internal/store"
	"groundwork/internal/web"
)

// letterID is the ID that a mail goes under: with a mark where it is somebody's, so that it is known again when it
// comes back.
func (a *App) letterID(uid string, m mail.Message) string {
	if m.Account == "" {
		return uid
	}
	return a.Auth.LetterID(uid, m.Account)
}

// noteSent notes at a person that a server took a letter to them, or refused it for good.
func (a *App) noteSent(ctx context.Context, uid string, m mail.Message, sent error) error {
	if m.Account == "" || !a.Mail.Sends() {
		return nil
	}
	if sent == nil {
		return a.Auth.NoteAccepted(ctx, m.Account)
	}
	var refused mail.Refused
	if !errors.As(sent, &refused) || !refused.Recipient {
		return nil
	}
	_, err := a.Auth.NoteBounce(ctx, identity.Returned{
		Account: m.Account, Letter: uid, What: refused.Said, Counts: ofTheAddress(refused.Status),
	})
	return err
}

// ofTheAddress tells refusals that say something of an address, which nobody has (5.1) or whose mailbox takes nothing
// (5.2), from all others: 5.7 is a server that does not pass mail on for this service, 5.1.7 and 5.1.8 are about its
// own address, 5.2.3 is about the letter, and many a server that refuses the service gives no status at all. A relay
// that is set up wrongly refuses everybody's letters, and that must not cut everybody off.
func ofTheAddress(status string) bool {
	switch status {
	case "5.1.7", "5.1.8", "5.2.3":
		return false
	}
	return strings.HasPrefix(status, "5.1.") || strings.HasPrefix(status, "5.2.")
}

// TakeBounce reads a report that a letter came back, and notes that at the person it was for. It gives a sentence on
// what was done: what is no report, or of no letter of this installation, changes nothing and is no error.
func (a *App) TakeBounce(ctx context.Context, message []byte) (string, error) {
	report, err := bounce.Read(bytes.NewReader(message))
	if err != nil {
		return "Nothing was noted: " + err.Error(), nil
	}
	for _, id := range report.Letters {
		uid, uidOfAccount, ours := a.Auth.LetterOf(id)
		if !ours {
			continue
		}
		if !report.Permanent() {
			return "Nothing was noted: the report does not say that the letter can never be delivered.", nil
		}
		noted, err := a.Auth.NoteBounce(ctx, identity.Returned{
			Account: uidOfAccount, Letter: uid, What: mail.OneLine(report.Said), Counts: ofTheAddress(report.Status),
			Reported: true,
		})
		if err != nil || noted {
			return fmt.Sprintf("It was noted that letters to account %s come back.", uidOfAccount), err
		}
		return "Nothing was noted: that letter was noted before, or its account is gone.", nil
	}
	return "Nothing was noted: the report names no letter that this installation sent within two weeks.", nil
}

// How many test letters are sent within an hour, and how long one may take.
const (
	mostTests  = 10
	testWithin = 20 * time.Second
	testsNote  = "mail_tests"
)

// TestMail sends a letter to an address and tells how that went. fault.Invalid for what is no address and where no mail
// server is configured, fault.Limited after ten within an hour.
func (a *App) TestMail(ctx context.Context, to string) (went mail.Outcome, err error) {
	to = strings.TrimSpace(to)
	if problem := identity.EmailProblem(to); problem != "" {
		return went, fault.Field("to", "%s", problem)
	}
	if !a.Mail.Sends() {
		return went, fault.Field("to", "No mail server is set, so letters go to the log. Set --mail-url and --mail-from, and start the service again.")
	}
	if err := a.countTest(ctx); err != nil {
		return went, err
	}
	someone := &identity.Account{Email: to}
	m := letter.Test(paper.House{Name: a.Mail.Name(), Base: a.base()}, someone.MailTo(), time.UnixMicro(a.Store.Now()))
	account, err := a.Auth.AccountByEmail(ctx, to)
	switch {
	case err == nil:
		m.Account = account.UID
	case !fault.Is(err, fault.NotFound):
		return went, err
	}
	uid := store.NewUID()
	m.ID = a.letterID(uid, m)
	trying, cancel := context.WithTimeout(ctx, testWithin)
	defer cancel()
	went, sent := a.Mail.Try(trying, m)
	a.posted.note(sent, true)
	return went, a.noteSent(ctx, uid, m, sent)
}

// countTest notes that a test letter is sent now, whichever process sends it.
func (a *App) countTest(ctx context.Context) error {
	return a.Store.Write(ctx, func(tx *store.Tx) error {
		text, err := tx.Note(testsNote)
		if err != nil {
			return err
		}
		var sent []int64
		if text != "" {
			if err := json.Unmarshal([]byte(text), &sent); err != nil {
				return err
			}
		}
		since := tx.Now() - time.Hour.Microseconds()
		sent = slices.DeleteFunc(sent, func(at int64) bool { return at <= since })
		if len(sent) >= mostTests {
			again := time.UnixMicro(sent[0]).Add(time.Hour).UTC().Format("15:04 UTC")
			return fault.New(fault.Limited, "%d test letters were sent within an hour. The next can be sent at %s.", mostTests, again)
		}
		now, err := json.Marshal(append(sent, tx.Now()))
		if err != nil {
			return err
		}
		return tx.SetNote(testsNote, string(now))
	})
}

// mailPage is what operators see and try of mail in a browser.
func (a *App) mailPage() web.Mail {
	return web.Mail{Seen: a.seenMail, Test: func(ctx context.Context, to string) (string, bool, error) {
		went, err := a.TestMail(ctx, to)
		return went.Sentence(), went.Accepted, err
	}}
}

func (a *App) seenMail(ctx context.Context) (seen web.MailSeen, err error) {
	seen.Server, _ = a.Mail.Server()
	seen.From = a.Mail.From()
	if seen.Signed, _, err = a.Mail.Signs(); err != nil {
		return seen, err
	}
	all, err := a.Auth.AllBounced(ctx, mostSeen)
	for _, b := range all {
		seen.Bounced = append(seen.Bounced, web.BouncedSeen{Email: b.Email, Bounce: b.Bounce})
	}
	return seen, err
}

// CheckSender says what the domain of the sender publishes, and whether that fits. It looks at once, for some seconds
// at most; there is nothing to look at where mail goes to the log.
func CheckSender(ctx context.Context, c Config) []Check {
	fail := func(err error) []Check {
		return []Check{{"mail sender", func(context.Context) error { return err }}}
	}
	s, err := c.sender()
	if err != nil || !s.Sends() {
		return nil // what is wrong is said of the configuration
	}
	dns, err := published.Resolver(c.MailDNS)
	if err != nil {
		return fail(err)
	}
	address, local := s.Server()
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fail(err)
	}
	who := published.Sender{Domain: s.Domain(), Host: host, Local: local, Selector: c.MailDKIMSelector}
	if _, who.Public, err = s.Signs(); err != nil {
		return fail(err)
	}
	var checks []Check
	for _, f := range published.Look(ctx, dns, who) {
		checks = append(checks, Check{f.Name, func(context.Context) error {
			switch {
			case f.Wrong:
				return errors.New(f.Hint)
			case f.Hint != "":
				return Hint(f.Hint)
			}
			return nil
		}})
	}
	return checks
}

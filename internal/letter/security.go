package letter

import (
	"fmt"
	"strings"
	"time"

	"groundwork/internal/identity"
	"groundwork/internal/store"
)

// What letters on the security of an account are about. They hold no secret, and go to the account whatever it wants to
// be told of otherwise.
const (
	AboutPassword About = "password"
	AboutKey      About = "key"
	AboutRegister About = "application"
	AboutSecret   About = "secret"
	AboutRedirect About = "redirect"
	AboutConsent  About = "consent"
)

// MostTold is how many letters on its security an account gets on a day (UTC): more than anybody does by hand, so few
// that nobody's mail box fills up.
const MostTold = 20

// DayMicros is a day.
const DayMicros = int64(24 * time.Hour / time.Microsecond)

// Tell has a letter on its security written to an account, once tx commits: post leaves it, and nil leaves none. Nobody
// is told who has no password yet: what the operator prepares for them is no news.
func Tell(tx *store.Tx, post func(*store.Tx, Letter) error, account string, l Letter) error {
	if post == nil {
		return nil
	}
	told := int64(0)
	err := tx.Query(`UPDATE accounts SET told = CASE WHEN told_day = $1 THEN told + 1 ELSE 1 END, told_day = $1
WHERE uid = $2 AND password IS NOT NULL AND (told_day <> $1 OR told <= $3)
RETURNING told`, []any{tx.Now() / DayMicros, account, MostTold}, func(c *store.Cols) error {
		told = c.Int(0)
		return nil
	})
	if err != nil || told == 0 {
		return err
	}
	l.Account, l.Last, l.At = account, told > MostTold, tx.Now()
	return post(tx, l)
}

// security says what a letter on the security of an account says.
func (l Letter) security(base string) (subject string, paragraphs []string, label, link string) {
	notYou := "If it was not you, somebody else can act for you. Deactivate it, and choose a new password at once: that ends your API keys and shuts out the applications that you allowed."
	label, link = "Look at it", base
	switch l.Kind {
	case AboutPassword:
		subject = "Your Groundwork password was changed"
		paragraphs = append(paragraphs, "The password of your account was changed. You are signed out everywhere else.")
		if len(l.Keys) > 0 {
			paragraphs = append(paragraphs,
				"These API keys ended; make new ones for the programs that used them: "+listed(l.Keys))
		}
		if len(l.Applications) > 0 {
			paragraphs = append(paragraphs,
				"These applications are shut out; allow them again if you use them: "+listed(l.Applications))
		}
		notYou = "If it was not you, ask for a new password (Forgotten password, on the sign-in page), and tell the operator of this service."
		label, link = "Your password and sessions", base+"/account/security"
	case AboutKey:
		subject = "A new API key for your Groundwork account"
		paragraphs = []string{
			fmt.Sprintf("An API key was made for your account: “%s”. Whoever has it can do everything that you may do.",
				identity.PlainName(l.What, "without a name")),
		}
		link += "/account/keys"
	case AboutRegister:
		subject = "A new application of yours on Groundwork"
		paragraphs = []string{
			fmt.Sprintf("An application was registered with your account: “%s”. People can allow it to act for them.",
				identity.PlainName(l.What, "without a name")),
		}
		notYou = "If it was not you, somebody else can act for you. Delete it, and choose a new password at once."
		link += "/account/applications"
	case AboutSecret:
		subject = "A new secret for your application on Groundwork"
		paragraphs = []string{fmt.Sprintf("Your application “%s” was given a new secret. The one before works no more.",
			identity.PlainName(l.What, "without a name"))}
		notYou = "If it was not you, somebody else can act for you. Give it another secret, and choose a new password at once."
		link += "/account/applications"
	case AboutRedirect:
		subject = "Your application on Groundwork was changed"
		paragraphs = []string{
			fmt.Sprintf("It was changed where your application “%s” sends people, or how it is given their tokens.",
				identity.PlainName(l.What, "without a name")),
		}
		notYou = "If it was not you, somebody else can act for you, and for those who allow the application. Change it back, and choose a new password at once."
		link += "/account/applications"
	case AboutConsent:
		subject = "An application may act for you on Groundwork"
		paragraphs = []string{
			fmt.Sprintf("You allowed an application to act for you: “%s”.", identity.PlainName(l.What, "without a name")),
		}
		notYou = "If it was not you, shut it out, and choose a new password at once."
		link += "/account/authorizations"
	default:
		return "", nil, "", ""
	}
	paragraphs[0] += " That was on " + time.UnixMicro(l.At).UTC().Format("2 January 2006 at 15:04 UTC") + "."
	paragraphs = append(paragraphs, notYou)
	if l.Last {
		paragraphs = append(paragraphs,
			fmt.Sprintf("This is the %dth such letter today. Further ones are not sent until tomorrow: look at your account.", MostTold+1))
	}
	return subject, paragraphs, label, link
}

func listed(names []string) string {
	text := strings.Join(names, ", ")
	if len(names) >= MostNamed {
		text += " and perhaps more"
	}
	return text + "."
}

// MostNamed is how many keys, or applications, a letter names.
const MostNamed = 20

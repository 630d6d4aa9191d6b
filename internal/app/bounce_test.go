package app

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/letter"
	"groundwork/internal/mail"
	"groundwork/internal/mail/smtptest"
	"groundwork/internal/redact"
	"groundwork/internal/store"
)

// street is a village whose mail server refuses whom a test says, with a project on which bob is.
type street struct {
	*village
	mail    *smtptest.Server
	project string
	bob     string // his uid on the team
	issues  int
}

const bobs = "bob@example.com"

func pave(t *testing.T, c Config) *street {
	t.Helper()
	s := &street{mail: smtptest.Start(t)}
	c.MailURL = redact.Secret(s.mail.URL)
	s.village = settle(t, c)
	s.project = "/projects/" + s.do("ada", http.MethodPost, "/projects", `{"name":"Tower"}`)
	s.bob = s.do("ada", http.MethodPost, s.project+"/users/invites", `{"email":"`+bobs+`"}`)
	s.do("bob", http.MethodGet, s.project, "")
	s.pass(time.Minute)
	return s
}

// pass has time go by and everything done that is due.
func (s *street) pass(d time.Duration) {
	s.t.Helper()
	s.now.Add(d.Microseconds())
	for range 4 {
		workOff(s.t, s.app)
	}
}

// tell has something happen that bob is told of, and gives how often a letter to him was tried then.
func (s *street) tell() int {
	s.t.Helper()
	before := s.mail.Tried(bobs)
	s.issues++
	s.do("ada", http.MethodPost, s.project+"/issues", fmt.Sprintf(`{"title":"Door %d","assigned_to":["%s"]}`, s.issues, s.bob))
	s.pass(time.Minute)
	return s.mail.Tried(bobs) - before
}

// reset has bob ask for a new password, and gives how often a letter to him was tried then.
func (s *street) reset() int {
	s.t.Helper()
	before := s.mail.Tried(bobs)
	err := s.app.Store.Write(s.t.Context(), func(tx *store.Tx) error {
		return s.app.leaveLetter(tx, letter.Letter{Kind: letter.AboutReset, Email: bobs})
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.pass(time.Minute)
	return s.mail.Tried(bobs) - before
}

func (s *street) bounced() identity.Bounce {
	s.t.Helper()
	b, err := s.app.Auth.Bounced(s.t.Context(), s.uids["bob"])
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

// last is the last letter that came for bob.
func (s *street) last() smtptest.Letter {
	s.t.Helper()
	all := s.mail.Letters(bobs)
	if len(all) == 0 {
		s.t.Fatal("no letter came")
	}
	return all[len(all)-1]
}

// TestRefusedLettersAreNoted: an address that the mail server refuses is noted at its person, each letter once and
// tried once. After three no more are sent of what happens in projects, until one is taken; those on passwords always
// are.
func TestRefusedLettersAreNoted(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		s := pave(t, c)
		if s.tell() != 1 || s.bounced().Came() {
			t.Fatalf("before: %+v", s.bounced())
		}
		s.mail.Refuse(bobs, 550, [3]int{5, 1, 1}, "No such person")
		before := s.mail.Tried(bobs)
		for i := range int64(3) {
			if n := s.tell(); n != 1 {
				t.Errorf("letter %d was tried %d times", i, n)
			}
			s.pass(6 * time.Hour) // it is not tried again
			if b := s.bounced(); b.Times != i+1 || b.What != "550 5.1.1 No such person" || b.SilentAt(s.now.Load()) != (i == 2) ||
				b.At == 0 || s.mail.Tried(bobs) != before+int(i)+1 {
				t.Errorf("after letter %d: %+v, %d attempts", i, b, s.mail.Tried(bobs))
			}
		}
		if n := s.tell(); n != 0 {
			t.Errorf("after three a fourth was tried %d times", n)
		}
		if n := s.reset(); n != 1 || s.bounced().Times != 4 {
			t.Errorf("a letter on the password was tried %d times: %+v", n, s.bounced())
		}
		s.mail.Refuse(bobs, 0, [3]int{}, "")
		if n := s.reset(); n != 1 || s.bounced().Came() {
			t.Errorf("once one is taken: %d, %+v", n, s.bounced())
		}
		if s.tell() != 1 {
			t.Error("bob is not told again")
		}
	})
}

// TestRefusedSendersAreNotCounted: a server that does not pass mail on for this service says nothing of an address. It
// is told, and nobody is cut off.
func TestRefusedSendersAreNotCounted(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		s := pave(t, c)
		s.mail.Refuse(bobs, 554, [3]int{5, 7, 1}, "Relay access denied")
		for range 5 {
			if n := s.tell(); n != 1 {
				t.Errorf("it was tried %d times", n)
			}
		}
		if b := s.bounced(); !b.Came() || b.SilentAt(s.now.Load()) || b.Times != 0 || !strings.Contains(b.What, "Relay access denied") {
			t.Errorf("%+v", b)
		}
		s.mail.Refuse(bobs, 451, [3]int{4, 2, 0}, "Not now")
		at := s.bounced().At
		if s.tell(); s.bounced().At != at {
			t.Errorf("a refusal that passes is noted: %+v", s.bounced())
		}
	})
}

// TestRelayThatRefusesEverybody: a mail server that is set up wrongly, and says so in whatever words, cuts nobody off;
// one that says of everybody that there is no such person does so for a week.
func TestRelayThatRefusesEverybody(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		s := pave(t, c)
		none := [3]int{-1, -1, -1}
		for _, said := range []struct {
			code   int
			status [3]int
			text   string
		}{
			{550, none, "relay not permitted"},
			{553, none, "sorry, that domain isn't in my list (#5.7.1)"},
			{530, none, "Authentication required"},
			{550, none, "blocked, see 192.5.1.1 or 5.1.1.9"},
			{550, [3]int{5, 1, 8}, "Sender address rejected"},
			{554, [3]int{5, 0, 0}, "No"},
			{550, [3]int{5, 4, 1}, "Access denied"},
		} {
			s.mail.Refuse(bobs, said.code, said.status, said.text)
			if n, b := s.tell(), s.bounced(); n != 1 || b.Times != 0 || !strings.Contains(b.What, said.text) {
				t.Errorf("%s: %d, %+v", said.text, n, b)
			}
		}
		s.mail.Refuse(bobs, 550, none, "no mailbox here by that name (#5.1.1).")
		if tried := []int{s.tell(), s.tell(), s.tell(), s.tell()}; !slices.Equal(tried, []int{1, 1, 1, 0}) {
			t.Errorf("tried %v, %+v", tried, s.bounced())
		}
		s.pass(8 * 24 * time.Hour)
		if n := []int{s.tell(), s.tell()}; n[0] != 1 || n[1] != 0 { // refused once more
			t.Errorf("a week later: %v", n)
		}
		s.mail.Refuse(bobs, 0, [3]int{}, "")
		if n := s.tell(); n != 0 {
			t.Errorf("on the same day: %d", n)
		}
		s.pass(8 * 24 * time.Hour)
		if n := []int{s.tell(), s.tell()}; n[0] != 1 || n[1] != 1 || s.bounced().Came() {
			t.Errorf("a week after it was mended: %v, %+v", n, s.bounced())
		}
	})
}

// TestSilenceAfterReports: what was taken and came back later is tried again after a month, or when the operator says
// that letters to everybody arrive.
func TestSilenceAfterReports(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		s := pave(t, c)
		for range 3 {
			s.tell()
			if _, err := s.app.TakeBounce(t.Context(), []byte(smtptest.Report(s.last(), "failed", "5.1.1", "No"))); err != nil {
				t.Fatal(err)
			}
		}
		s.pass(8 * 24 * time.Hour)
		if n := s.tell(); n != 0 {
			t.Errorf("a week after reports: %d, %+v", n, s.bounced())
		}
		now, before := s.now.Load(), s.bounced()
		s.pass(30 * 24 * time.Hour)
		if n := s.tell(); n != 1 || !before.SilentAt(now) {
			t.Errorf("a month later: %d, %+v", n, s.bounced())
		}
		if n, err := s.app.Auth.ClearBounces(t.Context()); n != 1 || err != nil || s.bounced().Came() {
			t.Errorf("all arrives: %d, %v", n, err)
		}
	})
}

// TestSentOnceThoughNotNoted: a letter that a server took is not sent again because nobody could note that.
func TestSentOnceThoughNotNoted(t *testing.T) {
	s := pave(t, Config{Data: t.TempDir()}) // on PostgreSQL the service cannot take its own tables away
	before := s.mail.Tried(bobs)
	err := s.app.Store.Write(t.Context(), func(tx *store.Tx) error {
		_, err := s.app.Jobs.Enqueue(tx, mail.Kind, mail.Message{
			To: mail.Address{Email: bobs}, Subject: "x", Text: "x", Account: s.uids["bob"],
		})
		return errors.Join(err, tx.Exec("ALTER TABLE bounces RENAME TO away"))
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		s.pass(time.Hour)
	}
	if n := s.mail.Tried(bobs) - before; n != 1 {
		t.Errorf("one letter was sent %d times", n)
	}
}

var resetLink = regexp.MustCompile(`/reset-password/(gwi_[0-9A-Za-z]{38})`)

// TestReportsAreNoted: a report that a letter came back counts if it names a letter of ours, each once. Nobody can make
// one up. That a server takes letters is worth nothing then; that one arrived is.
func TestReportsAreNoted(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		s := pave(t, c)
		take := func(report, says string) {
			t.Helper()
			before := s.bounced()
			sentence, err := s.app.TakeBounce(t.Context(), []byte(report))
			if err != nil || !strings.Contains(sentence, says) {
				t.Errorf("%q, %v", sentence, err)
			}
			if noted := strings.HasPrefix(sentence, "It was noted"); noted != (s.bounced() != before) {
				t.Errorf("%q, and it is %+v, before %+v", sentence, s.bounced(), before)
			}
		}
		failed := func(l smtptest.Letter) string {
			return smtptest.Report(l, "failed", "5.1.1", "550 5.1.1 <"+l.To+"> unknown\u202e\u2028x")
		}
		s.tell()
		first := s.last()
		parts := strings.Split(strings.Trim(first.ID(), "<>"), ".")
		if len(parts) < 4 || parts[1] != s.uids["bob"] {
			t.Fatalf("the ID is %s", first.ID())
		}
		forge := func(change func(id string) string) string {
			return strings.Replace(failed(first), first.ID(), change(first.ID()), 1)
		}
		s.do("ada", http.MethodPost, s.project+"/issues", `{"title":"x"}`)
		for name, report := range map[string]string{
			"no report":         "From: bob@example.com\r\nIn-Reply-To: " + first.ID() + "\r\n\r\nThanks!",
			"another mark":      forge(func(id string) string { return strings.Replace(id, parts[2][:4], "aaaa", 1) }),
			"no mark":           forge(func(string) string { return "<" + parts[0] + "." + parts[1] + "@example.com>" }),
			"an empty mark":     forge(func(string) string { return "<" + parts[0] + "." + parts[1] + ".@example.com>" }),
			"another account":   forge(func(id string) string { return strings.Replace(id, parts[1], s.uids["carl"], 1) }),
			"another letter":    forge(func(id string) string { return strings.Replace(id, parts[0], store.NewUID(), 1) }),
			"still tried":       smtptest.Report(first, "delayed", "4.4.1", "450 not now"),
			"given up":          smtptest.Report(first, "failed", "4.4.7", "expired"),
			"delivered":         smtptest.Report(first, "delivered", "2.0.0", "250 fine"),
			"of another server": forge(func(string) string { return "<x@elsewhere.example>" }),
		} {
			t.Run(name, func(t *testing.T) { take(report, "Nothing was noted") })
		}
		carl, err := s.app.Auth.Bounced(t.Context(), s.uids["carl"])
		if err != nil || carl.Came() {
			t.Errorf("carl: %+v, %v", carl, err)
		}
		take(failed(first), "It was noted that letters to account "+s.uids["bob"])
		if b := s.bounced(); b.Times != 1 || b.What != "550 5.1.1 <bob@example.com> unknown x" {
			t.Errorf("%+v", b)
		}
		take(failed(first), "noted before")
		s.tell()
		second := s.last()
		take(failed(second), "It was noted")
		take(failed(first), "noted before")
		s.tell()
		third := s.last()
		take(failed(third), "It was noted")
		if b := s.bounced(); b.Times != 3 || !b.SilentAt(s.now.Load()) {
			t.Errorf("%+v", b)
		}
		if s.tell() != 0 {
			t.Error("bob is still told")
		}
		// The server takes the letter, as it took those that came back.
		if s.reset() != 1 || !s.bounced().SilentAt(s.now.Load()) {
			t.Errorf("after a letter was taken: %+v", s.bounced())
		}
		link := resetLink.FindStringSubmatch(strings.ReplaceAll(s.last().Data, "=\r\n", ""))
		if link == nil {
			t.Fatalf("no link in %s", s.last().Data)
		}
		if _, err := s.app.Auth.SetPassword(t.Context(), auth.Reset, link[1], "eighteen purple anvils", "", auth.Visit{}); err != nil {
			t.Fatal(err)
		}
		s.pass(time.Minute) // they are told that it was changed
		if s.bounced().Came() || s.tell() != 1 {
			t.Errorf("after a letter arrived: %+v", s.bounced())
		}
		// An old letter says nothing any more.
		fourth := s.last()
		s.pass(15 * 24 * time.Hour)
		take(failed(fourth), "within two weeks")
	})
}

// TestBouncesAreForgotten: those of a month ago count no more, an operator's word ends them, and of a person who was
// erased nothing is kept.
func TestBouncesAreForgotten(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		s := pave(t, c)
		s.mail.Refuse(bobs, 550, [3]int{5, 1, 1}, bobs+" is unknown")
		s.tell()
		s.tell()
		s.pass(31 * 24 * time.Hour)
		if s.tell(); s.bounced().Times != 1 {
			t.Errorf("a month later: %+v", s.bounced())
		}
		if err := s.app.Auth.ClearBounce(t.Context(), s.uids["bob"]); err != nil || s.bounced().Came() {
			t.Errorf("%+v, %v", s.bounced(), err)
		}
		if err := s.app.Auth.ClearBounce(t.Context(), s.uids["bob"]); !fault.Is(err, fault.Conflict) {
			t.Errorf("again: %v", err)
		}
		if err := s.app.Auth.ClearBounce(t.Context(), "nobody"); !fault.Is(err, fault.NotFound) {
			t.Errorf("nobody: %v", err)
		}
		if s.tell(); !s.bounced().Came() {
			t.Fatal("nothing was noted")
		}
		somebody, err := s.app.Forgetting().Find(t.Context(), bobs, nil)
		if err != nil {
			t.Fatal(err)
		}
		proof, err := somebody.Erase(t.Context(), "a test", time.Now(), false)
		if err != nil || len(proof.Remains) > 0 || s.bounced().Came() {
			t.Errorf("%+v, %+v, %v", proof, s.bounced(), err)
		}
		if noted, err := s.app.Auth.NoteBounce(t.Context(), identity.Returned{
			Account: s.uids["bob"], Letter: "x", What: "y", Counts: true,
		}); noted || err != nil {
			t.Errorf("of an erased person: %v, %v", noted, err)
		}
	})
}

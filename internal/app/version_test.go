package app

import (
	netmail "net/mail"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestVersionMail follows the mails that an ending version causes, from the request that uses it to the mail server, by
// the work that comes round every hour.
func TestVersionMail(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		v := settle(t, c)
		told := func() (all []string) {
			t.Helper()
			v.mails()
			for _, raw := range v.post.received() {
				l := v.open(raw)
				address, err := netmail.ParseAddress(l.to)
				if err != nil {
					t.Fatal(err)
				}
				if strings.HasPrefix(l.subject, "Version 1 of the Groundwork API ends on ") &&
					strings.Contains(l.text, "version=N") {
					all = append(all, address.Address)
				}
			}
			slices.Sort(all)
			return all
		}
		v.do("ada", "GET", "/me", "")
		v.do("bob", "GET", "/me", "")
		if got := told(); len(got) > 0 {
			t.Errorf("%q are told before anything ends", got)
		}
		if err := v.app.Auth.Deprecate(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		now := func(day time.Duration) { v.now.Add((day * 24 * time.Hour).Microseconds()) }
		v.now.Add(time.Hour.Microseconds())
		if got := told(); !slices.Equal(got, []string{"ada@example.com", "bob@example.com"}) {
			t.Errorf("at first %q are told", got)
		}
		// Only ada goes on.
		now(20)
		v.do("ada", "GET", "/me", "")
		if got := told(); len(got) != 2 {
			t.Errorf("within the month %q are told", got)
		}
		now(15)
		if got := told(); !slices.Equal(got, []string{"ada@example.com", "ada@example.com", "bob@example.com"}) {
			t.Errorf("after a month %q are told", got)
		}
		now(40)
		if got := told(); len(got) != 3 {
			t.Errorf("when nobody uses it any more %q are told", got)
		}
		// After its end nobody is written to: programs are told by the refusal.
		now(150)
		if got := told(); len(got) != 3 {
			t.Errorf("after the end %q are told", got)
		}
	})
}

package web_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/identity"
	"groundwork/internal/mail/smtptest"
)

// TestOperatorMail: an operator sends a test letter and reads how that went; nobody else does, and nobody sends many.
func TestOperatorMail(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		const at = "/operator/mail"
		bare := apitest.Start(t, engine)
		operator(t, bare)
		grace := signedIn(t, bare, "grace@example.com")
		if page := grace.get(at); page.Status != 200 || !strings.Contains(string(page.Body), "No mail server is set") ||
			strings.Contains(string(page.Body), "Send a test letter") {
			t.Errorf("without a mail server: %d %s", page.Status, page.Body)
		}
		if got := grace.post(at, url.Values{"to": {"grace@example.com"}}); got.Status != 400 ||
			!strings.Contains(string(got.Body), "--mail-url") {
			t.Errorf("to send without one: %d %s", got.Status, got.Body)
		}

		mail := smtptest.Start(t)
		clock := apitest.NewClock()
		server := apitest.Start(t, engine, apitest.MailedBy(mail.URL), apitest.At(clock))
		operator(t, server)
		ada := server.Account("ada", "Ada Lovelace")
		form := url.Values{"to": {"it@example.com"}}
		if got := signedIn(t, server, ada.Email).post(at, form); got.Status != 403 {
			t.Errorf("somebody who is no operator: %d", got.Status)
		}
		grace = signedIn(t, server, "grace@example.com")
		if got := grace.post(at, form, "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"); got.Status != 403 {
			t.Errorf("a page of another site: %d", got.Status)
		}
		if page := string(grace.get(at).Body); !strings.Contains(page, mail.Address) ||
			!strings.Contains(page, "Tower Works") || !strings.Contains(page, `value="grace@example.com"`) ||
			!strings.Contains(page, "None is known of.") {
			t.Errorf("the page: %s", page)
		}
		sends := func(to string, status int, says ...string) {
			t.Helper()
			got := grace.post(at, url.Values{"to": {to}})
			for _, text := range says {
				if got.Status != status || !strings.Contains(string(got.Body), text) {
					t.Errorf("to %q: %d, want %d and %q in %s", to, got.Status, status, text, got.Body)
				}
			}
		}
		sends("it@example.com", 200, ">taken<", "was reached without encryption and took the letter")
		state := func(says string) {
			t.Helper()
			if page := string(grace.get("/operator/state").Body); !strings.Contains(page, says) {
				t.Errorf("the state does not say %q: %s", says, page)
			}
		}
		state("takes letters")
		came := mail.Letters("it@example.com")
		if len(came) != 1 || !strings.Contains(came[0].Data, "Subject: A test letter") ||
			!strings.Contains(came[0].Data, "multipart/alternative") || !strings.Contains(came[0].Data, "Tower Works") {
			t.Errorf("%+v", came)
		}
		mail.Refuse("gone@example.com", 550, [3]int{5, 1, 1}, "No <b>such</b> person")
		sends("gone@example.com", 200, ">not taken<", "refused the recipient: 550 5.1.1 No &lt;b&gt;such&lt;/b&gt; person")
		state("takes letters") // an address that is refused is no fault of the server
		mail.Refuse("busy@example.com", 451, [3]int{4, 3, 0}, "Try again later")
		sends("busy@example.com", 200, ">not taken<")
		state("The last letter could not be handed over to it.")
		sends("<script>", 400, "An e-mail address has", "&lt;script&gt;")
		sends("", 400, "needed")
		for range 7 {
			sends("it@example.com", 200, ">taken<")
		}
		sends("it@example.com", 429, "10 test letters were sent within an hour.")
		if n := len(mail.Letters("it@example.com")); n != 8 {
			t.Errorf("%d letters came", n)
		}
		clock.Advance(time.Hour + time.Second)
		sends("it@example.com", 200, ">taken<")
	})
}

// TestBouncesAreShown: a person whose letters come back reads so, and what to do; so does the operator, who ends it.
func TestBouncesAreShown(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		server := apitest.Start(t, engine)
		operator(t, server)
		ada, bob := server.Account("ada", "Ada Lovelace"), server.Account("bob", "Bob Stone")
		note := func(letter string) {
			t.Helper()
			_, err := server.App.Auth.NoteBounce(t.Context(), identity.Returned{
				Account: ada.UID, Letter: letter, What: "550 No <b>such</b> person", Counts: true,
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		const notice, silent = "Letters to ada@example.com came back", "you get no mail about what happens"
		reader := signedIn(t, server, ada.Email)
		grace := signedIn(t, server, "grace@example.com")
		says := func(step, page, text string, there bool) {
			t.Helper()
			if strings.Contains(page, text) != there {
				t.Errorf("%s: %q is there: %v, in %s", step, text, !there, page)
			}
		}
		says("before", string(reader.get("/account").Body), "came back", false)
		note("1")
		page := string(reader.get("/account").Body)
		says("one", page, notice, true)
		says("one", page, "550 No &lt;b&gt;such&lt;/b&gt; person", true)
		says("one", page, silent, false)
		says("bob", string(signedIn(t, server, bob.Email).get("/account").Body), "came back", false)
		note("2")
		note("3")
		says("three", string(reader.get("/account").Body), silent, true)
		// What is wrong in the form does not hide it.
		if got := reader.post("/account", url.Values{"first_name": {strings.Repeat("x", 300)}}); got.Status != 400 ||
			!strings.Contains(string(got.Body), notice) {
			t.Errorf("%d %s", got.Status, got.Body)
		}
		all := string(grace.get("/operator").Body)
		says("the operator", all, "550 No &lt;b&gt;such&lt;/b&gt; person", true)
		if n := strings.Count(all, "mail comes back"); n != 1 {
			t.Errorf("%d accounts are marked", n)
		}
		says("the page of mail", string(grace.get("/operator/mail").Body), "/operator?q=ada%40example.com", true)
		form := url.Values{"uid": {ada.UID}, "action": {"mail"}}
		if got := reader.post("/operator", form); got.Status != 403 {
			t.Errorf("ada herself: %d", got.Status)
		}
		if got := grace.post("/operator", form); got.Status != 303 || got.Header.Get("Location") != "/operator?done=mail" {
			t.Errorf("%d %s", got.Status, got.Body)
		}
		if got := grace.post("/operator", form); got.Status != 409 {
			t.Errorf("again: %d %s", got.Status, got.Body)
		}
		says("afterwards", string(reader.get("/account").Body), "came back", false)
		says("afterwards", string(grace.get("/operator?done=mail").Body), "Noted: letters to that address arrive.", true)
	})
}

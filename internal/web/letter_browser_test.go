package web_test

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/http"
	"net/http/httptest"
	netmail "net/mail"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/mail/smtptest"
	"groundwork/internal/web"
)

// richOf is the HTML of a letter that came.
func richOf(t *testing.T, l smtptest.Letter) string {
	t.Helper()
	m, err := netmail.ReadMessage(strings.NewReader(l.Data))
	if err != nil {
		t.Fatal(err)
	}
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	for parts := multipart.NewReader(m.Body, params["boundary"]); ; {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			t.Fatalf("there is no HTML in %s", l.Data)
		}
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			text, err := io.ReadAll(quotedprintable.NewReader(part))
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
	}
}

// post has letters written and sent that are due a minute later.
func postAll(t *testing.T, server *apitest.Server, clock *apitest.Clock) {
	t.Helper()
	clock.Advance(time.Minute)
	for range 4 {
		if err := server.App.Jobs.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
		server.App.Jobs.Wait()
	}
}

// lettersToLookAt has the service write letters of several kinds, with texts that make it hard for them.
func lettersToLookAt(t *testing.T, server *apitest.Server, mail *smtptest.Server, clock *apitest.Clock,
) map[string]string {
	t.Helper()
	ada, bob := server.Account("ada", "Ada Lovelace"), server.Account("bob", "Bob Stone")
	project := ada.Project("Tower East & West")
	at := "/projects/" + project
	for _, email := range []string{bob.Email, "ivy@example.com"} {
		ada.Want(201, "POST", at+"/users/invites", map[string]any{"email": email})
	}
	bob.Want(200, "GET", at, nil)
	if got := (&reader{t: t, server: server}).post("/forgot-password", url.Values{"email": {bob.Email}}); got.Status >= 400 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	postAll(t, server, clock)
	letters := map[string]string{}
	last := func(name, to string) {
		t.Helper()
		all := mail.Letters(to)
		if len(all) == 0 {
			t.Fatalf("%s: no letter came for %s", name, to)
		}
		letters[name] = richOf(t, all[len(all)-1])
	}
	last("invitation", "ivy@example.com")
	last("reset", bob.Email)
	issue := func(title string) string {
		return ada.Want(201, "POST", at+"/issues", map[string]any{"title": title, "assigned_to_uids": []string{bob.UID}}).Text("uid")
	}
	door := issue("Door 104 does not latch")
	postAll(t, server, clock)
	last("one", bob.Email)
	ada.Want(201, "POST", at+"/issues/"+door+"/comments", map[string]any{"text": "The strike plate is missing.\n\nHalf of them are, on all floors."})
	issue("Handrail on the north stair is loose, between the third and the fourth floor")
	issue("Concrete has cracked above the lift")
	postAll(t, server, clock)
	last("digest", bob.Email)
	ada.Want(201, "POST", at+"/issues/"+door+"/comments", map[string]any{"text": "https://evil.example/ <script>alert(1)</script>"})
	issue(strings.Repeat("Unbreakable", 9) + " <img src=x onerror=alert(1)>")
	postAll(t, server, clock)
	last("odd", bob.Email)
	if _, err := server.App.TestMail(t.Context(), "it@example.com"); err != nil {
		t.Fatal(err)
	}
	last("test", "it@example.com")
	return letters
}

// TestLettersInABrowser looks at letters as a mail program would show them: on a phone and on a desk, in light and in
// dark. They fit, load nothing, have no barriers, and their button is there. With GROUNDWORK_PICTURES=FOLDER it leaves
// pictures.
func TestLettersInABrowser(t *testing.T) {
	mail, clock := smtptest.Start(t), apitest.NewClock()
	server := apitest.Start(t, apitest.SQLite, apitest.MailedBy(mail.URL), apitest.At(clock))
	letters := lettersToLookAt(t, server, mail, clock)
	shelf := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		letter := letters[strings.TrimPrefix(r.URL.Path, "/")]
		if letter == "" {
			w.WriteHeader(http.StatusNoContent) // what browsers ask for by themselves
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, letter)
	}))
	defer shelf.Close()
	axe, err := os.ReadFile("testdata/axe-core/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	b := openBrowser(t)
	for _, width := range []int64{360, 700} {
		for _, scheme := range []string{"light", "dark"} {
			p := b.tab(t, width, 760, scheme)
			for name := range letters {
				p.open(shelf.URL + "/" + name)
				if got := eval[int64](p, `document.documentElement.scrollWidth`); got > width {
					t.Errorf("%s is %d px wide at %d", name, got, width)
				}
				if wide := eval[float64](p, `document.querySelector('table table').getBoundingClientRect().width`); wide > 600 {
					t.Errorf("%s: its text is %v px wide", name, wide)
				}
				dark := eval[bool](p, `matchMedia('(prefers-color-scheme: dark)').matches && getComputedStyle(document.body).color === 'rgb(255, 255, 255)'`)
				if dark != (scheme == "dark") {
					t.Errorf("%s in %s: its text has %s", name, scheme, eval[string](p, `getComputedStyle(document.body).color`))
				}
				if button := eval[bool](p, `!!document.querySelector('td[bgcolor] a[href]')`); button != (name != "digest" && name != "odd") {
					t.Errorf("%s has a button: %v", name, button)
				}
				if *web.Update && (name == "invitation" && width == 700 && scheme == "light" || name == "digest" && width == 360 && scheme == "dark") {
					p.picture(fmt.Sprintf("../../docs/img/letter-%s-%d.png", name, width))
				}
				if folder := os.Getenv("GROUNDWORK_PICTURES"); folder != "" {
					p.picture(fmt.Sprintf("%s/letter-%s-%d-%s.png", folder, name, width, scheme))
				}
				if width > 400 {
					continue // what a program reads out does not change with the width
				}
				wrong := eval[[]string](p, string(axe)+`;
					axe.run('html', {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa']}).then(result =>
						result.violations.flatMap(v => v.nodes.map(n => v.id + ': ' + n.failureSummary)))`)
				for _, barrier := range wrong {
					t.Errorf("%s at %d, %s: %s", name, width, scheme, barrier)
				}
			}
			if elsewhere, console := p.seen(shelf.URL); len(elsewhere) > 0 || len(console) > 0 {
				t.Errorf("letters load %q and say %q", elsewhere, console)
			}
		}
	}
}

// TestMailPagesInABrowser looks at the pages on mail, of an operator and of somebody whose letters come back.
func TestMailPagesInABrowser(t *testing.T) {
	mail := smtptest.Start(t)
	mail.Refuse("bob@example.com", 550, [3]int{5, 1, 1}, "<bob@example.com>: Recipient address rejected: User unknown in local recipient table")
	server := apitest.Start(t, apitest.SQLite, apitest.MailedBy(mail.URL), apitest.Reachable())
	operator(t, server)
	server.Account("bob", "Bob Stone")
	b := openBrowser(t)
	for _, width := range []int64{1280, 360} {
		enter := func(email string) *visitor {
			t.Helper()
			v := &visitor{
				tab: b.apart(t).tab(t, width, 900, "light"), width: width, server: server, shown: map[string]bool{},
			}
			v.open(server.URL + "/sign-in?next=%2Faccount")
			v.fill("#email", email, "#password", anvils)
			v.press("Sign in")
			return v
		}
		v := enter("grace@example.com")
		if width < 768 { // there the rooms of the installation are behind one word
			v.press("The installation")
		}
		v.press("Mail")
		v.says("Does mail arrive?")
		v.press("Send a test letter")
		v.says("took the letter")
		for range 3 {
			v.fill("#to", "bob@example.com")
			v.press("Send a test letter")
			v.says("User unknown")
		}
		v.says("no notifications")
		v.page("operator-mail-refused")
		v.open(server.URL + "/operator?q=bob")
		v.says("mail comes back")
		v.page("operator-bounced")
		v = enter("bob@example.com")
		v.says("Letters to bob@example.com came back")
		v.page("account-bounced")
	}
}

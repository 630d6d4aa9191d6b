package app

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
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"groundwork/internal/auth"
	"groundwork/internal/identity"
	"groundwork/internal/redact"
)

// village is an installation with a mail server, and people.
type village struct {
	t     *testing.T
	app   *App
	post  *post
	now   atomic.Int64
	keys  map[string]string
	uids  map[string]string
	shown int // mails that were looked at
}

func settle(t *testing.T, c Config) *village {
	v := &village{t: t, post: openPost(t), keys: map[string]string{}, uids: map[string]string{}}
	v.now.Store(time.Now().UnixMicro())
	if c.MailURL == "" {
		c.MailURL = redact.Secret("smtp://" + v.post.Addr().String())
	}
	c.MailFrom = "Groundwork <groundwork@example.com>"
	c.Now = func() time.Time { return time.UnixMicro(v.now.Load()) }
	v.app = open(t, c)
	for _, name := range []string{"ada", "bob", "carl", "dora", "fred"} {
		account, err := v.app.Auth.CreateAccount(t.Context(), identity.NewAccount{
			Email: name + "@example.com",
			Name:  strings.ToUpper(name[:1]) + name[1:] + " Stone", Password: "seventeen purple anvils",
		})
		if err != nil {
			t.Fatal(err)
		}
		v.uids[name] = account.UID
		if v.keys[name], err = v.app.Auth.CreateKey(t.Context(), account.Email, "test", nil); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

// do sends a request and gives the uid of what it answers.
func (v *village) do(who, method, path, body string) string {
	v.t.Helper()
	edge, err := v.app.Edge("https://build.example.com")
	if err != nil {
		v.t.Fatal(err)
	}
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.SetBasicAuth(v.keys[who], "")
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	edge.ServeHTTP(w, r)
	if w.Code >= http.StatusBadRequest {
		v.t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	if parts := strings.Split(w.Body.String(), `"`); len(parts) > 3 {
		return parts[3]
	}
	return ""
}

// letter is a mail that came.
type mailed struct{ to, subject, text, html string }

// mails has all work done that is due a minute later, and gives the mails about projects that came since it was asked
// before.
func (v *village) mails() (all []mailed) {
	v.t.Helper()
	v.now.Add(time.Minute.Microseconds())
	for range 4 {
		if err := v.app.Jobs.Tick(v.t.Context()); err != nil {
			v.t.Fatal(err)
		}
		v.app.Jobs.Wait()
	}
	received := v.post.received()
	for _, raw := range received[v.shown:] {
		if l := v.open(raw); strings.HasPrefix(l.subject, "[") {
			all = append(all, l)
		}
	}
	v.shown = len(received)
	slices.SortFunc(all, func(a, b mailed) int { return strings.Compare(a.to, b.to) })
	return all
}

func (v *village) open(raw string) mailed {
	v.t.Helper()
	m, err := netmail.ReadMessage(strings.NewReader(raw))
	if err != nil {
		v.t.Fatal(err)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil {
		v.t.Fatal(err)
	}
	l := mailed{to: m.Header.Get("To"), subject: subject}
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		v.t.Fatal(err)
	}
	parts := multipart.NewReader(m.Body, params["boundary"])
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return l
		}
		if err != nil {
			v.t.Fatal(err)
		}
		body, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil {
			v.t.Fatal(err)
		}
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			l.html = string(body)
		} else {
			l.text = strings.ReplaceAll(string(body), "\r\n", "\n")
		}
	}
}

func (v *village) want(step string, got []mailed, want ...string) {
	v.t.Helper()
	var is []string
	for _, l := range got {
		address, _ := netmail.ParseAddress(l.to)
		is = append(is, address.Address+": "+l.subject)
	}
	if !slices.Equal(is, want) {
		v.t.Errorf("%s: the mails are\n%s\nwant\n%s", step, strings.Join(is, "\n"), strings.Join(want, "\n"))
	}
}

func TestNotifications(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		v := settle(t, c)
		tower := v.do("ada", "POST", "/projects", `{"name":"Tower"}`)
		p := "/projects/" + tower
		invite := func(name string) {
			v.uids[name] = v.do("ada", "POST", p+"/users/invites", fmt.Sprintf(`{"email":"%s@example.com"}`, name))
		}
		for _, name := range []string{"bob", "carl", "dora", "fred", "eve"} {
			invite(name)
			if v.keys[name] != "" { // eve has no account of her own yet, and never comes
				v.do(name, "GET", p, "")
			}
		}
		v.want("invitations", v.mails())
		assign := func(names ...string) string {
			var uids []string
			for _, name := range names {
				uids = append(uids, `"`+v.uids[name]+`"`)
			}
			return `"assigned_to":[` + strings.Join(uids, ",") + `]`
		}

		// Assigned at once, later, and commented: each gets one mail with all of it, and nobody hears of their own
		// doing.
		issue := v.do("ada", "POST", p+"/issues", `{"title":"Door 104 <does> not latch",`+assign("bob", "ada")+`}`)
		v.do("ada", "PATCH", p+"/issues/"+issue, `{`+assign("bob", "ada", "carl")+`}`)
		v.do("bob", "POST", p+"/issues/"+issue+"/comments", `{"text":"The strike plate\nis missing."}`)
		got := v.mails()
		v.want("an issue", got,
			"ada@example.com: [Tower] Bob Stone on issue #1: Door 104 <does> not latch",
			"bob@example.com: [Tower] issue #1 is yours: Door 104 <does> not latch",
			"carl@example.com: [Tower] 2 things for you")
		link := "https://build.example.com/r/" + tower + "/issues/" + issue
		if want := "Hello Ada Stone,\n\nBob Stone commented on issue #1:\nDoor 104 <does> not latch\n\n> The strike plate\n> is missing.\n" + link + "\n"; !strings.HasPrefix(got[0].text, want) {
			t.Errorf("the text is\n%s\nwant\n%s", got[0].text, want)
		}
		if h := got[0].html; !strings.Contains(h, `href="`+link+`"`) ||
			!strings.Contains(h, "Door 104 &lt;does&gt; not latch") || strings.Contains(h, "<does>") {
			t.Errorf("the HTML is %s", h)
		}
		v.want("nothing new", v.mails())

		// An RFI; the same people named again; a comment on the project, which nobody follows; a change that concerns
		// nobody.
		rfi := v.do("bob", "POST", p+"/rfis", `{"title":"Which anchor?",`+assign("carl")+`}`)
		v.do("ada", "PATCH", p+"/issues/"+issue, `{"room":"104",`+assign("bob", "ada", "carl")+`}`)
		v.do("ada", "POST", p+"/comments", `{"text":"Closed on Friday."}`)
		v.want("an RFI", v.mails(), "carl@example.com: [Tower] RFI #1 is yours: Which anchor?")
		v.do("ada", "POST", p+"/rfis/"+rfi+"/comments", `{"text":"M12."}`)
		v.want("its comment", v.mails(), "bob@example.com: [Tower] Ada Stone on RFI #1: Which anchor?",
			"carl@example.com: [Tower] Ada Stone on RFI #1: Which anchor?")

		// Who does not want mail, is shut out, or was removed gets none; nor does who was invited and never came. What
		// was taken back is not told.
		v.do("carl", "PATCH", "/me", `{"notifications":false}`)
		if err := v.app.Auth.DisableAccount(t.Context(), v.uids["dora"], true); err != nil {
			t.Fatal(err)
		}
		v.do("ada", "POST", p+"/issues", `{"title":"Second",`+assign("carl", "dora", "fred", "eve")+`}`)
		v.do("ada", "DELETE", p+"/users/"+v.uids["fred"], "")
		gone := v.do("ada", "POST", p+"/issues", `{"title":"Third",`+assign("bob")+`}`)
		v.do("ada", "DELETE", p+"/issues/"+gone, "")
		v.do("ada", "DELETE", p+"/comments/"+v.do("ada", "POST", p+"/issues/"+issue+"/comments", `{"text":"Oops"}`), "")
		v.want("those who want it", v.mails())

		// A mail server that is down delays, and nothing is told twice.
		v.post.down.Store(true)
		v.do("ada", "POST", p+"/issues", `{"title":"Fourth",`+assign("bob")+`}`)
		v.want("while the mail server is down", v.mails())
		v.post.down.Store(false)
		v.want("when it is back", append(v.mails(), v.mails()...), "bob@example.com: [Tower] issue #4 is yours: Fourth")
	})
}

// TestTheLinkOfAMail: it shows the record to who is signed in and on the team, and to nobody else.
func TestTheLinkOfAMail(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		v := settle(t, c)
		tower := v.do("ada", "POST", "/projects", `{"name":"Tower"}`)
		p := "/projects/" + tower
		issue := v.do("ada", "POST", p+"/issues", `{"title":"Door <104>","description":"Look at it."}`)
		v.do("ada", "POST", p+"/issues/"+issue+"/comments", `{"text":"I did."}`)
		rfi := v.do("ada", "POST", p+"/rfis", `{"title":"Which anchor?","question":"M12?"}`)
		edge, err := v.app.Edge("https://build.example.com")
		if err != nil {
			t.Fatal(err)
		}
		get := func(who, path string) (int, string) {
			r := httptest.NewRequest("GET", path, nil)
			if who != "" {
				session, _, err := v.app.Auth.SignIn(t.Context(), who+"@example.com", "seventeen purple anvils",
					auth.Visit{})
				if err != nil {
					t.Fatal(err)
				}
				r.AddCookie(&http.Cookie{Name: "__Host-groundwork", Value: session})
			}
			w := httptest.NewRecorder()
			edge.ServeHTTP(w, r)
			return w.Code, w.Body.String() + w.Header().Get("Location")
		}
		for _, try := range []struct {
			who, path string
			status    int
			says      []string
		}{
			{"ada", "/issues/" + issue, 303, []string{"/app/" + tower + "/issues/" + issue}},
			{"ada", "/rfis/" + rfi, 200, []string{"Tower · RFI #1", "Which anchor?", "M12?", "draft"}},
			{"", "/issues/" + issue, 303, []string{"/sign-in?next=%2Fr%2F"}},
			{"bob", "/rfis/" + rfi, 403, []string{"not a member"}},
			{"ada", "/rfis/" + issue, 404, []string{"does not exist"}},
			{"ada", "/users/" + v.uids["ada"], 404, []string{"There is no page for this."}},
		} {
			status, page := get(try.who, "/r/"+tower+try.path)
			for _, says := range try.says {
				if status != try.status || !strings.Contains(page, says) {
					t.Errorf("%s as %q: %d, want %d and %q in %s", try.path, try.who, status, try.status, says, page)
				}
			}
		}
	})
}

func TestNotificationsCanBeOff(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		c.NoNotifications = true
		v := settle(t, c)
		p := "/projects/" + v.do("ada", "POST", "/projects", `{"name":"Tower"}`)
		bob := v.do("ada", "POST", p+"/users/invites", `{"email":"bob@example.com"}`)
		v.do("bob", "GET", p, "")
		v.do("ada", "POST", p+"/issues", `{"assigned_to":["`+bob+`"]}`)
		v.want("with the switch", v.mails())
		// What happened while it was off is not told when it is on again.
		v.app.Config.NoNotifications = false
		v.do("ada", "POST", p+"/issues", `{"title":"New","assigned_to":["`+bob+`"]}`)
		v.want("without it", v.mails(), "bob@example.com: [Tower] issue #2 is yours: New")
	})
}

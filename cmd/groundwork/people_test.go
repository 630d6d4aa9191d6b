package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"groundwork/internal/credential"
)

// registered is what app create prints.
type registered struct {
	ID        string   `json:"client_id"`
	Secret    *string  `json:"client_secret"`
	Name      string   `json:"name"`
	Redirects []string `json:"redirect_uris"`
	Public    bool     `json:"public"`
	Implicit  bool     `json:"implicit"`
}

func createApp(t *testing.T, p place, args ...string) (r registered) {
	t.Helper()
	text := works(t, p, "", append([]string{"app", "create"}, args...)...)
	if err := json.Unmarshal([]byte(text), &r); err != nil || !uidForm.MatchString(r.ID) {
		t.Fatalf("app create printed %s: %v", text, err)
	}
	return r
}

// columns splits a line of a table where at least two spaces are.
func columns(line string) []string { return regexp.MustCompile(`\s{2,}`).Split(line, -1) }

// everywhere plays a scene on each engine, once without a server and once while one runs; s is nil without.
func everywhere(t *testing.T, scene func(t *testing.T, p place, s *server)) {
	t.Helper()
	for name, running := range map[string]bool{"alone": false, "beside a server": true} {
		t.Run(name, func(t *testing.T) {
			places(t, func(t *testing.T, p place) {
				var s *server
				if running {
					s = serve(t, p)
				}
				scene(t, p, s)
			})
		})
	}
}

func TestAppCommands(t *testing.T) {
	const back = "https://sync.example.com/callback"
	everywhere(t, func(t *testing.T, p place, s *server) {
		if table := works(t, p, "", "app", "list"); !strings.HasPrefix(table, "CLIENT ID ") ||
			strings.Contains(table, "\n") {
			t.Errorf("without any, app list printed\n%s", table)
		}
		createAccount(t, p, "anna@example.com")
		plain := createApp(t, p, "--name", "Punch List Sync", "--redirect-uri", back)
		if plain.Secret == nil || !credential.ValidSecret(credential.KindClient, *plain.Secret) ||
			plain.Name != "Punch List Sync" || len(plain.Redirects) != 1 || plain.Redirects[0] != back ||
			plain.Public || plain.Implicit {
			t.Errorf("app create printed %+v", plain)
		}
		owned := createApp(t, p, "--name", "Bridge, Tunnel & Sons", "--redirect-uri", back+"?a=1,2", "--redirect-uri",
			"com.example.app:/back", "--email", "ANNA@example.com", "--implicit", "--public")
		if owned.Secret != nil || !owned.Public || !owned.Implicit || len(owned.Redirects) != 2 ||
			owned.Redirects[0] != back+"?a=1,2" {
			t.Errorf("app create printed %+v", owned)
		}
		table := works(t, p, "", "app", "list")
		lines := strings.Split(table, "\n")
		if len(lines) != 3 || strings.Contains(table, "gws_") {
			t.Fatalf("app list printed\n%s", table)
		}
		one, two := columns(lines[1]), columns(lines[2])
		if one[0] != plain.ID || one[1] != plain.Name || one[2] != "-" || one[3] != "confidential" || one[5] != back {
			t.Errorf("app list printed %q", one)
		}
		if two[0] != owned.ID || two[1] != owned.Name || two[2] != "anna@example.com" || two[3] != "public, implicit" ||
			two[5] != back+"?a=1,2 com.example.app:/back" {
			t.Errorf("app list printed %q", two)
		}
		if s != nil {
			if status, body := s.exchange(t,
				url.Values{
					"grant_type": {"authorization_code"}, "code": {"x"}, "client_id": {plain.ID},
					"client_secret": {*plain.Secret},
				}); status != 400 || !strings.Contains(body, "invalid_grant") {
				t.Errorf("the credentials as printed: %d %s", status, body)
			}
		}

		for text, args := range map[string][]string{
			"needs a name":             {"--name", " ", "--redirect-uri", back},
			"at most 100 characters":   {"--name", strings.Repeat("x", 101), "--redirect-uri", back},
			"for this machine only":    {"--name", "x", "--redirect-uri", "http://sync.example.com/callback"},
			"no fragment":              {"--name", "x", "--redirect-uri", back + "#x"},
			"a whole address":          {"--name", "x", "--redirect-uri", back, "--redirect-uri", "sync.example.com"},
			"begins with https://":     {"--name", "x", "--redirect-uri", "javascript:alert(1)"},
			"compared exactly":         {"--name", "x", "--redirect-uri", "https://*.example.com/"},
			"There is no account with": {"--name", "x", "--redirect-uri", back, "--email", "nobody@example.com"},
		} {
			fails(t, p, text, "", append([]string{"app", "create"}, args...)...)
		}
		fails(t, p, "does not exist", "", "app", "delete", "nonsense")
		fails(t, p, "does not exist", "", "app", "delete", "")
		if said := works(t, p, "", "app", "delete", plain.ID); said != "Application "+plain.ID+" is deleted." {
			t.Errorf("app delete printed %q", said)
		}
		fails(t, p, "does not exist", "", "app", "delete", plain.ID)
		if table := works(t, p, "", "app", "list"); strings.Contains(table, plain.ID) ||
			!strings.Contains(table, owned.ID) {
			t.Errorf("app list printed\n%s", table)
		}
		if s != nil {
			if status, body := s.exchange(t,
				url.Values{
					"grant_type": {"authorization_code"}, "code": {"x"}, "client_id": {plain.ID},
					"client_secret": {*plain.Secret},
				}); status != 401 || !strings.Contains(body, "invalid_client") {
				t.Errorf("after it was deleted: %d %s", status, body)
			}
		}
	})
}

func TestAccountWithoutPassword(t *testing.T) {
	everywhere(t, func(t *testing.T, p place, _ *server) {
		said := works(t, p, "", "account", "create", "--email", "linus@example.com", "--name", "Linus Stone")
		if uid, rest, _ := strings.Cut(said, "\n"); !uidForm.MatchString(uid) ||
			!strings.Contains(rest, "/reset-password/gw") {
			t.Errorf("account create without a password printed %q", said)
		}
	})
}

func TestAccountCommands(t *testing.T) {
	everywhere(t, func(t *testing.T, p place, s *server) {
		anna := createAccount(t, p, "anna@example.com")
		works(t, p, password, "account", "create", "--email", "Zoe@example.com", "--name", "Zoe", "--password-stdin",
			"--admin")
		key := createKey(t, p, "anna@example.com")
		states := func(want ...string) {
			t.Helper()
			lines := strings.Split(works(t, p, "", "account", "list"), "\n")
			if len(lines) != 3 || !strings.HasPrefix(lines[0], "UID ") {
				t.Fatalf("account list printed %q", lines)
			}
			for i, line := range lines[1:] {
				if got := columns(line)[3]; got != want[i] {
					t.Errorf("account list printed %q, not %q, in %q", got, want[i], line)
				}
			}
		}
		enters := func(with, outcome string) {
			t.Helper()
			if s == nil {
				return
			}
			if status, to := s.signIn(t, "anna@example.com", with); outcome == "in" && (status != 303 || to != "/app/") ||
				outcome == "out" && status != 403 {
				t.Errorf("signing in as anna: %d %s, want %s", status, to, outcome)
			}
		}
		states("active", "operator")
		if !strings.Contains(works(t, p, "", "account", "list"), anna+"  anna@example.com  Anna Maria Schmidt") {
			t.Error("account list does not show who it is")
		}
		enters(strings.TrimSpace(password), "in")

		if said := works(t, p, "", "account", "disable", "ANNA@example.com"); said != "anna@example.com is disabled." {
			t.Errorf("account disable printed %q", said)
		}
		works(t, p, "", "account", "disable", "anna@example.com") // again is no mistake
		states("disabled", "operator")
		enters(strings.TrimSpace(password), "out")
		if s != nil {
			s.shuts(t, key)
		}
		fails(t, p, "--undo", "", "account", "reset-password", "anna@example.com")
		if said := works(t, p, "", "account", "disable", "--undo",
			"anna@example.com"); said != "anna@example.com is let in again." {
			t.Errorf("account disable --undo printed %q", said)
		}
		states("active", "operator")
		enters(strings.TrimSpace(password), "in")

		fails(t, p, "at least 12", "short\n", "account", "reset-password", "anna@example.com", "--password-stdin")
		fails(t, p, "at least 12", "", "account", "reset-password", "anna@example.com", "--password-stdin")
		fails(t, p, "one line", "velvet anchor\non tuesday", "account", "reset-password", "anna@example.com",
			"--password-stdin")
		if said := works(t, p, "another velvet anchor\r\n", "account", "reset-password", "Anna@Example.com",
			"--password-stdin"); said != "anna@example.com has a new password, and is signed out everywhere.\nAPI keys that ended: without a name." {
			t.Errorf("account reset-password printed %q", said)
		}
		enters(strings.TrimSpace(password), "out")
		enters("another velvet anchor", "in")

		link, err := url.Parse(works(t, p, "", "account", "reset-password", "anna@example.com"))
		if err != nil || !strings.HasPrefix(link.Path, "/reset-password/gwi_") {
			t.Fatalf("account reset-password printed %v: %v", link, err)
		}
		if s != nil {
			// The link leads to the server, wherever that was told to be, and works once.
			if link.Scheme+"://"+link.Host != s.base {
				t.Errorf("the link is %s; the server is at %s", link, s.base)
			}
			for i, want := range []int{303, 404} {
				if status, _ := s.post(t, new(http.Client), link.Path,
					url.Values{"password": {"a third velvet anchor"}}); status != want {
					t.Errorf("using the link, time %d: %d", i+1, status)
				}
			}
			enters("a third velvet anchor", "in")
		}

		for _, args := range [][]string{
			{"disable", "nobody@example.com"},
			{"disable", ""},
			{"reset-password", "nobody@example.com"},
		} {
			fails(t, p, "There is no account with", "", append([]string{"account"}, args...)...)
		}
		fails(t, p, "There is no account with", password, "account", "reset-password", "nobody@example.com",
			"--password-stdin")
	})
}

// TestResetLinkAfterTheServer has an operator make a link while no server runs: it leads to where the last one was.
func TestResetLinkAfterTheServer(t *testing.T) {
	places(t, func(t *testing.T, p place) {
		createAccount(t, p, "anna@example.com")
		serve(t, p, "--public-url", "https://build.example.com", "--trusted-proxy", "127.0.0.1").stop(t)
		if link := works(t, p, "", "account", "reset-password", "anna@example.com"); !strings.HasPrefix(link,
			"https://build.example.com/reset-password/") {
			t.Errorf("the link is %s", link)
		}
	})
}

// post sends a form and gives the status and where it leads.
func (s *server) post(t *testing.T, c *http.Client, path string, form url.Values) (status int, body string) {
	t.Helper()
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := c.PostForm(s.base+path, form)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if to := response.Header.Get("Location"); to != "" {
		return response.StatusCode, to
	}
	return response.StatusCode, string(text)
}

func (s *server) signIn(t *testing.T, email, password string) (status int, to string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return s.post(t, &http.Client{Jar: jar}, "/sign-in", url.Values{"email": {email}, "password": {password}})
}

func (s *server) exchange(t *testing.T, form url.Values) (status int, body string) {
	t.Helper()
	return s.post(t, new(http.Client), "/oauth/token", form)
}

// TestAccountProve has an operator say that an address is proven, while a server runs and after it: what waited for it
// is open.
func TestAccountProve(t *testing.T) {
	places(t, func(t *testing.T, p place) {
		s := serve(t, p)
		createAccount(t, p, "anna@example.com")
		key := createKey(t, p, "anna@example.com")
		tower, bridge := s.create(t, key, "/projects", `{"name":"Tower"}`), s.create(t, key, "/projects",
			`{"name":"Bridge"}`)
		for _, email := range []string{"ivy@example.com", "eve@example.com"} {
			s.create(t, key, "/projects/"+tower+"/users/invites", `{"email":"`+email+`"}`)
		}
		state := func(email, want string) {
			t.Helper()
			for line := range strings.Lines(works(t, p, "", "account", "list")) {
				if strings.Contains(line, email) && !strings.Contains(line, "  "+want) {
					t.Errorf("account list printed %q, not that it is %s", line, want)
				}
			}
		}
		state("ivy@example.com", "invited")
		if said := works(t, p, "", "account", "prove", "IVY@example.com"); !strings.HasPrefix(said,
			"ivy@example.com is proven. ") {
			t.Errorf("account prove printed %q", said)
		}
		works(t, p, "", "account", "prove", "ivy@example.com") // again is no mistake
		fails(t, p, "There is no account with", "", "account", "prove", "nobody@example.com")
		fails(t, p, "There is no account with", "", "account", "prove", "")

		s.create(t, key, "/projects/"+bridge+"/users/invites", `{"email":"ivy@example.com"}`)
		link, err := url.Parse(works(t, p, "", "account", "reset-password", "ivy@example.com"))
		if err != nil {
			t.Fatal(err)
		}
		if status, body := s.post(t, new(http.Client), link.Path,
			url.Values{"password": {"another velvet anchor"}}); status != 303 {
			t.Fatalf("%d %s", status, body)
		}
		ivy := createKey(t, p, "ivy@example.com")
		for _, project := range []string{tower, bridge} {
			if status, body := s.get(t, ivy, "/projects/"+project); status != 200 {
				t.Errorf("who is proven is answered %d %s", status, body)
			}
		}
		state("ivy@example.com", "active")
		s.stop(t)
		works(t, p, "", "account", "prove", "eve@example.com")
	})
}

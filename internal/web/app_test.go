package web_test

import (
	"encoding/json"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"groundwork/internal/apitest"
)

// TestApplication loads the application as browsers do.
func TestApplication(t *testing.T) {
	server := apitest.Start(t, apitest.SQLite)
	operator(t, server)
	nobody := &reader{t: t, server: server}
	if got := nobody.get("/app/p1/issues?x=y"); got.Status != 303 ||
		got.Header.Get("Location") != "/sign-in?next="+url.QueryEscape("/app/p1/issues?x=y") {
		t.Errorf("who is not signed in: %d %v", got.Status, got.Header)
	}
	if got := nobody.get("/app"); got.Status != 303 || got.Header.Get("Location") != "/app/" {
		t.Errorf("/app: %d %v", got.Status, got.Header)
	}
	if got := nobody.get("/", "Accept", "text/html"); got.Status != 303 || got.Header.Get("Location") != "/app/" {
		t.Errorf("/ of a browser: %d %v", got.Status, got.Header)
	}
	if got := nobody.get("/", "Accept", "application/json"); got.Status != 200 ||
		!strings.Contains(string(got.Body), `"data":[]`) {
		t.Errorf("/ of a program: %d %s", got.Status, got.Body)
	}

	r := signedIn(t, server, "grace@example.com")
	page := r.get("/app/")
	policy := page.Header.Get("Content-Security-Policy")
	if page.Status != 200 || strings.Contains(policy, "unsafe") ||
		!strings.Contains(policy, "require-trusted-types-for 'script'") ||
		page.Header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("the page: %d %v", page.Status, page.Header)
	}
	if regexp.MustCompile(`<script[^>]*>[^<]|<style|style=|\son\w+=`).Match(page.Body) {
		t.Errorf("the page has a script or a style inside: %s", page.Body)
	}
	if deep := r.get("/app/p1/sheets/s1"); string(deep.Body) != string(page.Body) {
		t.Errorf("a deep address is another page: %d", deep.Status)
	}
	if again := r.get("/app/", "If-None-Match", page.Header.Get("ETag")); again.Status != 304 {
		t.Errorf("the page again: %d", again.Status)
	}
	for _, path := range []string{"/app/p1/lost.js", "/app//x", "/app/../app/x"} {
		if got := r.get(path); got.Status != 404 {
			t.Errorf("%s: %d", path, got.Status)
		}
	}

	place := regexp.MustCompile(`/assets/app/([0-9a-f]{16})/`).FindStringSubmatch(string(page.Body))
	if place == nil {
		t.Fatalf("the page loads nothing: %s", page.Body)
	}
	for _, m := range link.FindAllStringSubmatch(string(page.Body), -1) {
		if strings.HasPrefix(m[1], "/assets/") && r.get(m[1]).Status != 200 {
			t.Errorf("%s: %d", m[1], r.get(m[1]).Status)
		}
	}
	var names []string
	if err := json.Unmarshal(nobody.get(place[0]+"files.json").Body, &names); err != nil {
		t.Fatal(err)
	}
	entries, err := fs.ReadDir(os.DirFS("dist"), ".")
	if err != nil || len(names) != len(entries)-2 { // the page and the worker are served elsewhere
		t.Errorf("%d of %d files are listed: %v", len(names), len(entries), err)
	}
	for _, name := range names {
		got := nobody.get(place[0] + name)
		if got.Status != 200 || got.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
			got.Header.Get("Content-Type") == "" || got.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: %d %v", name, got.Status, got.Header)
		}
		plain, err := os.ReadFile("dist/" + name)
		if err != nil || string(plain) != string(got.Body) {
			t.Errorf("%s is not what was built: %v", name, err)
		}
		if got := nobody.get(place[0]+name, "Accept-Encoding", "gzip"); got.Header.Get("Content-Encoding") != "gzip" ||
			string(got.Body) != string(plain) {
			t.Errorf("%s compressed: %v", name, got.Header)
		}
		if got := nobody.get("/assets/app/0123456789abcdef/" + name); got.Status != 404 ||
			got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s of another build: %d %v", name, got.Status, got.Header)
		}
	}
	worker := nobody.get("/app/worker.js")
	if worker.Status != 200 || worker.Header.Get("Cache-Control") != "no-cache" ||
		!strings.Contains(string(worker.Body), "'"+place[1]+"'") || strings.Contains(string(worker.Body), "BUILD") {
		t.Errorf("the worker: %d %v %s", worker.Status, worker.Header, worker.Body)
	}
}

// TestSignOutWipes: a browser forgets what was kept in it, and is asked before.
func TestSignOutWipes(t *testing.T) {
	server := apitest.Start(t, apitest.SQLite)
	operator(t, server)
	r := signedIn(t, server, "grace@example.com")
	if got := r.get("/sign-out?next=/account"); got.Status != 200 ||
		!strings.Contains(string(got.Body), "work that was not sent yet") ||
		!strings.Contains(string(got.Body), "grace@example.com") {
		t.Errorf("the question: %d %s", got.Status, got.Body)
	}
	kept := *r
	got := r.post("/sign-out", nil)
	if got.Status != 303 || got.Header.Get("Clear-Site-Data") != `"cache", "storage"` {
		t.Errorf("%d %v", got.Status, got.Header)
	}
	for _, cookie := range got.Header["Set-Cookie"] {
		if !strings.Contains(cookie, "Max-Age=0") {
			t.Errorf("the cookie %s stays", cookie)
		}
	}
	if got := kept.get("/sign-out"); got.Status != 303 || got.Header.Get("Location") != "/sign-in?done=out" {
		t.Errorf("the question to nobody: %d %v", got.Status, got.Header)
	}
	// The application wiped its own store, beside which unsent work of other accounts may lie.
	r = signedIn(t, server, "grace@example.com")
	if got := r.post("/sign-out", url.Values{"store": {"own"}}); got.Header.Get("Clear-Site-Data") != `"cache"` {
		t.Errorf("%v", got.Header)
	}
}

// TestMeantAccount: a call of the application that names its account is refused where another one is signed in.
func TestMeantAccount(t *testing.T) {
	server := apitest.Start(t, apitest.SQLite)
	operator(t, server)
	r := signedIn(t, server, "grace@example.com")
	own := []string{"Origin", apitest.Base, "Sec-Fetch-Site", "same-origin"}
	me := r.get("/me", own...)
	var who struct{ UID string }
	if err := json.Unmarshal(me.Body, &who); err != nil || me.Status != 200 {
		t.Fatalf("%d %s", me.Status, me.Body)
	}
	for meant, want := range map[string]int{who.UID: 200, strings.ToUpper(who.UID): 200, "somebody-else": 401} {
		got := r.get("/me", append(own, "X-Account", meant)...)
		if got.Status != want || got.Header.Get("WWW-Authenticate") != "" {
			t.Errorf("%s: %d %v", meant, got.Status, got.Header)
		}
	}
	nobody := &reader{t: t, server: server}
	if got := nobody.get("/me", own...); got.Status != 401 || got.Header.Get("WWW-Authenticate") != "" {
		t.Errorf("a browser would ask for a password: %d %v", got.Status, got.Header)
	}
	if got := nobody.get("/me"); got.Status != 401 || got.Header.Get("WWW-Authenticate") == "" {
		t.Errorf("a program is not told how to sign in: %d %v", got.Status, got.Header)
	}
}

// cable is the line between a browser and the service, which can be pulled out.
type cable struct {
	listener net.Listener
	mu       sync.Mutex
	open     []net.Conn
}

func newCable(t *testing.T, to func() string) *cable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{listener: l}
	t.Cleanup(c.pull)
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			onward, err := net.Dial("tcp", to())
			if err != nil {
				from.Close()
				continue
			}
			c.mu.Lock()
			c.open = append(c.open, from, onward)
			c.mu.Unlock()
			go func() { _, _ = io.Copy(onward, from); onward.Close() }()
			go func() { _, _ = io.Copy(from, onward); from.Close() }()
		}
	}()
	return c
}

func (c *cable) pull() {
	c.listener.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.open {
		conn.Close()
	}
}

// TestApplicationInBrowser opens the application in a real browser: nothing breaks its policy, and it opens again
// without a network.
func TestApplicationInBrowser(t *testing.T) {
	b := openBrowser(t)
	server := apitest.Start(t, apitest.SQLite, apitest.Reachable())
	operator(t, server)
	line := newCable(t, func() string { return strings.TrimPrefix(server.URL, "http://") })
	base := "http://" + line.listener.Addr().String()
	server.Move(base)
	p := b.tab(t, 1280, 900, "light")
	p.open(base + "/app/somewhere")
	p.enter("#email", "grace@example.com")
	p.enter("#password", anvils)
	eval[bool](p, `window.before = true`)
	eval[bool](p, `setTimeout(() => document.querySelector("button[type=submit]").click()) > 0`)
	v := &visitor{tab: p}
	v.arrived()
	p.wait(`location.pathname === "/app/somewhere" && document.getElementById("app")?.children.length > 0`)
	eval[string](p, `navigator.serviceWorker.ready.then(r => new Promise(done => {
		const look = () => r.active?.state === "activated" ? done("activated") : setTimeout(look, 50);
		look();
	}))`)
	if keys := eval[[]string](p, `caches.keys()`); len(keys) != 1 || !strings.HasPrefix(keys[0], "app-") {
		t.Errorf("kept in the browser: %q", keys)
	}
	if !eval[bool](p, `caches.match("/app/").then(page => page !== undefined)`) {
		t.Error("the page is not kept")
	}
	elsewhere, console := p.seen(base)
	console = slices.DeleteFunc(console, refusalInConsole.MatchString) // there is no project somewhere
	if len(elsewhere) > 0 || len(console) > 0 {
		t.Errorf("it asks %q, and the console says %q", elsewhere, console)
	}
	line.pull()
	p.open(base + "/app/elsewhere")
	p.wait(`location.pathname === "/app/elsewhere" && document.getElementById("app")?.children.length > 0`)
}

package api

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"groundwork/internal/auth"
	"groundwork/internal/credential"
	"groundwork/internal/fault"
)

// The name of the cookie. With the prefix browsers take it over TLS only, and for this host alone; on plain HTTP, which
// is for this machine, it cannot have it.
const (
	cookieSecure = "__Host-groundwork"
	cookiePlain  = "groundwork"
	// cookieAccount tells the scripts of this service whose session it is, so that without a network nobody is shown
	// what the application keeps of another account. It opens nothing.
	cookieAccount = "groundwork-account"
)

func (e *Edge) cookie() string {
	if e.secure {
		return cookieSecure
	}
	return cookiePlain
}

// SetSession has the browser keep a session of an account; "" has it forget the one it has.
func (c *Call) SetSession(secret, account string) {
	kept := &http.Cookie{
		Name: c.edge.cookie(), Value: secret, Path: "/", MaxAge: int(auth.SessionLife.Seconds()),
		HttpOnly: true, Secure: c.edge.secure, SameSite: http.SameSiteLaxMode,
	}
	if secret == "" {
		kept.MaxAge = -1
	}
	c.w.Header()["Cache-Control"] = noStore
	c.w.Header().Add("Set-Cookie", kept.String())
	c.setAccount(account)
}

// TellAccount has the browser know whose session it has, where it does not.
func (c *Call) TellAccount() {
	if told, err := c.r.Cookie(cookieAccount); err != nil || told.Value != c.Credential.Account.UID {
		c.setAccount(c.Credential.Account.UID)
	}
}

func (c *Call) setAccount(account string) {
	told := &http.Cookie{
		Name: cookieAccount, Value: account, Path: "/", MaxAge: int(auth.SessionLife.Seconds()),
		Secure: c.edge.secure, SameSite: http.SameSiteLaxMode,
	}
	if account == "" {
		told.MaxAge = -1
	}
	c.w.Header().Add("Set-Cookie", told.String())
}

// SignedIn gives who is signed in in the browser that calls; nil for nobody.
func (c *Call) SignedIn() (*credential.Credential, error) {
	kept, err := c.r.Cookie(c.edge.cookie())
	if err != nil || c.Auth == nil {
		return nil, nil
	}
	c.browser = true
	who, err := c.Auth.Session(c.Context(), kept.Value)
	if fault.Is(err, fault.Unauthenticated) {
		return nil, nil
	}
	return who, err
}

// SignInPath is where people sign in; the query parameter next says where they want to go then.
const SignInPath = "/sign-in"

// visitor admits who is signed in to a page, and leads everybody else to the sign-in page.
func (e *Edge) visitor(c *Call) error {
	who, err := c.SignedIn()
	if err != nil {
		return err
	}
	c.w.Header()["Cache-Control"] = noStore
	if who == nil {
		return c.SignIn()
	}
	if c.Credential = who; c.end.Access == Operator && !who.Account.Operator {
		return fault.New(fault.Forbidden, "This page is for the operators of the installation.")
	}
	return nil
}

// SignIn leads the caller to the sign-in page, and afterwards back to where they are.
func (c *Call) SignIn() error {
	to := SignInPath
	if c.r.Method == http.MethodGet || c.r.Method == http.MethodHead {
		to += "?next=" + url.QueryEscape(c.r.URL.RequestURI())
	}
	return c.Redirect(to)
}

// Visit is what is known of the browser that calls.
func (c *Call) Visit() auth.Visit {
	return auth.Visit{Agent: c.Header("User-Agent"), Address: c.address().String()}
}

// Majors are the MAJOR versions that are served.
func (c *Call) Majors() []int { return c.edge.config.Majors }

// RetryAfter tells the caller to wait so long.
func (c *Call) RetryAfter(d time.Duration) {
	c.SetHeader("Retry-After", strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10))
}

// Failed counts a refused credential of the address that calls, and gives what to refuse with: err, or fault.Limited
// after too many.
func (c *Call) Failed(err error) error {
	if over := c.edge.failures.add(c.address(), c.edge.config.Now); over != nil {
		c.over = over
		return over.fault(c.began, "Too many refused credentials have come from this address")
	}
	return err
}

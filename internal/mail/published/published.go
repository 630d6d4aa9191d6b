// Package published owns what the domain of a sender says in DNS of its mail, and whether receivers will believe a
// letter that comes in its name: MX, SPF (RFC 7208), DKIM (RFC 6376) and DMARC (RFC 7489). It gives hints. Only who
// receives a letter knows what became of it, and a name that cannot be looked up is nobody's fault. Its entry point is
// Look.
package published

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/idna"
)

// Sender is who sends, and how.
type Sender struct {
	// Domain is that of the sender's address.
	Domain string
	// Host is that of the mail server; Local says that it is on this machine, so that nobody knows its outside address.
	Host  string
	Local bool
	// Selector names the key that letters are signed with; "" where nobody said. Public is that key as DNS has it,
	// where they are signed here.
	Selector string
	Public   []byte
}

// Finding is one thing that was looked at.
type Finding struct {
	// Name says what.
	Name string
	// Hint is what could be better; "" where nothing could.
	Hint string
	// Wrong says that it is more than a hint: no receiver can believe the signature of a letter.
	Wrong bool
}

// Within is how long all of it may take.
const Within = 8 * time.Second

// Resolver asks a DNS server, HOST:PORT; the system's where that is empty.
func Resolver(server string) (*net.Resolver, error) {
	if server == "" {
		return net.DefaultResolver, nil
	}
	host, port, err := net.SplitHostPort(server)
	if err != nil {
		host, port = strings.Trim(server, "[]"), "53"
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil || host == "" || strings.ContainsAny(host, " /@") {
		return nil, fmt.Errorf("The DNS server %q is not of the form HOST:PORT, such as 9.9.9.9:53. Check --mail-dns.", server)
	}
	address := net.JoinHostPort(host, port)
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}}, nil
}

// look is one look at a domain.
type look struct {
	ctx context.Context
	dns *net.Resolver
	Sender
	// What was answered, by name: a record is gone through for each address of the mail server.
	txt   map[string]answer[[]string]
	mxs   map[string]answer[[]*net.MX]
	hosts map[string]answer[[]netip.Addr]
	// asked is how many names SPF has led to, and steps how many mechanisms were looked at for an address.
	asked, steps int
}

// answer is what a name server said of a name; what is not there is the zero value.
type answer[T any] struct {
	value T
	err   error
}

// remembered asks once for a name.
func remembered[T any](known map[string]answer[T], name string, ask func() (T, error)) (T, error) {
	name = strings.ToLower(name)
	if a, is := known[name]; is {
		return a.value, a.err
	}
	value, err := ask()
	if absent(err) {
		err = nil
	}
	known[name] = answer[T]{value, err}
	return value, err
}

// Look looks a sender up. It takes no longer than Within, and it does not fail: what cannot be looked up is a hint.
func Look(ctx context.Context, dns *net.Resolver, s Sender) []Finding {
	ctx, cancel := context.WithTimeout(ctx, Within)
	defer cancel()
	s.Host = strings.TrimSuffix(s.Host, ".")
	ascii, err := idna.Lookup.ToASCII(s.Domain)
	if s.Domain = strings.ToLower(ascii); err != nil || !strings.Contains(s.Domain, ".") {
		return []Finding{{
			Name: "mail sender",
			Hint: "the domain of --mail-from is none that others know; most servers refuse letters from it, so choose an address of a domain of yours",
		}}
	}
	l := &look{
		ctx: ctx, dns: dns, Sender: s, txt: map[string]answer[[]string]{}, mxs: map[string]answer[[]*net.MX]{},
		hosts: map[string]answer[[]netip.Addr]{},
	}
	var all []Finding
	for _, step := range []func() (Finding, error){l.mx, l.spf, l.dkim, l.dmarc} {
		f, err := step()
		if err != nil {
			f.Hint = "it could not be looked up: " + why(err)
		}
		all = append(all, f)
		if ctx.Err() != nil || silent(err) {
			return append(all, Finding{
				Name: "DNS", Hint: "the DNS server does not answer, so the rest was not looked up; ask again later, or name another server with --mail-dns",
			})
		}
	}
	return all
}

// silent tells whether a server said nothing at all: there is no use in asking it further.
func silent(err error) bool {
	var e *net.DNSError
	return errors.As(err, &e) && e.IsTimeout || errors.Is(err, context.DeadlineExceeded)
}

func why(err error) string {
	var e *net.DNSError
	switch {
	case silent(err):
		return "the DNS server does not answer"
	case errors.As(err, &e):
		return e.Err
	}
	return err.Error()
}

// absent tells that DNS has no such name, which is an answer.
func absent(err error) bool {
	var e *net.DNSError
	return errors.As(err, &e) && e.IsNotFound
}

// text are the texts of a name, and servers those that take its mail.
func (l *look) text(name string) ([]string, error) {
	return remembered(l.txt, name, func() ([]string, error) { return l.dns.LookupTXT(l.ctx, name+".") })
}

func (l *look) servers(name string) ([]*net.MX, error) {
	return remembered(l.mxs, name, func() ([]*net.MX, error) { return l.dns.LookupMX(l.ctx, name+".") })
}

// texts are the texts of a name that begin with a mark, such as v=spf1.
func (l *look) texts(name, mark string) ([]string, error) {
	all, err := l.text(name)
	var found []string
	for _, text := range all {
		rest, is := cutMark(text, mark)
		if is && (rest == "" || strings.ContainsAny(rest[:1], " ;\t")) {
			found = append(found, text)
		}
	}
	return found, err
}

func cutMark(text, mark string) (string, bool) {
	if len(text) < len(mark) || !strings.EqualFold(text[:len(mark)], mark) {
		return "", false
	}
	return text[len(mark):], true
}

func (l *look) mx() (Finding, error) {
	f := Finding{Name: "MX of " + l.Domain}
	all, err := l.servers(l.Domain)
	if err != nil {
		return f, err
	}
	if len(all) == 0 || len(all) == 1 && all[0].Host == "." {
		f.Hint = "the domain takes no mail, so letters that come back get lost, and some receivers refuse its letters; give it an MX record, or send from an address of a domain that has one"
	}
	return f, nil
}

func (l *look) dmarc() (Finding, error) {
	f := Finding{Name: "DMARC of " + l.Domain}
	for name := l.Domain; strings.Contains(name, "."); _, name, _ = strings.Cut(name, ".") {
		found, err := l.texts("_dmarc."+name, "v=DMARC1")
		if err != nil {
			return f, err
		}
		switch {
		case len(found) > 1:
			f.Hint = fmt.Sprintf("_dmarc.%s has %d such records, and receivers take none of them; leave one", name, len(found))
			return f, nil
		case len(found) == 1:
			return f, nil
		}
	}
	f.Hint = fmt.Sprintf(`the domain says nothing about letters that neither SPF nor DKIM vouch for, and large receivers ask for it; publish a TXT record _dmarc.%s: "v=DMARC1; p=none"`, l.Domain)
	return f, nil
}

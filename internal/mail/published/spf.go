package published

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// verdict is whether an SPF record lets an address send.
type verdict int

const (
	no verdict = iota
	yes
	unsure // it says something that only a receiver can evaluate
)

// mostAsked bounds how many names a record leads to, each counted once, and mostSteps how many mechanisms are looked at
// for an address: records can include one another. Receivers look at ten names, and give up.
const (
	mostAsked = 40
	mostSteps = 500
)

var errMany = errors.New("it leads to too many other names")

// led counts a name that is new.
func (l *look) led(known bool) error {
	if !known {
		l.asked++
	}
	if l.asked > mostAsked {
		return errMany
	}
	return nil
}

// mostIncluded is how deep records include others; receivers look at ten.
const mostIncluded = 10

// spf looks for the record, and whether it names the mail server.
func (l *look) spf() (Finding, error) {
	f := Finding{Name: "SPF of " + l.Domain}
	found, err := l.texts(l.Domain, "v=spf1")
	if err != nil {
		return f, err
	}
	switch {
	case len(found) == 0:
		f.Hint = fmt.Sprintf(`the domain does not say which servers send its mail, so many receivers take letters for forged; publish a TXT record of %s: "v=spf1 %s ~all"`, l.Domain, l.mechanism())
		return f, nil
	case len(found) > 1:
		f.Hint = fmt.Sprintf("%s has %d SPF records, and receivers take none of them; leave one", l.Domain, len(found))
		return f, nil
	case l.Local:
		f.Name += " (the mail server is on this machine, so whether the record names it is not known)"
		return f, nil
	}
	addresses, err := l.addresses(l.Host)
	if err != nil || len(addresses) == 0 {
		f.Name += " (the addresses of " + l.Host + " are not known)"
		return f, err
	}
	var missing []string
	for _, address := range addresses {
		l.steps = 0
		verdict, err := l.evaluate(l.Domain, found[0], address, 0)
		if err != nil {
			return f, err
		}
		if verdict == unsure {
			f.Name += " (whether it names " + l.Host + " only receivers can tell)"
			return f, nil
		}
		if verdict == no {
			missing = append(missing, address.String())
		}
	}
	if len(missing) > 0 {
		f.Hint = fmt.Sprintf(
			"the record %q does not name %s (%s); if that server passes mail on by others, this can be right: look for spf=pass in a letter that came; otherwise add %s to the record",
			clip(found[0]), l.Host, strings.Join(missing, ", "), l.mechanism())
		return f, nil
	}
	f.Name += " (it names " + l.Host + ")"
	return f, nil
}

// mechanism is what a record needs to have so that it names the mail server.
func (l *look) mechanism() string {
	if _, err := netip.ParseAddr(l.Host); err == nil && !l.Local {
		if strings.Contains(l.Host, ":") {
			return "ip6:" + l.Host
		}
		return "ip4:" + l.Host
	}
	if l.Local || l.Host == "" {
		return "ip4:ADDRESS-OF-THIS-MACHINE"
	}
	return "a:" + l.Host
}

func clip(record string) string {
	const most = 120
	if len(record) <= most {
		return record
	}
	return strings.ToValidUTF8(record[:most], "") + "…"
}

// mostAddresses is how many addresses of a name are looked at.
const mostAddresses = 16

func (l *look) addresses(host string) ([]netip.Addr, error) {
	if address, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{address.Unmap()}, nil
	}
	_, known := l.hosts[strings.ToLower(host)]
	if err := l.led(known); err != nil {
		return nil, err
	}
	return remembered(l.hosts, host, func() ([]netip.Addr, error) {
		all, err := l.dns.LookupNetIP(l.ctx, "ip", host+".")
		for i := range all {
			all[i] = all[i].Unmap()
		}
		return all[:min(len(all), mostAddresses)], err
	})
}

// evaluate goes through a record as receivers do, as far as it can be known here: what depends on the letter is unsure.
func (l *look) evaluate(domain, record string, address netip.Addr, depth int) (verdict, error) {
	redirect, doubt := "", no
	for _, term := range strings.Fields(strings.ToLower(record))[1:] {
		pass := !strings.ContainsAny(term[:1], "-~?")
		term = strings.TrimLeft(term, "+-~?")
		if target, is := strings.CutPrefix(term, "redirect="); is {
			redirect = target
			continue
		}
		match, err := l.matches(domain, term, address, depth)
		if err != nil {
			return no, err
		}
		if match == unsure {
			doubt = unsure
			continue
		}
		if match == yes && pass {
			return yes, nil
		}
		if match == yes {
			return doubt, nil
		}
	}
	if redirect == "" {
		return doubt, nil
	}
	if verdict, err := l.other(redirect, address, depth); verdict != no || err != nil {
		return verdict, err
	}
	return doubt, nil
}

// matches tells whether a mechanism of a record is about an address.
func (l *look) matches(domain, term string, address netip.Addr, depth int) (verdict, error) {
	if l.steps++; l.steps > mostSteps {
		return no, errMany
	}
	name, value, _ := strings.Cut(term, ":")
	name, bits, _ := strings.Cut(name, "/")
	if strings.Contains(value, "%") {
		return unsure, nil
	}
	switch name {
	case "all":
		return yes, nil
	case "ip4", "ip6":
		return within(value, address), nil
	case "include":
		return l.other(value, address, depth)
	case "a", "mx":
		host := domain
		if value != "" {
			host, bits, _ = strings.Cut(value, "/")
		}
		return l.named(name == "mx", host, bits, address)
	case "exists", "ptr":
		return unsure, nil
	}
	return no, nil // a modifier, or what receivers do not know either
}

// other evaluates the record of another domain.
func (l *look) other(domain string, address netip.Addr, depth int) (verdict, error) {
	if depth >= mostIncluded {
		return no, errMany
	}
	if strings.Contains(domain, "%") {
		return unsure, nil
	}
	domain = strings.TrimSuffix(domain, ".")
	_, known := l.txt[strings.ToLower(domain)]
	if err := l.led(known); err != nil {
		return no, err
	}
	found, err := l.texts(domain, "v=spf1")
	if err != nil || len(found) != 1 {
		return no, err
	}
	return l.evaluate(domain, found[0], address, depth+1)
}

// named tells whether an address is one of a host, or of the servers that take its mail, or near one by so many bits.
func (l *look) named(mx bool, host, bits string, address netip.Addr) (verdict, error) {
	hosts := []string{strings.TrimSuffix(host, ".")}
	if mx {
		_, known := l.mxs[strings.ToLower(hosts[0])]
		if err := l.led(known); err != nil {
			return no, err
		}
		servers, err := l.servers(hosts[0])
		if err != nil {
			return no, err
		}
		hosts = nil
		for _, s := range servers[:min(len(servers), mostIncluded)] {
			hosts = append(hosts, strings.TrimSuffix(s.Host, "."))
		}
	}
	four, six, _ := strings.Cut(bits, "//")
	for _, h := range hosts {
		all, err := l.addresses(h)
		if err != nil {
			return no, err
		}
		for _, a := range all {
			length := four
			if a.Is6() {
				length = strings.TrimPrefix(six, "/")
			}
			if within(a.String()+slashed(length), address) == yes {
				return yes, nil
			}
		}
	}
	return no, nil
}

func slashed(bits string) string {
	if _, err := strconv.Atoi(bits); err != nil {
		return ""
	}
	return "/" + bits
}

// within tells whether an address is that of a text, or in its network.
func within(network string, address netip.Addr) verdict {
	if one, err := netip.ParseAddr(network); err == nil {
		if one == address {
			return yes
		}
		return no
	}
	if prefix, err := netip.ParsePrefix(network); err == nil && prefix.Contains(address) {
		return yes
	}
	return no
}

package main

import (
	"strings"

	"groundwork/internal/app"
	"groundwork/internal/credential"
)

// network is how the service is offered.
type network struct {
	Listen        string   `help:"The address to serve, HOST:PORT (default: ${listen})." env:"GROUNDWORK_LISTEN" default:"${listen}" placeholder:"ADDR"`
	PublicURL     string   `help:"How clients reach the service, such as https://build.example.com (default: the address served)." env:"GROUNDWORK_PUBLIC_URL" placeholder:"URL"`
	TLSCert       string   `help:"The certificate for HTTPS, with its chain, in PEM. It is read again when it changes." env:"GROUNDWORK_TLS_CERT" placeholder:"FILE"`
	TLSKey        string   `help:"The certificate's private key, in PEM." env:"GROUNDWORK_TLS_KEY" placeholder:"FILE"`
	TrustedProxy  []string `help:"A proxy that speaks HTTPS to clients and HTTP to this service, as an address or network. Only such proxies are answered. Can be repeated." env:"GROUNDWORK_TRUSTED_PROXY" placeholder:"CIDR"`
	DefaultLimits []string `name:"default-limit" help:"A rate limit for keys without limits of their own, such as all/1=40. Can be repeated; given ones replace all built-in ones." env:"GROUNDWORK_DEFAULT_LIMIT" placeholder:"TYPE/SECONDS=N"`
	SessionLimits []string `name:"session-limit" help:"A rate limit for people in browsers, such as all/1=100. Can be repeated; given ones replace all built-in ones." env:"GROUNDWORK_SESSION_LIMIT" placeholder:"TYPE/SECONDS=N"`
}

func (n *network) apply(c *app.Config) (err error) {
	c.Listen, c.PublicURL, c.TLSCert, c.TLSKey = n.Listen, strings.TrimSpace(n.PublicURL), n.TLSCert, n.TLSKey
	if c.Proxies, err = app.ParseProxies(n.TrustedProxy); err != nil {
		return err
	}
	if c.Limits, err = credential.ParseLimits(n.DefaultLimits); err != nil {
		return err
	}
	c.SessionLimits, err = credential.ParseLimits(n.SessionLimits)
	return err
}

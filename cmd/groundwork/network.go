package main

import (
	"errors"
	"strings"

	"groundwork/internal/app"
	"groundwork/internal/certificate"
	"groundwork/internal/credential"
)

// network is how the service is offered.
type network struct {
	Listen        string   `help:"The address to serve, HOST:PORT (default: ${listen}, and ${secure_listen} with --tls-domain)." env:"GROUNDWORK_LISTEN" placeholder:"ADDR"`
	PublicURL     string   `help:"How clients reach the service, such as https://build.example.com (default: the address served)." env:"GROUNDWORK_PUBLIC_URL" placeholder:"URL"`
	TLSCert       string   `help:"The certificate for HTTPS, with its chain, in PEM. It is read again when it changes." env:"GROUNDWORK_TLS_CERT" placeholder:"FILE"`
	TLSKey        string   `help:"The certificate's private key, in PEM." env:"GROUNDWORK_TLS_KEY" placeholder:"FILE"`
	TLSDomain     []string `help:"Obtain a certificate for this name by itself, and renew it. Can be repeated." env:"GROUNDWORK_TLS_DOMAIN" placeholder:"NAME"`
	TLSAgree      bool     `help:"Accept the terms of service of the certificate authority." env:"GROUNDWORK_TLS_AGREE"`
	TLSEmail      string   `help:"The e-mail address of the account at the certificate authority (default: none)." env:"GROUNDWORK_TLS_EMAIL" placeholder:"ADDRESS"`
	TLSCA         string   `name:"tls-ca" help:"The ACME directory of the certificate authority (default: that of Let's Encrypt)." env:"GROUNDWORK_TLS_CA" placeholder:"URL"`
	TLSCARoot     string   `name:"tls-ca-root" help:"Certificates, in PEM, with which the authority's address is trusted (default: those of the system)." env:"GROUNDWORK_TLS_CA_ROOT" type:"path" placeholder:"FILE"`
	TLSChallenge  string   `help:"How it is shown that a name leads here: http-01 by port 80, tls-alpn-01 by port 443, any by either." env:"GROUNDWORK_TLS_CHALLENGE" default:"any" enum:"any,http-01,tls-alpn-01" placeholder:"any|http-01|tls-alpn-01"`
	TLSHTTPListen string   `name:"tls-http-listen" help:"Where plain HTTP is answered, for http-01, and else led to HTTPS; off for nowhere (default: ${http_listen})." env:"GROUNDWORK_TLS_HTTP_LISTEN" placeholder:"ADDR|off"`
	TLSFolder     string   `help:"Where certificates, their keys and the account lie (default: tls in the data folder)." env:"GROUNDWORK_TLS_FOLDER" type:"path" placeholder:"DIR"`
	TrustedProxy  []string `help:"A proxy that speaks HTTPS to clients and HTTP to this service, as an address or network. Only such proxies are answered. Can be repeated." env:"GROUNDWORK_TRUSTED_PROXY" placeholder:"CIDR"`
	DefaultLimits []string `name:"default-limit" help:"A rate limit for keys without limits of their own, such as all/1=40. Can be repeated; given ones replace all built-in ones." env:"GROUNDWORK_DEFAULT_LIMIT" placeholder:"TYPE/SECONDS=N"`
	SessionLimits []string `name:"session-limit" help:"A rate limit for people in browsers, such as all/1=100. Can be repeated; given ones replace all built-in ones." env:"GROUNDWORK_SESSION_LIMIT" placeholder:"TYPE/SECONDS=N"`
}

func (n *network) apply(c *app.Config) error {
	c.Certificates = certificate.Settings{
		Domains: n.TLSDomain, Agreed: n.TLSAgree, Email: strings.TrimSpace(n.TLSEmail), Directory: n.TLSCA,
		Roots: n.TLSCARoot, Challenge: n.TLSChallenge, HTTP: n.TLSHTTPListen, Folder: n.TLSFolder,
	}
	c.Listen, c.PublicURL, c.TLSCert, c.TLSKey = n.Listen, strings.TrimSpace(n.PublicURL), n.TLSCert, n.TLSKey
	var proxies, limits, sessions error
	c.Proxies, proxies = app.ParseProxies(n.TrustedProxy)
	c.Limits, limits = credential.ParseLimits(n.DefaultLimits)
	c.SessionLimits, sessions = credential.ParseLimits(n.SessionLimits)
	return errors.Join(proxies, limits, sessions)
}

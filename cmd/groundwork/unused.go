package main

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"groundwork/internal/app"
)

// sayUnused says, in a server that was asked to find something out, which settings of the command line it does not use:
// it has those that it was started with.
func (l *line) sayUnused(s app.Streams, has app.Config) {
	to, begin := s.Err, "groundwork"
	switch command, _, _ := strings.Cut(l.chosen.Command(), " <"); command {
	case "doctor":
		to, begin = s.Out, "--  settings"
	case "mail test":
	default:
		return
	}
	other, err := l.others(has)
	if err != nil || len(other) == 0 { // what is wrong with them was said where they were typed
		return
	}
	fmt.Fprintf(to, "%s: The running server was asked, and it has other settings than were given here: %s. What follows is about its own; to change them, start it again.\n",
		begin, strings.Join(other, ", "))
}

// others are the options that were typed, and that the server has other values of.
func (l *line) others(has app.Config) (names []string, err error) {
	given, err := l.config(app.Streams{})
	if err != nil {
		return nil, err
	}
	given.Certificates, err = given.Certificates.Settled(filepath.Join(has.Data, "tls"))
	for _, one := range []struct {
		differ bool
		names  []string
	}{
		{given.MailURL != has.MailURL, []string{"mail-url"}},
		{given.MailFrom != has.MailFrom, []string{"mail-from"}},
		{given.MailDKIMKey != has.MailDKIMKey, []string{"mail-dkim-key"}},
		{given.MailDKIMSelector != has.MailDKIMSelector, []string{"mail-dkim-selector"}},
		{given.MailDNS != has.MailDNS, []string{"mail-dns"}},
		{given.Recognition != has.Recognition, []string{"recognition"}},
		{given.RelaxedDrawing != has.RelaxedDrawing, []string{"drawing-sandbox"}},
		{given.Listen != has.Listen, []string{"listen"}},
		{given.PublicURL != has.PublicURL, []string{"public-url"}},
		{given.TLSCert != has.TLSCert, []string{"tls-cert"}},
		{given.TLSKey != has.TLSKey, []string{"tls-key"}},
		{!reflect.DeepEqual(given.Certificates, has.Certificates), []string{
			"tls-domain", "tls-agree", "tls-email", "tls-ca", "tls-ca-root", "tls-challenge", "tls-http-listen", "tls-folder",
		}},
		{!reflect.DeepEqual(given.Proxies, has.Proxies), []string{"trusted-proxy"}},
		{!reflect.DeepEqual(given.Limits, has.Limits), []string{"default-limit"}},
		{!reflect.DeepEqual(given.SessionLimits, has.SessionLimits), []string{"session-limit"}},
	} {
		for _, name := range one.names {
			if one.differ && l.typed(name) {
				names = append(names, "--"+name)
			}
		}
	}
	return names, err
}

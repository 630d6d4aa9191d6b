package published

import (
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"strings"
)

// dkim looks for the key that letters are signed with.
func (l *look) dkim() (Finding, error) {
	f := Finding{Name: "DKIM of " + l.Domain}
	if l.Selector == "" {
		f.Hint = "whether letters are signed is not known here; if the mail server signs them, say under which name with --mail-dkim-selector (the s= of DKIM-Signature in a letter that came), or have this service sign with --mail-dkim-key"
		return f, nil
	}
	name := l.Selector + "._domainkey." + l.Domain
	f.Name += " (" + l.Selector + ")"
	all, err := l.text(name)
	if err != nil {
		return f, err
	}
	record, found := "", 0
	for _, text := range all {
		if _, has := tag(text, "p"); has {
			record = text
			found++
		}
	}
	value, _ := tag(record, "p")
	switch public, err := base64.StdEncoding.DecodeString(value); {
	case found == 0:
		f.Hint = fmt.Sprintf("there is no key at %s, so nobody can check signatures%s", name, l.publish())
	case found > 1:
		f.Hint = fmt.Sprintf("%s has %d keys, and receivers take any or none of them; leave one", name, found)
	case value == "":
		f.Hint = fmt.Sprintf("the key at %s was revoked (p= is empty): letters that are signed with it are not believed", name)
		f.Wrong = l.Public != nil
	case err != nil:
		f.Hint = fmt.Sprintf("the key at %s cannot be read: what follows p= must be base64 without quotes", name)
		f.Wrong = l.Public != nil
	case l.Public != nil && !same(public, l.Public):
		f.Hint = fmt.Sprintf("the key at %s is another one than this service signs with (--mail-dkim-key), so no signature is right%s", name, l.publish())
		f.Wrong = true
	}
	return f, nil
}

// publish says how the public key is published, where this service has it.
func (l *look) publish() string {
	if l.Public == nil {
		return ""
	}
	kind := "rsa"
	if len(l.Public) == 32 {
		kind = "ed25519"
	}
	return fmt.Sprintf(`; publish a TXT record there: "v=DKIM1; k=%s; p=%s"`, kind, base64.StdEncoding.EncodeToString(l.Public))
}

// same compares public keys: RSA keys are published in either of two forms.
func same(published, own []byte) bool {
	if bytes.Equal(published, own) {
		return true
	}
	pair, err := x509.ParsePKCS1PublicKey(published)
	if err != nil {
		return false
	}
	again, err := x509.MarshalPKIXPublicKey(pair)
	return err == nil && bytes.Equal(again, own)
}

// tag is the value of a tag in a list of them, a=b; c=d, without spaces.
func tag(list, name string) (value string, has bool) {
	for part := range strings.SplitSeq(list, ";") {
		key, value, is := strings.Cut(part, "=")
		if is && strings.TrimSpace(key) == name {
			return strings.Join(strings.Fields(value), ""), true
		}
	}
	return "", false
}

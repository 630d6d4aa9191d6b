package main

import "testing"

func TestVersion(t *testing.T) {
	for said, want := range map[string]string{
		"v0.1.0-0-gabcdef1":          "0.1.0",
		"v0.1.0-0-gabcdef1-dirty":    "0.1.0+dirty",
		"v1.20.3-17-gabcdef1":        "1.20.3+17.gabcdef1",
		"v1.20.3-17-gabcdef1-dirty":  "1.20.3+17.gabcdef1.dirty",
		"abcdef1":                    "0.0.0+gabcdef1",
		"abcdef1-dirty":              "0.0.0+gabcdef1.dirty",
		"v0.1-0-gabcdef1":            "",
		"v0.1.0-rc.1-0-gabcdef1":     "",
		"":                           "",
		"nightly-3-gabcdef1":         "",
		"v0.1.0-0-gabcdef1; rm -r x": "",
	} {
		got, err := version(said)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", said, got, err, want)
		}
		if err == nil && !versionForm.MatchString(got) {
			t.Errorf("%q is no version by our own form", got)
		}
	}
}

func TestImageTag(t *testing.T) {
	if tag := (&release{version: "0.1.0+5.gabc"}).imageTag(); tag != "0.1.0-5.gabc" {
		t.Errorf("the tag is %s", tag)
	}
}

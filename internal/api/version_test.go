package api

import (
	"strings"
	"testing"

	"groundwork/internal/fault"
)

func TestAcceptable(t *testing.T) {
	for _, tt := range []struct {
		accept []string
		says   string // "" when it is acceptable
	}{
		{nil, ""},
		{[]string{""}, ""},
		{[]string{"*/*"}, ""},
		{[]string{"application/*;q=0.5"}, ""},
		{[]string{"application/json"}, ""},
		{[]string{"Application/JSON; charset=utf-8"}, ""},
		{[]string{"application/vnd.plangrid+json; version=1"}, ""},
		{[]string{"application/vnd.plangrid+json;version=1"}, ""},
		{[]string{"application/vnd.groundwork+json ; version = 1"}, ""},
		{[]string{`application/vnd.groundwork+json; version="1"`}, ""},
		{[]string{"application/vnd.groundwork+json"}, ""},
		{[]string{"application/vnd.x+json; version=1.0.0"}, ""},
		{[]string{"application/vnd.x+json; version=1.27"}, ""},
		{[]string{"application/json; version=1"}, ""},
		{[]string{"application/vnd.plangrid+json; version=1", "application/vnd.plangrid+json; version=1"}, ""},
		{[]string{"application/vnd.plangrid+json; version=1, application/vnd.plangrid+json; version=1"}, ""},
		{[]string{"application/vnd.plangrid+json; version=2, application/vnd.plangrid+json; version=1"}, ""},
		{[]string{"text/html, application/xhtml+xml, */*;q=0.8"}, ""},
		{[]string{"application/json, text/plain, */*"}, ""},
		{[]string{`text/html; x="a,b;c\"", application/json`}, ""},
		{[]string{"application/vnd.plangrid+json; version=2"}, "Version '2'"},
		{[]string{"application/vnd.plangrid+json; version = 2"}, "Version '2'"},
		{[]string{"application/vnd.plangrid+json; version=10"}, "Version '10'"},
		{[]string{"application/vnd.plangrid+json; version=0"}, "Version '0'"},
		{[]string{"application/vnd.plangrid+json; version=01"}, "Version '01'"},
		{[]string{"application/vnd.plangrid+json; version=1.0.0.0"}, "Version '1.0.0.0'"},
		{[]string{"application/vnd.plangrid+json; version=1.x"}, "Version '1.x'"},
		{[]string{"application/vnd.plangrid+json; version=v1"}, "Version 'v1'"},
		{[]string{"application/vnd.plangrid+json; version="}, "Version ''"},
		{[]string{"application/json; version=2, text/html"}, "Version '2'"},
		{[]string{"application/vnd.plangrid+json; version=1; q=0"}, "admits no answer"},
		{[]string{"*/*;q=0.000"}, "admits no answer"},
		{[]string{"text/html"}, "admits no answer"},
		{[]string{"application/vnd.+xml"}, "admits no answer"},
		{[]string{"application/vnd.+json"}, "admits no answer"},
		{[]string{"json"}, "admits no answer"},
	} {
		err := acceptable(tt.accept)
		if tt.says == "" {
			if err != nil {
				t.Errorf("%q: %v", tt.accept, err)
			}
			continue
		}
		if !fault.Is(err, fault.NotAcceptable) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%q: %v", tt.accept, err)
		}
		if strings.HasPrefix(tt.says, "Version") && !strings.Contains(err.Error(), "Supported MAJOR versions: 1.") {
			t.Errorf("%q does not list what is supported: %v", tt.accept, err)
		}
	}
}

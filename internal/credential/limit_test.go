package credential

import (
	"reflect"
	"strings"
	"testing"
)

func TestParseLimits(t *testing.T) {
	tests := []struct {
		texts string
		want  []Limit
		err   string
	}{
		{"", nil, ""},
		{"all/1=40", []Limit{{"all", 1, 40}}, ""},
		{"all/86400=1 write/360=2000", []Limit{{"all", 86400, 1}, {"write", 360, 2000}}, ""},
		{"all/1=1 write/1=1", []Limit{{"all", 1, 1}, {"write", 1, 1}}, ""},
		{"all/31622400=1000000000", []Limit{{"all", 31622400, 1000000000}}, ""},
		{"all", nil, "TYPE/SECONDS=N"},
		{"all/1", nil, "TYPE/SECONDS=N"},
		{"all=1", nil, "TYPE/SECONDS=N"},
		{"read/1=1", nil, "what can be counted"},
		{"All/1=1", nil, "what can be counted"},
		{"all/0=1", nil, "seconds"},
		{"all/-1=1", nil, "seconds"},
		{"all/+1=1", nil, "seconds"},
		{"all/1.5=1", nil, "seconds"},
		{"all/01=1", nil, "seconds"},
		{"all/31622401=1", nil, "seconds"},
		{"all/1=0", nil, "requests"},
		{"all/1=", nil, "requests"},
		{"all/1=1=1", nil, "requests"},
		{"all/1=1000000001", nil, "requests"},
		{"all/1=99999999999999999999", nil, "requests"},
		{"all/1=1 all/1=2", nil, "twice"},
		{strings.Repeat("all/1=1 ", 17), nil, "at most 16"},
	}
	for _, test := range tests {
		got, err := ParseLimits(strings.Fields(test.texts))
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%q: error %v, want one with %q", test.texts, err, test.err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q: got %v, %v, want %v", test.texts, got, err, test.want)
		}
		if kept := EncodeLimits(got); got != nil && kept != test.texts {
			t.Errorf("%q is kept as %v", test.texts, kept)
		}
	}
}

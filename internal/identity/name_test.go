package identity

import "testing"

func TestSplitName(t *testing.T) {
	tests := []struct{ name, first, last string }{
		{"", "", ""},
		{"   ", "", ""},
		{"Cher", "Cher", ""},
		{"Anna Schmidt", "Anna", "Schmidt"},
		{"  Anna   Maria  Schmidt ", "Anna Maria", "Schmidt"},
	}
	for _, test := range tests {
		if first, last := SplitName(test.name); first != test.first || last != test.last {
			t.Errorf("%q: got %q, %q", test.name, first, last)
		}
	}
}

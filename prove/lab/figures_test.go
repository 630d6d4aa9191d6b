package lab

import (
	"testing"
	"time"
)

func TestQuantile(t *testing.T) {
	var all []time.Duration
	for i := range 100 {
		all = append(all, time.Duration(100-i))
	}
	for q, want := range map[float64]time.Duration{0.5: 50, 0.99: 99, 1: 100, 0: 1} {
		if got := Quantile(all, q); got != want {
			t.Errorf("quantile %v is %d, want %d", q, got, want)
		}
	}
	if got := Quantile(nil, 0.5); got != 0 {
		t.Errorf("quantile of nothing is %d", got)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 50007: "50,007", 1234567: "1,234,567"} {
		if got := Thousands(n); got != want {
			t.Errorf("%d is written %s, want %s", n, got, want)
		}
	}
}

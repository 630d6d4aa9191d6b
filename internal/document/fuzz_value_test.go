package document

import (
	stdjson "encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// FuzzMoment checks that a time which is accepted comes back equal after it was shown, in both forms.
func FuzzMoment(f *testing.F) {
	for _, s := range []string{
		"2026-03-01T10:00:00Z", "2026-03-01T10:00:00", "2026-03-01T10:00:00-0530", "2026-03-01T10:00:00.1234567Z",
		"0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z",
		"1969-12-31T23:59:59.9999999+00:00", "0001-01-01T00:00:00+14:00", "2026-02-30T10:00:00Z",
		"2026-03-01T1:00:00+00:00", "2026-03-01T10:00:00,5Z", "2016-12-31T23:59:60Z",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		micros, ok := ParseMoment(text)
		if !ok {
			if moment, err := time.Parse(time.RFC3339Nano, text); err == nil && len(text) <= 35 &&
				moment.UTC().Year() >= 1 && moment.UTC().Year() <= 9999 && !strings.Contains(text, ",") {
				t.Fatalf("%q is refused, the standard library reads %s", text, moment)
			}
			return
		}
		shown, err := json.Marshal(Time(micros))
		if err != nil {
			t.Fatal(err)
		}
		var back Time
		if err := json.Unmarshal(shown, &back); err != nil || int64(back) != micros {
			t.Fatalf("%q is %d, shown as %s, read back as %d: %v", text, micros, shown, back, err)
		}
		if stamp := string(AppendStamp(nil, micros)); stamp != `"`+StampText(micros)+`"` {
			t.Fatalf("%d is stamped %s, want %q", micros, stamp, StampText(micros))
		}
		if again, ok := ParseMoment(StampText(micros)); !ok || again != micros {
			t.Fatalf("%q is %d, its stamp %d", text, micros, again)
		}
	})
}

// FuzzDate checks that a day is a day of the calendar, as it was written.
func FuzzDate(f *testing.F) {
	for _, s := range []string{
		"2026-03-31", "2026-02-29", "2024-02-29", "0000-01-01", "2026-3-1", "2026-03-31 ",
		"9999-12-31",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		day, ok := parseDate(text)
		if !ok {
			return
		}
		parsed, err := time.Parse(dateLayout, text)
		if err != nil || string(day) != text || parsed.Format(dateLayout) != text || parsed.Year() < 1 {
			t.Fatalf("%q is %q, %s: %v", text, day, parsed, err)
		}
	})
}

// FuzzNumber holds amounts and whole numbers against exact arithmetic.
func FuzzNumber(f *testing.F) {
	for _, s := range []string{
		"0", "-0", "-0.0", "25850.10", "1e3", "1.5E1", "100e-2", "0.001", "1e64", "1e-64", "1e999999999",
		"9223372036854775807", "9223372036854775808", "-9223372036854775808",
		"9999999999999.99", "10000000000000", "0.10000", "1E+2", "0e9999",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, number string) {
		if !stdjson.Valid([]byte(number)) || jsontext.Value(number).Kind() != '0' ||
			strings.TrimSpace(number) != number {
			return // not what the reader of bodies hands on
		}
		money, isMoney := parseMoney(number)
		whole, isWhole := parseInteger(number)
		if isMoney {
			shown, err := json.Marshal(money)
			if err != nil {
				t.Fatal(err)
			}
			if again, ok := parseMoney(string(shown)); !ok || again != money {
				t.Fatalf("%s is shown as %s and read back as %d", number, shown, again)
			}
		}
		if len(number) > 40 || exponent(number) > 40 {
			if !isMoney && !isWhole {
				return // beyond any sense
			}
		}
		exact, ok := new(big.Rat).SetString(number)
		if !ok {
			t.Fatalf("%s is no number", number)
		}
		cents := new(big.Rat).Mul(exact, big.NewRat(100, 1))
		fits := cents.IsInt() && cents.Num().CmpAbs(mostCents) < 0
		if isMoney != fits || isMoney && cents.Num().Int64() != int64(money) {
			t.Fatalf("%s is %d cents, %t; exactly %s", number, money, isMoney, cents)
		}
		if fits := exact.IsInt() && exact.Num().IsInt64(); isWhole != fits || isWhole && exact.Num().Int64() != whole {
			t.Fatalf("%s is %d, %t; exactly %s", number, whole, isWhole, exact)
		}
	})
}

// exponent is how far the point of a number moves, at most 1000.
func exponent(number string) int {
	n, digits := 0, false
	for _, c := range number {
		switch {
		case c == 'e' || c == 'E':
			digits = true
		case digits && c >= '0' && c <= '9':
			n = min(n*10+int(c-'0'), 1000)
		}
	}
	return n
}

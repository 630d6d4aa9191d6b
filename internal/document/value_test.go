package document

import (
	"testing"

	"github.com/go-json-experiment/json"
)

func TestParseMoment(t *testing.T) {
	for text, want := range map[string]string{
		"2026-03-01T10:00:00Z":              `"2026-03-01T10:00:00+00:00"`,
		"2026-03-01T10:00:00":               `"2026-03-01T10:00:00+00:00"`,
		"2026-03-01T10:00:00+02:00":         `"2026-03-01T08:00:00+00:00"`,
		"2026-03-01T10:00:00-0530":          `"2026-03-01T15:30:00+00:00"`,
		"2026-03-01T10:00:00.5Z":            `"2026-03-01T10:00:00.500000+00:00"`,
		"2026-03-01T10:00:00.1234567Z":      `"2026-03-01T10:00:00.123456+00:00"`,
		"2026-03-01T10:00:00.9999999":       `"2026-03-01T10:00:00.999999+00:00"`,
		"1969-12-31T23:59:59.9999999+00:00": `"1969-12-31T23:59:59.999999+00:00"`,
		"0001-01-01T00:00:00Z":              `"0001-01-01T00:00:00+00:00"`,
		"9999-12-31T23:59:59.999999999Z":    `"9999-12-31T23:59:59.999999+00:00"`,
	} {
		micros, ok := ParseMoment(text)
		if !ok {
			t.Errorf("%q is refused", text)
			continue
		}
		got, err := json.Marshal(Time(micros))
		if err != nil || string(got) != want {
			t.Errorf("%q is shown as %s, want %s (%v)", text, got, want, err)
		}
		var back Time
		if err := json.Unmarshal(got, &back); err != nil || back != Time(micros) {
			t.Errorf("%s is read back as %d, want %d (%v)", got, back, micros, err)
		}
	}
	for _, text := range []string{
		"", "now", "2026", "2026-03-01", "2026-03-01 10:00:00", "2026-13-01T10:00:00Z", "2026-02-30T10:00:00Z",
		"2026-03-01T25:00:00Z",
		"0000-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-01:00", "10000-01-01T00:00:00Z",
		"2026-03-01T10:00:00,5Z", "2026-03-01T10:00:00Zzz", " 2026-03-01T10:00:00Z",
	} {
		if micros, ok := ParseMoment(text); ok {
			t.Errorf("%q is taken as %d", text, micros)
		}
	}
}

func TestParseMoney(t *testing.T) {
	for number, want := range map[string]string{
		"0": "0.00", "25850.1": "25850.10", "25850.10": "25850.10", "-0.01": "-0.01", "1e3": "1000.00",
		"1.5E1": "15.00", "100e-2": "1.00",
		"9999999999999.99": "9999999999999.99", "-9999999999999.99": "-9999999999999.99", "0.10000": "0.10",
	} {
		m, ok := parseMoney(number)
		if !ok {
			t.Errorf("%s is refused", number)
			continue
		}
		got, err := json.Marshal(m)
		if err != nil || string(got) != want {
			t.Errorf("%s is shown as %s, want %s (%v)", number, got, want, err)
		}
		var back Money
		if err := json.Unmarshal(got, &back); err != nil || back != m {
			t.Errorf("%s is read back as %d, want %d (%v)", got, back, m, err)
		}
	}
	for _, number := range []string{
		"0.001", "1e300", "1e-300", "1e99999999999999999999", "10000000000000",
		"-10000000000000.00", "1e13", "true", `"1"`,
	} {
		if m, ok := parseMoney(number); ok {
			t.Errorf("%s is taken as %d", number, m)
		}
	}
}

func TestParseInteger(t *testing.T) {
	for number, want := range map[string]int64{
		"0": 0, "-5": -5, "5.0": 5, "5e2": 500, "9223372036854775807": 1<<63 - 1, "-9223372036854775808": -1 << 63,
		"8639999913600": 8639999913600,
	} {
		if got, ok := parseInteger(number); !ok || got != want {
			t.Errorf("%s is taken as %d, %v", number, got, ok)
		}
	}
	for _, number := range []string{"0.5", "1e300", "9223372036854775808", "null", `"5"`} {
		if got, ok := parseInteger(number); ok {
			t.Errorf("%s is taken as %d", number, got)
		}
	}
}

func TestParseDate(t *testing.T) {
	for text, want := range map[string]bool{
		"2026-03-31": true, "0001-01-01": true, "9999-12-31": true, "2024-02-29": true,
		"2026-02-29": false, "0000-01-01": false, "2026-3-1": false, "2026-03-31T00:00:00Z": false, "": false,
	} {
		if _, ok := parseDate(text); ok != want {
			t.Errorf("%q: %v, want %v", text, ok, want)
		}
	}
}

func TestAppendStamp(t *testing.T) {
	var row stamps // one after the other, of the same day and of others
	for _, micros := range []int64{
		0, 1, -1, -2, 86400_000000 - 1, 86400_000000, 1_772_359_200_123_456,
		1_772_359_200_123_457, -62135596800_000000, 253402300799_999999, 951782400_000009,
	} {
		want := string(appendMoment(nil, micros, stampLayout))
		if alone, after := string(AppendStamp(nil, micros)), string(row.append(nil, micros)); alone != want ||
			after != want {
			t.Errorf("%d: %s, after another %s, want %s", micros, alone, after, want)
		}
	}
}

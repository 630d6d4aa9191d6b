package foreign

import (
	"regexp"
	"strconv"
	"strings"

	"groundwork/internal/identity"
)

// address finds e-mail addresses in what a cell says of people.
var address = regexp.MustCompile(`[^\s<>"'(),;:|]+@[^\s<>"'(),;:|]+\.[^\s<>"'(),;:|.]+`)

// who takes apart what a cell says of people: the members whose addresses it has, and what it says of others.
func (r *reader) who(text string) (uids, others []string) {
	for _, part := range people(text, r.named) {
		email := strings.ToLower(address.FindString(part))
		if email == "" {
			email = r.alias[fold(part)]
		}
		uid := r.team[identity.KeyTyped(email)]
		if uid == "" {
			r.strangers[part]++
			others = append(others, part)
		} else {
			uids = append(uids, uid)
		}
	}
	return uids, others
}

// named tells whether somebody is meant by a name.
func (r *reader) named(name string) bool { return r.alias[fold(name)] != "" }

// bracketed is one person with a name and an address: "Stone, Ada <ada@example.com>".
var bracketed = regexp.MustCompile(`^[^@]*[<(][^@\s]+@[^@\s]+[>)]$`)

// people takes the people of a cell apart. Names may have commas ("Stone, Ada"): they part people only where there are
// addresses, or where each part is known.
func people(text string, named func(string) bool) (all []string) {
	for part := range strings.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune(";|\n\r", c) }) {
		part = strings.TrimSpace(part)
		parts := strings.Split(part, ",")
		each := true
		for _, one := range parts {
			each = each && named(strings.TrimSpace(one))
		}
		if named(part) || bracketed.MatchString(part) || !each && !strings.Contains(part, "@") {
			parts = []string{part}
		}
		for _, one := range parts {
			if one = strings.TrimSpace(one); one != "" {
				all = append(all, one)
			}
		}
	}
	return all
}

// money reads an amount in dollars, or without a currency.
func money(text string) (string, bool) {
	text = strings.TrimSpace(text)
	negative := strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")")
	text = strings.Trim(text, "()")
	text = strings.TrimSpace(strings.TrimPrefix(strings.TrimSuffix(text, "USD"), "USD"))
	if strings.HasPrefix(text, "-") {
		negative, text = true, text[1:]
	}
	text = strings.ReplaceAll(strings.TrimPrefix(text, "$"), " ", "")
	comma, point := strings.LastIndexByte(text, ','), strings.LastIndexByte(text, '.')
	if comma > point && point >= 0 || comma >= 0 && point < 0 && len(text)-comma == 3 && strings.Count(text, ",") == 1 {
		text = strings.ReplaceAll(strings.ReplaceAll(text, ".", ""), ",", ".") // 1.234,50
	}
	text = strings.ReplaceAll(text, ",", "")
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n > 1e12 || strings.Trim(text, "0123456789.") != "" {
		return "", false
	}
	if negative {
		n = -n
	}
	return strconv.FormatFloat(n, 'f', 2, 64), true
}

// yes reads a word that says yes or no; others, such as "TBD", are kept as text.
func yes(text string) (is, ok bool) {
	switch word := fold(text); {
	case word == "yes", word == "true", word == "y", word == "1", strings.HasPrefix(word, "yes"):
		return true, true
	case word == "no", word == "false", word == "n", word == "0", word == "na", word == "noimpact", word == "none":
		return false, true
	}
	return false, false
}

// days reads a number of days.
func days(text string) (n int64, ok bool) {
	word := strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(strings.TrimSpace(text)), "s"), "day"))
	f, err := strconv.ParseFloat(word, 64)
	if err != nil || f < -10_000 || f > 10_000 {
		return 0, false
	}
	return int64(f * 86400), true
}

// whole reads the number of a record; false where it is none, such as RFI-012.
func whole(text string) (uint32, bool) {
	text = strings.TrimPrefix(strings.TrimSpace(text), "#")
	text = strings.TrimSuffix(text, ".0")
	n, err := strconv.ParseUint(text, 10, 32)
	return uint32(n), err == nil && n > 0 && n < 1<<31
}

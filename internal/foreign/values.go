package foreign

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"groundwork/internal/identity"
)

// address finds e-mail addresses in what a cell says of people. One may have an apostrophe, and not at its ends.
var address = regexp.MustCompile(
	`[^\s<>"'(),;:|/@](?:[^\s<>"(),;:|/@]*[^\s<>"'(),;:|/@])?@[^\s<>"'(),;:|/@]+\.[^\s<>"'(),;:|/@.]+`)

// people is what a cell says of who is assigned: the members whose addresses or names it has, and what it says of
// others.
type people struct {
	uids, others []string
}

// know notes by what members are found. A name is theirs as "Ada Stone" and as "Stone, Ada".
func (r *reader) know(team []Member) {
	r.team, r.names = map[string]string{}, map[string][]string{}
	for _, m := range team {
		r.team[identity.KeyTyped(m.Email)] = m.UID
		for _, name := range []string{fold(m.First + m.Last), fold(m.Last + m.First)} {
			if name != "" && !slices.Contains(r.names[name], m.UID) {
				r.names[name] = append(r.names[name], m.UID)
			}
		}
	}
}

// who takes apart what a cell says of people; with byName, members are also found by their names alone.
func (r *reader) who(text string, byName bool) (in people) {
	for _, part := range apart(text, r.named) {
		places := address.FindAllStringIndex(part, -1)
		if len(places) < 2 {
			email := r.alias[fold(part)]
			if len(places) == 1 {
				email = part[places[0][0]:places[0][1]]
			}
			r.add(&in, email, part, byName)
		} else {
			for _, at := range places {
				r.add(&in, part[at[0]:at[1]], part[at[0]:at[1]], byName)
			}
		}
		// What stands before an address is a name of the same person; what stands behind may be another one.
		if last := len(places) - 1; last >= 0 {
			rest := strings.Trim(part[places[last][1]:], " \t<>()[]\"'.,")
			if rest != "" && !slices.Contains(in.others, part) {
				in.others = append(in.others, part)
			}
		}
	}
	return in
}

// add adds somebody by an address, or without one by a name that exactly one member has; or what is said of another.
func (r *reader) add(in *people, email, text string, byName bool) {
	uid := r.team[identity.KeyTyped(strings.ToLower(email))]
	if same := r.names[fold(text)]; byName && email == "" && len(same) == 1 {
		uid = same[0]
		r.byName[text]++
	}
	if uid == "" {
		in.others = append(in.others, text)
	} else {
		in.uids = append(in.uids, uid)
	}
}

// countStrangers counts who was kept as text. Names whose addresses stand in another column of the row are none: all
// of that column's people are members, and it has as many.
func (r *reader) countStrangers(it *item) {
	most := 0
	for _, in := range it.assigned {
		if len(in.others) == 0 {
			most = max(most, len(in.uids))
		}
	}
	for _, in := range it.assigned {
		if len(in.uids)+len(in.others) <= most {
			continue
		}
		for _, text := range in.others {
			if len(r.names[fold(text)]) > 1 && r.alias[fold(text)] == "" {
				r.namesakes[text]++
			} else {
				r.strangers[text]++
			}
		}
	}
}

// named tells whether somebody is meant by a name.
func (r *reader) named(name string) bool {
	return r.alias[fold(name)] != "" || len(r.names[fold(name)]) > 0
}

// bracketed is one person with a name and an address: "Stone, Ada <ada@example.com>".
var bracketed = regexp.MustCompile(`^[^@]*[<(][^@\s]+@[^@\s]+[>)]$`)

// apart takes the people of a cell apart. Names may have commas ("Stone, Ada"): they part people only where there are
// addresses, or where each part is known.
func apart(text string, named func(string) bool) (all []string) {
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

// amounts are the ways to write one: with points or commas before the cents, and with or without groups of three. What
// could be read in two ways, such as 1.234, is none.
var amounts = []*regexp.Regexp{
	regexp.MustCompile(`^(\d+|\d{1,3}(?:[, \x{a0}\x{202f}']\d{3})+)(?:\.(\d{1,2}))?$`),
	regexp.MustCompile(`^(\d+|\d{1,3}(?:[. \x{a0}\x{202f}']\d{3})+),(\d{1,2})$`),
	regexp.MustCompile(`^(\d{1,3}(?:\.\d{3}){2,})$`),
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
	text = strings.TrimSpace(strings.TrimPrefix(text, "$"))
	for _, form := range amounts {
		m := form.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		digits := strings.Map(func(c rune) rune {
			if c < '0' || c > '9' {
				return -1
			}
			return c
		}, m[1])
		if len(m) > 2 && m[2] != "" {
			digits += "." + m[2]
		}
		n, err := strconv.ParseFloat(digits, 64)
		if err != nil || n > 1e12 {
			return "", false
		}
		if negative && n != 0 {
			n = -n
		}
		return strconv.FormatFloat(n, 'f', 2, 64), true
	}
	return "", false
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
	if err != nil || strings.Trim(word, "+-.0123456789") != "" || f < -10_000 || f > 10_000 {
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

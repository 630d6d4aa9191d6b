package read

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// Kept is what is known of a page until its set is read.
type Kept struct {
	// Width and Height are in points, as displayed.
	Width, Height float64
	// Text is whether the page has a text.
	Text bool
	// File is the name of its file, Alone whether that has no other page.
	File  string
	Alone bool
	// Label is what the file calls the page, Bookmarks what it lists under it.
	Label     string
	Bookmarks []string
}

// Evidence is what is known of a set beside what stands on its pages.
type Evidence struct {
	Pages []Kept
	// Known are the numbers of the drawings that the project has.
	Known []string
}

const (
	// mostKnown is how many numbers of a project are looked at, mostBookmarks how many bookmarks of a page.
	mostKnown, mostBookmarks = 20_000, 4
	// listLength is from how many numbers with a title below each other a table is a list of drawings.
	listLength = 4
	// claimWeight is what a name from outside adds to a candidate's score: more than label, size or place alone.
	claimWeight = 4
)

// claim is a number that a name from outside of a page gives it, and the title behind it.
type claim struct{ number, title string }

// claims are what label and bookmarks say of a page.
func (k *Kept) claims() (out []claim) {
	for _, text := range append([]string{k.Label}, k.Bookmarks[:min(len(k.Bookmarks), mostBookmarks)]...) {
		if c := claimOf(text); c.number != "" {
			out = append(out, c)
		}
	}
	return out
}

// claimOf takes a text apart that begins with a number: "A-101 - FLOOR PLAN", "Sheet: A-101".
func claimOf(text string) claim {
	words := strings.Fields(Clean(text, 200))
	for len(words) > 0 && isNumberLabel(words[0]) {
		words = words[1:]
	}
	for n := min(2, len(words)); n > 0; n-- {
		head := strings.Trim(strings.Join(words[:n], " "), " -–:_")
		if isNumber(head) && !paper.MatchString(head) {
			return claim{head, strings.Trim(strings.Join(words[n:], " "), " -–:_")}
		}
	}
	return claim{}
}

// groups are the runs of letters and of digits in a text: two writers of a number agree on them.
func groups(text string) (out []string) {
	begin, kind := -1, false
	runes := []rune(strings.ToUpper(text))
	for i, r := range runes {
		digit := unicode.IsDigit(r)
		part := digit || unicode.IsLetter(r)
		if begin >= 0 && (!part || digit != kind) {
			out, begin = append(out, string(runes[begin:i])), -1
		}
		if part && begin < 0 {
			begin, kind = i, digit
		}
	}
	if begin >= 0 {
		out = append(out, string(runes[begin:]))
	}
	return out
}

// inName is whether a number stands in a name.
func inName(number string, name []string) bool {
	parts := groups(number)
	for i := 0; len(parts) > 0 && i+len(parts) <= len(name); i++ {
		if slices.Equal(parts, name[i:i+len(parts)]) {
			return true
		}
	}
	return false
}

// hear lets the names from outside speak for the candidates of a page, and takes out those that only they could have
// saved.
func (leaf *Leaf) hear(k *Kept) {
	if k != nil {
		leaf.claims, leaf.names = k.claims(), k.calls()
		var name []string
		if k.Alone {
			base := path.Base(strings.ReplaceAll(k.File, `\`, "/"))
			name = groups(strings.TrimSuffix(base, path.Ext(base)))
		}
		for i := range leaf.numbers {
			c := &leaf.numbers[i]
			agrees := len(c.text) > 2 && inName(c.text, name) || slices.ContainsFunc(leaf.claims,
				func(o claim) bool { return same(o.number) == same(c.text) })
			if agrees && !c.claimed {
				c.score, c.claimed = c.score+claimWeight, true
			}
		}
	}
	leaf.numbers = slices.DeleteFunc(leaf.numbers, func(c candidate) bool { return !c.stays(leaf) })
}

// weighNumbers holds the numbers that were read against what else is known: names from outside, lists of drawings, and
// the numbers that the project has. Two witnesses who agree are believed; one who contradicts is a doubt. That a list
// or the project has a number makes no unsure one sure: a page names many drawings, and only one of them is its own.
func weighNumbers(leaves []*Leaf, sheets []Sheet, listed list, known []string) {
	had := map[string]bool{}
	for _, n := range known[:min(len(known), mostKnown)] {
		had[same(n)] = true
	}
	covered := 0
	for i := range sheets {
		if _, is := listed[same(sheets[i].Number.Text)]; is && sheets[i].Number.Text != "" {
			covered++
		}
	}
	whole := covered >= listLength && covered*10 >= 6*len(sheets) // the list is about these sheets
	times := map[string]int{}
	for _, l := range leaves {
		if len(l.claims) > 0 {
			times[same(l.claims[0].number)]++
		}
	}
	for i := range sheets {
		n := &sheets[i].Number
		own, claims := sheets[i].claimed, leaves[i].claims
		switch {
		case n.Text == "" && len(claims) == 0:
			continue
		case n.Text == "" || n.Confidence < sureNumber && len(claims) > 0 && !own:
			// A name that several pages have is none. Where nothing on the page agrees, it takes no present sheet's
			// place.
			number := same(claims[0].number)
			*n = Value{Text: claims[0].number, Confidence: 0.75 / float64(times[number])}
			if _, is := listed[number]; had[number] && !is {
				n.Confidence = min(n.Confidence, 0.5)
			}
		case own && sheets[i].heard.placed:
			n.Confidence = 1 - (1-n.Confidence)*0.25
		case own:
			n.Confidence = min(1-(1-n.Confidence)*0.25, surestNamed)
		case len(claims) > 0:
			n.Confidence *= 0.7
		}
		_, is := listed[same(n.Text)]
		switch {
		case (is || had[same(n.Text)]) && n.Confidence >= sureNumber:
			n.Confidence = 1 - (1-n.Confidence)*0.5
		case !is && whole && !own:
			n.Confidence *= 0.7
		}
		most := surestAlone
		if !sheets[i].heard.placed && !own && !is && sheets[i].Number.Box != (Box{}) {
			most = lonely
		}
		if sheets[i].heard.placed && (own || is || had[same(n.Text)] || sheets[i].heard.alike) {
			most = 0.99
		}
		n.Confidence = min(n.Confidence, most)
	}
}

// titlesFromLists gives sheets the title that the list of drawings, or the name of the page, has for them where their
// own was not found or is doubtful.
func titlesFromLists(leaves []*Leaf, sheets []Sheet, listed list) {
	for i := range sheets {
		s := &sheets[i]
		if s.Number.Text == "" || s.Title.Confidence >= sureTitle {
			continue
		}
		title := listed[same(s.Number.Text)].title
		for _, c := range leaves[i].claims {
			if title == "" && same(c.number) == same(s.Number.Text) && wordy(c.title) {
				title = c.title
			}
		}
		if title != "" && plain(title) != plain(s.Title.Text) {
			s.Title, s.titled = Value{Text: title, Confidence: 0.8}, titleWitnesses{}
		}
	}
}

// sureNumber is from when a number is believed without another witness.
const sureNumber = 0.6

// sureTitle is from when a title that was read on its page is believed more than a list.
const sureTitle = 0.6

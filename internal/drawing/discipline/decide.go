package discipline

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Said is what is known of a page of a set: its number and title where they are sure, and what the list of drawings
// has above its number, as Heading gives it.
type Said struct{ Number, Title, Heading string }

// Decide gives each page of a set the name of its discipline; "" where nothing says it. What the list of drawings calls
// a discipline is its name for all numbers of the same letters.
func Decide(pages []Said) []string {
	out := make([]string, len(pages))
	letters, titles := make([]string, len(pages)), make([]heard, len(pages))
	voices, headed, learned := tongue{}, Poll{}, Poll{}
	for i, p := range pages {
		letters[i], titles[i] = Letters(p.Number), hear(p.Title)
		voices.add(titles[i].tongue)
		headed.Vote(letters[i], p.Heading)
	}
	for i, p := range pages {
		said := titles[i].language(voices)
		if out[i] = cmp.Or(p.Heading, headed.clearly(letters[i], 1)); out[i] == "" {
			out[i] = titles[i].decide(letters[i], said).called(said)
		}
		learned.Vote(letters[i], out[i])
	}
	// What two drawings show, a third with the same letters is too.
	for i := range out {
		if out[i] == "" {
			out[i] = learned.clearly(letters[i], 2)
		}
	}
	return out
}

// called is what a discipline is called in a language; "" where there is none.
func (t trade) called(in language) string { return spoken[t].name[in] }

// heard is what a title says: the disciplines that it names, those that such drawings often are of, and the languages
// that its words belong to.
type heard struct {
	named, hinted map[trade]bool
	elevation     bool
	tongue        tongue
}

// tongue counts words of languages.
type tongue [languages]int

func (t *tongue) add(o tongue) {
	for l := range o {
		t[l] += o[l]
	}
}

// rooms follow what is the name of a room and not of a discipline: "ELECTRICAL ROOM".
var rooms = []string{"ROOM", "ROOMS", "CLOSET", "SHAFT", "YARD", "RAUM"}

// hear finds what a title says.
func hear(title string) heard {
	h := heard{named: map[trade]bool{}, hinted: map[trade]bool{}}
	words := wordsOf(title)
	for at := 0; at < len(words); {
		named := longest(words[at:], func(m *meaning) bool { return m.inTitles })
		step := 1
		if named != nil {
			step = len(named.words)
			room := at+step < len(words) && slices.Contains(rooms, words[at+step])
			if !room {
				h.named[named.trade] = true
			}
		}
		h.elevation = h.elevation || strings.HasPrefix(words[at], "ELEVATION")
		told := tongue{}
		for _, m := range vocabulary[initial(words[at])] {
			if !m.begins(words[at:]) {
				continue
			}
			if told[m.language] = 1; m.weight == hint {
				h.hinted[m.trade] = true
			}
		}
		h.tongue.add(told)
		at += step
	}
	if len(h.named) > 1 {
		delete(h.named, services) // "Instalaciones eléctricas" are electrical
	}
	return h
}

// language is that of most words of the title; the set tells where several have as many.
func (h heard) language(set tongue) language {
	best := english
	for l := range languages {
		if n, most := h.tongue[l], h.tongue[best]; n > most || n == most && set[l] > set[best] {
			best = l
		}
	}
	return best
}

// decide weighs the letters of a number and the words of a title. Letters are believed where offices use them for
// nothing else, which for single ones is so in English; a doubtful letter needs a word that agrees.
func (h heard) decide(letters string, in language) trade {
	c := byLetters[letters]
	if letters == "E" && h.elevation && !h.named[electrical] && !h.hinted[electrical] {
		c.sure = false // small offices number their elevations so
	}
	switch {
	case c.trade != none && c.sure && (len(letters) > 1 || in == english):
		return c.trade
	case len(h.named) == 1:
		return slices.Collect(maps.Keys(h.named))[0]
	case c.trade != none && (h.named[c.trade] || h.hinted[c.trade] && len(h.named) == 0):
		return c.trade
	}
	return none
}

// Poll counts which words drawings with the same letters have.
type Poll map[string]*votes

// votes are those for one spelling of letters. The word that leads is known at any time: callers ask for each page of a
// set, and a project may have as many words as drawings.
type votes struct {
	of   map[string]int
	all  int
	most string
}

// Vote counts a word for letters; those that are blank do not count.
func (p Poll) Vote(letters, word string) {
	if letters == "" || word == "" {
		return
	}
	v := p[letters]
	if v == nil {
		v = &votes{of: map[string]int{}}
		p[letters] = v
	}
	v.of[word]++
	v.all++
	if n, lead := v.of[word], v.of[v.most]; n > lead || n == lead && word < v.most {
		v.most = word
	}
}

// Most is the word that most drawings with the letters have; "" where none has one.
func (p Poll) Most(letters string) string {
	if v := p[letters]; v != nil {
		return v.most
	}
	return ""
}

// clearly is that word where at least so many, and two thirds of all, have it.
func (p Poll) clearly(letters string, least int) string {
	v := p[letters]
	if v == nil || v.of[v.most] < least || 3*v.of[v.most] < 2*v.all {
		return ""
	}
	return v.most
}

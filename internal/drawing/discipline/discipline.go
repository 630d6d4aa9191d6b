// Package discipline owns which disciplines drawings have, in six languages: what headings, titles and the letters of
// numbers say of them, and in which order people sort a set. It refuses to know pages and records, and to guess: where
// nothing says what a drawing is about, it has no discipline.
package discipline

import (
	"slices"
	"strings"
	"unicode"
)

// trade is a discipline, whatever a project calls it. Their order is that of a set; it stands in sort keys.
type trade int

const (
	none trade = iota
	general
	survey
	geotechnical
	civil
	landscape
	structural
	demolition
	architectural
	interiors
	equipment
	fire
	services
	plumbing
	process
	mechanical
	electrical
	telecommunications
	others // a word that is none of these
)

// language is one of those whose words are known. Where nothing tells, it is English.
type language int

const (
	english language = iota
	german
	french
	spanish
	italian
	portuguese
	languages
)

// Most is how many characters a discipline has at most.
const Most = 255

var accents = strings.NewReplacer("Á", "A", "À", "A", "Â", "A", "Ã", "A", "Ä", "A", "É", "E", "È", "E", "Ê", "E", "Ë", "E",
	"Í", "I", "Ì", "I", "Î", "I", "Ï", "I", "Ó", "O", "Ò", "O", "Ô", "O", "Õ", "O", "Ö", "O", "Ú", "U", "Ù", "U", "Û", "U",
	"Ü", "U", "Ç", "C", "Ñ", "N", "’", "'", "Œ", "OE")

// Fold is a text in capitals without accents.
func Fold(s string) string { return accents.Replace(strings.ToUpper(s)) }

// mostWords is how many words of a text are looked at.
const mostWords = 40

// wordsOf are the first words of a text, folded.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(Fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return words[:min(len(words), mostWords)]
}

// isCalled finds the discipline that a text names, the first one where it names several, if it says nothing else:
// "ARCHITECTURAL", "Tragwerksplanung", "Mechanical & Plumbing".
func isCalled(text string) trade {
	words := wordsOf(text)
	found := none
	for at := 0; at < len(words); {
		m := longest(words[at:], func(m *meaning) bool { return m.weight == called })
		switch {
		case m != nil:
			if found == none || found == services { // "Instalaciones eléctricas" are electrical
				found = m.trade
			}
			at += len(m.words)
		case slices.Contains(fillers, words[at]):
			at++
		default:
			return none
		}
	}
	return found
}

// fillers are what headings say beside the name of a discipline.
var fillers = strings.Fields("DRAWING DRAWINGS SHEET SHEETS PLAN PLANS SERIES DISCIPLINE DESIGN ENGINEERING AND SET " +
	"PLANE PLANUNG FACHPLANUNG ZEICHNUNGEN UND GEWERK " +
	"DESSIN DESSINS LOT ET DE DES DU D L LA LE LES " +
	"PLANOS PLANO LAMINAS PROYECTO Y DEL LAS LOS " +
	"TAVOLE ELABORATI PROGETTO E DI DELLE OPERE " +
	"DESENHOS PECAS PROJETO PROJECTO DO DA DAS DOS")

// Heading finds what a heading of a list of drawings calls a discipline, as a person would write it; "" where it names
// none.
func Heading(text string) string {
	if len(text) > 4*Most {
		return ""
	}
	text = strings.TrimSpace(text)
	// "A - ARCHITECTURAL", "01 Architecture", "Lot 3 : Structure"
	for rest := text; ; {
		head, behind, cut := strings.Cut(rest, " ")
		if !cut || len([]rune(strings.Trim(head, "-–:.()"))) > 3 || isCalled(head) != none {
			break
		}
		if rest = strings.TrimLeft(behind, "-–:. "); isCalled(rest) != none {
			text = rest
		}
	}
	if isCalled(text) == none {
		return ""
	}
	words := strings.Fields(strings.Trim(text, "-–:. "))
	for len(words) > 1 && slices.Contains(fillers[:5], Fold(words[len(words)-1])) {
		words = words[:len(words)-1]
	}
	if text = strings.Join(words, " "); text != strings.ToUpper(text) {
		return text
	}
	return calmer(text)
}

// calmer is a heading in capitals as a person would write it: abbreviations stay, and each other word begins with one.
func calmer(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		folded := Fold(strings.Trim(w, "&/,-–()"))
		switch {
		case slices.Contains(short, folded):
		case i > 0 && slices.Contains(joints, folded):
			words[i] = strings.ToLower(w)
		default:
			words[i] = capital(w)
		}
	}
	return strings.Join(words, " ")
}

// capital writes the letters behind the first one of each part of a word small.
func capital(word string) string {
	begin := true
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			begin = r != '\'' && r != '’'
			return r
		}
		if begin {
			begin = false
			return r
		}
		return unicode.ToLower(r)
	}, word)
}

var (
	short  = strings.Fields("HVAC MEP TGA HLS HLK RLT ELT CVC VRD PCI AVAC TWP IT AV")
	joints = strings.Fields("AND OF UND ET DE DES DU Y DEL E DI DO DA DOS DAS CONTRA")
)

package discipline

import (
	"strings"
	"unicode"
)

// codes are the letters that numbers of drawings have, as strings of those of one discipline. Behind a question mark
// stand those that offices use for something else too; single letters are those of the US National CAD Standard.
var codes = map[trade]string{
	general:            "G GI GN GEN",
	survey:             "SV SUR TOPO ?V",
	geotechnical:       "GEO ?B",
	civil:              "C CV CIV CG CU",
	landscape:          "L LA LP LAN",
	structural:         "S STR SB SF TW TWP EST ?ST ?BA ?GO",
	architectural:      "A AR ARC ARCH ARQ AD AF AG",
	interiors:          "I ID INT",
	equipment:          "QF ?Q ?K",
	fire:               "FP FA FX SPK SPR ?F ?FS",
	services:           "TGA MEP HLS",
	plumbing:           "P PLB PLM SAN HID ?PL ?PD",
	process:            "?D",
	mechanical:         "M ME MEC MH MD HV HVAC HLK CVC RLT AVAC KLI",
	electrical:         "E EL ELE ELT EP ED EE IE CFO",
	telecommunications: "TC TN TY TEL TCO CFA AV ?T ?IT",
}

// code is what letters say.
type code struct {
	trade trade
	sure  bool
}

var byLetters = func() map[string]code {
	out := map[string]code{}
	for t, list := range codes {
		for letters := range strings.FieldsSeq(list) {
			rest, doubtful := strings.CutPrefix(letters, "?")
			out[rest] = code{t, !doubtful}
		}
	}
	return out
}()

// mostLetters is how many letters may stand for a discipline.
const mostLetters = 5

// Letters are those of a number by which an office tells disciplines apart; "" where that cannot be told. Short numbers
// begin with them (A-101, FP 1.01a). In long ones (P1-XX-00-DR-A-1001) it is the one part that is known to.
func Letters(number string) string {
	parts := strings.FieldsFunc(Fold(number), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(parts) == 0 || !strings.ContainsFunc(number, unicode.IsDigit) {
		return ""
	}
	if isShort(parts) {
		if first := leading(parts[0]); len(first) <= mostLetters {
			return first
		}
		return ""
	}
	if strings.Contains(number, " ") {
		return "" // the name of a file
	}
	found := ""
	for _, p := range parts {
		if _, known := byLetters[p]; !known || p == found {
			continue
		}
		if found != "" {
			return ""
		}
		found = p
	}
	return found
}

// isShort is whether a number begins with letters and has no others, but perhaps some behind it.
func isShort(parts []string) bool {
	for i, p := range parts {
		letters := leading(p)
		if (i == 0) != (letters != "") && (i < 2 || i < len(parts)-1 || letters != p || len(p) > 2) {
			return false
		}
	}
	return true
}

// leading are the letters that a text begins with.
func leading(text string) string {
	if i := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }); i >= 0 {
		return text[:i]
	}
	return text
}

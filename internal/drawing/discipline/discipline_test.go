package discipline

import (
	"slices"
	"strings"
	"testing"
)

// What a page is about is told by the list of drawings, its number and its title, in six languages; one weak hint tells
// nothing.
func TestDecide(t *testing.T) {
	for _, c := range []struct {
		why   string
		pages []Said
		want  []string
	}{
		{"letters in English", []Said{
			{"G-001", "GENERAL NOTES", ""},
			{"C1.01", "GRADING PLAN", ""},
			{"A-101", "FIRST FLOOR PLAN", ""},
			{"S2", "DETAILS", ""},
			{"FP-101", "LEVEL 1", ""},
			{"P101", "FIRST FLOOR PLAN", ""},
			{"M-601", "SCHEDULES", ""},
			{"E101", "ELECTRICAL ROOM PLAN", ""},
			{"L-1", "SITE", ""},
			{"I-101", "FINISH PLAN", ""},
			{"TC-1", "RISER", ""},
		}, []string{
			"General", "Civil", "Architectural", "Structural", "Fire Protection", "Plumbing", "Mechanical", "Electrical",
			"Landscape", "Interiors", "Telecommunications",
		}},
		{"letters of several uses", []Said{
			{"T-001", "TITLE SHEET", ""},
			{"T-101", "ROOF PLAN", ""},
			{"T-201", "DATA RISER DIAGRAM", ""},
			{"D-1", "DETAILS", ""},
			{"E-1", "EXTERIOR ELEVATIONS", ""},
			{"ZK-7", "FLOOR PLAN", ""},
			{"", "", ""},
		}, []string{"General", "", "Telecommunications", "", "", "", ""}},
		{"titles alone", []Said{
			{"12", "STRUCTURAL STEEL DETAILS", ""},
			{"13", "MECHANICAL AND ELECTRICAL PLAN", ""},
			{"14", "FLOOR PLAN", ""},
			{"15", "MECHANICAL ROOM", ""},
			{"", "Fire sprinkler plan", ""},
		}, []string{"Structural", "", "", "", "Fire Protection"}},
		{"German", []Said{
			{"A-01", "Grundriss Erdgeschoss", ""},
			{"S-01", "Schnitt A-A", ""},
			{"03", "Bewehrungsplan Decke über EG", ""},
			{"TGA-1", "Schema", ""},
			{"6075_A_GR_EG_901", "Grundriss EG", ""},
			{"5", "Elektroinstallation EG", ""},
			{"6", "Lüftungsplan", ""},
			{"7", "Sanitärplan OG", ""},
			{"8", "Außenanlagenplan", ""},
			{"9", "Brandschutzplan", ""},
			{"ELT-3", "Übersicht", ""},
		}, []string{
			"Architektur", "", "Tragwerk", "Technische Gebäudeausrüstung", "Architektur", "Elektro", "Heizung Lüftung Klima",
			"Sanitär", "Freianlagen", "Brandschutz", "Elektro",
		}},
		{"French", []Said{
			{"A-01", "Plan du rez-de-chaussée", ""},
			{"S-02", "Coupe AA", ""},
			{"3", "Coffrage plancher haut du RDC", ""},
			{"CVC-1", "Schéma de principe", ""},
			{"5", "Plomberie - niveau 1", ""},
			{"6", "Installations électriques", ""},
			{"7", "Réseaux courants faibles", ""},
			{"8", "Aménagements extérieurs", ""},
			{"9", "Sécurité incendie", ""},
		}, []string{
			"Architecture", "", "Structure", "CVC", "Plomberie", "Électricité", "Courants faibles", "Paysage",
			"Sécurité incendie",
		}},
		{"Spanish", []Said{
			{"A-01", "Planta baja", ""},
			{"E-01", "Planta de cimentación", ""},
			{"3", "Instalaciones eléctricas", ""},
			{"4", "Instalaciones", ""},
			{"5", "Climatización planta primera", ""},
			{"6", "Fontanería", ""},
			{"7", "Protección contra incendios", ""},
			{"ARQ-2", "Alzados", ""},
			{"9", "Telecomunicaciones", ""},
		}, []string{
			"Arquitectura", "Estructura", "Electricidad", "Instalaciones", "Climatización", "Fontanería",
			"Protección contra incendios", "Arquitectura", "Telecomunicaciones",
		}},
		{"Italian", []Said{
			{"A-01", "Pianta piano terra", ""},
			{"S-01", "Sezione B-B", ""},
			{"3", "Carpenteria solaio piano primo", ""},
			{"4", "Impianto elettrico", ""},
			{"5", "Impianti meccanici", ""},
			{"6", "Impianto idrico-sanitario", ""},
			{"7", "Antincendio", ""},
		}, []string{
			"Architettura", "", "Strutture", "Elettrico", "Climatizzazione", "Idrico-sanitario", "Antincendio",
		}},
		{"Portuguese", []Said{
			{"A-01", "Alçado norte", ""},
			{"2", "Planta de fundações", ""},
			{"3", "Instalações elétricas", ""},
			{"4", "Rede de esgotos do piso 1", ""},
			{"5", "AVAC - piso 1", ""},
			{"15-G-06b-303", "Cobertura", ""},
		}, []string{"Arquitetura", "Estruturas", "Eletricidade", "Hidráulica", "Climatização", ""}},
		{"headings win, in the project's words, and name what has the same letters", []Said{
			{"A-101", "FLOOR PLAN", "Tragwerksplanung"},
			{"X-1", "SOMETHING", "Wet Trades"},
			{"X-2", "SOMETHING ELSE", ""},
			{"A-102", "FLOOR PLAN", ""},
			{"S-1", "FRAMING", ""},
		}, []string{"Tragwerksplanung", "Wet Trades", "Wet Trades", "Tragwerksplanung", "Structural"}},
		{"two drawings show what a third is", []Said{
			{"HY-1", "Plumbing plan", ""},
			{"HY-2", "Plumbing riser", ""},
			{"HY-3", "Details", ""},
			{"HX-1", "Plumbing", ""},
			{"HX-2", "Details", ""},
		}, []string{"Plumbing", "Plumbing", "Plumbing", "Plumbing", ""}},
		{"long numbers", []Said{
			{"P1-ORG-ZZ-00-DR-A-1001", "Ground floor plan", ""},
			{"P1-ORG-ZZ-00-DR-S-1001", "Ground floor plan", ""},
			{"2023-ARC-STR-1", "Plan", ""},
		}, []string{"Architectural", "Structural", ""}},
	} {
		if got := Decide(c.pages); !slices.Equal(got, c.want) {
			for i := range got {
				if got[i] != c.want[i] {
					t.Errorf("%s: %+v is %q, not %q", c.why, c.pages[i], got[i], c.want[i])
				}
			}
		}
	}
}

func TestHeading(t *testing.T) {
	for text, want := range map[string]string{
		"ARCHITECTURAL": "Architectural", "FIRE PROTECTION DRAWINGS": "Fire Protection", "Tragwerksplanung": "Tragwerksplanung",
		"A - ARCHITECTURAL": "Architectural", "Lot 3 : Structure": "Structure", "HVAC": "HVAC", "01 MEP": "MEP",
		"MECHANICAL & PLUMBING": "Mechanical & Plumbing", "TECHNISCHE GEBÄUDEAUSRÜSTUNG": "Technische Gebäudeausrüstung",
		"INSTALACIONES ELÉCTRICAS": "Instalaciones Eléctricas", "PROTECCIÓN CONTRA INCENDIOS": "Protección contra Incendios",
		"OPERE CIVILI": "Opere Civili", "Paisagismo": "Paisagismo", "ÉLECTRICITÉ": "Électricité",
		"GENERAL NOTES": "", "FIRST FLOOR PLAN": "", "": "", "SHEET INDEX": "", "ARCHITECTURAL ABBREVIATIONS": "",
		strings.Repeat("ARCHITECTURAL ", 100): "",
	} {
		if got := Heading(text); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
}

func TestLetters(t *testing.T) {
	for number, want := range map[string]string{
		"A-101": "A", "FP1.01a": "FP", "A 101": "A", "S-201-A": "S", "ad101": "AD", "12-A-131002": "A", "101": "", "A": "",
		"P1-ORG-ZZ-00-DR-A-1001": "A", "2023-ARC-STR-1": "", "Set A p001": "", "scan p001": "", "SMATV-108": "SMATV",
		"DRAWINGS1": "", "É-1": "E", "": "", "ZZ-XX-1": "",
	} {
		if got := Letters(number); got != want {
			t.Errorf("%q has %q, not %q", number, got, want)
		}
	}
}

// The order is that of a set: by discipline, then by number as people count.
func TestSortKey(t *testing.T) {
	type one struct{ discipline, name string }
	order := []one{
		{"General", "G-001"},
		{"Vermessung", "V-1"},
		{"Civil", "C-1"},
		{"Landscape", "L-1"},
		{"Structural", "S-9"},
		{"Structural", "S-10"},
		{"Tragwerk", "S-1"},
		{"Architectural", "A1"},
		{"Architectural", "A1.2"},
		{"Architectural", "A1.10"},
		{"Architectural", "A-2"},
		{"Architectural", "A-10"},
		{"Architectural", "A101"},
		{"Architectural", "A101.5"},
		{"Architectural", "A101a"},
		{"Architectural", "A-101b"},
		{"Architectural", "A-102"},
		{"Architectural", "A-999999"},
		{"Architectural", "A-1000000"},
		{"Architectural", "A-20000000"},
		{"Architectural", "AD-1"},
		{"Architektur", "A-1"},
		{"Interiors", "I-1"},
		{"Brandschutz", "B-1"},
		{"Plumbing", "P-1"},
		{"HVAC", "M-1"},
		{"Mechanical & Plumbing", "M-1"},
		{"Electrical", "E-1"},
		{"Courants faibles", "T-1"},
		{"Bâtiment B", "A-1"},
		{"Lot 2", "Z"},
		{"Lot 10", "A-1"},
		{"Wet trades", "A-1"},
		{"", "A-1"},
		{"", "plans p002"},
		{"", "plans p010"},
	}
	last := ""
	for _, o := range order {
		var word *string
		if o.discipline != "" {
			word = &o.discipline
		}
		key := SortKey(o.name, word)
		if key <= last {
			t.Errorf("%v comes with %q, not behind %q", o, key, last)
		}
		last = key
	}
	word := "Architectural"
	if got := SortKey("A-101a", &word); got != "08:ARCHITECTURAL:A 000101 A" {
		t.Errorf("the key is %q", got)
	}
}

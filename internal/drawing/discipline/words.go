package discipline

import "strings"

// What a word says of a discipline: that a heading calls it so, that a title which has it is about it, that both are,
// or that such drawings often have it.
const (
	hint = iota + 1
	titled
	called
)

// meaning is what words say of a discipline. A word with a star stands for all that begin so.
type meaning struct {
	words    []string
	trade    trade
	weight   int
	inTitles bool // it also says it in a title
	language language
}

// speech is a discipline in six languages. called are the words of headings, titles those of titles alone, hints those
// that other drawings have too. Words are parted by strokes; the languages are in their order.
type speech struct {
	name   [languages]string
	called [languages]string
	titles [languages]string
	hints  [languages]string
	// heading says that a word of called may be in titles of other disciplines.
	heading bool
}

var spoken = map[trade]speech{
	general: {
		name:   [languages]string{"General", "Allgemein", "Généralités", "Generales", "Generali", "Geral"},
		called: [languages]string{"GENERAL", "ALLGEMEIN*", "GENERALITES", "GENERALES", "GENERALI", "GERAL|GERAIS"},
		titles: [languages]string{
			"COVER SHEET|COVER|TITLE SHEET|SHEET INDEX|DRAWING INDEX|INDEX OF DRAWINGS|LIST OF DRAWINGS",
			"DECKBLATT|PLANLISTE|PLANVERZEICHNIS", "PAGE DE GARDE|LISTE DES PLANS",
			"PORTADA|INDICE DE PLANOS|LISTADO DE PLANOS", "FRONTESPIZIO|COPERTINA|ELENCO ELABORATI|ELENCO TAVOLE",
			"CAPA|LISTA DE DESENHOS|INDICE DE DESENHOS",
		},
		heading: true,
	},
	survey: {
		name: [languages]string{"Survey", "Vermessung", "Topographie", "Topografía", "Rilievo", "Topografia"},
		called: [languages]string{
			"SURVEY*|TOPOGRAPHIC*", "VERMESSUNG*", "TOPOGRAPHIE|GEOMETRE", "TOPOGRAFI*", "RILIEVO|RILIEVI",
			"LEVANTAMENTO TOPOGRAFICO",
		},
		heading: true,
	},
	geotechnical: {
		name:   [languages]string{"Geotechnical", "Baugrund", "Géotechnique", "Geotecnia", "Geotecnica", "Geotecnia"},
		called: [languages]string{"GEOTECHNICAL", "BAUGRUND*|GEOTECHNIK", "GEOTECHNIQUE", "GEOTECNIA", "GEOTECNICA", ""},
	},
	civil: {
		name: [languages]string{"Civil", "Tiefbau", "VRD", "Obra civil", "Opere civili", "Infraestruturas"},
		called: [languages]string{
			"CIVIL|SITE WORK|SITEWORK", "TIEFBAU*|ERSCHLIEßUNG*|ERSCHLIESSUNG*|STRAßENBAU|STRASSENBAU|VERKEHRSANLAGEN",
			"VRD|VOIRIE*|GENIE CIVIL", "OBRA CIVIL|URBANIZACION", "CIVILI|URBANIZZAZION*", "INFRAESTRUTURAS|ARRUAMENTOS",
		},
		hints: [languages]string{
			"GRADING|UTILITY|UTILITIES|EROSION|PAVING|STORM|SEWER|DRAINAGE|SITE PLAN|SITE LAYOUT", "HOHENPLAN|LEITUNGSPLAN",
			"TERRASSEMENT*|RESEAUX", "VIALES|PAVIMENTACION", "FOGNATUR*|STRADALE", "TERRAPLENAGEM|PAVIMENTACAO",
		},
	},
	landscape: {
		name: [languages]string{"Landscape", "Freianlagen", "Paysage", "Paisajismo", "Paesaggio", "Paisagismo"},
		called: [languages]string{
			"LANDSCAP*|IRRIGATION|PLANTING",
			"FREIANLAGEN*|AUßENANLAGEN*|AUSSENANLAGEN*|LANDSCHAFT*|BEPFLANZUNG*|GARTEN*",
			"PAYSAG*|ESPACES VERTS|AMENAGEMENTS EXTERIEURS", "PAISAJ*|JARDINERIA",
			"PAESAGG*|SISTEMAZIONI ESTERNE", "PAISAG*|ARRANJOS EXTERIORES",
		},
	},
	structural: {
		name: [languages]string{"Structural", "Tragwerk", "Structure", "Estructura", "Strutture", "Estruturas"},
		called: [languages]string{
			"STRUCTURAL|STRUCTURES", "TRAGWERK*|STATIK*|TWP", "STRUCTURE|GROS OEUVRE|BETON ARME", "ESTRUCTUR*",
			"STRUTTUR*", "ESTRUTUR*",
		},
		titles: [languages]string{
			"REINFORCEMENT|REBAR", "BEWEHRUNG*|SCHALPLAN*|SCHALUNG*|POSITIONSPLAN*", "COFFRAGE*|FERRAILLAGE*",
			"CIMENTACION*|ARMADURA*", "CARPENTERI*|ARMATURA|FONDAZIONI", "FUNDACOES|FUNDACAO",
		},
		hints: [languages]string{
			"FRAMING|FOUNDATION*|SLAB|SHEAR|STEEL|COLUMN*", "FUNDAMENT*|DECKENPLAN*", "FONDATION*|PLANCHER*|POUTRE*",
			"LOSA*|FORJADO*|PILAR*", "SOLAIO|SOLAI|TRAVI|PILASTRI", "LAJE*|VIGA*",
		},
	},
	demolition: {
		name:    [languages]string{"Demolition", "Abbruch", "Démolition", "Demolición", "Demolizioni", "Demolições"},
		called:  [languages]string{"DEMOLITION*", "ABBRUCH*", "", "DEMOLICION*", "DEMOLIZION*", "DEMOLICOES|DEMOLICAO"},
		heading: true,
	},
	architectural: {
		name: [languages]string{
			"Architectural", "Architektur", "Architecture", "Arquitectura", "Architettura", "Arquitetura",
		},
		called: [languages]string{
			"ARCHITECTURAL", "ARCHITEKTUR*|OBJEKTPLANUNG*|HOCHBAU*", "ARCHITECTURE|ARCHITECTURALE*",
			"ARQUITECTUR*|ARQUITECTONIC*", "ARCHITETTUR*|ARCHITETTONIC*", "ARQUITETUR*|ARQUITETONIC*",
		},
		hints: [languages]string{
			"FLOOR PLAN|ELEVATION*|SECTION*|CEILING|ROOF|DOOR*|WINDOW*|STAIR*|WALL|FINISH*|PARTITION*|PLAN",
			"GRUNDRI*|ANSICHT*|SCHNITT*|DACHAUFSICHT|TURLISTE|FENSTER*|LAGEPLAN|WERKPLAN*",
			"FACADE*|COUPE*|NIVEAU*|ETAGE*|REZ|TOITURE*|ELEVATION*|PLAN",
			"PLANTA*|ALZADO*|SECCION*|FACHADA*|CUBIERTA*|CARPINTERIA*|ALBANILERIA",
			"PIANTA|PIANTE|PROSPETT*|SEZION*|COPERTURA|PLANIMETRI*|INFISSI",
			"ALCADO*|CORTE*|COBERTURA|IMPLANTACAO|PORMENOR*|ALVENARIA*",
		},
	},
	interiors: {
		name: [languages]string{"Interiors", "Innenausbau", "Intérieurs", "Interiores", "Interni", "Interiores"},
		called: [languages]string{
			"INTERIOR|INTERIORS|FURNITURE", "INNENAUSBAU*|INNENARCHITEKTUR*|AUSBAU",
			"INTERIEURS|ARCHITECTURE INTERIEURE|AMENAGEMENT INTERIEUR|AMENAGEMENTS INTERIEURS", "INTERIORES|INTERIORISMO",
			"INTERNI|ARREDI", "MOBILIARIO",
		},
		heading: true,
	},
	equipment: {
		name: [languages]string{"Equipment", "Ausstattung", "Équipements", "Equipamiento", "Attrezzature", "Equipamentos"},
		called: [languages]string{
			"EQUIPMENT|FOOD SERVICE|FOODSERVICE|KITCHEN", "AUSSTATTUNG*|KUCHENTECHNIK", "EQUIPEMENT*|CUISINE",
			"EQUIPAMIENTO*", "ATTREZZATURE", "EQUIPAMENTO*",
		},
		heading: true,
	},
	fire: {
		name: [languages]string{
			"Fire Protection", "Brandschutz", "Sécurité incendie", "Protección contra incendios", "Antincendio",
			"Segurança contra incêndio",
		},
		called: [languages]string{
			"FIRE PROTECTION|FIRE SUPPRESSION|FIRE SPRINKLER*|FIRE ALARM|SPRINKLER*", "BRANDSCHUTZ*",
			"INCENDIE|PROTECTION INCENDIE|SECURITE INCENDIE|DESENFUMAGE",
			"INCENDIOS|PROTECCION CONTRA INCENDIOS|CONTRA INCENDIOS|PCI", "ANTINCENDIO|ANTINCENDI",
			"INCENDIO|SEGURANCA CONTRA INCENDIO*|COMBATE A INCENDIO*",
		},
	},
	services: {
		name: [languages]string{
			"Building Services", "Technische Gebäudeausrüstung", "Lots techniques", "Instalaciones", "Impianti", "Instalações",
		},
		called: [languages]string{
			"MEP|BUILDING SERVICES", "TGA|TECHNISCHE GEBAUDEAUSRUSTUNG|GEBAUDETECHNIK|HAUSTECHNIK|HLS",
			"LOTS TECHNIQUES|FLUIDES", "INSTALACION|INSTALACIONES", "IMPIANTI|IMPIANTO", "INSTALACOES|INSTALACAO",
		},
	},
	plumbing: {
		name: [languages]string{"Plumbing", "Sanitär", "Plomberie", "Fontanería", "Idrico-sanitario", "Hidráulica"},
		called: [languages]string{
			"PLUMBING|PUBLIC HEALTH", "SANITAR*", "PLOMBERIE*|SANITAIRE*",
			"FONTANERIA|SANITARIA*|HIDROSANITARI*|HIDRAULICO*", "IDRIC*|IDRAULIC*|IDRICO SANITARI*",
			"HIDRAULICA*|HIDROSSANITARI*|ESGOTO*|AGUAS",
		},
		hints: [languages]string{"SANITARY|GAS|WATER|WASTE", "ENTWASSERUNG*|TRINKWASSER*", "EU EV|EVACUATION*", "AGUA", "SCARIC*", ""},
	},
	process: {
		name:    [languages]string{"Process", "Verfahrenstechnik", "Procédé", "Proceso", "Processo", "Processo"},
		called:  [languages]string{"PROCESS", "VERFAHRENSTECHNIK*|PROZESSTECHNIK*", "PROCEDE*", "PROCESO*", "PROCESSO", ""},
		heading: true,
	},
	mechanical: {
		name: [languages]string{
			"Mechanical", "Heizung Lüftung Klima", "CVC", "Climatización", "Climatizzazione", "Climatização",
		},
		called: [languages]string{
			"MECHANICAL|HVAC|AIR CONDITIONING|HEATING", "HEIZUNG*|LUFTUNG*|KLIMA*|HLK|RLT|RAUMLUFT*",
			"CVC|CHAUFFAGE*|CLIMATISATION*|GENIE CLIMATIQUE|VENTILATION", "CLIMATIZACION*|CALEFACCION*|MECANICAS",
			"CLIMATIZZAZION*|MECCANIC*|RISCALDAMENT*", "AVAC|CLIMATIZACAO|AR CONDICIONADO",
		},
		hints: [languages]string{"DUCT*|VENTILATION|PIPING|HYDRONIC|CHILLER|BOILER", "", "", "VENTILACION", "VENTILAZIONE", "VENTILACAO"},
	},
	electrical: {
		name: [languages]string{"Electrical", "Elektro", "Électricité", "Electricidad", "Elettrico", "Eletricidade"},
		called: [languages]string{
			"ELECTRICAL", "ELEKTRO*|ELEKTRISCH*|STARKSTROM*|ELT", "ELECTRICIT*|ELECTRIQUE*|COURANTS FORTS",
			"ELECTRICIDAD|ELECTRICA*|ELECTRICO*", "ELETTRIC*", "ELETRIC*",
		},
		hints: [languages]string{
			"LIGHTING|POWER|ONE LINE|SINGLE LINE|PANEL|LUMINAIRE*", "BELEUCHTUNG*", "ECLAIRAGE*", "ILUMINACION*|UNIFILAR*",
			"ILLUMINAZION*", "ILUMINACAO",
		},
	},
	telecommunications: {
		name: [languages]string{
			"Telecommunications", "Informationstechnik", "Courants faibles", "Telecomunicaciones", "Telecomunicazioni",
			"Telecomunicações",
		},
		called: [languages]string{
			"TELECOM|TELECOMMUNICATION*|TECHNOLOGY|LOW VOLTAGE|AUDIOVISUAL|AUDIO VISUAL|STRUCTURED CABLING",
			"FERNMELDE*|SCHWACHSTROM*|NACHRICHTENTECHNIK|INFORMATIONSTECHNIK|DATENTECHNIK",
			"COURANTS FAIBLES|VOIX DONNEES", "TELECOMUNICACIONES|VOZ Y DATOS", "TELECOMUNICAZION*", "TELECOMUNICACOES|ITED",
		},
		hints: [languages]string{"DATA|COMMUNICATION*|NETWORK|SECURITY", "", "", "DATOS", "DATI", "DADOS"},
	},
}

// telling are words of titles that show in which language a set is written.
var telling = [languages]string{
	"FLOOR|ROOF|SCHEDULE*|NOTES|SHEET|AND|OF|FOR|THE|ELEVATIONS|SECTIONS|ENLARGED|LEVEL|SITE|WALL|CEILING|LEGEND",
	"GRUNDRI*|ANSICHT*|SCHNITT*|LAGEPLAN*|ERDGESCHO*|OBERGESCHO*|UNTERGESCHO*|DACHGESCHO*|UBERSICHT*|UND|DER|EG|OG|UG|PLANE",
	"COUPE*|NIVEAU*|ETAGE*|TOITURE*|REZ|CHAUSSEE|DU|ET|AU|SOUS|VUE*|PLANCHER*",
	"PLANTA*|ALZADO*|SECCION*|CUBIERTA*|FACHADA*|DETALLE*|DEL|LOS|LAS|Y|EMPLAZAMIENTO|CIMENTACION*",
	"PIANTA|PIANTE|PIANO|PROSPETT*|SEZION*|PARTICOLARI|DETTAGLI*|DELLA|DEL|DI|COPERTURA|PLANIMETRI*|TERRA",
	"PLANTA*|ALCADO*|CORTE*|PORMENOR*|COBERTURA|IMPLANTACAO|DETALHE*|DO|DA|PISO|TERREO|PAVIMENTO",
}

// vocabulary has what words mean by their first three letters.
var vocabulary = index()

func index() map[string][]meaning {
	out := map[string][]meaning{}
	add := func(list string, m meaning) {
		for text := range strings.SplitSeq(list, "|") {
			if m.words = strings.Fields(text); len(m.words) > 0 {
				out[initial(m.words[0])] = append(out[initial(m.words[0])], m)
			}
		}
	}
	for t := general; t < others; t++ {
		s := spoken[t]
		for l := range languages {
			add(s.called[l], meaning{trade: t, weight: called, inTitles: !s.heading, language: l})
			add(s.titles[l], meaning{trade: t, weight: titled, inTitles: true, language: l})
			add(s.hints[l], meaning{trade: t, weight: hint, language: l})
		}
	}
	for l := range languages {
		add(telling[l], meaning{language: l})
	}
	return out
}

func initial(word string) string { return word[:min(len(word), 3)] }

// longest finds the meaning of the most words, and of those the one with the longest, that a text begins with.
func longest(words []string, wanted func(*meaning) bool) (best *meaning) {
	for i := range vocabulary[initial(words[0])] {
		m := &vocabulary[initial(words[0])][i]
		if wanted(m) && m.begins(words) && (best == nil || len(m.words) > len(best.words) ||
			len(m.words) == len(best.words) && len(m.words[0]) > len(best.words[0])) {
			best = m
		}
	}
	return best
}

func (m *meaning) begins(words []string) bool {
	if len(m.words) > len(words) {
		return false
	}
	for i, w := range m.words {
		stem, open := strings.CutSuffix(w, "*")
		if words[i] != stem && !(open && strings.HasPrefix(words[i], stem)) {
			return false
		}
	}
	return true
}

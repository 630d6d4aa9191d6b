package read

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"groundwork/internal/drawing/discipline"
)

// The words that title blocks are labelled with, in English, German, French, Spanish, Italian, Portuguese and Dutch,
// without accents. A label belongs to whatever language it is found in: offices mix them.
var (
	sheetWords = labels("SHEET", "SHT", "DRAWING", "DRG", "DWG", "PLAN", "PLATE", "PAGE", "DOCUMENT", "DOC",
		"BLATT", "ZEICHNUNG", "ZEICHNUNGS", "ZEICHN", "PLANNUMMER", "BLATTNUMMER", "ZEICHNUNGSNUMMER", "PLANNR", "BLATTNR",
		"ZEICHNUNGSNR",
		"PLANCHE", "FEUILLE", "FOLIO", "DESSIN",
		"PLANO", "LAMINA", "HOJA",
		"TAVOLA", "TAV", "DISEGNO", "ELABORATO", "FOGLIO",
		"DESENHO", "FOLHA", "PRANCHA", "PECA", "UNTERLAGE",
		"TEKENING", "TEKENINGNUMMER", "TEKENINGNR", "TEKNR", "TEK", "TEKENINGSNUMMER", "BLAD", "BLADNUMMER", "BLADNR")
	countWords = labels("NO", "NR", "NUMBER", "NUM", "#", "N°", "Nº", "N", "ID", "REF", "REFERENCE", "CODE",
		"NUMMER", "NUMERO", "CODICE", "CODIGO", "COD")
	// between are words that may stand between the two: "N° du plan", "Numero de plano".
	between = labels("DU", "DE", "DEL", "DELLA", "DO", "DA", "DI", "OF", "DER", "DES", "LA")

	titleLabels = labels("TITLE", "SHEET TITLE", "DRAWING TITLE", "DWG TITLE", "SHEET NAME", "DRAWING NAME",
		"SHEET CONTENTS", "CONTENTS", "DRAWING CONTENTS", "SHEET DESCRIPTION", "DRAWING DESCRIPTION", "SUBJECT",
		"DRAWING", "SHEET SUBJECT", "DRG TITLE", "DRG", "DRG NAME", "DWG NAME",
		"PLANINHALT", "INHALT", "PLANBEZEICHNUNG", "PLANTITEL", "TITEL", "BENENNUNG", "ZEICHNUNGSINHALT", "DARSTELLUNG",
		"BEZEICHNUNG", "BLATTINHALT", "PLANTEXT", "PLANBEZ", "ZEICHNUNG",
		"TITRE", "TITRE DU PLAN", "INTITULE", "INTITULE DU PLAN", "NOM DU PLAN", "DESIGNATION", "CONTENU", "OBJET",
		"OBJET DU PLAN",
		"TITULO", "TITULO DEL PLANO", "CONTENIDO", "NOMBRE DEL PLANO", "DENOMINACION", "CONTIENE", "PLANO",
		"DENOMINACION DEL PLANO",
		"TITOLO", "TITOLO TAVOLA", "TITOLO ELABORATO", "TITOLO DELLA TAVOLA", "CONTENUTO", "OGGETTO", "OGGETTO TAVOLA",
		"CONTENUTO TAVOLA", "ELABORATO", "DESCRIZIONE",
		"TITULO DO DESENHO", "CONTEUDO", "ASSUNTO", "DESENHO", "DESIGNACAO",
		"OMSCHRIJVING", "ONDERDEEL", "ONDERWERP", "BENAMING", "BETREFT", "TEKENING")
	dateLabels = labels("DATE", "ISSUE DATE", "DATE ISSUED", "ISSUED", "DATED", "DATE OF ISSUE", "DRAWING DATE",
		"SHEET DATE", "PLOT DATE", "ISSUED ON", "DATE DRAWN", "ISSUE",
		"DATUM", "PLANDATUM", "STAND", "ERSTELLT", "ERSTELLT AM", "AUSGABEDATUM",
		"DATE D'EMISSION", "DATE DU PLAN", "DATE D'EDITION", "DATE DE CREATION",
		"FECHA", "FECHA DE EMISION", "FECHA EMISION", "DATA", "DATA EMISSIONE", "DATA DI EMISSIONE", "DATA DE EMISSAO",
		"DATA EMISSAO", "EMISSIONE", "PRINT DATE", "PLOT-DAT", "PLOTDATUM", "GETEKEND", "DATUM GETEKEND", "DATUM UITGAVE")
	scaleLabels = labels("SCHAAL", "SCALE", "SCALES", "DRAWING SCALE", "SHEET SCALE", "PLOT SCALE", "SCALE AT", "ECHELLE", "ECH",
		"MASSTAB", "MASSSTAB", "MAßSTAB", "ESCALA", "ESCALAS", "ESC", "SCALA", "SCALE:", "SKALA")
	// fieldLabels are those of other fields. None of them is a title.
	fieldLabels = labels("SCALE", "DRAWN", "DRAWN BY", "CHECKED", "CHECKED BY", "APPROVED", "APPROVED BY", "DESIGNED",
		"DESIGNED BY", "REV", "REVISION", "REVISIONS", "PROJECT", "PROJECT NAME", "PROJECT NUMBER", "PROJECT NO",
		"PROJECT ADDRESS", "CLIENT", "OWNER", "ARCHITECT", "ENGINEER", "CONTRACTOR", "CONSULTANT", "CONSULTANTS", "JOB NO",
		"JOB NUMBER", "STATUS", "PHASE", "SEAL", "STAMP", "KEY PLAN", "LOCATION", "SITE", "ADDRESS", "PAPER", "SIZE",
		"FORMAT", "FILE", "FILE NAME", "FILENAME", "DISCIPLINE", "AUTHOR", "CHECKER", "DESCRIPTION", "VERSION", "SIGNATURE",
		"MASSTAB", "MASSSTAB", "MAßSTAB", "GEZEICHNET", "GEPRUFT", "BEARBEITET", "BEARBEITER", "FREIGEGEBEN", "INDEX",
		"ANDERUNG", "ANDERUNGEN", "PROJEKT", "BAUHERR", "BAUVORHABEN", "AUFTRAGGEBER", "PLANVERFASSER", "ARCHITEKT",
		"BLATTGROSSE", "PLANGROSSE", "LEISTUNGSPHASE", "UNTERSCHRIFT", "VERFASSER", "OBJEKT",
		"ECHELLE", "DESSINE", "DESSINE PAR", "VERIFIE", "VERIFIE PAR", "APPROUVE", "INDICE", "MODIFICATION",
		"MODIFICATIONS", "PROJET", "MAITRE D'OUVRAGE", "MAITRE D'OEUVRE", "ARCHITECTE", "PHASES", "EMETTEUR", "AFFAIRE",
		"ESCALA", "ESCALAS", "DIBUJADO", "DIBUJO", "REVISADO", "REVISO", "APROBADO", "APROBO", "PROYECTO", "PROPIETARIO",
		"CLIENTE", "UBICACION", "ARQUITECTO", "FORMATO", "PROMOTOR", "SITUACION", "INGENIERO",
		"SCALA", "DISEGNATO", "DISEGNATORE", "REDATTO", "VERIFICATO", "CONTROLLATO", "APPROVATO", "PROGETTO",
		"COMMITTENTE", "PROGETTISTA", "FASE", "AGGIORNAMENTO", "REVISIONE", "VERS", "FIRMA", "STUDENTE", "DOCENTE",
		"DESENHOU", "VERIFICOU", "APROVOU", "PROJETO", "PROJECTO", "REVISAO", "PROPRIETARIO", "ESPECIALIDADE",
		"REQUERENTE", "GEZ", "GEPR", "BAUVORH",
		"SCHAAL", "GECONTROLEERD", "GOEDGEKEURD", "OPDRACHTGEVER", "WERK", "WERKNUMMER", "WERKNR", "WERKADRES",
		"PROJECTNUMMER", "PROJECTNR", "FORMAAT", "WIJZIGING", "WIJZIGINGEN", "GEWIJZIGD", "VERSIE", "REVISIE", "TEKENAAR",
		"CONSTRUCTEUR", "AANNEMER", "PROJECTLEIDER", "MODELLEUR", "KLANT", "PLAATS", "ORDERNUMMER")
	titleWords = labels("PLAN", "PLANS", "ELEVATION", "ELEVATIONS", "SECTION", "SECTIONS", "DETAIL", "DETAILS",
		"SCHEDULE", "SCHEDULES", "NOTES", "DIAGRAM", "DIAGRAMS", "COVER", "INDEX", "LEGEND", "LEGENDS", "TYPES",
		"SYMBOLS", "SHEET", "RISER", "LAYOUT", "ABBREVIATIONS", "SPECIFICATIONS", "ISOMETRIC", "AXONOMETRIC", "FRAMING",
		"FOUNDATION", "DEMOLITION", "LIGHTING", "POWER", "GRADING", "SURVEY", "PROFILE", "ENLARGED",
		"GRUNDRISS", "GRUNDRISSE", "ANSICHT", "ANSICHTEN", "SCHNITT", "SCHNITTE", "LAGEPLAN", "ERDGESCHOSS",
		"OBERGESCHOSS", "UNTERGESCHOSS", "KELLERGESCHOSS", "DACHGESCHOSS", "DACHAUFSICHT", "UBERSICHT", "FUNDAMENTPLAN",
		"BEWEHRUNGSPLAN", "SCHALPLAN", "POSITIONSPLAN", "WERKPLAN",
		"COUPE", "COUPES", "FACADE", "FACADES", "NIVEAU", "REZ-DE-CHAUSSEE", "ETAGE", "TOITURE", "SOUS-SOL", "COFFRAGE",
		"FERRAILLAGE",
		"PLANTA", "PLANTAS", "ALZADO", "ALZADOS", "SECCION", "SECCIONES", "CORTE", "CORTES", "FACHADA", "FACHADAS",
		"DETALLE", "DETALLES", "ELEVACION", "ELEVACIONES", "CUBIERTA", "CUBIERTAS", "CIMENTACION", "CIMENTACIONES",
		"EMPLAZAMIENTO", "TECHOS",
		"PIANTA", "PIANTE", "PROSPETTO", "PROSPETTI", "SEZIONE", "SEZIONI", "PLANIMETRIA", "PLANIMETRIE", "DETTAGLIO",
		"DETTAGLI", "COPERTURA", "FONDAZIONI", "INQUADRAMENTO", "ESPLOSO", "ASSONOMETRIA", "PARTICOLARI",
		"ALCADO", "ALCADOS", "PORMENOR", "PORMENORES", "COBERTURA", "IMPLANTACAO", "DETALHE", "DETALHES",
		"PLATTEGROND", "PLATTEGRONDEN", "DOORSNEDE", "DOORSNEDEN", "GEVEL", "GEVELS", "AANZICHT", "AANZICHTEN",
		"VERDIEPING", "VERDIEPINGSVLOER", "OVERZICHT", "FUNDERING", "PALENPLAN", "KOLOMMEN", "WAPENING", "SITUATIE")
	formatLabels = labels("FORMAT", "FORMATO", "SIZE", "PAPER", "PAPER SIZE", "SHEET SIZE", "BLATTGROSSE", "PLANGROSSE",
		"PAPIERFORMAT", "PLANFORMAT", "DIN", "ISO", "FORMAAT", "TEKENING-FORMAAT", "TAMANO")

	revisionLabels = labels("REV", "REVISION", "REV NO", "REVISION NO", "ISSUE", "INDEX", "INDICE", "IND", "ANDERUNG",
		"REVISIONE", "REVISAO", "VERS", "VERSION", "AGG", "MOD", "WIJZIGING", "WIJZ", "VERSIE", "REVISIE")

	// months by their names and by what they begin with; juin and juillet need a fourth letter.
	months = [12][]string{
		{"JANUARY", "JANUAR", "JANVIER", "ENERO", "GENNAIO", "JANEIRO", "JANNER", "JANUARI"},
		{"FEBRUARY", "FEBRUAR", "FEVRIER", "FEBRERO", "FEBBRAIO", "FEVEREIRO", "FEBRUARI"},
		{"MARCH", "MARZ", "MARS", "MARZO", "MARCO", "MRZ", "MAERZ", "MAART"},
		{"APRIL", "AVRIL", "ABRIL", "APRILE"},
		{"MAY", "MAI", "MAYO", "MAGGIO", "MAIO", "MEI"},
		{"JUNE", "JUNI", "JUIN", "JUNIO", "GIUGNO", "JUNHO"},
		{"JULY", "JULI", "JUILLET", "JULIO", "LUGLIO", "JULHO"},
		{"AUGUST", "AOUT", "AGOSTO", "AUGUSTUS"},
		{"SEPTEMBER", "SEPTEMBRE", "SEPTIEMBRE", "SETTEMBRE", "SETEMBRO"},
		{"OCTOBER", "OKTOBER", "OCTOBRE", "OCTUBRE", "OTTOBRE", "OUTUBRO"},
		{"NOVEMBER", "NOVEMBRE", "NOVIEMBRE", "NOVEMBRO"},
		{"DECEMBER", "DEZEMBER", "DECEMBRE", "DICIEMBRE", "DICEMBRE", "DEZEMBRO"},
	}
)

var (
	// phases are what is said about the state of a drawing, perhaps with a day behind.
	phases = regexp.MustCompile(`^(RE-?)?(ISSUED?|RELEASED?|SUBMITTED|SUBMITTAL|REVISED|PROGRESS|DRAFT|PRELIMINARY|` +
		`NOT FOR CONSTRUCTION|FOR (CONSTRUCTION|APPROVAL|REVIEW|PERMIT|TENDER|INFORMATION|PRICING|BID(DING)?)|` +
		`(PERMIT|BID|TENDER|CONSTRUCTION|PRICING|APPROVAL|CHECK) (SET|ISSUE|SUBMITTAL|SUBMISSION|DRAWINGS?|DOCUMENTS?)|` +
		`CONSTRUCTION DOCUMENTS|(SCHEMATIC|CONCEPT|DETAILED?) DESIGN|DESIGN DEVELOPMENT|AS[- ]BUILTS?|RECORD DRAWINGS?|` +
		`VORABZUG|ENTWURF(SPLANUNG)?|AUSFUHRUNGSPLANUNG|GENEHMIGUNGSPLANUNG|VORENTWURF|WERKPLANUNG|BAUANTRAG|` +
		`BAUEINGABE|AVANT[- ]PROJET.*|PROJET D'EXECUTION|ESQUISSE|BON POUR EXECUTION|APS|APD|DCE|DOE|` +
		`ANTEPROYECTO|PROYECTO (BASICO|EJECUTIVO|DE EJECUCION)|PRELIMINAR|PARA (CONSTRUCCION|APROBACION|REVISION)|` +
		`PROGETTO (PRELIMINARE|DEFINITIVO|ESECUTIVO)|STATO DI (FATTO|PROGETTO)|` +
		`PROJETO (DE EXECUCAO|EXECUTIVO|BASICO)|ESTUDO PREVIO|LICENCIAMENTO)( (FOR|TO|SET|ISSUE) .*| \S*\d.*)?$`)
	// files are the names that programs give their files.
	files = regexp.MustCompile(`(?i)\.(DWG|DGN|RVT|DXF|PDF|PLN|IFC|SKP|3DM|DOCX?|XLSX?|VWX|NWD)\b`)
	// papers are the names of paper.
	papers = regexp.MustCompile(`^(DIN |ISO |FORMATO? |SIZE )?(A[0-5]\+?|B[0-5]|(ARCH|ANSI) ?[A-F]1?|(ARCH|ANSI)-[A-F]1?` +
		`|[A-E][- ]SIZE|LETTER|LEGAL|TABLOID|LEDGER)( ?(L|H|LANDSCAPE|PORTRAIT|QUER|HOCH))?$`)
	// revised are the names of revisions.
	revised = regexp.MustCompile(`^(REV|REVISION|VERSION|VERS|VER|INDICE|INDEX|IND|REVISIONE|REVISAO)[. :\-]*[A-Z0-9]{1,3}$`)
)

// folded is a text in capitals without accents.
func folded(s string) string { return discipline.Fold(s) }

func labels(words ...string) map[string]bool {
	m := map[string]bool{}
	for _, w := range words {
		m[w] = true
	}
	return m
}

// in is a test for labels of a list.
func in(words map[string]bool) func(string) bool {
	return func(s string) bool { return words[bare(s)] }
}

// bare is a label without what surrounds it: capitals, no accents, no colon, no full stops.
func bare(s string) string {
	return strings.TrimSpace(strings.Trim(strings.ReplaceAll(folded(s), ".", ""), " :-–"))
}

// isNumberLabel is whether a text announces a sheet's number.
func isNumberLabel(s string) bool {
	words := strings.FieldsFunc(bare(s), func(r rune) bool { return r == ' ' || r == '/' || r == '-' })
	named := 0
	for _, w := range words {
		switch {
		case sheetWords[w] || countWords[w]:
			named++
		case !between[w]:
			return false
		}
	}
	// A single N is where north is.
	return named > 0 && len(words) < 5 && named < 4 && bare(s) != "N"
}

// isSheetLabel is whether a text announces a sheet's number and names the sheet: a column of a table may be called
// "No."
func isSheetLabel(s string) bool {
	return isNumberLabel(s) && strings.ContainsFunc(bare(s), unicode.IsLetter) &&
		slices.ContainsFunc(strings.FieldsFunc(bare(s), func(r rune) bool { return r == ' ' || r == '/' || r == '-' }),
			func(w string) bool { return sheetWords[w] })
}

// isLabel is whether a text is the label of some field.
func isLabel(s string) bool {
	b := bare(s)
	return titleLabels[b] || dateLabels[b] || fieldLabels[b] || isNumberLabel(s)
}

// isPhase is whether a text is about the state of a drawing, or the paper that it is printed on.
func isPhase(s string) bool {
	f := strings.Trim(folded(s), " .:-–*()[]")
	return phases.MatchString(f) || papers.MatchString(f) || revised.MatchString(f)
}

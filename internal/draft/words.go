package draft

// use is what a building is for: how wide its rooms are and what they are called, each with its furniture.
type use struct {
	name   string
	kinds  []string // of building, in the project's name
	widths []float64
	rooms  [][2]string
	large  [][2]string
}

var uses = []use{
	{
		"office",
		[]string{"OFFICE BUILDING", "HEADQUARTERS", "TECHNOLOGY CENTER", "COMMERCE CENTER"},
		[]float64{10, 11, 12, 14, 18, 26},
		[][2]string{
			{"OFFICE", "desk"},
			{"OFFICE", "desk"},
			{"OFFICE", "desk"},
			{"STORAGE", "shelf"},
			{"COPY ROOM", "counter"},
			{"HUDDLE", "table"},
			{"CONFERENCE", "table"},
			{"IT CLOSET", "rack"},
		},
		[][2]string{
			{"OPEN OFFICE", "desks"},
			{"CONFERENCE ROOM", "table"},
			{"TRAINING ROOM", "seats"},
			{"BREAK ROOM", "tables"},
		},
	},
	{
		"school",
		[]string{"ELEMENTARY SCHOOL", "MIDDLE SCHOOL", "HIGH SCHOOL ADDITION", "LEARNING CENTER"},
		[]float64{12, 28, 30, 32},
		[][2]string{{"OFFICE", "desk"}, {"STORAGE", "shelf"}, {"RESOURCE", "table"}, {"WORK ROOM", "counter"}},
		[][2]string{
			{"CLASSROOM", "seats"},
			{"CLASSROOM", "seats"},
			{"CLASSROOM", "seats"},
			{"SCIENCE LAB", "tables"},
			{"ART ROOM", "tables"},
			{"LIBRARY", "shelf"},
		},
	},
	{
		"clinic",
		[]string{"MEDICAL CENTER", "OUTPATIENT CLINIC", "HEALTH PAVILION", "SURGERY CENTER"},
		[]float64{9.5, 10, 10.5, 12, 14, 24},
		[][2]string{
			{"EXAM", "bed"},
			{"EXAM", "bed"},
			{"EXAM", "bed"},
			{"CONSULT", "desk"},
			{"CLEAN UTILITY", "shelf"},
			{"SOILED UTILITY", "counter"},
			{"OFFICE", "desk"},
			{"LAB", "counter"},
		},
		[][2]string{
			{"WAITING", "sofas"}, {"NURSE STATION", "counter"}, {"PROCEDURE", "bed"}, {"PHYSICAL THERAPY", "tables"},
		},
	},
	{
		"residential",
		[]string{"APARTMENTS", "SENIOR LIVING", "STUDENT HOUSING", "LOFTS"},
		[]float64{12, 14, 16, 26, 28},
		[][2]string{
			{"BEDROOM", "bed"}, {"STUDIO", "bed"}, {"LIVING", "sofas"}, {"KITCHEN", "counter"}, {"LAUNDRY", "counter"},
		},
		[][2]string{{"ONE BEDROOM UNIT", "bed"}, {"LIVING / DINING", "sofas"}, {"COMMUNITY ROOM", "tables"}},
	},
}

var places = []string{
	"Riverside", "Oak Hill", "Harbor", "Lakeview", "Cedar Grove", "North Point", "Mill Creek", "Westfield", "Summit",
	"Fairmont", "Ashland", "Brookside", "Elm Street", "Market Square", "Stone Bridge", "Prairie",
}

var cities = []string{
	"Portland, OR 97209", "Austin, TX 78702", "Columbus, OH 43215", "Denver, CO 80205",
	"Madison, WI 53703", "Raleigh, NC 27601", "Tucson, AZ 85701", "Omaha, NE 68102",
}

var streets = []string{
	"Main Street", "Third Avenue", "Union Street", "Canal Road", "Washington Blvd", "Foundry Lane",
	"Grant Street", "College Avenue",
}

var surnames = []string{
	"Marlow", "Bennett", "Okafor", "Lindqvist", "Hartmann", "Delgado", "Whitcombe", "Tanaka",
	"Pruitt", "Novak", "Sorensen", "Castellan", "Iyer", "Brandt", "Keller", "Abara",
}

var firmForms = []string{
	"%s %s ARCHITECTS", "%s + %s", "%s / %s DESIGN", "STUDIO %s %s", "%s, %s & PARTNERS", "%s %s ARCHITECTURE, P.C.",
}

var floorNames = []string{
	"FIRST", "SECOND", "THIRD", "FOURTH", "FIFTH", "SIXTH", "SEVENTH", "EIGHTH", "NINTH", "TENTH", "ELEVENTH",
	"TWELFTH", "THIRTEENTH", "FOURTEENTH", "FIFTEENTH", "SIXTEENTH", "SEVENTEENTH", "EIGHTEENTH", "NINETEENTH",
	"TWENTIETH",
}

var phases = []string{
	"SCHEMATIC DESIGN", "DESIGN DEVELOPMENT", "50% CONSTRUCTION DOCUMENTS", "PERMIT SET",
	"ISSUED FOR BID", "ISSUED FOR CONSTRUCTION", "100% CONSTRUCTION DOCUMENTS",
}

var generalNotes = []string{
	"DO NOT SCALE DRAWINGS. WRITTEN DIMENSIONS GOVERN. VERIFY ALL DIMENSIONS IN THE FIELD BEFORE STARTING WORK.",
	"DIMENSIONS ARE TO FACE OF STUD, CENTERLINE OF COLUMN OR FACE OF CONCRETE UNLESS NOTED OTHERWISE.",
	"ALL WORK SHALL COMPLY WITH THE BUILDING CODE IN FORCE, EDITION ADOPTED 01/01/2024.",
	"PROVIDE FIRE-RETARDANT BLOCKING FOR ALL WALL-MOUNTED EQUIPMENT AND ACCESSORIES.",
	"DOOR OPENINGS NOT DIMENSIONED ARE LOCATED 4\" FROM FACE OF ADJACENT WALL.",
	"COORDINATE OPENINGS IN FLOORS AND WALLS WITH STRUCTURAL, MECHANICAL AND ELECTRICAL TRADES.",
	"SEAL ALL PENETRATIONS OF RATED ASSEMBLIES WITH A LISTED FIRESTOP SYSTEM.",
	"PATCH AND REPAIR SURFACES DAMAGED BY THE WORK TO MATCH ADJACENT FINISHES.",
	"ALL GYPSUM BOARD IS 5/8\" TYPE X UNLESS NOTED OTHERWISE. EXTEND TO UNDERSIDE OF DECK AT RATED WALLS.",
	"FIELD SURVEY DATED 11/18/2022 IS THE BASIS OF EXISTING CONDITIONS SHOWN.",
	"SUBMIT SHOP DRAWINGS FOR REVIEW BEFORE FABRICATION. ALLOW 10 WORKING DAYS.",
	"CONTRACTOR IS RESPONSIBLE FOR MEANS AND METHODS AND FOR SAFETY ON THE SITE.",
}

var engineeringNotes = map[string][]string{
	"S": {
		"CONCRETE: 4000 PSI AT 28 DAYS. REINFORCING: ASTM A615 GRADE 60.",
		"STRUCTURAL STEEL: ASTM A992. BOLTS: ASTM A325N, 3/4\" DIAMETER.",
		"TOP OF STEEL IS 5 1/2\" BELOW FINISH FLOOR UNLESS NOTED.",
		"LIVE LOADS: OFFICE 50 PSF, CORRIDOR 80 PSF, STAIR 100 PSF.",
		"SPREAD FOOTINGS BEAR ON UNDISTURBED SOIL, 3000 PSF. GEOTECHNICAL REPORT DATED 08/09/2023.",
	},
	"M": {
		"DUCT SIZES ARE CLEAR INSIDE DIMENSIONS.", "PROVIDE VOLUME DAMPER AT EACH BRANCH TAKEOFF.",
		"FLEXIBLE DUCT SHALL NOT EXCEED 5'-0\" IN LENGTH.", "COORDINATE ROUTING WITH STRUCTURE AND LIGHTING.",
		"THERMOSTATS MOUNTED AT 48\" ABOVE FINISH FLOOR.",
	},
	"P": {
		"SLOPE SANITARY PIPING 1/4\" PER FOOT UNLESS NOTED.", "PROVIDE CLEANOUTS AT EACH CHANGE OF DIRECTION.",
		"INSULATE ALL HOT WATER PIPING.", "PROVIDE WATER HAMMER ARRESTORS AT QUICK-CLOSING VALVES.",
	},
	"E": {
		"ALL WIRING IN EMT ABOVE CEILINGS, 3/4\" MINIMUM.", "RECEPTACLES MOUNTED AT 18\" A.F.F. UNLESS NOTED.",
		"PROVIDE SEPARATE NEUTRAL FOR EACH CIRCUIT.", "COORDINATE DEVICE LOCATIONS WITH FURNITURE.",
	},
	"FP": {
		"SPRINKLER SYSTEM PER NFPA 13, LIGHT HAZARD.", "HEADS CENTERED IN CEILING TILES.",
		"MAXIMUM SPACING 15'-0\", 7'-6\" FROM WALLS.", "HYDRAULIC CALCULATIONS BY THE CONTRACTOR.",
	},
	"C": {
		"EXISTING UTILITIES ARE SHOWN FROM RECORDS. CALL BEFORE DIGGING.",
		"SURVEY DATED 06/30/2022. VERTICAL DATUM NAVD 88.", "ACCESSIBLE ROUTES SHALL NOT EXCEED 5% SLOPE.",
		"PROTECT EXISTING TREES TO REMAIN.",
	},
}

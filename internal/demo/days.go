package demo

// What field reports tell: days, trades, deliveries, machines.
var (
	days = []string{
		"Good progress on the second floor. The masons finished the north elevation up to the sills.",
		"Slow morning, the lift was down until 10:30. Drywall caught up in the afternoon.",
		"Rain until noon. Outside work stopped, everybody moved inside; the cafeteria ceiling is closed now.",
		"City inspector passed the above-ceiling inspection in the east wing. Two corrections in the boiler room, done the same day.",
		"Delivery of casework came a day early and had to be stored in the gym.",
		"Concrete for the pads placed at 7:15, 18 yards, slump 4\". Cylinders taken by the laboratory.",
		"Owner's walkthrough with the principal and Facilities. A list of twelve points, most of them small.",
		"Wind over 30 mph from 13:00, the crane was stood down. Roofers secured the insulation.",
		"First day of terrazzo grinding in the lobby. Dust protection holds.",
		"Quiet day, half of the crews were on the other site.",
		"Boiler fired for the first time. The start-up technician comes back on Monday for the controls.",
		"A water line was cut in the trench at gate 2, shut off within five minutes. No damage to the building.",
		"Permanent power is on. Temporary panels on level 1 come out this week.",
		"Painting of the classrooms 201 to 208 is finished, first coat in the corridor.",
	}
	trades = []struct {
		name, did string
		heads     int
	}{
		{"Masonry", "Brick on the north elevation, grid 2 to 6.", 7},
		{"Drywall", "Board in the second floor corridor, taping in 204 and 206.", 9},
		{"Electrical", "Rough-in above the library, fixtures in 110 to 114.", 6},
		{"Plumbing", "Fixtures in toilets 118 and 119, test of the roof drains.", 4},
		{"HVAC", "Branch ducts in the east wing, insulation of the chilled water.", 5},
		{"Painting", "First coat in the classrooms of level 2.", 5},
		{"Flooring", "Moisture tests, base in the offices.", 3},
		{"Roofing", "Membrane over the gym, copings on the south side.", 6},
		{"Carpentry", "Blocking and door frames.", 4},
		{"Sitework", "Curb and gutter along Canal Road.", 5},
	}
	materials = []struct {
		item, unit string
		most       int
	}{
		{"Ready-mix concrete, 4000 psi", "yd³", 40},
		{"Face brick", "pallet", 12},
		{"Gypsum board 5/8\" type X", "sheet", 220},
		{"EMT 3/4\"", "ft", 900},
		{"Ceiling tile 2x2", "carton", 60},
		{"Copper pipe 1\"", "ft", 240},
		{"Roof insulation 3\"", "board", 150},
		{"Doors, hollow metal", "each", 14},
	}
	machines = []struct {
		item  string
		hours int
	}{
		{"Scissor lift 26'", 6},
		{"Telehandler", 5},
		{"Mobile crane 60 t", 4},
		{"Mini excavator", 7},
		{"Terrazzo grinder", 6},
		{"Dehumidifier", 24},
	}
	skies = []string{"clear-day", "partly-cloudy-day", "cloudy", "rain", "wind", "fog"}
)

// What photos show.
var pictures = []struct {
	title string
	draw  func(*picture)
}{
	{"Crack in the pad at the boiler", (*picture).cracked},
	{"Formwork lines, stair A wall", (*picture).concrete},
	{"North elevation, brick at grid 4", (*picture).brick},
	{"Raked joints, south side", (*picture).brick},
	{"Stained tile in classroom 112", (*picture).ceiling},
	{"Ring on a tile, library", (*picture).ceiling},
	{"Top mat before the pour, grid C", (*picture).rebar},
	{"Trim bars at the opening", (*picture).rebar},
	{"Taped joints in corridor 2A", (*picture).board},
	{"Board at the shaft, level 2", (*picture).board},
	{"Cracked tile, girls' toilets", (*picture).tile},
	{"Cracked tile, boys' toilets", (*picture).tile},
}

// What documents there are, beside those that are drawn.
var papers = []struct{ name, folder, kind, text string }{
	{
		"Meeting 14 - minutes.txt", "Meetings", "text/plain",
		"MEETING 14\n\n1. Safety. One near miss at the hoist. Toolbox talk held the same day.\n2. Schedule. Level 2 drywall three days behind, level 1 finishes on time.\n3. RFIs. Two late answers: expansion joint cover, acoustic panels.\n" +
			"4. Owner. Room signs follow bulletin 2. Key system list comes this week.\n5. Next meeting: Tuesday, 9:00, site office.\n",
	},
	{
		"Meeting 15 - minutes.txt", "Meetings", "text/plain",
		"MEETING 15\n\n1. Safety. No incidents.\n2. Schedule. Drywall recovered one day. Casework is on site.\n3. RFIs. Make-up air for the kitchen hood: the unit changes, cost to follow.\n4. Quality. Window sills on the north side: hose test on Thursday.\n",
	},
	{
		"Door hardware sets.csv", "Submittals", "text/csv",
		"set,function,doors,status\nHW-01,entrance,101A 101B,approved\nHW-04,classroom F84,110 111 112 114 201 202 204 206 208,approved as noted\nHW-07,privacy,118 119 219,approved\nHW-09,storage F86,131 135,resubmit\n",
	},
	{
		"Concrete placement log.csv", "Quality", "text/csv",
		"date,place,yards,slump_in,air_pct,psi_7d,psi_28d\n{198},footings grid 1-3,62,4,5.8,2910,4420\n{191},footings grid 4-6,58,4.25,6.1,2850,4380\n{169},slab on grade west,84,4,,3010,4510\n{162},slab on grade east,81,4.5,,2940,4450\n",
	},
	{
		"Site rules.md", "", "text/markdown",
		"# Site rules\n\n- Hard hat, glasses and vest beyond the gate.\n- Deliveries at gate 2, by appointment. No trucks on Canal Road from 7 to 9.\n- Hot work needs a permit, an extinguisher and an hour of fire watch.\n- What you open you close the same day, or you guard it.\n",
	},
	{
		"Phone list.csv", "", "text/csv",
		"name,company,for\nDana Whitlock,Calder & Finch Builders,project manager\nLena Ortiz,Calder & Finch Builders,superintendent\nMarcus Oyelaran,Holt Abara Architects,architect\nPriya Raman,Northline Mechanical,mechanical and electrical\nTom Becker,Becker Interiors,finishes\n",
	},
}

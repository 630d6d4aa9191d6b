package demo

// defect is something that is found on a site: what it is, in which sorts of rooms, what is to be said about it, and
// who sees to it.
type defect struct {
	title, in, detail string
	list              int // punchOne stands for the punch list of the room's level
	person            int
	cost              int // dollars; 0 is none
}

var defects = []defect{
	{
		"Door does not latch", "chg",
		"The strike plate sits about 1/8\" low. The closer pulls the leaf shut but the latch rides over the lip.",
		punchOne, foreman, 0,
	},
	{
		"Door hardware set is wrong", "chg",
		"A passage set is installed; the schedule calls for a classroom lock, function F84. Swap before keying.",
		punchOne, foreman, 380,
	},
	{
		"Door frame dented", "chg",
		"Dent at 30\" above the floor on the hinge side, from moving the lockers in. Fill, sand, and touch up.",
		punchOne, foreman, 0,
	},
	{
		"Vision glass scratched", "c",
		"Two long scratches, visible from the corridor when the lights are on. Replace the lite, it will not polish out.", punchOne, foreman, 260,
	},
	{
		"Undercut too high", "cw",
		"There is 1 1/4\" under the leaf after the flooring went in. The rated assembly allows 3/4\".", punchOne,
		foreman, 0,
	},
	{
		"Ceiling tile stained", "cgh",
		"Brown ring about the size of a plate. Check the condensate line above before the tile is replaced.", punchOne,
		engineer, 0,
	},
	{
		"Ceiling grid out of level", "chg",
		"Main runner drops 3/8\" between the second and third hanger. Visible against the window head.", punchOne,
		foreman, 0,
	},
	{
		"Ceiling tile cut short at the wall", "chg",
		"The border tile does not reach the wall angle, and light shows through.", punchOne, foreman, 0,
	},
	{
		"Gypsum board seam shows", "chg",
		"The joint telegraphs under the corridor lights. Skim again and sand with a raking light.", punchOne, foreman,
		0,
	},
	{
		"Paint touch-up needed at the corner bead", "chg",
		"Bead is nicked down to metal in three places, all below 4'.",
		punchOne, foreman, 0,
	},
	{
		"Paint colour does not match", "chg",
		"The east wall has P-2 where the finish plan shows P-4. Same sheen, wrong colour.", punchOne, foreman, 620,
	},
	{
		"Rubber base is loose", "chg",
		"About 6' of base has let go at the outside corner. Clean off the old adhesive first.", punchOne, foreman, 0,
	},
	{
		"Resilient floor bubbles", "ch",
		"Three bubbles the size of a hand. Moisture readings were at the limit when this room was laid.", punchOne,
		foreman, 1450,
	},
	{
		"Floor transition strip missing", "ch",
		"Nothing covers the joint between the tile and the sheet flooring, and the edge is already chipping.", punchOne,
		foreman, 0,
	},
	{
		"Grout missing at the floor drain", "w",
		"Four joints around the drain are open. Rinse, let it dry, and grout before the floor is sealed.", punchOne,
		foreman, 0,
	},
	{
		"Wall tile cracked", "w",
		"One tile, second course from the floor, cracked corner to corner. There are spares in the storage container.",
		punchOne, foreman, 0,
	},
	{
		"Casework door rubs", "c",
		"The left door of the base cabinet scrapes the frame. Adjust the hinges; if that is not enough the box is out of square.", punchOne, foreman, 0,
	},
	{
		"Countertop backsplash has a gap", "cw",
		"Gap of up to 1/4\" along the back. Scribe it or caulk it, but it has to be the same along the whole run.",
		punchOne, foreman, 0,
	},
	{
		"Tackboard hung too low", "c",
		"Bottom edge is at 30\". The elevation shows 36\" for this grade, and the rail is in the way of the outlet.",
		punchOne, foreman, 0,
	},
	{
		"Whiteboard is not where the elevation shows it", "c",
		"It is centred on the wall instead of on the teaching station. Two anchors will have to be patched.", punchOne,
		foreman, 0,
	},
	{
		"Locker doors out of line", "h", "Nine doors in the middle bank stand proud. The base was not shimmed.",
		punchOne,
		foreman, 0,
	},
	{
		"Toilet partition wobbles", "w", "The head rail is not fixed to the wall bracket. A child could pull it loose.",
		punchOne, foreman, 0,
	},
	{
		"Grab bar at the wrong height", "w",
		"Top of the bar measures 37\". It must be between 25\" and 27\" for this age group.", punchOne, foreman, 0,
	},
	{
		"Soap dispenser has no blocking behind it", "w",
		"It already moves. Open the wall, put blocking in, patch. Same question for the next two rooms.", punchOne,
		foreman, 340,
	},
	{
		"Handrail is loose", "s", "Two anchors are missing at the landing, and the return does not reach the wall.",
		punchOne, superintendent, 0,
	},
	{
		"Stair nosing lifts", "s",
		"The insert is not bonded over the last foot. It is a trip hazard until it is fixed.",
		safety, superintendent, 0,
	},
	{
		"Window does not lock", "c", "The lower sash stops 1/2\" short of the sill. Something is in the track.",
		punchOne,
		foreman, 0,
	},
	{
		"Roller shade binds", "c", "It climbs to the left after a foot and stops. The bracket is not level.", punchOne,
		foreman, 0,
	},
	{
		"Sealant gap at the window head", "x",
		"About 14\" is open at the head, and the backer rod shows. Re-tool before the scaffold moves.", envelope,
		foreman, 420,
	},
	{
		"Water at the window sill after rain", "c",
		"A puddle of about a cup on the sill on Monday morning. Hose test with the window installer.", envelope,
		architect, 2800,
	},
	{
		"Brick joint not tooled", "x",
		"Six courses to the right of the control joint were left raked. The mason was pulled to the south side.",
		envelope, superintendent, 0,
	},
	{
		"Weep holes are blocked", "x",
		"Mortar fills five of the eight weeps above the shelf angle. Drill them out, the flashing must drain.",
		envelope, superintendent, 0,
	},
	{
		"Efflorescence on the brick", "x",
		"White bloom from the sill down to grade. Wash after the copings are on, not before.", envelope, superintendent,
		0,
	},
	{
		"Flashing lap reversed", "rx",
		"The upstream piece goes under the downstream piece. Two laps found, check the rest of the run.", envelope,
		architect, 950,
	},
	{
		"Roof drain strainer missing", "r",
		"The drain is open, and there is already gravel in the bowl. Cover it today.",
		envelope, superintendent, 0,
	},
	{
		"Roof membrane is punctured", "r",
		"A screw went through next to the curb. Marked with spray paint; patch and probe the seam around it.", envelope,
		superintendent, 600,
	},
	{
		"Coping joint open", "r", "The cover plate came off in the wind. The joint lets water straight into the wall.",
		envelope, superintendent, 0,
	},
	{
		"Insulation missing behind the access panel", "cm",
		"About 4 square feet of bare deck. It is next to a cold wall and will sweat.", envelope, engineer, 0,
	},
	{
		"Firestop missing at pipe sleeve", "hm",
		"Two 2\" pipes pass a one-hour wall with nothing around them. Use the listed system for the annular space that is there.", services, engineer, 0,
	},
	{
		"Duct clashes with the cable tray", "hc",
		"The branch to this room and the tray want the same 6\". Moving the tray up would be easiest, but the hanger is in the way.", services, engineer, 1900,
	},
	{
		"Diffuser not connected", "chg", "The flexible duct lies on the ceiling grid. Air blows into the plenum.",
		services, engineer, 0,
	},
	{
		"Thermostat on the wrong wall", "c",
		"It is above the printer, and will read high. The plan has it by the door at 48\".", services, engineer, 0,
	},
	{
		"VAV box cannot be reached", "ch",
		"A sprinkler branch runs across the access side. There are 9\" clear and the filter needs 18\".", services,
		engineer, 1250,
	},
	{
		"Pipe insulation torn", "mh",
		"About 3' of the chilled water return. Vapour barrier is open, and it will drip on the ceiling.", services,
		engineer, 0,
	},
	{
		"Pipe hanger missing", "mh", "The run sags between the third and the fourth hanger: 14' where 8' is the most.",
		services, engineer, 0,
	},
	{
		"Floor drain sits high", "wm",
		"Water stands 1/4\" deep around the rim. The trades disagree on who set the height.", services, engineer, 780,
	},
	{
		"Sink drains slowly", "wc",
		"It takes more than a minute. Snake it first; the vent may be blocked by a test plug.",
		services, engineer, 0,
	},
	{
		"Hot water is not hot", "w", "84 °F after two minutes. The mixing valve looks like it was never set.", services,
		engineer, 0,
	},
	{
		"Sprinkler head is too close to the light", "chg",
		"7\" from the fixture, which throws a shadow. Move the light one tile over.", services, engineer, 0,
	},
	{
		"Sprinkler escutcheon missing", "chg",
		"The hole in the tile is larger than the cup. New tile, then the escutcheon.", services, engineer, 0,
	},
	{
		"Outlet covers missing", "c",
		"All six along this wall. The boxes are live since Tuesday: cover them before anybody works here.", safety,
		engineer, 0,
	},
	{
		"Outlet has reversed polarity", "c", "Found with the plug tester. Check the whole circuit, not only this one.",
		services, engineer, 0,
	},
	{
		"Light fixture flickers", "chg",
		"The second from the window. Swapping the driver did not help, so look at the control wire.", services,
		engineer, 0,
	},
	{
		"Occupancy sensor does not see the desk", "c",
		"Lights go out after ten minutes with somebody sitting there. Turn it, or move it to the middle.", services,
		engineer, 0,
	},
	{
		"Exit sign points the wrong way", "hsg", "The chevron points to the dead end. Replace the face plate.", safety,
		engineer, 0,
	},
	{
		"Emergency light fails its test", "hsg",
		"Dark after four seconds. Battery is from the first delivery; the others of that box should be tried too.",
		services, engineer, 0,
	},
	{
		"Panel schedule is not filled in", "m",
		"Handwritten on cardboard. The inspector will want the typed one behind plastic.", services, engineer, 0,
	},
	{
		"Conduit not supported", "mh", "It hangs from the ceiling wires over 12'. Strap it to the structure.", services,
		engineer, 0,
	},
	{"Data drop is dead", "c", "Both ports. The tester says open on pair 3; probably the jack.", services, engineer, 0},
	{
		"Speaker wire left coiled", "hcg", "No back box was set. The ceiling closes here next week.", services,
		engineer,
		0,
	},
	{
		"Guardrail removed and not put back", "sr",
		"Taken down to lift the air handler. Nobody works past the tape until it is up again.", safety, superintendent,
		0,
	},
	{
		"Extension cord through the doorway", "hsg",
		"It lies in water when it rains. Bring power from the panel on this side.", safety, superintendent, 0,
	},
	{"Fire extinguisher blocked", "hg", "Pallets of ceiling tile stand in front of it.", safety, superintendent, 0},
	{
		"Debris at the bottom of the stair", "s",
		"Gypsum board scrap and banding. Second time this week; the chute is 20' away.", safety, superintendent, 0,
	},
	{
		"Owner asks for a hook rail by the door", "c",
		"Twenty-four hooks, at 42\". The teachers asked on the walk. Price it with the bench in the corridor.",
		ownerWalk, manager, 890,
	},
	{
		"Owner wants the lockset keyed alike", "c",
		"The district has its own key system. Get the list from Facilities before the cylinders are ordered.",
		ownerWalk, manager, 0,
	},
	{
		"Room sign has the old number", "c",
		"The room was renumbered with Bulletin 2. Twelve signs are affected in all.",
		ownerWalk, architect, 310,
	},
	{
		"Projector mount not centred on the screen", "c", "5\" to the left. The owner's AV people come in three weeks.",
		ownerWalk, manager, 0,
	},
}

// more is what is added to some issues, by whoever wrote them.
var more = []string{
	"Seen on the walk this morning.", "Same thing next door, but not as bad.", "Please send a photo when it is done.",
	"Do it before the ceiling closes.",
	"Talk to Lena before you start, the room is booked for training.", "It was on the last list too.",
	"Nobody has worked here since Friday, so it is not from this week.",
	"The material is in the container by gate 2.", "Needs two people and a ladder.",
	"Tell me if this takes more than half a day.", "It has to be finished before the inspection.",
	"The subcontractor knows about it.", "See the photo.", "Check the rest of the floor for the same.",
}

// planned is work that is planned rather than wrong.
var planned = []defect{
	{
		"Set the air handler", "r",
		"Crane from 6:30. The street lane is closed until noon; everybody else unloads at gate 2.", services, engineer,
		0,
	},
	{
		"Pour the equipment pads", "m", "Four pads, 6\". Sleeves must be in and photographed the day before.", services,
		superintendent, 0,
	},
	{
		"Flood test the showers", "w", "24 hours with 2\" of water. Keep the drains plugged and the doors taped.",
		punchOne, superintendent, 0,
	},
	{
		"Above-ceiling inspection", "hc", "City inspector at 9:00. Every tile stays out until the card is signed.",
		services, engineer, 0,
	},
	{
		"Energise the main panel", "m", "Utility comes between 8 and 10. Lock-out list hangs on the door.", services,
		engineer, 0,
	},
	{
		"Deliver casework", "c", "Two trucks. The freight opening on the north side stays open until they have left.",
		punchOne, foreman, 0,
	},
	{
		"Hang the operable partition", "g", "The track must be shimmed to 1/16\" before the panels come.", punchOne,
		foreman, 0,
	},
	{
		"Balance the air, second floor", "h", "Doors closed, filters clean, no sanding on this floor for two days.",
		services, engineer, 0,
	},
	{"Strip and seal the terrazzo", "hg", "No traffic for 36 hours. Use stair B.", punchOne, foreman, 0},
	{
		"Owner training: boiler and controls", "m",
		"Two hours, with the maintenance people of the district. Bring the manuals.", ownerWalk, manager, 0,
	},
}

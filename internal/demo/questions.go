package demo

// question is an RFI: what is asked and what the answer is, and whether somebody had to pay for it.
type question struct{ title, question, answer string }

var questions = []question{
	{
		"Beam pocket at grid C-4",
		"The pocket shown on the framing plan is 8\" deep, the beam seat detail needs 10\" with the leveling plate. Can the pocket be cut to 10\" without additional reinforcing?",
		"Yes. Cut to 10\", keep 3\" clear to the nearest vertical bar. If a bar is exposed stop and call. No additional reinforcing is needed.",
	},
	{
		"Fire rating of the wall between 110 and 111",
		"The life safety plan shows one hour, the partition schedule gives type 3A, which is not rated. Which governs?",
		"The life safety plan governs. Use type 3C, board to deck on both sides. We will correct the schedule in the next bulletin.",
	},
	{
		"Location of the roof hatch",
		"As drawn the hatch opens against the screen wall: 22\" clear. OSHA wants 30\". Move it 2'-0\" to the south?",
		"Moving 2'-0\" south is fine. Coordinate with the joist layout; the opening must stay between joists J5 and J6.",
	},
	{
		"Finish of the exposed columns in the library",
		"The finish schedule says paint, the reflected ceiling plan has a note that calls for intumescent coating. Is the coating to be painted?",
		"Intumescent coating with a finish coat, colour P-1. Submit the combination as one system so that the rating stays valid.",
	},
	{
		"Floor drain in janitor 107",
		"There is a mop sink and no floor drain on the plumbing plan; the architectural plan shows one. The slab is poured on Thursday.",
		"Provide a 3\" floor drain, tied to the mop sink's branch. Trap primer from the same line.",
	},
	{
		"Height of the sills on the north side",
		"Elevation shows 2'-10\", the window schedule gives 3'-0\". The masons reach the sill this week.",
		"2'-10\". The schedule is wrong.",
	},
	{
		"Substitution for the gym floor cushion",
		"The specified cushion has a lead time of 22 weeks. The supplier offers their model of the same height and the same test values in 6. Acceptable?",
		"Acceptable, provided the shock absorption report is submitted before it is ordered. Warranty terms must be the same.",
	},
	{
		"Duct through the shear wall",
		"The 24x12 supply to the cafeteria has to pass the wall on grid 6, and there is no opening on the structural drawings. Is an opening possible at 9'-2\" above the floor?",
		"Opening of 26x14 is possible at this height with the trim bars of the attached sketch. Nothing within 4'-0\" of the column.",
	},
	{
		"Door 122B: swing",
		"The cafeteria door swings into the path of egress and blocks half of the corridor. Reverse the swing or recess it?",
		"Recess by 14\". See the sketch. Hardware stays as scheduled.",
	},
	{
		"Concrete mix for the exterior steps",
		"Specification asks for 5,000 psi with 6 % air; the ready-mix plant's standard flatwork mix is 4,500 psi with 6 %. Can this be used for the steps?",
		"No. Exposed steps get deicing salt. Use the specified mix.",
	},
	{
		"Backing for the smart boards",
		"The owner changed to a heavier board, 188 lb. Blocking is shown for the old one. Please give size and height.",
		"Two rows of 2x10 fire-retardant blocking, centred at 36\" and 72\", between studs over the full width of the board.",
	},
	{
		"Existing sewer invert",
		"Survey gives 847.20, we measured 846.85 at the manhole. With the measured value the lateral has 1.1 % instead of 1.5 %. Proceed?",
		"Proceed. 1 % is the least that the city allows for 6\". Send the measured values so that the record drawing is right.",
	},
	{
		"Paint on the galvanised lintels",
		"Exterior lintels are galvanised. Section 09 91 13 wants a primer that the galvanizer says will not hold. Which primer?",
		"",
	},
	{
		"Control joints in the corridor terrazzo",
		"No joints are shown over the grid lines. The installer wants divider strips at every column line, about 18'.",
		"Agreed. Zinc strips at column lines, and at each change of colour.",
	},
	{
		"Clearance at panel LP-2",
		"A water heater is drawn 30\" in front of the panel. 36\" is needed. Move the heater to the other side of the door?",
		"Move the heater. The flue has to be rerouted, see M sheets of bulletin 2.",
	},
	{
		"Handrail extension at stair A",
		"The bottom extension lands in front of door 113. Can it turn the corner?",
		"It may turn with a continuous rail. Keep 12\" plus one tread depth in total.",
	},
	{
		"Acoustic panels in the gym",
		"The elevation shows 14 panels, the schedule has 18. Which number, and where do the other four go?",
		"",
	},
	{
		"Kitchen hood make-up air",
		"The submittal of the hood asks for 2,400 cfm make-up. The unit on the roof is scheduled at 1,900.",
		"The unit will be changed. Hold the order; revised schedule follows with a change directive.",
	},
	{
		"Trees at the east property line",
		"The utility trench goes through the drip line of the two oaks that are to remain. Bore or reroute?",
		"Bore under the root zone at 4'-0\" minimum, with the arborist on site.",
	},
	{
		"Waterproofing behind the shelf angle",
		"The detail stops the membrane at the angle. Should it lap over the flashing?",
		"Lap 4\" over the flashing and seal with mastic. Detail will be revised.",
	},
	{
		"Data outlets in the resource room",
		"The furniture plan moved the desks to the inside wall. Should the outlets follow? Walls close on Monday.",
		"Yes, follow the furniture plan of bulletin 2: four outlets on the inside wall, leave the two at the window.",
	},
	{
		"Expansion joint cover at the link",
		"The specified cover takes 1\" of movement. The structural notes give 1 1/2\".",
		"",
	},
	{
		"Colour of the exterior sealant",
		"The mock-up was approved with bronze next to the windows and limestone at the control joints. The schedule lists one colour only.",
		"Follow the mock-up.",
	},
	{
		"Reuse of the existing flagpole",
		"Is the flagpole from the old entrance to be reused? The base detail is for a new one.",
		"Withdrawn by the owner: a new pole was donated.",
	},
}

// What people say about issues: when they look at them, work on them, and close them.
var (
	looked = []string{
		"Looked at it today. It is as described, about an hour of work.",
		"Is this in our scope? I read the drawing differently.",
		"We need the room empty for this. Thursday would work.",
		"Parts are ordered, they come next week.", "I cannot find it. Which wall?",
		"North wall, left of the window. I put blue tape on it.",
		"Waiting for the answer to the RFI before we touch this.",
		"Please also check the one across the corridor.", "Moved to next week, the lift is needed on the roof.",
		"Two of my people are on it now.",
	}
	reported = []string{
		"Done. Photo is attached.", "Fixed this morning, please have a look.",
		"Finished, except for the paint, which has to dry until tomorrow.",
		"Replaced. The old one is in the container in case you want to see it.",
		"Adjusted and tried ten times. It holds now.",
	}
	accepted = []string{
		"Checked, looks good.", "Accepted. Thank you.", "Checked with the owner's representative, closed.",
		"Good. Closing this.",
	}
	rejected = []string{
		"Not there yet: the edge is still rough.", "I opened it again. It came back after the weekend.",
		"Only half of it was done. See the photo.",
	}
	discussed = []string{
		"We need this by Friday, the crew comes Monday.",
		"The sketch helps. One question left: does this apply on level 2 as well?", "Yes, both levels.",
		"Forwarded to the structural engineer.",
		"Still waiting. This is on the critical path now.", "Answer received, thank you. We price the difference.",
		"No cost for us, we had it on the truck anyway.", "Please confirm with the inspector before you cut.",
		"I will bring it up in Tuesday's meeting.", "Confirmed on site with Lena.",
	}
	announced = []string{
		"Site is closed on Friday afternoon for the fire alarm test. Please plan deliveries around it.",
		"Bulletin 2 is published. Old prints go into the bin, please.",
		"The hoist is down until Wednesday. Use stair B, and keep it clear.",
		"Parking on Canal Road is for the school buses from 7 to 9. The neighbours called again.",
		"Nine days without rain. Let us get the north side closed while it lasts.",
		"Owner walkthrough is on Thursday at 10, meet in the lobby.",
	}
)

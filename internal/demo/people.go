package demo

import (
	"slices"
	"strings"
)

// Person is somebody on the demonstration's team.
type Person struct {
	Email, First, Last, Company, Title string
	role                               string // uid; empty is whoever makes the project
}

// The roles that people are invited with.
const (
	admin        = "9d139e64-cac9-4f23-b4d5-9fd3688b498e"
	power        = "0b6c1f5e-6d0a-4a52-9f5e-2f1b7c3d8a41"
	collaborator = "5e7a9c30-41d2-4c8b-8a67-d9f0b2e4c613"
)

// Who is who in People.
const (
	manager = iota
	superintendent
	architect
	engineer
	foreman
)

// People are the team; the first is the one a visitor acts as.
func People() []Person {
	return []Person{
		{"demo@groundwork.example", "Dana", "Whitlock", "Calder & Finch Builders", "Project Manager", ""},
		{"lena@groundwork.example", "Lena", "Ortiz", "Calder & Finch Builders", "Superintendent", power},
		{"marcus@groundwork.example", "Marcus", "Oyelaran", "Holt Abara Architects", "Project Architect", power},
		{"priya@groundwork.example", "Priya", "Raman", "Northline Mechanical", "MEP Coordinator", collaborator},
		{"tom@groundwork.example", "Tom", "Becker", "Becker Interiors", "Finishes Foreman", collaborator},
	}
}

// IsPerson tells whether an address is of somebody in People, who exists nowhere: mail to them would come back.
func IsPerson(email string) bool {
	return slices.ContainsFunc(People(), func(p Person) bool { return strings.EqualFold(p.Email, email) })
}

// Name of the project, as its drawings have it.
const Name = "Mill Creek Elementary School"

// drawings is the seed of the drawings of this school.
const drawings = 43

var project = map[string]any{
	"name": Name, "custom_id": "MCES-2214", "type": "education-k-12", "status": "Construction",
	"owner":    "Mill Creek School District 7",
	"street_1": "418 Canal Road", "city": "Madison", "region": "WI", "postal_code": "53703", "country": "US",
}

// The lists that issues are in.
const (
	punchOne = iota
	punchTwo
	services
	envelope
	safety
	ownerWalk
)

var lists = []string{
	"Punch list, level 1", "Punch list, level 2", "MEP coordination", "Envelope and roof",
	"Safety walks", "Owner walkthrough",
}

// room is where something is found: its name, its level, and its sort: classrooms and the like, great rooms, halls, wet
// and mechanical rooms, stairs, outside, roof.
type room struct {
	name  string
	level int
	sort  byte
}

var rooms = []room{
	{"Lobby 101", 1, 'g'},
	{"Office 103", 1, 'c'},
	{"Principal 104", 1, 'c'},
	{"Work room 106", 1, 'c'},
	{"Classroom 110", 1, 'c'},
	{"Classroom 111", 1, 'c'},
	{"Classroom 112", 1, 'c'},
	{"Classroom 114", 1, 'c'},
	{"Art room 116", 1, 'c'},
	{"Kitchen 121", 1, 'w'},
	{"Cafeteria 122", 1, 'g'},
	{"Gym 130", 1, 'g'},
	{"Corridor 1A", 1, 'h'},
	{"Corridor 1B", 1, 'h'},
	{"Boys' toilets 118", 1, 'w'},
	{"Girls' toilets 119", 1, 'w'},
	{"Electrical 108", 1, 'm'},
	{"Boiler room 135", 1, 'm'},
	{"Stair A, level 1", 1, 's'},
	{"Stair B, level 1", 1, 's'},
	{"North elevation", 1, 'x'},
	{"South elevation", 1, 'x'},
	{"East elevation", 1, 'x'},
	{"Stair A, level 2", 2, 's'},
	{"Stair B, level 2", 2, 's'},
	{"Classroom 201", 2, 'c'},
	{"Classroom 202", 2, 'c'},
	{"Classroom 204", 2, 'c'},
	{"Classroom 206", 2, 'c'},
	{"Classroom 208", 2, 'c'},
	{"Science lab 210", 2, 'c'},
	{"Library 215", 2, 'g'},
	{"Resource 217", 2, 'c'},
	{"Corridor 2A", 2, 'h'},
	{"Corridor 2B", 2, 'h'},
	{"Toilets 219", 2, 'w'},
	{"Mechanical 225", 2, 'm'},
	{"Electrical 224", 2, 'm'},
	{"Roof, north", 2, 'r'},
	{"Roof, south", 2, 'r'},
}

// sorted are the rooms of each sort.
var sorted = func() map[byte][]room {
	all := map[byte][]room{}
	for _, r := range rooms {
		all[r.sort] = append(all[r.sort], r)
	}
	return all
}()

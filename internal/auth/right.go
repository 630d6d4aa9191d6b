package auth

// Role is what a member may do in a project. Its uid is the same in every project.
type Role uint8

// The three built-in roles, in display order. Nobody is a removed member's role.
const (
	Nobody Role = iota
	Admin
	PowerCollaborator
	Collaborator
)

// Level says which records of a kind a role reaches with a route.
type Level uint8

// No refuses; Own admits to the records that the route's predicate calls the caller's own; Any admits to all.
const (
	No Level = iota
	Own
	Any
)

// Right is a route's demand: a level for each role.
type Right struct{ Admin, Power, Collaborator Level }

// For gives the level of a role; Nobody has none.
func (r Right) For(role Role) Level {
	switch role {
	case Admin:
		return r.Admin
	case PowerCollaborator:
		return r.Power
	case Collaborator:
		return r.Collaborator
	default:
		return No
	}
}

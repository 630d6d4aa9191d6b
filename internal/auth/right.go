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

// The rights that routes ask for. Each has one name, here, so that a name means the same in every noun.
var (
	Everyone      = Right{Admin: Any, Power: Any, Collaborator: Any}
	Managers      = Right{Admin: Any, Power: Any}
	Admins        = Right{Admin: Any}
	ManagersOrOwn = Right{Admin: Any, Power: Any, Collaborator: Own}
	AdminsOrOwn   = Right{Admin: Any, Power: Own, Collaborator: Own}
	OwnOnly       = Right{Admin: Own, Power: Own, Collaborator: Own}
)

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

// roles are the built-in roles by Role; their uids are the same in every project.
var roles = [...]struct{ uid, label string }{
	Admin:             {"9d139e64-cac9-4f23-b4d5-9fd3688b498e", "Admin"},
	PowerCollaborator: {"0b6c1f5e-6d0a-4a52-9f5e-2f1b7c3d8a41", "Power Collaborator"},
	Collaborator:      {"5e7a9c30-41d2-4c8b-8a67-d9f0b2e4c613", "Collaborator"},
}

// UID is the uid of the role's record.
func (r Role) UID() string { return roles[r].uid }

// String is the label of the role.
func (r Role) String() string { return roles[r].label }

// RoleOf finds a role by its uid; Nobody where there is none.
func RoleOf(uid string) Role {
	for r, known := range roles {
		if known.uid == uid && uid != "" {
			return Role(r)
		}
	}
	return Nobody
}

// Roles are the built-in roles in display order.
func Roles() []Role { return []Role{Admin, PowerCollaborator, Collaborator} }

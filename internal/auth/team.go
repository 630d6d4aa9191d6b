package auth

import (
	"context"
	"strings"

	"groundwork/internal/identity"
	"groundwork/internal/store"
)

// KindMember is the stored kind of team records. Whoever writes in a project has one; its uid is the account's.
const KindMember store.Kind = 2

// RoleTerm begins the filter term of a team record that names its role by uid.
const RoleTerm = "role="

// Person is a member of a project's team, present, invited or removed. Its account is as the project shows it: see
// Shown.
type Person struct {
	identity.Account
	Role    Role
	Removed bool
	Here    bool // they have come to the project, and not left
}

// Team is everybody who ever was on a project's team, by ordinal.
type Team struct {
	people []Person
	byUID  map[string]uint32
}

// TeamOf makes a team of people in the order of their ordinals.
func TeamOf(people ...Person) *Team {
	t := &Team{people: people, byUID: make(map[string]uint32, len(people))}
	for i := range people {
		t.byUID[people[i].UID] = uint32(i + 1)
	}
	return t
}

// Person gives the member at an ordinal; nil where there is none.
func (t *Team) Person(ordinal uint32) *Person {
	if ordinal == 0 || int(ordinal) > len(t.people) {
		return nil
	}
	return &t.people[ordinal-1]
}

// Members is how many are on the team.
func (t *Team) Members() (n int) {
	for i := range t.people {
		if p := &t.people[i]; !p.Removed && !p.Erased {
			n++
		}
	}
	return n
}

// Ordinal finds a member by account uid; 0 where there is none.
func (t *Team) Ordinal(uid string) uint32 { return t.byUID[uid] }

// team is the key of the memo.
type team struct{}

const teamRows = `FROM records r JOIN accounts a ON a.uid = r.uid WHERE r.id >= $1 AND r.id < $2 ORDER BY r.id`

// Team gives the team of a project from memory; it is built again after a change to one of its members.
func (a *Auth) Team(ctx context.Context, p *store.Project) (*Team, error) {
	v, err := p.Memo(team{}, func() (any, error) {
		var people []Person
		from, to := store.MakeID(p.ID, KindMember, 0), store.MakeID(p.ID, KindMember+1, 0)
		sql := `SELECT ` + identity.Columns("a") + `, r.deleted, r.terms, r.private ` + teamRows
		err := a.store.QueryIn(ctx, p, sql, []any{from, to}, func(c *store.Cols) error {
			m := Person{Account: *identity.Scan(c), Removed: c.Int(identity.Width) != 0}
			for term := range strings.SplitSeq(c.Text(identity.Width+1), "\t") {
				if uid, ok := strings.CutPrefix(term, RoleTerm); ok {
					m.Role = RoleOf(uid)
				}
			}
			var err error
			if m.Here, err = m.As(c.Bytes(identity.Width + 2)); err != nil {
				return err
			}
			people = append(people, m) // ordinals are dense: the place in the list is the ordinal
			return nil
		})
		return TeamOf(people...), err
	}, KindMember)
	if err != nil {
		return nil, err
	}
	return v.(*Team), nil
}

// Remembered gives the team of a project if memory has it, and nil otherwise.
func Remembered(p *store.Project) *Team {
	t, _ := p.Recall(team{}, KindMember).(*Team)
	return t
}

// PersonIn gives a member as the project shows them, by their team record; nil where the account is gone. Effective
// tells whether they can enter, and may be told what happens in the project.
func PersonIn(tx *store.Tx, row store.Row) (p *Person, effective bool, err error) {
	account, err := identity.AccountIn(tx, row.UID)
	if err != nil || account == nil {
		return nil, false, err
	}
	p = &Person{Account: *account, Removed: row.Deleted}
	if p.Here, err = p.As(row.Private); err != nil {
		return nil, false, err
	}
	return p, !row.Deleted && !account.Disabled && account.Reaches(row.ID.Project(), row.ID.Ordinal()), nil
}

package project

import (
	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// Role is a permission role; every project has the same three, under the same uids.
type Role struct {
	document.Record
	Label string `json:"label"`
}

// Member is a person on a project's team. Its uid is the account's. The account's own fields are shown as they are now
// once the person has come to the project; before that, as the invitation has them, and after they left, as they were:
// see auth.Shown.
type Member struct {
	document.Record
	Email     AccountField `json:"email"`
	FirstName AccountField `json:"first_name"`
	LastName  AccountField `json:"last_name"`
	Language  AccountField `json:"language"`
	Company   AccountField `json:"company"`
	Title     AccountField `json:"title"`
	Role      document.Ref `json:"role" write:"as=role_uid,solid" ref:"roles" filter:"role_uid"`
	Removed   bool         `json:"removed"`

	Proven AccountProven `json:"proven"`
}

var (
	roles   = &resource.Kind[Role]{Number: 3, Plural: "roles", Name: "Role"}
	members = &resource.Kind[Member]{
		Number: auth.KindMember, Plural: "users", Name: "User", Version: 2, Check: checkMember, OwnedBy: isSelf,
		Revive: "Invite them again.",
	}
)

func member(roleUID string) *Member {
	return &Member{
		Email: accountEmail, FirstName: accountFirstName, LastName: accountLastName,
		Language: accountLanguage, Company: accountCompany, Title: accountTitle,
		Role: document.Ref("roles/" + roleUID),
	}
}

func isSelf(s auth.Scope, m *Member) bool { return m.UID == s.Account().UID }

// checkMember completes a removal, and keeps the last Admin.
func checkMember(tx *resource.Tx, old, now *Member) error {
	if now.Removed = now.Deleted; now.Removed {
		now.Role = ""
	}
	if err := keepLastAdmin(tx, old, now); err != nil {
		return err
	}
	if !now.Removed || old == nil || old.Removed {
		return nil
	}
	tx.EndLinks() // or whoever was removed would fetch files until tomorrow
	return freeze(tx, now)
}

// teammates reads other members: a Check cannot name the kind that it is of.
var teammates = &resource.View[Member]{Name: "project.teammates", Of: []string{"users"}}

// keepLastAdmin refuses a change after which a project would have no Admin: fault.Conflict.
func keepLastAdmin(tx *resource.Tx, old, now *Member) error {
	if old == nil || !isAdmin(old) || isAdmin(now) {
		return nil
	}
	others := 0
	err := tx.Each(auth.KindMember, func(row store.Row) error {
		m, err := teammates.Read(row)
		if err == nil && m.UID != now.UID && isAdmin(m) {
			others++
		}
		return err
	})
	if err == nil && others == 0 {
		err = fault.New(fault.Conflict,
			"This person is the last Admin of the project. Make somebody else Admin first.")
	}
	return err
}

// freeze keeps what is shown of a member who is removed, and ends the links that they were shown here or that lead to
// them.
func freeze(tx *resource.Tx, now *Member) error {
	if err := tx.Auth.Withdraw(tx.Tx, now.UID); err != nil {
		return err
	}
	return identity.Freeze(tx.Tx, tx.Row())
}

func isAdmin(m *Member) bool { return !m.Removed && m.Role.UID() == auth.Admin.UID() }

// keepsAdmin says that a route refuses to take the last Admin away.
func keepsAdmin(r api.Route) api.Route {
	r.Errors = append(r.Errors, 409)
	return r
}

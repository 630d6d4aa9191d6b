package project

import (
	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// Role is a permission role; every project has the same three, under the same uids.
type Role struct {
	resource.Record
	Label string `json:"label"`
}

// Member is a person on a project's team. Its uid is the account's, and the account's own fields are shown as they are now.
type Member struct {
	resource.Record
	Email     resource.Member `json:"email"`
	FirstName resource.Member `json:"first_name"`
	LastName  resource.Member `json:"last_name"`
	Language  resource.Member `json:"language"`
	Company   resource.Member `json:"company"`
	Title     resource.Member `json:"title"`
	Role      resource.Ref    `json:"role" write:"as=role_uid,solid" ref:"roles" filter:"role_uid"`
	Removed   bool            `json:"removed"`
}

var (
	roles   = &resource.Kind[Role]{Plural: "roles"}
	members = &resource.Kind[Member]{Plural: "users", Check: checkMember, Owns: isSelf, Revive: "Invite them again."}
)

func member(roleUID string) *Member {
	return &Member{
		Email: resource.MemberEmail, FirstName: resource.MemberFirstName, LastName: resource.MemberLastName,
		Language: resource.MemberLanguage, Company: resource.MemberCompany, Title: resource.MemberTitle,
		Role: resource.Ref("roles/" + roleUID),
	}
}

func isSelf(s auth.Scope, m *Member) bool { return m.UID == s.Account().UID }

// checkMember completes a removal, and keeps the last Admin.
func checkMember(tx *resource.Tx, old, now *Member) error {
	if now.Removed = now.Deleted; now.Removed {
		now.Role = ""
	}
	if old == nil || !isAdmin(old) || isAdmin(now) {
		return nil
	}
	others := 0
	err := tx.Each(auth.KindMember, func(row store.Row) error {
		m, err := resource.Load[Member](row)
		if err == nil && m.UID != now.UID && isAdmin(m) {
			others++
		}
		return err
	})
	if err == nil && others == 0 {
		err = fault.New(fault.Conflict, "User %s is the last Admin of the project. Make somebody else Admin first.", now.UID)
	}
	return err
}

func isAdmin(m *Member) bool { return !m.Removed && m.Role.UID() == auth.Admin.UID() }

// keepsAdmin says that a route refuses to take the last Admin away.
func keepsAdmin(r api.Route) api.Route {
	r.Errors = append(r.Errors, 409)
	return r
}

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

// invitation is the body of an invitation.
type invitation struct {
	Email     string  `json:"email" write:"required,solid,max=254"`
	RoleUID   *string `json:"role_uid" write:""`
	FirstName *string `json:"first_name" write:"max=255"`
	LastName  *string `json:"last_name" write:"max=255"`
	Language  *string `json:"language" write:"max=255"`
}

func invites() api.Route {
	r := api.Route{
		Method: "POST", Pattern: "/projects/{project}/users/invites", Access: api.Member, Right: adminsOnly, Do: invite, Keyed: true,
		Summary: "Invite a person to the team", Tag: "users", Status: 201, Also: []int{200},
	}
	r.In = resource.BodySchema[invitation]()
	r.Out, r.Components = resource.OneSchema(members)
	return r
}

// invite puts a person on the team: a new one, with an account made for the address where there is none; or a removed one again.
// A present member stays as they are.
func invite(c *api.Call) error {
	in, body, err := resource.Body[invitation](c)
	if err != nil {
		return err
	}
	role := auth.Collaborator.UID()
	if in.RoleUID != nil {
		role = *in.RoleUID
	}
	return members.Write(c, body, func(tx *resource.Tx) (int, store.Row, error) {
		if _, err := tx.Find("roles", role); err != nil {
			return 0, store.Row{}, err
		}
		account, err := c.Auth.Invited(tx.Tx, in.Email, text(in.FirstName), text(in.LastName), text(in.Language))
		if err != nil {
			return 0, store.Row{}, err
		}
		row, known, err := tx.Get(auth.KindMember, account.UID)
		switch {
		case err != nil:
			return 0, row, err
		case !known:
			row, err = members.Insert(tx, account.UID, member(role))
			return 201, row, err
		case !row.Deleted:
			return 200, row, nil
		}
		old, err := resource.Load[Member](row)
		if err != nil {
			return 0, row, err
		}
		now := *old
		now.Deleted, now.Role = false, resource.Ref("roles/"+role)
		return 201, row, members.Save(tx, &row, old, &now, store.Restored)
	})
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// keepsAdmin says that a route refuses to take the last Admin away.
func keepsAdmin(r api.Route) api.Route {
	r.Errors = append(r.Errors, 409)
	return r
}

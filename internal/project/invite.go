package project

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

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
	_, r.Components = resource.OneSchema(members)
	r.Components["InvitedUser"] = invited(r.Components["User"])
	r.Out = api.Schema{"$ref": "#/components/schemas/InvitedUser"}
	return r
}

// invited is the schema of a member with the link beside.
func invited(member api.Schema) api.Schema {
	all := maps.Clone(member)
	properties := maps.Clone(member["properties"].(api.Schema))
	properties["invitation_url"] = api.Schema{
		"type": []any{"string", "null"}, "format": "uri",
		"description": "Where the person chooses a password. Null when it is sent to them by mail, or when they have a password already.",
	}
	all["properties"], all["description"] = properties, "User, with the link of the invitation where no mail can be sent."
	all["required"] = slices.Sorted(maps.Keys(properties))
	return all
}

// invite puts a person on the team: a new one, with an account made for the address where there is none; or a removed one again.
// A present member stays as they are. Whoever is new, or has not answered yet, is written to.
func invite(c *api.Call) error {
	in, body, err := resource.Body[invitation](c)
	if err != nil {
		return err
	}
	role := auth.Collaborator.UID()
	if in.RoleUID != nil {
		role = *in.RoleUID
	}
	var link *string
	return members.WriteBeside(c, body, func(tx *resource.Tx) (status int, row store.Row, err error) {
		link = nil
		if _, err := tx.Find("roles", role); err != nil {
			return 0, row, err
		}
		account, err := c.Auth.Invited(tx.Tx, in.Email, text(in.FirstName), text(in.LastName), text(in.Language))
		if err != nil {
			return 0, row, err
		}
		if status, row, err = enlist(tx, account.UID, role); err != nil {
			return 0, row, err
		}
		link, err = tell(tx, c, account, status)
		return status, row, err
	}, func() string {
		shown, _ := json.Marshal(link) // a text or nothing
		return `"invitation_url":` + string(shown)
	})
}

// enlist makes an account a present member; status says whether it was none.
func enlist(tx *resource.Tx, account, role string) (status int, row store.Row, err error) {
	row, known, err := tx.Get(auth.KindMember, account)
	switch {
	case err != nil:
		return 0, row, err
	case !known:
		row, err = members.Insert(tx, account, member(role))
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
}

// tell writes to who was invited. Where no mail is sent, and the person has no password yet, whoever invites gets the link, to pass it on.
func tell(tx *resource.Tx, c *api.Call, account *auth.Account, status int) (link *string, err error) {
	if status == 200 && !account.Invited {
		return nil, nil
	}
	row, err := tx.Find("projects", tx.Project().UID)
	if err != nil {
		return nil, err
	}
	here, err := resource.Load[Project](row)
	if err != nil {
		return nil, err
	}
	letter := auth.Letter{Kind: auth.AboutInvitation, Email: account.Email, From: tx.Scope.Account().Name(), Project: here.Name}
	if _, err := tx.Jobs.Enqueue(tx.Tx, auth.LetterKind, letter); err != nil || !account.Invited || !c.Unmailed {
		return nil, err
	}
	made, err := c.Auth.NewLink(tx.Tx, c.Base, auth.Invitation, account.UID)
	return &made, err
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

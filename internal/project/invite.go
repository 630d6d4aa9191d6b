package project

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/identity"
	"groundwork/internal/letter"
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
		Method: "POST", Pattern: "/projects/{project}/users/invites", Access: api.Member, Right: auth.Admins,
		Do: invite, Keyed: true,
		Summary: "Invite a person to the team", Tag: "users", Status: 201, Also: []int{200}, Errors: []int{409},
	}
	r.In = document.BodySchema[invitation]()
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
		"description": "Where the person chooses a password. Null when it is sent to them by mail; without a mail server, it is shown only to who made the account by inviting them, if their own address is proven, and only while no other project has invited the new one.",
	}
	all["properties"], all["description"] = properties, "User, with the link of the invitation where no mail can be sent."
	all["required"] = slices.Sorted(maps.Keys(properties))
	return all
}

// invite puts a person on the team: a new one, with an account made for the address where there is none; or a removed
// one again. A present member stays as they are. Whoever is new, or has not come yet, is written to. The answer is the
// same whoever has the address.
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
		if _, err := roles.Find(tx, role); err != nil {
			return 0, row, err
		}
		who := identity.Invitee{
			Email: in.Email, FirstName: text(in.FirstName), LastName: text(in.LastName), Language: text(in.Language),
			By: tx.Scope.Account(), Project: tx.Project().ID,
		}
		account, err := c.Auth.Invited(tx.Tx, who)
		if err != nil {
			return 0, row, err
		}
		if status, row, err = enlist(tx, account, who, role); err != nil {
			return 0, row, err
		}
		if len(row.Private) > 0 { // else they are there already
			link, err = tell(tx, c, account)
		}
		return status, row, err
	}, func() string {
		shown, _ := json.Marshal(link) // a text or nothing
		return `"invitation_url":` + string(shown)
	})
}

// enlist makes an account a present member; status says whether it was none. Until the person comes, the project shows
// what the invitation says of them, or what it knew when they left.
func enlist(tx *resource.Tx, account *identity.Account, who identity.Invitee, role string) (status int, row store.Row,
	err error,
) {
	row, known, err := tx.Get(auth.KindMember, account.UID)
	if err != nil {
		return 0, row, err
	}
	if !known || row.Deleted {
		if err := tx.Auth.MayInvite(tx.Tx, account, who.By, who.Email); err != nil {
			return 0, row, err
		}
		if err := tx.Auth.MayJoin(tx.Tx, account.UID); err != nil {
			return 0, row, err
		}
	}
	if !known {
		row, err = members.InsertWith(tx, account.UID, member(role), who.As().Keep())
		return 201, row, err
	}
	named, err := introduce(&row, who)
	switch {
	case err != nil:
		return 0, row, err
	case !row.Deleted:
		if named {
			err = tx.Show(&row)
		}
		return 200, row, err
	}
	old, err := members.Load(row)
	if err != nil {
		return 0, row, err
	}
	now := *old
	now.Deleted, now.Role = false, document.Ref("roles/"+role)
	return 201, row, members.Save(tx, &row, old, &now, store.Restored)
}

// introduce gives somebody who is not there, and of whom the project has no names, those of the invitation.
func introduce(row *store.Row, who identity.Invitee) (named bool, err error) {
	shown, err := identity.KeptAs(row.Private)
	if err != nil || shown == nil || shown.FirstName != nil || shown.LastName != nil ||
		who.FirstName == "" && who.LastName == "" {
		return false, err
	}
	given := who.As()
	shown.FirstName, shown.LastName = given.FirstName, given.LastName
	if shown.Language == nil {
		shown.Language = given.Language
	}
	row.Private = shown.Keep()
	return true, nil
}

// tell writes to who was invited, unless they had letters enough. Where no mail is sent, who made the account by
// inviting them gets the link, to pass it on.
func tell(tx *resource.Tx, c *api.Call, account *identity.Account) (link *string, err error) {
	by := tx.Scope.Account()
	write, err := c.Auth.NoteInvitation(tx.Tx, account, by)
	if err != nil {
		return nil, err
	}
	row, err := projects.Find(tx, tx.Project().UID)
	if err != nil {
		return nil, err
	}
	here, err := projects.Load(row)
	if err != nil {
		return nil, err
	}
	if write {
		invitation := letter.Letter{
			Kind: letter.AboutInvitation, Email: account.Email, From: by.Name(),
			Project: here.Name,
		}
		if _, err := tx.Jobs.Enqueue(tx.Tx, letter.Kind, invitation); err != nil {
			return nil, err
		}
	}
	if !c.Unmailed {
		return nil, nil
	}
	if sees, err := c.Auth.InviterSees(tx.Tx, account, by); err != nil || !sees {
		return nil, err
	}
	made, err := c.Auth.ShownLink(tx.Tx, c.Base, account.UID, by.UID, auth.Occasion{By: by.Name(), Project: here.Name})
	return &made, err
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

package project

import (
	"groundwork/internal/api"
	"groundwork/internal/document"
	"groundwork/internal/identity"
	"groundwork/internal/resource"
)

// Profile is the caller's own account.
type Profile struct {
	UID       string  `json:"uid"`
	Email     string  `json:"email"`
	FirstName *string `json:"first_name"`
	LastName  *string `json:"last_name"`
	Language  *string `json:"language"`
	Company   *string `json:"company"`
	Title     *string `json:"title"`
	PhotoURL  *string `json:"photo_url"`
	Deleted   bool    `json:"deleted"`
	// Notifications says whether mail comes when something concerns them.
	Notifications bool `json:"notifications"`
	// Operator says that they look after the installation: /operator is theirs.
	Operator bool `json:"operator"`
}

func profile(a *identity.Account) Profile {
	return Profile{
		UID: a.UID, Email: a.Email, FirstName: a.FirstName, LastName: a.LastName, Language: a.Language,
		Company: a.Company, Title: a.Title,
		Notifications: a.Notifications, Operator: a.Operator,
	}
}

// self is the body of a change of one's own account.
type self struct {
	FirstName     *string `json:"first_name" write:"max=255"`
	LastName      *string `json:"last_name" write:"max=255"`
	Language      *string `json:"language" write:"max=255"`
	Company       *string `json:"company" write:"max=255"`
	Title         *string `json:"title" write:"max=255"`
	Notifications *bool   `json:"notifications" write:"solid"`
}

func changeMe() api.Route {
	r := api.Route{
		Method: "PATCH", Pattern: "/me", Access: api.Caller, Summary: "Change the caller's profile",
		Tag: "account", Status: 200, Extension: true,
	}
	r.In = document.BodySchema[self]()
	r.Out, _ = document.SchemaOf[Profile]("The caller's own account.")
	r.Do = func(c *api.Call) error {
		in, body, err := resource.Body[self](c)
		if err != nil {
			return err
		}
		p := c.Credential.Account.Own()
		for name, field := range map[string]struct {
			to *string
			by *string
		}{
			"first_name": {&p.FirstName, in.FirstName}, "last_name": {&p.LastName, in.LastName},
			"language": {&p.Language, in.Language},
			"company":  {&p.Company, in.Company}, "title": {&p.Title, in.Title},
		} {
			if _, given := body.Get(name); given {
				*field.to = text(field.by)
			}
		}
		if in.Notifications != nil {
			p.Notifications = *in.Notifications
		}
		uid := c.Credential.Account.UID
		if err := c.Auth.UpdateProfile(c.Context(), uid, p); err != nil {
			return err
		}
		account, err := c.Auth.Account(c.Context(), uid)
		if err != nil {
			return err
		}
		return c.SendJSON(200, profile(account))
	}
	return r
}

func me() api.Route {
	r := api.Route{
		Method: "GET", Pattern: "/me", Access: api.Caller, Summary: "Get the caller's profile",
		Tag: "account", Status: 200,
	}
	r.Out, _ = document.SchemaOf[Profile]("The caller's own account.")
	r.Do = func(c *api.Call) error {
		return c.SendJSON(200, profile(c.Credential.Account))
	}
	return r
}

package project

import (
	"groundwork/internal/api"
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
}

func me() api.Route {
	r := api.Route{Method: "GET", Pattern: "/me", Access: api.Caller, Summary: "Get the caller's profile", Tag: "account", Status: 200}
	r.Out, _ = resource.Schema[Profile]("The caller's own account.")
	r.Do = func(c *api.Call) error {
		a := c.Credential.Account
		return c.SendJSON(200, Profile{
			UID: a.UID, Email: a.Email, FirstName: a.FirstName, LastName: a.LastName, Language: a.Language, Company: a.Company, Title: a.Title,
		})
	}
	return r
}

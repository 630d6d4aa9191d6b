// Package project owns projects, their teams and roles, and the caller's own profile. It refuses to know any other record kind: what a new
// project is born with beyond its team is handed to Routes.
package project

import (
	"regexp"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
)

// Project is the record of a project itself: the first and only record of its kind inside the project.
type Project struct {
	resource.Core
	Name              string         `json:"name" write:"required,solid,max=255"`
	CustomID          *string        `json:"custom_id" write:"max=255"`
	OrganizationID    *string        `json:"organization_id"`
	Type              *string        `json:"type" write:"one=general|manufacturing|power|water-sewer-waste|industrial-petroleum|transportation|hazardous-waste|telecom|education-k-12|education-higher|gov-federal|gov-state-local|other"`
	Status            *string        `json:"status" write:"max=255"`
	Owner             *string        `json:"owner" write:"max=255"`
	StartDate         *resource.Date `json:"start_date" write:""`
	EndDate           *resource.Date `json:"end_date" write:""`
	Street1           *string        `json:"street_1" write:"max=255"`
	Street2           *string        `json:"street_2" write:"max=255"`
	City              *string        `json:"city" write:"max=255"`
	Region            *string        `json:"region" write:"max=255"`
	PostalCode        *string        `json:"postal_code" write:"max=255"`
	Country           *string        `json:"country" write:"max=255"`
	Latitude          *float64       `json:"latitude"`
	Longitude         *float64       `json:"longitude"`
	AddToOrganization *bool          `json:"-" write:"as=add_to_organization,create"` // accepted from older programs; organisations do not exist
}

var projects = &resource.Kind[Project]{Plural: "projects", Self: true, Check: check}

var twoLetters = regexp.MustCompile(`^[A-Za-z]{2}$`)

func check(tx *resource.Tx, _, now *Project) error {
	if tx.Gives("country") && !twoLetters.MatchString(*now.Country) {
		return fault.Field("country", "It must be a two-letter country code of ISO 3166 such as US.")
	}
	if tx.Gives("start_date") && tx.Gives("end_date") && *now.EndDate < *now.StartDate {
		return fault.Field("end_date", "It must not be before start_date.")
	}
	return nil
}

var (
	everyone   = auth.Right{Admin: auth.Any, Power: auth.Any, Collaborator: auth.Any}
	adminsOnly = auth.Right{Admin: auth.Any}
	orSelf     = auth.Right{Admin: auth.Any, Power: auth.Own, Collaborator: auth.Own}
)

// Seed adds records that a new project is born with.
type Seed func(tx *resource.Tx) error

// Routes is everything the API does with projects, teams and roles. The seeds run in the transaction that makes a project.
func Routes(seeds ...Seed) []api.Route {
	one := resource.Get(projects, everyone)
	post := api.Route{
		Method: "POST", Pattern: "/projects", Access: api.Caller, Do: func(c *api.Call) error { return create(c, seeds) }, Keyed: true,
		Summary: "Create a project", Tag: "projects", Status: 201,
	}
	post.In, post.Out, post.Components = resource.CreateSchemas(projects)
	return []api.Route{
		list(), post, one, resource.Update(projects, adminsOnly),
		resource.List(roles, everyone), resource.Get(roles, everyone),
		invites(), resource.List(members, everyone), resource.Get(members, everyone),
		keepsAdmin(resource.Update(members, adminsOnly)), keepsAdmin(resource.Delete(members, orSelf)),
		me(), changeMe(),
	}
}

// Kinds are the kinds of this package.
func Kinds() []resource.AnyKind { return []resource.AnyKind{projects, roles, members} }

// create makes a project with its roles and its first member, the caller.
func create(c *api.Call, seeds []Seed) error {
	return projects.Found(c, func(tx *resource.Tx) error {
		for _, role := range auth.Roles() {
			if _, err := roles.Insert(tx, role.UID(), &Role{Label: role.String()}); err != nil {
				return err
			}
		}
		if _, err := members.Insert(tx, tx.Scope.Account().UID, member(auth.Admin.UID())); err != nil {
			return err
		}
		for _, seed := range seeds {
			if err := seed(tx); err != nil {
				return err
			}
		}
		return nil
	})
}

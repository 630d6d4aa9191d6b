// Package project owns projects, their teams and roles, and the caller's own profile. It refuses to know any other
// record kind: what a new project is born with beyond its team, each kind says for itself.
package project

import (
	"regexp"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/family"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// Project is the record of a project itself: the first and only record of its kind inside the project.
type Project struct {
	document.Core
	Name           string         `json:"name" write:"required,solid,max=255"`
	CustomID       *string        `json:"custom_id" write:"max=255"`
	OrganizationID *string        `json:"organization_id"`
	Type           *string        `json:"type" write:"one=general|manufacturing|power|water-sewer-waste|industrial-petroleum|transportation|hazardous-waste|telecom|education-k-12|education-higher|gov-federal|gov-state-local|other"`
	Status         *string        `json:"status" write:"max=255"`
	Owner          *string        `json:"owner" write:"max=255"`
	StartDate      *document.Date `json:"start_date" write:""`
	EndDate        *document.Date `json:"end_date" write:""`
	Street1        *string        `json:"street_1" write:"max=255"`
	Street2        *string        `json:"street_2" write:"max=255"`
	City           *string        `json:"city" write:"max=255"`
	Region         *string        `json:"region" write:"max=255"`
	PostalCode     *string        `json:"postal_code" write:"max=255"`
	Country        *string        `json:"country" write:"max=255"`
	Latitude       *float64       `json:"latitude"`
	Longitude      *float64       `json:"longitude"`
	// TimeZone is where days begin and end on this site: those of reports, and the last one of what is due.
	TimeZone *string `json:"time_zone" write:"max=255"`
	// accepted from older programs; organisations do not exist
	AddToOrganization *bool `json:"-" write:"as=add_to_organization,create"`
}

var projects = &resource.Kind[Project]{
	Number: 1, Plural: "projects", Name: "Project", Self: true, Check: check,
	WholeForm: []string{
		"name", "custom_id", "type", "status", "owner", "start_date", "end_date", "street_1", "street_2", "city",
		"region", "postal_code", "country",
	},
}

var twoLetters = regexp.MustCompile(`^[A-Za-z]{2}$`)

func check(tx *resource.Tx, _, now *Project) error {
	if tx.Gives("country") && !twoLetters.MatchString(*now.Country) {
		return fault.Field("country", "It must be a two-letter country code of ISO 3166 such as US.")
	}
	if tx.Gives("time_zone") {
		if err := document.CheckZone("time_zone", *now.TimeZone); err != nil {
			return err
		}
	}
	if now.StartDate != nil && now.EndDate != nil && *now.EndDate < *now.StartDate {
		switch {
		case tx.Gives("end_date"):
			return fault.Field("end_date", "It must not be before start_date.")
		case tx.Gives("start_date"):
			return fault.Field("start_date", "It must not be after end_date.")
		}
	}
	return nil
}

// routes is everything the API does with projects, teams and roles.
func routes(site *family.Site) []api.Route {
	one := resource.Get(projects, auth.Everyone)
	post := api.Route{
		Method: "POST", Pattern: "/projects", Access: api.Caller,
		Do: func(c *api.Call) error { return create(c, site.Kinds) }, Keyed: true,
		Summary: "Create a project", Tag: "projects", Status: 201,
	}
	post.In, post.Out, post.Components = resource.CreateSchemas(projects)
	return []api.Route{
		list(), post, one, resource.Update(projects, auth.Admins),
		resource.List(roles, auth.Everyone), resource.Get(roles, auth.Everyone),
		invites(), resource.List(members, auth.Everyone), resource.Get(members, auth.Everyone),
		keepsAdmin(resource.Update(members, auth.Admins)), keepsAdmin(resource.Delete(members, auth.AdminsOrOwn)),
		me(), changeMe(), events(),
	}
}

// Family declares projects, their teams and roles.
func Family() family.Family {
	return family.Family{
		Name: "project", Kinds: []resource.AnyKind{projects, roles, members}, Routes: routes, Work: work,
		Exports: []string{"projects"}, Views: []resource.AnyView{teammates}, Leaves: leave,
		Founds: found,
	}
}

// create makes a project with its roles, its first member, the caller, and what all kinds give a new project.
func create(c *api.Call, all *resource.Catalog) error {
	may := func(tx *store.Tx) error { return c.Auth.MayFound(tx, c.Credential.Account) }
	return projects.Found(c, may, func(tx *resource.Tx) error { return furnish(tx, all) })
}

// furnish gives a new project what every project has.
func furnish(tx *resource.Tx, all *resource.Catalog) error {
	for _, role := range auth.Roles() {
		if _, err := roles.Insert(tx, role.UID(), &Role{Label: role.String()}); err != nil {
			return err
		}
	}
	if _, err := members.Insert(tx, tx.Scope.Account().UID, member(auth.Admin.UID())); err != nil {
		return err
	}
	return all.Seed(tx)
}

package app

import (
	"groundwork/internal/api"
	"groundwork/internal/comment"
	"groundwork/internal/issue"
	"groundwork/internal/project"
	"groundwork/internal/resource"
	"groundwork/internal/rfi"
	"groundwork/internal/web"
)

// noun is what a family of records brings: everything the API does with it, and how it is stored.
type noun struct {
	routes []api.Route
	kinds  []resource.AnyKind
}

// nouns mounts each family with one line.
func nouns() []noun {
	all := &resource.Catalog{}
	mounted := []noun{
		{project.Routes(all.Seed), project.Kinds()},
		{issue.Routes(all), issue.Kinds()},
		{comment.Routes("issues", "rfis"), comment.Kinds()},
		{rfi.Routes(all), rfi.Kinds()},
		{[]api.Route{resource.Changes(all)}, nil},
	}
	for _, n := range mounted {
		all.Add(n.kinds...)
	}
	return mounted
}

// Routes is everything the API does beside what the edge does by itself.
func Routes() (routes []api.Route) {
	routes = web.Routes()
	for _, n := range nouns() {
		routes = append(routes, n.routes...)
	}
	return routes
}

// Kinds are all record kinds.
func Kinds() (kinds []resource.AnyKind) {
	for _, n := range nouns() {
		kinds = append(kinds, n.kinds...)
	}
	return kinds
}

package app

import (
	"slices"

	"groundwork/internal/api"
	"groundwork/internal/issue"
	"groundwork/internal/project"
	"groundwork/internal/resource"
)

// Routes is everything the API does beside what the edge does by itself: one line for each noun.
func Routes() []api.Route {
	return slices.Concat(
		project.Routes(),
		issue.Routes(),
	)
}

// Kinds are all record kinds: one line for each noun.
func Kinds() []resource.AnyKind {
	return slices.Concat(
		project.Kinds(),
		issue.Kinds(),
	)
}

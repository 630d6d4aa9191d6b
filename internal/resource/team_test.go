package resource

import "groundwork/internal/auth"

func teamOf(uids ...string) *auth.Team {
	var people []auth.Person
	for _, uid := range uids {
		first := "First " + uid
		people = append(people, auth.Person{Account: auth.Account{UID: uid, Email: uid + `@"x`, FirstName: &first}, Role: auth.Collaborator})
	}
	return auth.TeamOf(people...)
}

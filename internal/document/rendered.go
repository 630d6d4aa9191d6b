package document

import (
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/auth"
)

// Rendered is what documents of a project show again and again, ready to be copied. It is kept with the project until
// its team changes.
type Rendered struct {
	Root   []byte // …/projects/UID, escaped for JSON
	Team   *auth.Team
	People [][]byte // the reference to each member, by ordinal - 1
	UIDs   [][]byte // the uid of each member, quoted
}

// teamPath is where the members of a project's team are, below the project's path.
const teamPath = "users"

// Render renders what documents of a project show.
func Render(base, project string, team *auth.Team) *Rendered {
	quoted, _ := jsontext.AppendQuote(nil, base+"/projects/"+project) // both are valid UTF-8
	g := &Rendered{Root: quoted[1 : len(quoted)-1], Team: team}
	for ordinal := uint32(1); team.Person(ordinal) != nil; ordinal++ {
		m := team.Person(ordinal)
		uid := AppendText(nil, m.UID)
		g.UIDs = append(g.UIDs, uid)
		one := append([]byte(`{"uid":`), uid...)
		one = append(one, `,"url":"`...)
		one = append(one, g.Root...)
		one = append(one, "/"+teamPath+"/"...)
		one = append(one, m.UID...)
		one = append(one, `","email":`...)
		one = AppendText(one, m.Email)
		g.People = append(g.People, append(one, '}'))
	}
	return g
}

// Nobody is for the records of projects themselves, which show no people and refer to nothing.
var Nobody = &Rendered{Team: auth.TeamOf()}

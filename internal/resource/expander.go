package resource

import (
	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/store"
)

// renderedKey is the key of the memo.
type renderedKey struct{ base string }

// expander makes the expander of the kind for a project.
func (k *Kind[T]) expander(c *api.Call, p *store.Project) (*document.Expander, error) {
	g, err := renderedOf(c, p)
	if err != nil {
		return nil, err
	}
	f := k.expanderOver(g)
	if k.plan.Linked {
		f.Links = c.Auth.Links(p, c.LinksUntil())
	}
	if k.plan.Daily {
		f.Daily = c.Auth.Links(p, c.TilesUntil())
	}
	f.States, err = statesOf(c, p, k.states)
	return f, err
}

func renderedOf(c *api.Call, p *store.Project) (*document.Rendered, error) {
	g, err := p.Memo(renderedKey{c.Base}, func() (any, error) {
		team, err := c.Auth.Team(c.Context(), p)
		if err != nil {
			return nil, err
		}
		return document.Render(c.Base, p.UID, team), nil
	}, auth.KindMember)
	if err != nil {
		return nil, err
	}
	return g.(*document.Rendered), nil
}

func (k *Kind[T]) expanderOver(g *document.Rendered) *document.Expander {
	return &document.Expander{
		Rendered: g, Path: k.Path, Collections: k.collections, Ending: k.ending, Version: k.Version,
		Upgrade: k.upgraded, Declared: k.plan.Declared,
	}
}

// endsWith is how documents of the kind end while their collections are empty.
func (k *Kind[T]) endsWith() document.Ending {
	doc, err := json.Marshal(k.newDocument(), json.Deterministic(true))
	if err != nil {
		panic("resource: a new record of " + k.Plural + ": " + err.Error())
	}
	return k.plan.Ending(doc)
}

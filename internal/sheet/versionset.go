package sheet

import (
	"cmp"
	"fmt"

	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// VersionSet is a set of drawings that came together. Until it is published only Admins see it.
type VersionSet struct {
	resource.Record
	VersionName string         `json:"version_name" write:"required,solid,max=255"`
	PublishedAt *resource.Time `json:"published_at"`
	// Pages correct what was read, until it is published.
	Pages []correction `json:"-" write:"as=pages"`
}

// correction is what a page is to be instead. What it leaves out stays as it is.
type correction struct {
	// File and Page are counted from 1.
	File int64 `json:"file" write:"required"`
	Page int64 `json:"page" write:"required"`

	Name        *string   `json:"name" write:"solid,max=255"`
	Description *string   `json:"description" write:"max=255"`
	Tags        *[]string `json:"tags" write:"max=255"`
	Skip        *bool     `json:"skip" write:""`
}

var versionSets = &resource.Kind[VersionSet]{
	Plural: "version_sets", Newest: true, Check: checkSet,
	Sees: func(s auth.Scope) [][]string {
		if s.Role() == auth.Admin {
			return nil
		}
		return [][]string{{"published=true"}}
	},
	Terms: func(v *VersionSet) []string {
		if v.PublishedAt == nil {
			return nil
		}
		return []string{"published=true"}
	},
}

func versionSetRoutes() []api.Route {
	return []api.Route{
		resource.List(versionSets, everyone), api.Extending(resource.Get(versionSets, everyone)), api.Extending(resource.Update(versionSets, admins)), publishRoute(),
	}
}

// checkSet corrects pages, and lets the sheets of a published set show its new name.
func checkSet(tx *resource.Tx, old, now *VersionSet) error {
	if old == nil {
		return nil
	}
	if len(now.Pages) > 0 {
		if err := correct(tx, old, now.Pages); err != nil {
			return err
		}
	}
	if old.PublishedAt == nil || old.VersionName == now.VersionName {
		return nil
	}
	type page struct {
		row   store.Row
		sheet *Sheet
	}
	var pages []page
	err := sheets.Each(tx, "version_set="+now.UID, func(row store.Row, s *Sheet) error {
		pages = append(pages, page{row, s})
		return nil
	})
	for _, p := range pages {
		if err != nil {
			return err
		}
		renamed := *p.sheet
		renamed.VersionName = now.VersionName
		err = sheets.Save(tx, &p.row, p.sheet, &renamed, store.Updated)
	}
	return err
}

// correct keeps what somebody says of pages that were read.
func correct(tx *resource.Tx, set *VersionSet, pages []correction) error {
	if set.PublishedAt != nil {
		return fault.Field("pages", "The version set is published. Change its sheets instead.")
	}
	p := tx.Project()
	v, err := findSet(tx.Query, p, set.UID)
	if err != nil {
		return err
	}
	for i, c := range pages {
		at := fmt.Sprintf("pages[%d]", i)
		if c.File < 1 || c.File > int64(len(v.files)) {
			return fault.Field(at+".file", "There is no file %d: the set has %d, counted from 1.", c.File, len(v.files))
		}
		known, err := pagesOf(tx.Query, findPage, p.ID, v.UID, c.File, c.Page)
		if err != nil {
			return err
		}
		f := v.files[c.File-1]
		switch {
		case len(known) == 0 && f.state == fileWaiting:
			return fault.Field(at+".page", "Page %d of file %d (%s) was not read yet.", c.Page, c.File, f.name)
		case len(known) == 0:
			return fault.Field(at+".page", "There is no page %d: file %d (%s) has %d, counted from 1.", c.Page, c.File, f.name, f.pages)
		case known[0].made == nil:
			return fault.Field(at+".page", "Page %d of file %d (%s) cannot be read, so it will be no sheet.", c.Page, c.File, f.name)
		}
		stored, err := json.Marshal(known[0].given.with(c))
		if err != nil {
			return err
		}
		if err := tx.Exec(setGiven, p.ID, v.UID, c.File, c.Page, stored); err != nil {
			return err
		}
	}
	return nil
}

// with is what was said before and what is said now.
func (g given) with(c correction) given {
	return given{cmp.Or(c.Name, g.Name), cmp.Or(c.Description, g.Description), cmp.Or(c.Tags, g.Tags), cmp.Or(c.Skip, g.Skip)}
}

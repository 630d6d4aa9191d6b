package register

import (
	"cmp"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
	"groundwork/internal/sheet/pending"
	"groundwork/internal/store"
)

// VersionSet is a set of drawings that came together. Until it is published only Admins see it.
type VersionSet struct {
	document.Record
	VersionName string         `json:"version_name" write:"required,solid,max=255"`
	PublishedAt *document.Time `json:"published_at"`
	// PagesWaiting is how many pages it was published without, since it is not sure what they are called.
	PagesWaiting int64 `json:"pages_waiting"`
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
	Discipline  *string   `json:"discipline" write:"max=255"`
	// Date is like 2026-03-14, or "" for none.
	Date *string `json:"date" write:""`
	Skip *bool   `json:"skip" write:""`
}

// VersionSets is the kind of version sets.
var VersionSets = &resource.Kind[VersionSet]{
	Number: 15, Plural: "version_sets", Name: "Version set", Version: 2, Newest: true, Check: checkSet,
	VisibleTo: func(s auth.Scope) [][]string {
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

// checkSet corrects pages, lets the sheets of a published set show its new name, and refuses to delete such a set.
func checkSet(tx *resource.Tx, old, now *VersionSet) error {
	if old == nil {
		return nil
	}
	if now.Deleted && old.PublishedAt != nil {
		return fault.New(fault.Invalid, "The version set %s is published. Delete its sheets instead.", now.UID)
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
	err := Sheets.Each(tx, "version_set="+now.UID, func(row store.Row, s *Sheet) error {
		pages = append(pages, page{row, s})
		return nil
	})
	for _, p := range pages {
		if err != nil {
			return err
		}
		renamed := *p.sheet
		renamed.VersionName = now.VersionName
		err = Sheets.Save(tx, &p.row, p.sheet, &renamed, store.Updated)
	}
	return err
}

// correct keeps what somebody says of pages that were read.
func correct(tx *resource.Tx, set *VersionSet, pages []correction) error {
	if set.PublishedAt != nil && set.PagesWaiting == 0 {
		return fault.Field("pages", "The version set is published. Change its sheets instead.")
	}
	p := tx.Project()
	v, err := pending.Find(tx.Query, p, set.UID)
	if err != nil {
		return err
	}
	for i, c := range pages {
		at := fmt.Sprintf("pages[%d]", i)
		if c.File < 1 || c.File > int64(len(v.Files)) {
			return fault.Field(at+".file", "There is no file %d: the set has %d, counted from 1.", c.File, len(v.Files))
		}
		if c.Date != nil && *c.Date != "" {
			if _, err := time.Parse(time.DateOnly, *c.Date); err != nil {
				return fault.Field(at+".date", "The date must be like 2026-03-14, or blank where there is none.")
			}
		}
		known, err := pending.Pages(tx.Query, pending.FindPage, p.ID, v.UID, c.File, c.Page)
		if err != nil {
			return err
		}
		f := v.Files[c.File-1]
		switch {
		case len(known) == 0 && f.State == pending.FileWaiting:
			return fault.Field(at+".page", "Page %d of file %d (%s) was not read yet.", c.Page, c.File, f.Name)
		case len(known) == 0:
			return fault.Field(at+".page", "There is no page %d: file %d (%s) has %d, counted from 1.", c.Page, c.File,
				f.Name, f.Pages)
		case known[0].Made == nil:
			return fault.Field(at+".page", "Page %d of file %d (%s) cannot be read, so it will be no sheet.", c.Page,
				c.File, f.Name)
		}
		if set.PublishedAt != nil && (known[0].Found == nil || !known[0].Found.Waits) {
			return fault.Field(at+".page", "Page %d of file %d (%s) is published. Change its sheet instead.", c.Page, c.File,
				f.Name)
		}
		stored, err := json.Marshal(merged(known[0].Given, c))
		if err != nil {
			return err
		}
		if err := tx.Exec(pending.SetGiven, p.ID, v.UID, c.File, c.Page, stored); err != nil {
			return err
		}
	}
	return nil
}

// merged is what was said before and what is said now.
func merged(g pending.Given, c correction) pending.Given {
	return pending.Given{
		Name: cmp.Or(c.Name, g.Name), Description: cmp.Or(c.Description, g.Description), Tags: cmp.Or(c.Tags, g.Tags),
		Discipline: cmp.Or(c.Discipline, g.Discipline), Date: cmp.Or(c.Date, g.Date), Skip: cmp.Or(c.Skip, g.Skip),
	}
}

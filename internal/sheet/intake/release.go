package intake

import (
	"slices"

	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
	"groundwork/internal/sheet/pending"
	"groundwork/internal/sheet/register"
	"groundwork/internal/store"
)

// release publishes a set that was read: its pages become sheets, but those that are to be skipped, and those that wait
// for somebody who says what they are called. Of a set that is published it publishes those that waited and have a name
// now.
func release(tx *resource.Tx, v *pending.Set) error {
	p := tx.Project()
	all, err := pending.Pages(tx.Query, pending.EachPage, p.ID, v.UID)
	if err != nil {
		return err
	}
	ready, waiting, err := apart(tx, eligible(v, all))
	switch {
	case err != nil:
		return err
	case len(ready) == 0 && v.State == pending.StatePublished:
		return nil
	case len(ready) == 0:
		return nothingReady(v, len(waiting) > 0)
	}
	if err := mark(tx, v, ready, waiting); err != nil {
		return err
	}
	renamed := map[string]string{}
	for i := len(ready) - 1; i >= 0; i-- { // of two pages with one number the first is the one that is meant
		renamed[ready[i].Found.Number] = ready[i].Name()
	}
	pages := make([]register.Page, len(ready))
	for i := range ready {
		pages[i] = become(&ready[i], v.Files[ready[i].File-1].Name, renamed)
		pages[i].Words = func() (string, error) { return pending.Words(tx.Query, p.ID, v.UID, &ready[i]) }
	}
	if err := register.Publish(tx, v.UID, pages, int64(len(waiting))); err != nil {
		return err
	}
	if err := tx.Exec(pending.SetState, p.ID, v.UID, pending.StatePublished, pending.OrNil(v.Err)); err != nil {
		return err
	}
	if len(waiting) > 0 {
		return nil // their words are still needed
	}
	return tx.Exec(pending.DropWords, p.ID, v.UID)
}

// eligible are the pages that may become sheets now.
func eligible(v *pending.Set, all []pending.Page) []pending.Page {
	return slices.DeleteFunc(all, func(p pending.Page) bool {
		return p.Made == nil || p.Skipped() || v.State == pending.StatePublished && !p.Found.Waits
	})
}

func nothingReady(v *pending.Set, waiting bool) error {
	if waiting {
		return fault.New(fault.Invalid,
			"The version set %s has no page that could be published: no number in it is sure. Say what its pages are called, then publish it.", v.UID)
	}
	return fault.New(fault.Invalid,
		"The version set %s has no page that could be published: all are to be skipped.", v.UID)
}

// apart parts the pages that can be published from those that wait: nothing is superseded by a number that is not sure,
// nor by the name of a file, which says little.
func apart(tx *resource.Tx, all []pending.Page) (ready, waiting []pending.Page, err error) {
	var taken map[string]bool
	for i := range all {
		p := &all[i]
		if taken == nil && p.Nameless() {
			if taken, err = register.Taken(tx); err != nil {
				return nil, nil, err
			}
		}
		if !p.Sure() || p.Nameless() && taken[p.Name()] {
			waiting = append(waiting, *p)
		} else {
			ready = append(ready, *p)
		}
	}
	return ready, waiting, nil
}

// mark keeps which pages wait, and which do no longer.
func mark(tx *resource.Tx, v *pending.Set, ready, waiting []pending.Page) error {
	note := func(p *pending.Page, waits bool) error {
		if p.Found.Waits == waits {
			return nil
		}
		p.Found.Waits = waits
		stored, err := json.Marshal(p.Found)
		if err != nil {
			return err
		}
		return tx.Exec(pending.SetFound, tx.Project().ID, v.UID, p.File, p.Page, stored)
	}
	for i := range ready {
		if err := note(&ready[i], false); err != nil {
			return err
		}
	}
	for i := range waiting {
		if err := note(&waiting[i], true); err != nil {
			return err
		}
	}
	return nil
}

// become is the page as it is published; renamed are the names that pages have got instead of the numbers that were
// read.
func become(p *pending.Page, file string, renamed map[string]string) register.Page {
	out := register.Page{
		FileName: file, Name: p.Name(), Description: p.Description(), Tags: []string{}, File: p.Made.PDF,
		Thumbnail: p.Made.Thumbnail, Text: p.Made.Text,
		Width: p.Made.Width, Height: p.Made.Height, Date: p.Date(), Confidence: &p.Found.Confidence,
		Discipline: p.Found.Discipline, Called: p.Given.Discipline, Scale: p.Found.Scale,
		Callouts: slices.Clone(p.Found.References),
	}
	if p.Given.Name != nil {
		sure := 1.0
		out.Confidence = &sure
	}
	if p.Given.Tags != nil {
		out.Tags = *p.Given.Tags
	}
	for i := range out.Callouts {
		if name, known := renamed[out.Callouts[i].Name]; known {
			out.Callouts[i].Name = name
		}
	}
	return out
}

// PublishRoute publishes a version set that waits for it. To repeat it changes nothing.
func PublishRoute() api.Route {
	r := api.Route{
		Method: "POST", Pattern: "/projects/{project}/version_sets/{uid}/publish", Access: api.Member,
		Right: auth.Admins, Do: publishSet,
		Summary: "Publish a version set: its pages become sheets", Tag: "version sets", Status: 200, Keyed: true,
		Extension: true,
	}
	r.In, r.OptionalIn = api.BareSchema(), true
	r.Out, r.Components = resource.OneSchema(register.VersionSets)
	return r
}

func publishSet(c *api.Call) error {
	uid := c.Param("uid")
	body, bodyErr := c.Bare()
	settled, err := isSettled(c, uid)
	if err != nil {
		return err
	}
	return register.VersionSets.Write(c, body, func(tx *resource.Tx) (int, store.Row, error) {
		row, err := register.VersionSets.Find(tx, uid)
		if err == nil {
			err = bodyErr
		}
		if err != nil {
			return 0, row, err
		}
		set, err := register.VersionSets.Load(row)
		if err != nil || set.PublishedAt != nil && (set.PagesWaiting == 0 || settled) {
			return 200, row, err
		}
		if set.Deleted {
			return 0, row, fault.New(fault.Invalid, "Version set %s is deleted. Restore it first.", uid)
		}
		v, err := pending.Find(tx.Query, tx.Project(), uid)
		switch {
		case err != nil:
			return 0, row, err
		case v.State == pending.StateReading:
			return 0, row, fault.New(fault.Invalid,
				"The version set %s is still being read. GET %s shows how far it is.", uid, urlOf(c, v))
		case v.State != pending.StateRead && v.State != pending.StatePublished:
			return 0, row, fault.New(fault.Invalid,
				"The version set %s has no page that can be read, so there is nothing to publish.", uid)
		}
		if err := release(tx, v); err != nil {
			return 0, row, err
		}
		row, err = register.VersionSets.Find(tx, uid)
		return 200, row, err
	})
}

// isSettled tells whether a set is published and nobody has named any of the pages that wait, and refuses a set of
// which nothing can be published: to look through all pages again is work that no transaction need do, for which other
// writes wait.
func isSettled(c *api.Call, uid string) (bool, error) {
	p := c.Scope.Project()
	v, err := pending.Find(called(c), p, uid)
	if fault.Is(err, fault.NotFound) {
		return false, nil // the transaction says what is not there
	}
	if err != nil || v.State != pending.StatePublished && v.State != pending.StateRead {
		return false, err
	}
	pages, err := pending.Pages(called(c), pending.EachPage, p.ID, uid)
	if err != nil {
		return false, err
	}
	pages = eligible(v, pages)
	if v.State == pending.StateRead {
		if !slices.ContainsFunc(pages, func(p pending.Page) bool { return p.Sure() }) {
			return false, nothingReady(v, len(pages) > 0)
		}
		return false, nil
	}
	return !slices.ContainsFunc(pages, func(p pending.Page) bool { return p.Given.Name != nil }), nil
}

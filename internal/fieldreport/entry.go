package fieldreport

import (
	"fmt"
	"slices"

	"groundwork/internal/fault"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

func (w *Work) id() *string      { return &w.UID }
func (m *Material) id() *string  { return &m.UID }
func (e *Equipment) id() *string { return &e.UID }

// entry is an entry of a report by its uid.
type entry[E any] interface {
	*E
	id() *string
}

// check gives new entries their uids and keeps those that are sent back.
func check(tx *resource.Tx, old, now *Report) error {
	now.ProjectUID = tx.Project().UID
	var was FormValues
	if old != nil {
		was = old.PGFormValues
	}
	is := &now.PGFormValues
	var err error
	if is.Worklog, err = identified("pg_worklog_entries", was.Worklog, is.Worklog); err != nil {
		return err
	}
	if is.Materials, err = identified("pg_materials_entries", was.Materials, is.Materials); err != nil {
		return err
	}
	is.Equipment, err = identified("pg_equipment_entries", was.Equipment, is.Equipment)
	return err
}

// identified gives entries in which each has a uid of its own: the one that it had, or a new one. It changes nothing in
// place, since a write may be run again.
func identified[E any, P entry[E]](field string, was, is []E) ([]E, error) {
	known := map[string]bool{}
	for i := range was {
		known[*P(&was[i]).id()] = true
	}
	is = slices.Clone(is)
	for i := range is {
		uid := P(&is[i]).id()
		if *uid == "" {
			*uid = store.NewUID()
			continue
		}
		if !known[*uid] {
			at := fmt.Sprintf("pg_form_values.%s[%d].uid", field, i)
			return nil, fault.Field(at,
				"It must be the uid of an entry that the report has, once; the service makes the uids of new entries.")
		}
		known[*uid] = false
	}
	return is, nil
}

package register

import (
	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// renumber undoes what a number has done that was read wrongly: a sheet that gets another name by hand leaves the
// history that its number brought it into, and what it superseded there is current again. Under its new name it takes
// the place that it would have had. A name that somebody gave is changed without that: it is the drawing that is
// renamed.
func renumber(tx *resource.Tx, old, now *Sheet) error {
	wasRead := old.NumberConfidence != nil && *old.NumberConfidence < 1
	if sure := 1.0; old.NumberConfidence != nil {
		now.NumberConfidence = &sure
	}
	if !wasRead || !old.Current || old.Supersedes == "" {
		return nil
	}
	if err := restore(tx, old.Supersedes); err != nil {
		return err
	}
	now.Supersedes, now.HistorySetUID = "", store.NewUID()
	var other *Sheet
	var at store.Row
	err := Sheets.Each(tx, currentTerm, func(row store.Row, s *Sheet) error {
		if s.Name == now.Name && s.UID != now.UID && !row.Deleted {
			other, at = s, row
		}
		return nil
	})
	if err != nil || other == nil {
		return err
	}
	superseded := *other
	superseded.Current = false
	now.Supersedes, now.HistorySetUID = document.Ref("sheets/"+other.UID), other.HistorySetUID
	return Sheets.Save(tx, &at, other, &superseded, store.Updated)
}

// restore makes a sheet current again that another one had superseded.
func restore(tx *resource.Tx, ref document.Ref) error {
	_, uid := ref.Split()
	row, err := Sheets.Find(tx, uid)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	s, err := Sheets.Load(row)
	if err != nil || s.Current || row.Deleted {
		return err
	}
	now := *s
	now.Current = true
	return Sheets.Save(tx, &row, s, &now, store.Updated)
}

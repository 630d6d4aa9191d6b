package archive

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/auth"
	"groundwork/internal/family"
	"groundwork/internal/store"
)

// tables learns the columns of the side tables, and examines their rows.
func (i *importer) tables(ctx context.Context) error {
	snap, err := i.Store.Snapshot(ctx)
	if err != nil {
		return err
	}
	named := append([]family.Side{{Table: "files"}}, i.Sides...)
	for _, side := range named {
		t, problem := snap.Table(side.Table)
		i.rows[side.Table], err = t, errors.Join(err, problem)
	}
	if err = errors.Join(err, snap.Close()); err != nil {
		return err
	}
	known := map[string]bool{}
	for _, side := range i.Sides {
		path := tablesFolder + side.Table + lines
		known[path] = true
		keys := map[string]bool{}
		n := int64(0)
		err := i.eachRow(side, 0, func(t store.Table, values []any) error {
			n++
			key := fmt.Sprint(values[:t.Key])
			if keys[key] {
				return bad(path, int(n), errors.New("it is there twice"))
			}
			keys[key] = true
			return nil
		})
		if err != nil {
			return err
		}
		for _, c := range i.Counts {
			if c.Path == path && c.Lines != n {
				return refused("%s has %d lines, and the manifest says %d", path, n, c.Lines)
			}
		}
	}
	for _, e := range i.Entries {
		if _, is := cut(e.Path, tablesFolder, lines); is && !known[e.Path] {
			return refused("it has %s, which this release does not know: a later one imports it", shorten(e.Path))
		}
	}
	return i.objectsHere(ctx) // of what these rows name
}

// eachRow gives the rows of a side table, with a value for each column.
func (i *importer) eachRow(side family.Side, project int64, each func(t store.Table, values []any) error) error {
	path, t := tablesFolder+side.Table+lines, i.rows[side.Table]
	return i.each(path, func(n int, line []byte) error {
		var row map[string]jsontext.Value
		if json.Unmarshal(line, &row) != nil || len(row) > len(t.Columns)-1 {
			return bad(path, n, errLine)
		}
		values := make([]any, len(t.Columns))
		for c, column := range t.Columns {
			if column.Name == projectColumn {
				values[c] = project
				continue
			}
			value, given := row[column.Name]
			if !given {
				return bad(path, n, fmt.Errorf("it lacks %s", column.Name))
			}
			var err error
			if values[c], err = i.column(column, side, value); err != nil {
				return bad(path, n, err)
			}
		}
		return each(t, values)
	})
}

// column reads the value of a column: an int64, a string or nil.
func (i *importer) column(column store.Column, side family.Side, value jsontext.Value) (any, error) {
	if value.Kind() == 'n' {
		return nil, nil //nolint:nilnil // null is a value
	}
	if !column.Text && column.Name != side.Person {
		var n int64
		if json.Unmarshal(value, &n) != nil {
			return nil, errLine
		}
		return n, nil
	}
	var text string
	if json.Unmarshal(value, &text) != nil || !store.Storable(text) {
		return nil, errLine
	}
	if column.Name == side.Person {
		n := i.ordinals[auth.KindMember][text]
		if n == 0 {
			return nil, fmt.Errorf("it names %s, who is not on the team", shorten(text))
		}
		return int64(n), nil
	}
	if side.Holds != nil && !side.Holds(column.Name, text) {
		return nil, errLine
	}
	i.seek([]byte(text))
	return text, nil
}

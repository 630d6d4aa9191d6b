package store

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Table is a table as a backup has it, the same on every engine: the columns of its key first, by which its rows are in
// order, then the others by name.
type Table struct {
	Name    string
	Columns []Column
	// Key is how many columns are the key.
	Key int

	walled bool // row-level security shows rows of named tenants only
}

// Column is a column of a Table. It holds integers, or text; either may be null.
type Column struct {
	Name string
	Text bool
}

// Index gives the place of a column; -1 where there is none.
func (t Table) Index(name string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
}

// restoringMark is a table that exists in a database from the beginning of a restore until it is complete.
const restoringMark = "groundwork_restoring"

// notKept tells whether a table is no part of a backup: what searches go by is made again from the records, the number
// of the schema is told apart.
func notKept(table string) bool {
	return table == "words" || strings.HasPrefix(table, "words_") || table == "wording" ||
		table == "goose_db_version" || table == restoringMark || strings.HasPrefix(table, "sqlite_")
}

// keyed are the tables whose rows are in another order than that of their primary key: a file belongs to a project, and
// is read with the others of it.
var keyed = map[string][]string{"files": {"project", "object"}}

// catalogRow is one column as an engine's catalog tells it; key is its place in the primary key, from 1, or 0.
type catalogRow struct {
	table, column, kind string
	key                 int64
	walled              bool
}

// tablesOf makes the tables of a catalog, in order of their names.
func tablesOf(rows []catalogRow) ([]Table, error) {
	byTable := map[string][]catalogRow{}
	for _, r := range rows {
		if !notKept(r.table) {
			byTable[r.table] = append(byTable[r.table], r)
		}
	}
	var all []Table
	for name, columns := range byTable {
		t := Table{Name: name, walled: columns[0].walled}
		place := func(c catalogRow) int64 {
			if own, is := keyed[name]; is {
				return int64(slices.Index(own, c.column) + 1)
			}
			return c.key
		}
		slices.SortFunc(columns, func(a, b catalogRow) int {
			// 0, no part of the key, comes after every other place.
			return cmp.Or(cmp.Compare(uint64(place(a)-1), uint64(place(b)-1)), cmp.Compare(a.column, b.column))
		})
		for _, c := range columns {
			kind := strings.ToLower(c.kind)
			if kind != "text" && kind != "bigint" && kind != "smallint" && kind != "integer" {
				return nil, fmt.Errorf("store: no backup knows how to keep %s.%s, which is of type %s", name, c.column,
					c.kind)
			}
			t.Columns = append(t.Columns, Column{c.column, kind == "text"})
			if place(c) > 0 {
				t.Key++
			}
		}
		if t.Key == 0 { // all of a row tells it from others
			t.Key = len(t.Columns)
		}
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b Table) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}

// rows is the SELECT of all rows of a table in its order, with a condition or none. Text is compared by its bytes.
func (t Table) rows(where, byBytes string) string {
	var columns, order []string
	for i, c := range t.Columns {
		columns = append(columns, quoteName(c.Name))
		if i < t.Key {
			by := quoteName(c.Name)
			if c.Text {
				by += byBytes
			}
			order = append(order, by)
		}
	}
	return "SELECT " + strings.Join(columns, ", ") + " FROM " + quoteName(t.Name) + where + " ORDER BY " +
		strings.Join(order, ", ")
}

// insert is the INSERT of one row.
func (t Table) insert() string {
	var columns, values []string
	for i, c := range t.Columns {
		columns, values = append(columns, quoteName(c.Name)), append(values, "$"+strconv.Itoa(i+1))
	}
	return "INSERT INTO " + quoteName(t.Name) + " (" + strings.Join(columns, ", ") + ") VALUES (" +
		strings.Join(values, ", ") + ")"
}

// quoteName is a name of a table or column as SQL takes it, reserved words included.
func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func tableOf(all []Table, name string) (Table, error) {
	i := slices.IndexFunc(all, func(t Table) bool { return t.Name == name })
	if i < 0 {
		return Table{}, fmt.Errorf("store: there is no table %s", name)
	}
	return all[i], nil
}

// condition is the WHERE that picks the rows of one project.
func (t Table) condition(project int64) (where string, args []any, err error) {
	switch first := t.Columns[0].Name; first {
	case "project":
		return " WHERE project = $1", []any{project}, nil
	case "id", "owner":
		where = fmt.Sprintf(" WHERE %s >= $1 AND %s < $2", quoteName(first), quoteName(first))
		return where, []any{project << projectShift, (project + 1) << projectShift}, nil
	default:
		return "", nil, fmt.Errorf("store: nobody knows whose the rows of %s are", t.Name)
	}
}

package store

import (
	"slices"

	"github.com/jackc/pgx/v5"
)

// putWords is the dialect's statement for the words of one record.
const putWords = "INSERT INTO words (record, words) VALUES ($1, array_to_tsvector(string_to_array($2, ' '))) ON CONFLICT (record) DO UPDATE SET words = EXCLUDED.words"

// bulk inserts the rows of a group with one statement: for PostgreSQL a statement costs more than a row.
type bulk struct {
	sql   string // takes an array for each column
	types string // of the columns: i or t
	rows  [][]any
	mark  int // how many rows there were at the last mark
}

// bulks are the statements that every create consists of.
func bulks() map[string]*bulk {
	return map[string]*bulk{
		insertRecord: {
			sql: `INSERT INTO records (id, uid, clock, deleted, tally, terms, version, doc, private)
SELECT * FROM unnest(CAST($1 AS BIGINT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[]), CAST($4 AS BIGINT[]),
CAST($5 AS TEXT[]), CAST($6 AS TEXT[]), CAST($7 AS BIGINT[]), CAST($8 AS TEXT[]), CAST($9 AS TEXT[]))`,
			types: "itiittitt",
		},
		insertChange: {
			sql: `INSERT INTO changes (id, record, clock, op, actor, diff, was)
SELECT * FROM unnest(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[]), CAST($3 AS BIGINT[]), CAST($4 AS BIGINT[]),
CAST($5 AS BIGINT[]), CAST($6 AS TEXT[]), CAST($7 AS TEXT[]))`,
			types: "iiiiitt",
		},
		putWords: {
			sql: `INSERT INTO words (record, words)
SELECT record, array_to_tsvector(string_to_array(text, ' '))
FROM unnest(CAST($1 AS BIGINT[]), CAST($2 AS TEXT[])) AS row (record, text)
ON CONFLICT (record) DO UPDATE SET words = EXCLUDED.words`,
			types: "it",
		},
	}
}

func (b *bulk) add(args []any) {
	row := make([]any, len(args))
	for i, a := range args {
		row[i] = plain(a)
	}
	b.rows = append(b.rows, row)
}

// has tells whether there is a row of this id already: one statement may put a row only once.
func (b *bulk) has(id any) bool {
	id = plain(id)
	return slices.ContainsFunc(b.rows, func(row []any) bool { return row[0] == id })
}

// pour queues the statement and forgets the rows.
func (b *bulk) pour(to *pgx.Batch) {
	args := make([]any, len(b.types))
	for i, t := range b.types {
		if t == 'i' {
			column := make([]int64, len(b.rows))
			for n, row := range b.rows {
				column[n] = row[i].(int64)
			}
			args[i] = column
			continue
		}
		column := make([]*string, len(b.rows))
		for n, row := range b.rows {
			if text, ok := row[i].(string); ok {
				column[n] = &text
			}
		}
		args[i] = column
	}
	to.Queue(b.sql, args...)
	b.rows, b.mark = nil, 0
}

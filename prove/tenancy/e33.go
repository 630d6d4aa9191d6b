package tenancy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"groundwork/internal/store"
	"groundwork/prove/lab"
)

// E33 goes past every check above the database: row-level security alone must hold.
var E33 = &lab.Experiment{
	ID:       "E33",
	Title:    "statements that name no project, or a foreign one, as the application's role, as a login of the service's own and through the store, past every check above the database",
	MustHold: "row-level security alone leaves 0 foreign rows of records, links and changes readable or writable, and nothing to a login of the service's own that names nobody",
	Control:  "the same as a role that is not bound by row-level security",
	Engines:  []string{lab.PostgreSQL},
	Run: func(t *lab.Trial) error {
		w, err := newWall(t)
		if err != nil {
			return err
		}
		if _, err := w.conn.Exec(t, "SET ROLE groundwork_app"); err != nil {
			return err
		}
		if err := w.all(w.settings()); err != nil {
			return err
		}
		if err := w.throughStore(); err != nil {
			return err
		}
		if err := w.asService(); err != nil {
			return err
		}
		after, err := w.digests(t, w.conn)
		if err != nil {
			return err
		}
		for i := range after {
			t.Require(after[i] == w.before[i], "project %d is not as it was", w.projects[i])
		}
		t.Note("projects, rows of others", "%d, %s", len(w.projects), lab.Thousands(w.others))
		t.Note("settings", "%d", len(w.settings()))
		t.Note("statements", "%s", lab.Thousands(w.tried))
		t.Note("own rows read, written", "%s, %s", lab.Thousands(w.own.read), lab.Thousands(w.own.written))
		t.Note("foreign rows read, written", "%d, %d", w.foreign.read, w.foreign.written)
		t.Require(w.foreign == count{}, "%s", w.first)
		t.Require(w.own.read > 0 && w.own.written > 0 && w.others > 0,
			"the statements do not work: of its own project the role read %d rows and wrote %d", w.own.read,
			w.own.written)
		return nil
	},
	RunControl: func(t *lab.Trial) (string, error) {
		w, err := newWall(t)
		if err != nil {
			return "", err
		}
		// The owner of a table is not bound unless it is said that he is.
		for _, table := range []string{"records", "links", "changes"} {
			if _, err := w.conn.Exec(t, "ALTER TABLE "+table+" NO FORCE ROW LEVEL SECURITY"); err != nil {
				return "", err
			}
		}
		if err := w.all(w.settings()[:1]); err != nil {
			return "", err
		}
		if w.foreign.read == 0 || w.foreign.written == 0 {
			return "", nil
		}
		return fmt.Sprintf("reads %s foreign rows and writes %s", lab.Thousands(w.foreign.read),
			lab.Thousands(w.foreign.written)), nil
	},
}

type count struct{ read, written int }

// wall is a database with several tenants, and a connection to it that goes past the service.
type wall struct {
	t        *lab.Trial
	url      string
	conn     *pgx.Conn
	projects []int64 // the first is the caller's own
	uids     []string
	others   int      // rows of all but the first
	before   []string // a digest of each project
	account  string   // the uid of the first one's only member

	tried        int
	own, foreign count
	first        string
}

func newWall(t *lab.Trial) (*wall, error) {
	s, err := lab.NewSite(t, lab.Released)
	if err != nil {
		return nil, err
	}
	if _, err := s.Command("a ferry under the bridge at noon\n", "account", "create", "--email", "bob@example.com",
		"--name", "Bob Noyce", "--password-stdin"); err != nil {
		return nil, err
	}
	other, err := s.NewKey("bob@example.com")
	if err != nil {
		return nil, err
	}
	if _, err := s.Start(); err != nil {
		return nil, err
	}
	c := s.NewClient()
	if err := fillTenants(t, c, 1, t.ShortOrFull(50, 500)); err != nil {
		return nil, err
	}
	c.Key = other
	if err := fillTenants(t, c, t.ShortOrFull(3, 20), t.ShortOrFull(50, 500)); err != nil {
		return nil, err
	}
	if _, err := s.Stop(); err != nil {
		return nil, err
	}
	w := &wall{t: t, url: s.Location[len(s.Location)-1]}
	if w.conn, err = pgx.Connect(t, w.url); err != nil {
		return nil, err
	}
	t.AtEnd(func() error { return w.conn.Close(context.WithoutCancel(t)) })
	rows, err := w.conn.Query(t, "SELECT id, uid FROM projects ORDER BY id")
	if err != nil {
		return nil, err
	}
	var id int64
	var uid string
	if _, err = pgx.ForEachRow(rows, []any{&id, &uid}, func() error {
		w.projects, w.uids = append(w.projects, id), append(w.uids, uid)
		return nil
	}); err != nil {
		return nil, err
	}
	if err := w.conn.QueryRow(t,
		"SELECT uid FROM accounts WHERE email = 'ada@example.com'").Scan(&w.account); err != nil {
		return nil, err
	}
	return w, w.link()
}

// fillTenants makes projects with issues.
func fillTenants(t *lab.Trial, c *lab.Client, projects, issues int) error {
	for i := range projects {
		project, err := c.NewProject(t, fmt.Sprintf("Tenant %d", i))
		if err != nil {
			return err
		}
		for from := 0; from < issues; from += 50 {
			var parts []lab.Object
			for n := range min(50, issues-from) {
				parts = append(parts, lab.Object{
					"method": "POST", "path": project + "/issues",
					"body": fmt.Sprintf(`{"title":"Secret %d of %d"}`, from+n, i),
				})
			}
			if err := c.MustDo(t, http.MethodPost, "/batch", parts, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// link gives each project links, as its own tenant, and notes what there is.
func (w *wall) link() error {
	for i, p := range w.projects {
		err := w.as(strconv.FormatInt(p, 10), "", func(tx pgx.Tx) error {
			_, err := tx.Exec(w.t,
				"INSERT INTO links (owner, field, place, target) SELECT id, 1, 1, id FROM records ORDER BY id LIMIT 20")
			if err != nil {
				return err
			}
			return tx.Commit(w.t)
		})
		if err != nil {
			return err
		}
		var n int
		err = w.as(strconv.FormatInt(p, 10), "", func(tx pgx.Tx) error {
			return tx.QueryRow(w.t,
				"SELECT (SELECT count(*) FROM records) + (SELECT count(*) FROM links) + (SELECT count(*) FROM changes)").Scan(&n)
		})
		if err != nil {
			return err
		}
		if i > 0 {
			w.others += n
		}
	}
	var err error
	w.before, err = w.digests(w.t, w.conn)
	return err
}

// as runs fn in a transaction with a tenant, which is taken back unless fn commits it.
func (w *wall) as(projects, account string, fn func(pgx.Tx) error) error {
	tx, err := w.conn.Begin(w.t)
	if err != nil {
		return err
	}
	err = setTenant(w.t, tx, projects, account)
	if err == nil {
		err = fn(tx)
	}
	if rolled := tx.Rollback(w.t); !errors.Is(rolled, pgx.ErrTxClosed) {
		err = errors.Join(err, rolled)
	}
	return err
}

type runner interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func setTenant(ctx context.Context, on runner, projects, account string) error {
	_, err := on.Exec(ctx, "SELECT set_config('app.projects', $1, true), set_config('app.account', $2, true)", projects,
		account)
	return err
}

// digests sums up each project, as a tenant of all of them.
func (w *wall) digests(ctx context.Context, on interface {
	Begin(ctx context.Context) (pgx.Tx, error)
},
) ([]string, error) {
	tx, err := on.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback(ctx) //nolint:errcheck // nothing was written
	all := strings.Trim(strings.ReplaceAll(fmt.Sprint(w.projects), " ", ","), "[]")
	if err := setTenant(ctx, tx, all, ""); err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, `SELECT md5(string_agg(x.sum, ';' ORDER BY x.sum)) FROM (
			SELECT id >> 39 AS project, 'r' || r::text AS sum FROM records r
			UNION ALL SELECT owner >> 39, 'l' || l::text FROM links l
			UNION ALL SELECT id >> 39, 'c' || c::text FROM changes c) x
		GROUP BY x.project ORDER BY x.project`)
	if err != nil {
		return nil, err
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err == nil && len(out) != len(w.projects) {
		err = fmt.Errorf("there are %d projects in place of %d", len(out), len(w.projects))
	}
	return out, err
}

// note counts a row of some project.
func (w *wall) note(counted func(*count) *int, project int64, n int, sql string) {
	if project == w.projects[0] {
		*counted(&w.own) += n
		return
	}
	if *counted(&w.foreign) += n; n > 0 && w.first == "" {
		w.first = fmt.Sprintf("%d rows of project %d with %s", n, project, sql)
	}
}

func reading(c *count) *int { return &c.read }
func writing(c *count) *int { return &c.written }

// throughStore does what can be done with the store's own functions: whoever writes a route has no others.
func (w *wall) throughStore() error {
	s, err := store.Open(w.t, store.Config{URL: w.url})
	if err != nil {
		return err
	}
	defer s.Close()
	own, err := s.Project(w.t, w.uids[0])
	if err != nil {
		return err
	}
	see := func(sql string) func(*store.Cols) error {
		return func(c *store.Cols) error {
			w.note(reading, c.Int(0)>>39, 1, "the store: "+sql)
			return nil
		}
	}
	errUndo := errors.New("undo")
	for _, sql := range w.reads() {
		w.tried += 4
		err := errors.Join(s.QueryIn(w.t, own, sql, nil, see(sql)), s.Query(w.t, sql, nil, see(sql)),
			s.Edit(w.t, own, 1, func(tx *store.Tx) error { return tx.Query(sql, nil, see(sql)) }),
			s.Write(w.t, func(tx *store.Tx) error { return tx.Query(sql, nil, see(sql)) }))
		if err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	for _, sql := range append(w.writes(), w.forbidden()...) {
		w.tried += 2
		write := func(tx *store.Tx) error {
			if err := tx.Query(sql+returning(sql), nil, func(c *store.Cols) error {
				w.note(writing, c.Int(0)>>39, 1, "the store: "+sql)
				return nil
			}); err != nil {
				return err
			}
			return errUndo
		}
		// Whether the statement is refused or touches nothing foreign is the same here.
		_ = s.Edit(w.t, own, 1, write)
		_ = s.Write(w.t, write)
	}
	return nil
}

// returning has a writing statement tell which rows it wrote.
func returning(sql string) string {
	words := strings.Fields(sql)
	table := words[1]
	if words[0] != "UPDATE" {
		table = words[2]
	}
	if table == "links" {
		return " RETURNING links.owner"
	}
	return " RETURNING " + table + ".id"
}

package apitest_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"groundwork/internal/api"
	"groundwork/internal/apitest"
	"groundwork/internal/app"
	"groundwork/internal/auth"
	"groundwork/internal/credential"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
)

// mutation takes one check away, or adds one, on every line where it stands. A request meets one route only, so the
// lines are judged one by one: each must show the difference in each of the columns.
type mutation struct {
	name    string
	columns []string
	// lines tells, by the table alone, which lines must show it.
	lines func(*row) bool
	// Where the check is: in the configuration of the edge, in the routes, or around everything.
	config func(*world, *api.Config)
	route  func(*world, *api.Route)
	around func(*world, http.Handler) http.Handler
}

// within tells whether a line belongs to a project and asks who calls. A capability asks nobody: nobody is a member
// there, and each of its cells is let in, so that nothing which concerns members or refusals can show. What would show
// there is the opposite; see capable.
func within(r *row) bool { return r.project() && !r.capability() }

// capable tells whether a line belongs to a project and lets in whoever has the address.
func capable(r *row) bool { return r.project() && r.capability() }

// named tells whether a line names a record that a project has for itself; roles are the same everywhere.
func named(r *row) bool { return r.record() && r.kind() != "roles" }

// guarded tells whether a line refuses a column with a status. Metrics have a token of their own, whatever key comes
// with it.
func guarded(column string, status int) func(*row) bool {
	return func(r *row) bool { return r.strangers[column] == status && r.pattern != "/metrics" }
}

// differs tells whether the table gives a role something else than an Admin, whatever the target.
func differs(role string) func(*row) bool {
	return func(r *row) bool {
		return slices.ContainsFunc(targets, func(t string) bool { return r.roles[role][t] != r.roles[admin][t] })
	}
}

func mutations() []mutation {
	all := []mutation{
		{
			name: "no credentials are as good as an Admin's", columns: []string{noKey}, lines: guarded(noKey, 401),
			around: func(w *world, next http.Handler) http.Handler {
				return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
					if r.Header.Get("Authorization") == "" {
						r.Header.Set("Authorization", w.callers[admin].sent[0])
					}
					next.ServeHTTP(rw, r)
				})
			},
		},
		{
			name: "an unknown key is as good as an Admin's", columns: []string{garbage}, lines: guarded(garbage, 403),
			config: believe(garbage),
		},
		{
			name: "a deactivated key still works", columns: []string{deactivated}, lines: guarded(deactivated, 403),
			config: believe(deactivated),
		},
		{
			name: "removed members stay", columns: []string{removed}, lines: within,
			config: func(w *world, c *api.Config) { w.enter(c, w.callers[removed].UID) },
		},
		{
			name: "everybody is a member", columns: []string{removed, outsider, admin, power, collaborator},
			lines:  within,
			config: func(w *world, c *api.Config) { w.enter(c) },
		},
		{
			name: "every member is an Admin, Power Collaborators too", columns: []string{power}, lines: differs(power),
			config: lift,
		},
		{
			name: "every member is an Admin, Collaborators too", columns: []string{collaborator},
			lines: differs(collaborator), config: lift,
		},
		{
			name: "a route does not ask for membership", columns: []string{removed, outsider}, lines: within,
			route: func(w *world, r *api.Route) {
				if r.Access == api.Member {
					r.Access, r.Right, r.Do = api.Caller, auth.Right{}, w.founding(r.Do)
				}
			},
		},
		{
			name: "a route does not ask for credentials", columns: []string{noKey, garbage, deactivated},
			lines: func(r *row) bool {
				return r.strangers[noKey] == 401 && r.pattern != "/batch" && r.pattern != "/rate_limits"
			}, // these are the edge's own
			route: func(w *world, r *api.Route) {
				if r.Access == api.Public {
					return
				}
				member, do := r.Access == api.Member, r.Do
				r.Access, r.Right = api.Public, auth.Right{}
				if member {
					do = w.founding(do)
				}
				r.Do = func(c *api.Call) (err error) {
					if c.Credential, err = w.server.App.Auth.Key(c.Context(), w.callers[admin].Key); err != nil {
						return err
					}
					return do(c)
				}
			},
		},
		{
			name: "a capability asks for credentials", columns: []string{noKey, garbage, deactivated}, lines: capable,
			route: func(_ *world, r *api.Route) {
				if capability(r) {
					r.Access = api.Caller
				}
			},
		},
		{
			name: "a capability asks for membership", columns: []string{removed, outsider}, lines: capable,
			route: func(_ *world, r *api.Route) {
				if capability(r) {
					r.Access, r.Right = api.Member, auth.Right{Admin: auth.Any, Power: auth.Any, Collaborator: auth.Any}
				}
			},
		},
		{
			name: "a record is found in whatever project it is", columns: []string{admin, outsider},
			// A shareable is looked for with its maker: in its own project it is as unknown to others.
			lines: func(r *row) bool { return named(r) && !shareable(r.pattern) },
			route: func(w *world, r *api.Route) { r.Do = w.anywhere(r.Do) },
		},
	}
	return append(append(all, levels()...), controls()...)
}

// capability tells whether a route of a project lets in whoever has its address.
func capability(r *api.Route) bool {
	return r.Access == api.Public && strings.Contains(r.Pattern, "{project}")
}

// shareable tells whether a route shows one.
func shareable(pattern string) bool {
	path, _ := strings.CutPrefix(pattern, "/projects/{project}/")
	kind, one := strings.CutSuffix(path, "/{uid}")
	published, is := personal[kind]
	return one && is && !published
}

// publishable tells whether a route is for one record of a kind that is personal until it is published.
func publishable(pattern string) bool {
	path, _ := strings.CutPrefix(pattern, "/projects/{project}/")
	kind, _, one := strings.Cut(path, "/{uid}")
	return one && personal[kind]
}

// levels replaces the level of one role by each other one.
func levels() (all []mutation) {
	everywhere := func(api.Route) bool { return true }
	for _, role := range roleNames {
		all = append(all,
			levelled(role, auth.No, auth.Any, "no becomes any", everywhere),
			// Of what is personal, whoever is no Collaborator owns all that they see; the rest is unknown to them at
			// any level, as others' shareables are.
			levelled(role, auth.Own, auth.Any, "own becomes any", func(r api.Route) bool {
				return !shareable(r.Pattern) && (role == collaborator || !publishable(r.Pattern))
			}),
			levelled(role, auth.Own, auth.No, "own becomes no", everywhere),
			levelled(role, auth.Any, auth.No, "any becomes no", everywhere),
			// Nobody owns a project.
			levelled(role, auth.No, auth.Own, "no becomes own", func(r api.Route) bool {
				return r.Pattern != "/projects/{project}"
			}),
			// What a route makes or only reads is as good as owned.
			levelled(role, auth.Any, auth.Own, "any becomes own", func(r api.Route) bool {
				return r.Method != http.MethodGet && strings.HasSuffix(r.Pattern, "/{uid}")
			}))
	}
	return all
}

func levelled(role string, from, to auth.Level, text string, applies func(api.Route) bool) mutation {
	of := func(r *auth.Right) *auth.Level {
		return map[string]*auth.Level{admin: &r.Admin, power: &r.Power, collaborator: &r.Collaborator}[role]
	}
	return mutation{
		name: role + ": " + text, columns: []string{role},
		route: func(_ *world, r *api.Route) {
			if r.Access != api.Member || !applies(*r) || *of(&r.Right) != from {
				return
			}
			right := r.Right
			if *of(&right) = to; right != (auth.Right{}) { // nobody's right stops the program
				r.Right = right
			}
		},
	}
}

// controls break what else a refusal promises: that it changes nothing and tells nothing.
func controls() []mutation {
	refused := func(around func(w *world, rec *httptest.ResponseRecorder)) func(*world, http.Handler) http.Handler {
		return func(w *world, next http.Handler) http.Handler {
			return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				rec := httptest.NewRecorder()
				next.ServeHTTP(rec, r)
				if rec.Code >= 400 {
					around(w, rec)
				}
				rec.Header().Del("Content-Length")
				for name, values := range rec.Header() {
					rw.Header()[name] = values
				}
				rw.WriteHeader(rec.Code)
				_, _ = rw.Write(rec.Body.Bytes())
			})
		}
	}
	reword := func(from, to string) func(*world, http.Handler) http.Handler {
		return refused(func(_ *world, rec *httptest.ResponseRecorder) {
			text := strings.Replace(rec.Body.String(), from, to, 1)
			rec.Body.Reset()
			rec.Body.WriteString(text)
		})
	}
	return []mutation{
		{
			name: "a refusal tells a field of the project", columns: []string{outsider, removed}, lines: within,
			around: reword(`."}`, ` in `+hereMark+`."}`),
		},
		{
			name: "a refusal tells a field of another project", columns: []string{admin, power, collaborator},
			lines: within, around: reword(`."}`, ` in `+awayMark+`."}`),
		},
		{
			name: "a foreign record is not called unknown", columns: []string{admin}, lines: named,
			around: reword(`does not exist`, `is not in this project`),
		},
		{
			name: "a refusal has written before", columns: []string{outsider, removed}, lines: within,
			around: refused(func(w *world, _ *httptest.ResponseRecorder) {
				for _, project := range []string{w.here, w.callers[removed].home} {
					if _, err := w.overseer.Try("POST", "/projects/"+project+"/issues",
						`{"title":"Unwanted"}`); err != nil {
						w.t.Error(err)
					}
				}
			}),
		},
	}
}

// believe takes the keys of a column for an Admin's.
func believe(column string) func(*world, *api.Config) {
	return func(w *world, c *api.Config) {
		c.Authenticate = func(ctx context.Context, secret string) (*credential.Credential, error) {
			if slices.Contains(w.callers[column].sent, basic(secret)) {
				secret = w.callers[admin].Key
			}
			return w.server.App.Auth.Key(ctx, secret)
		}
	}
}

// enter admits who is refused: these accounts, or everybody.
func (w *world) enter(c *api.Config, accounts ...string) {
	c.Enter = func(ctx context.Context, who *identity.Account, project string) (auth.Scope, error) {
		scope, err := w.server.App.Auth.Enter(ctx, who, project)
		if !fault.Is(err, fault.Forbidden) || len(accounts) > 0 && !slices.Contains(accounts, who.UID) {
			return scope, err
		}
		return w.founder(ctx, project)
	}
}

// lift makes every member an Admin.
func lift(w *world, c *api.Config) {
	c.Enter = func(ctx context.Context, who *identity.Account, project string) (auth.Scope, error) {
		if scope, err := w.server.App.Auth.Enter(ctx, who, project); err != nil {
			return scope, err
		}
		return w.founder(ctx, project)
	}
}

// founder is the scope of who founded a project, its first member.
func (w *world) founder(ctx context.Context, project string) (auth.Scope, error) {
	a := w.server.App.Auth
	p, err := w.server.App.Store.Project(ctx, project)
	if err != nil {
		return auth.Scope{}, err
	}
	team, err := a.Team(ctx, p)
	if err != nil {
		return auth.Scope{}, err
	}
	who, err := a.Account(ctx, team.Person(1).UID)
	if err != nil {
		return auth.Scope{}, err
	}
	return a.Enter(ctx, who, project)
}

// founding lets a route's function act for whoever calls as if they had founded the project.
func (w *world) founding(do func(*api.Call) error) func(*api.Call) error {
	return func(c *api.Call) (err error) {
		if c.Scope, err = w.founder(c.Context(), c.Param("project")); err != nil {
			return err
		}
		c.Level = auth.Any
		return do(c)
	}
}

// anywhere lets a route's function act in the project where the record is.
func (w *world) anywhere(do func(*api.Call) error) func(*api.Call) error {
	return func(c *api.Call) (err error) {
		for _, t := range w.made {
			if t.uid == c.Param("uid") && t.uid != "" && t.home != "" && t.home != c.Param("project") {
				if c.Scope, err = w.founder(c.Context(), t.home); err != nil {
					return err
				}
			}
		}
		return do(c)
	}
}

// mutate starts an edge with a mutation on the same database. It gives the routes that have another right; an error
// says that there can be no such edge.
func (w *world) mutate(m mutation) (url string, changed []string, err error) {
	w.t.Helper()
	a := w.server.App
	config := api.Config{
		Store: a.Store, Auth: a.Auth, Jobs: a.Jobs, Unmailed: true, Base: apitest.Base,
		Now: w.clock.Now, Log: slog.New(slog.DiscardHandler),
	}
	if m.config != nil {
		m.config(w, &config)
	}
	routes := a.Routes()
	for i := range routes {
		if was := routes[i]; m.route != nil {
			if m.route(w, &routes[i]); routes[i].Right != was.Right {
				changed = append(changed, was.Method+" "+was.Pattern)
			}
		}
	}
	edge, err := api.New(config, routes)
	if err != nil {
		return "", changed, err
	}
	var handler http.Handler = edge
	if m.around != nil {
		handler = m.around(w, edge)
	}
	server := httptest.NewServer(handler)
	w.t.Cleanup(server.Close)
	return server.URL, changed, nil
}

// TestRightsMutants shows that the table needs every check: without it, each line that it guards differs. It tests the
// table, not an engine, so one will do.
func TestRightsMutants(t *testing.T) {
	t.Parallel()
	rows, w := readRights(t), newWorld(t, apitest.SQLite)
	same, _, err := w.mutate(mutation{})
	if err != nil {
		t.Fatal(err)
	}
	// What a mutation left behind must not be what the next one is noticed by: the table holds after all of them as
	// before.
	holds := func(when string) {
		for _, r := range rows {
			for _, c := range w.cells(r) {
				for _, problem := range w.try(same, c, plainly) {
					t.Errorf("%s the mutations: %s", when, problem)
				}
			}
		}
	}
	holds("before")
	shown := 0
	all := mutations()
	for _, i := range sampled(t, "ways to lose a check", len(all), fewMutations) {
		n, problems := w.survivors(all[i], rows)
		for _, problem := range problems {
			t.Error(problem)
		}
		shown += n
	}
	holds("after")
	t.Logf("figure: endpoints without one of their checks: %d", shown)
	for _, r := range app.Routes() {
		if r.Access != api.Member {
			continue
		}
		_, _, err := w.mutate(mutation{route: func(_ *world, other *api.Route) {
			if other.Method == r.Method && other.Pattern == r.Pattern {
				other.Right = auth.Right{}
			}
		}})
		if err == nil || !strings.Contains(err.Error(), r.Method+" "+r.Pattern+": a Member route needs a Right") {
			t.Errorf("%s %s without any right does not stop the program: %v", r.Method, r.Pattern, err)
		}
	}
}

// survivors are the lines on which nobody notices a mutation; shown is on how many it was noticed.
func (w *world) survivors(m mutation, rows []*row) (shown int, out []string) {
	w.t.Helper()
	to, changed, err := w.mutate(m)
	if err != nil {
		return 0, []string{m.name + ": " + err.Error()}
	}
	for _, r := range rows {
		if m.lines == nil && !slices.Contains(changed, r.name()) || m.lines != nil && !m.lines(r) {
			continue
		}
		for _, column := range m.columns {
			if w.noticed(to, r, column) {
				shown++
			} else {
				out = append(out, "Nobody notices on the line "+r.name()+", column "+column+": "+m.name+".")
			}
		}
	}
	if m.lines != nil && shown == 0 {
		out = append(out, "No line shows the mutation: "+m.name+".")
	}
	return shown, out
}

func (w *world) noticed(to string, r *row, column string) bool {
	w.t.Helper()
	columns := []string{column}
	if column == outsider {
		columns = append(columns, smuggler)
	}
	return slices.ContainsFunc(w.cells(r, columns...), func(c cell) bool { return len(w.try(to, c, plainly)) > 0 })
}

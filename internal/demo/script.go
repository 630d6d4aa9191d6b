package demo

import (
	"context"
	"net/http"
	"strconv"
)

// How much there is of everything.
const (
	firstIssues = 12
	allIssues   = 120
	allReports  = 20
	allPhotos   = 24
	sketches    = 4
)

// Begin makes what the first page shows: the project, its team, its lists and some issues. It gives the project's uid.
func (s *Site) Begin(ctx context.Context) (string, error) {
	s.m, s.err, s.sent = NewMaker(s.Seed, s.Day), nil, 0
	body := map[string]any{"start_date": s.m.date(-210), "end_date": s.m.date(150)}
	for name, value := range project {
		body[name] = value
	}
	s.project = s.make(ctx, manager, "/projects", body)
	s.people, s.lists, s.issues = nil, nil, nil
	for i, p := range People() {
		if i == manager {
			var me struct {
				UID string `json:"uid"`
			}
			s.call(ctx, manager, http.MethodGet, "/me", nil, &me)
			s.people = append(s.people, me.UID)
			continue
		}
		s.people = append(s.people,
			s.make(ctx, manager, s.in("users", "invites"), map[string]any{"email": p.Email, "role_uid": p.role}))
	}
	for _, name := range lists {
		s.lists = append(s.lists, s.make(ctx, manager, s.in("issue_lists"), map[string]any{"name": name}))
	}
	s.makeIssues(ctx, firstIssues)
	return s.project, s.err
}

// Welcome puts somebody with an account on the team, as an Admin, after Begin. It may be repeated.
func (s *Site) Welcome(ctx context.Context, email string) error {
	s.keyless(ctx, manager, http.MethodPost, s.in("users", "invites"), map[string]any{"email": email, "role_uid": admin},
		nil)
	return s.err
}

// Fill makes the rest, after Begin, and gives the project's uid.
func (s *Site) Fill(ctx context.Context) (string, error) {
	s.makeIssues(ctx, allIssues)
	for i := range s.issues {
		s.live(ctx, &s.issues[i])
	}
	s.say("issues", len(s.issues))
	s.makeRFIs(ctx)
	s.say("RFIs", len(s.rfis))
	s.makeReports(ctx)
	s.say("field reports", len(s.reports))
	for i, text := range announced {
		s.make(ctx, []int{manager, superintendent, architect}[i%3], s.in("comments"), map[string]any{"text": text})
	}
	s.makeDocuments(ctx)
	s.makePhotos(ctx)
	s.makeSheets(ctx)
	return s.project, s.err
}

// makeIssues makes issues until there are n.
func (s *Site) makeIssues(ctx context.Context, n int) {
	finders := []int{manager, superintendent, superintendent, architect, engineer, foreman}
	for len(s.issues) < n && s.err == nil {
		body, about := s.m.Issue()
		body["issue_list_uid"] = s.lists[about.List]
		person := about.Person
		if s.m.often(85) {
			body["assigned_to_uids"] = []string{s.people[person]}
		} else {
			person = -1
		}
		room, _ := body["room"].(string)
		s.issues = append(s.issues, made{
			s.make(ctx, pick(s.m, finders), s.in("issues"), body), room, person, about.List, about.Level,
		})
	}
}

// live has people work on an issue, talk about it, and close it, or not yet.
func (s *Site) live(ctx context.Context, i *made) {
	at := s.in("issues", i.uid)
	does := i.person
	if does < 0 {
		does = superintendent
	}
	comment := func(as int, from []string) {
		s.make(ctx, as, at+"/comments", map[string]any{"text": pick(s.m, from)})
	}
	status := func(as int, to string) { s.change(ctx, as, at, map[string]any{"status": to}) }
	fate := s.m.chance.IntN(100)
	if fate > 30 {
		comment(does, looked)
	}
	switch {
	case fate < 50:
	case fate < 60:
		status(superintendent, "pending")
	default:
		comment(does, reported)
		status(does, "in_review")
	}
	switch {
	case fate < 75:
	case fate < 80:
		comment(superintendent, rejected)
		status(superintendent, "open")
	default:
		comment(superintendent, accepted)
		status(superintendent, "closed")
	}
}

// The six statuses, in their order.
const (
	drafted = iota
	opened
	sentOut
	answered
	void
	closed
)

// makeRFIs makes RFIs in every status. Each goes the way that leads there, so that it has a history.
func (s *Site) makeRFIs(ctx context.Context) {
	var statuses struct {
		Data []struct {
			UID string `json:"uid"`
		} `json:"data"`
	}
	s.call(ctx, manager, http.MethodGet, s.in("rfis", "statuses"), nil, &statuses)
	s.rfis = nil
	ends := []int{closed, answered, sentOut, closed, answered, opened, closed, sentOut}
	for n := range questions {
		if s.err != nil {
			return
		}
		body, answer := s.m.RFI(n)
		end := ends[n%len(ends)]
		switch {
		case n == len(questions)-1:
			end = void
		case n%9 == 5:
			end = drafted
		case answer == "" && end > sentOut:
			end = sentOut
		}
		asker := []int{superintendent, engineer, manager, foreman}[n%4]
		if end != drafted {
			body["assigned_to_uids"] = []string{s.people[architect]}
		}
		uid := s.make(ctx, asker, s.in("rfis"), body)
		s.rfis = append(s.rfis, made{uid: uid, person: asker})
		at := s.in("rfis", uid)
		to := func(as, status int, more map[string]any) {
			if more == nil {
				more = map[string]any{}
			}
			more["status"] = statuses.Data[status].UID
			s.change(ctx, as, at, more)
		}
		if end >= opened {
			to(manager, opened, nil)
		}
		if end >= sentOut {
			to(manager, sentOut, map[string]any{"sent_at": s.m.moment(-3-s.m.chance.IntN(20), 15)})
			s.make(ctx, asker, at+"/comments", map[string]any{"text": pick(s.m, discussed)})
		}
		if end == void {
			to(manager, void, map[string]any{"answer": answer})
		}
		if end == answered || end == closed {
			to(architect, answered, map[string]any{"answer": answer})
			s.make(ctx, manager, at+"/comments", map[string]any{"text": pick(s.m, discussed)})
		}
		if end == closed {
			to(manager, closed, map[string]any{"locked": n%2 == 0})
		}
	}
}

// makeReports makes the reports of the last working days, the last one still a draft.
func (s *Site) makeReports(ctx context.Context) {
	s.reports = nil
	for ago := allReports * 7 / 5; ago >= 0; ago-- {
		if weekday := s.m.day.AddDate(0, 0, -ago).Weekday(); weekday == 0 || weekday == 6 {
			continue
		}
		body := s.m.Report(ago)
		if ago == 0 {
			body["status"] = "draft"
		}
		s.reports = append(s.reports, s.make(ctx, superintendent, s.in("field_reports"), body))
	}
}

func (s *Site) link(ctx context.Context, as int, owner, collection, field, uid string) {
	s.call(ctx, as, http.MethodPost, owner+"/"+collection, map[string]any{field: uid}, nil)
}

// numbered is a title that is not the first of its name.
func numbered(title string, n int) string {
	if n == 0 {
		return title
	}
	return title + " (" + strconv.Itoa(n+1) + ")"
}

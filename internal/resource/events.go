package resource

import (
	"strconv"
	"time"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/fault"
)

const (
	// lookEvery is how often the right to a stream is looked at: whoever has lost it is out within a second.
	lookEvery = time.Second / 2
	// sendFrom is from how many bytes on what was added is sent before more is.
	sendFrom = 64 << 10
)

// events is the route of the change log as a stream of events.
func (c *Catalog) events(where *presence) api.Route {
	all := &broadcasts{all: c, where: where}
	return api.Route{
		Method: "GET", Pattern: "/projects/{project}/events", Access: api.Member, Right: auth.Everyone, Tag: "changes",
		Status: 200, Extension: true, Errors: []int{400}, Gives: api.EventStream,
		Summary: "Follow the changes of a project as server-sent events, from the sequence number of Last-Event-ID or after, or from now on.",
		Query: append([]api.Param{afterParam, {
			Name: "presence", Summary: "Tell also who looks at which record, as events of their own.",
			Schema: api.Schema{"type": "boolean"},
		}}, c.viewParams()...),
		Do: func(call *api.Call) error { return all.stream(call) },
	}
}

// stream is how far one stream has told the log.
type stream struct {
	*view
	out  *api.Events
	at   int64 // the last sequence that was looked at
	told int64 // the last one that the caller would go on from

	present *witness // of who is where, where the caller asked for that
}

// stream tells the change log for as long as the caller listens and may.
func (all *broadcasts) stream(c *api.Call) error {
	v, after, err := newStream(c, all.all)
	if err != nil {
		return err
	}
	b, leave := all.join(c.Store, v.project, v.records)
	defer leave()
	s := &stream{view: v, at: after}
	if c.Query().Get("presence") == "true" {
		defer all.where.join(c.Store, v.project)()
		s.present = &witness{where: all.where, version: -1, told: map[subject]string{}}
	}
	if s.out, err = c.OpenEvents(); err != nil || s.out == nil {
		return err
	}
	s.mark()
	if err = s.out.Send(); err == nil {
		err = s.follow(b)
	}
	return s.out.Over(err)
}

// mark moves the place from which the caller would go on to what was looked at.
func (s *stream) mark() {
	s.out.AddID(strconv.FormatInt(s.at, 10))
	s.told = s.at
}

// newStream reads what a stream is asked for: from which sequence number, by Last-Event-ID where a caller comes back.
func newStream(c *api.Call, all *Catalog) (*view, int64, error) {
	q, problems := c.Query(), map[string]string{}
	v := readView(c, all, problems)
	after := int64(-1)
	if q.Has("after") {
		after = readAfter(q.Get("after"), "after", problems)
	}
	if last := c.Header("Last-Event-ID"); last != "" {
		after = readAfter(last, "Last-Event-ID", problems)
	}
	if q.Has("presence") && q.Get("presence") != "true" && q.Get("presence") != "false" {
		problems["presence"] = notBool
	}
	if err := fault.Fields(problems); err != nil {
		return nil, 0, err
	}
	_, seq, err := c.Store.Feed(c.Context(), v.project, atEnd, 1, nil)
	switch {
	case err != nil:
		return nil, 0, err
	case after > seq:
		return nil, 0, fault.Field("after",
			"The last change of the project has the sequence number %d. Begin again with 0.", seq)
	case after < 0:
		return v, seq, nil
	}
	return v, after, takenBack(c, v.project, after, "after")
}

// follow tells what comes.
func (s *stream) follow(b *broadcast) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		lines, clock, to, moved, ok := b.since(s.at, s.records)
		var err error
		switch {
		case !ok:
			lines, clock, to, err = s.behind()
		case to > s.at:
			err = s.out.Turn()
		}
		if err != nil {
			return err
		}
		if to > s.at {
			if err := s.tell(lines, clock, to); err != nil {
				return err
			}
			continue
		}
		came, err := s.attended()
		if err != nil {
			return err
		}
		if err := s.out.Send(); err != nil { // the turn ends where there was nothing to tell
			return err
		}
		select {
		case <-moved:
		case <-came:
			if _, err := s.readmit(); err != nil {
				return err
			}
		case <-tick.C:
			if _, err := s.readmit(); err != nil {
				return err
			}
			if s.told < s.at && s.out.Quiet() {
				s.mark()
			}
			if err := s.out.Alive(); err != nil {
				return err
			}
		case <-s.c.Context().Done():
			return nil
		case <-s.out.Stopping():
			return s.out.Stop()
		}
	}
}

// attended adds who is where now; what it gives is closed when that changes. Who comes and goes in quick succession is
// told with the next look: one person's saying so is work for all streams of a project.
func (s *stream) attended() (<-chan struct{}, error) {
	if s.present == nil || time.Since(s.present.looked) < lookEvery {
		return nil, nil
	}
	err := s.present.tell(s)
	return s.present.moved, err
}

// behind reads what the broadcast no longer has.
func (s *stream) behind() (lines []*line, clock, to int64, err error) {
	if err := s.out.TurnToRead(); err != nil {
		return nil, 0, 0, err
	}
	r := &reader{view: s.view, after: s.at, limit: leastRead, most: keptBytes}
	lines, err = r.lines()
	return lines, r.clock, r.after, err
}

// tell sends lines to a caller who may still read them. The last entry of a line carries its number: whoever comes back
// gets the line again as long as they have not got all of it.
func (s *stream) tell(lines []*line, clock, to int64) error {
	if err := s.c.Store.Known(s.c.Context(), s.project, clock, to); err != nil {
		return err
	}
	if _, err := s.readmit(); err != nil {
		return err
	}
	for _, l := range lines {
		var last []byte
		var failed error
		err := s.each(l, func(entry []byte) {
			if last != nil && failed == nil {
				s.out.Add("", "change", last)
				failed = s.relieve()
			}
			last = entry
		})
		if failed != nil {
			return failed
		}
		if err != nil {
			return err
		}
		if last != nil {
			s.out.Add(strconv.FormatInt(l.Seq, 10), "change", last)
			s.told = l.Seq
		}
		if err := s.relieve(); err != nil {
			return err
		}
	}
	s.at = to
	return s.out.Send()
}

// relieve sends what was added where it is much, and asks anew whether the caller may have more: to send it may have
// taken long.
func (s *stream) relieve() error {
	if s.out.Pending() < sendFrom {
		return nil
	}
	if err := s.out.Send(); err != nil {
		return err
	}
	if err := s.out.Turn(); err != nil {
		return err
	}
	_, err := s.readmit()
	return err
}

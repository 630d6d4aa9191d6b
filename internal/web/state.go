package web

import (
	"context"
	"net/http"
	"slices"

	"groundwork/internal/api"
)

// State is what operators see of how the installation is.
type State struct {
	Seen func(context.Context) (StateSeen, error)
}

// StateSeen is how the installation is at a moment, in microseconds.
type StateSeen struct {
	At     int64
	Groups []StateGroup
	// Stored are the projects whose files take most.
	Stored []StoredSeen
}

// StateGroup is what belongs together: the queue, mail. Do and Command say what an operator can do about it.
type StateGroup struct {
	Name, Title string
	Lines       []StateLine
	Do, Command string
}

// StateLine is one thing; where it is not well, Do and Command say what to do about it.
type StateLine struct {
	Name, Value string
	Level       Level
	Do, Command string
}

// Level is how well something is.
type Level int

// The levels: of what is neither well nor ill, such as a number, nothing is said.
const (
	Fact Level = iota
	Well
	Look
	Bad
)

// Pill is how a page says it, and Class how that looks.
func (l Level) Pill() string { return [...]string{"", "well", "look at this", "does not work"}[l] }

// Class is how the word looks.
func (l Level) Class() string { return [...]string{"", "pill-good", "pill-look", "pill-bad"}[l] }

// StoredSeen is what the files of a project take, in words, and which part of all that is, in hundredths.
type StoredSeen struct {
	Project, Name, Bytes, Files string
	Share                       int
}

// refreshEvery is how often a page shows itself anew for who wants that, in seconds.
const refreshEvery = "30"

func (s State) routes() []api.Route {
	return []api.Route{site("GET", "/operator/state", api.Operator, "See how the installation is, and what to do about it.", s.show)}
}

func (s State) show(c *api.Call) error {
	seen, err := s.Seen(c.Context())
	if err != nil {
		return err
	}
	// A page that moves under one's hands is a barrier: it does so for who asked for it only.
	anew := c.Query().Get("every") == refreshEvery
	if anew {
		c.SetHeader("Refresh", refreshEvery)
	}
	return answer(c, http.StatusOK, "operator-state.html", shownState(room(c, "operator-state", "State"), seen, anew))
}

// shownState adds to a page what it shows: first what is not well.
func shownState(v view, seen StateSeen, anew bool) view {
	var ill []StateLine
	for _, g := range seen.Groups {
		for _, l := range g.Lines {
			if l.Level > Well {
				ill = append(ill, l)
			}
		}
	}
	slices.SortStableFunc(ill, func(a, b StateLine) int { return int(b.Level) - int(a.Level) })
	v["Seen"], v["Ill"], v["Anew"], v["Every"] = seen, ill, anew, refreshEvery
	return v
}

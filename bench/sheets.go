package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	// besideRate is how many lists are asked for a second while a set is read: what a busy office asks for.
	besideRate  = 100
	besideTurn  = 5 * time.Second
	idleTurns   = 6
	setRounds   = 5
	mostRounds  = 9 // where there were still turns in fewer than stillRounds
	stillRounds = 3
	renderedOf  = 20 // pages that are rendered alone
)

// sheets has sets of drawings read, in turns with rendering their pages alone, and asks for lists beside it and beside
// nothing. Each round has an installation of its own: in one whose tiles are still cut there is no idle moment to
// compare with.
func (r *rig) sheets(ctx context.Context, _ *field) error {
	set := filepath.Join(r.folder, "set.pdf")
	if err := r.drawings(ctx, "draw", r.Pages, set, nil); err != nil {
		return err
	}
	rounds := min(setRounds, r.Rounds)
	for round := 0; round < rounds ||
		round < mostRounds && len(r.results.Figures["sheets p99"]) < stillRounds; round++ {
		r.say("sheets: round %d of %d, %d pages", round+1, max(rounds, round+1), r.Pages)
		if err := r.readSets(ctx, fmt.Sprint("sheets-", round+1), set); err != nil {
			return err
		}
	}
	return nil
}

// readSets is one round: a set, and another one while the tiles of the first are to be cut.
func (r *rig) readSets(ctx context.Context, name, set string) error {
	g, err := r.newGround(ctx, name, "")
	if err != nil {
		return err
	}
	s, err := g.serve(ctx, name, nil)
	if err != nil {
		return err
	}
	defer s.stop()
	if err := g.found(s); err != nil {
		return err
	}
	if err := g.fill(ctx, s, small, small); err != nil {
		return err
	}
	var alone [2]float64
	if err := r.drawings(ctx, "render", renderedOf, set, &alone[0]); err != nil {
		return err
	}
	idle, err := g.beside(ctx, s, func() error { time.Sleep(idleTurns * besideTurn); return nil })
	if err != nil {
		return err
	}
	var took [2]time.Duration
	var busy []float64
	for i := range took {
		began := time.Now()
		one, err := g.beside(ctx, s, func() error {
			_, err := g.command(ctx, "", "sheets", "upload", "--email", "person00@example.com", "--project",
				filepath.Base(g.project), "--version", fmt.Sprintf("Issue %d", i+1), set)
			return err
		})
		if err != nil {
			return err
		}
		busy = append(busy, one...)
		if took[i], err = r.published(g, s, began); err != nil {
			return err
		}
	}
	if err := r.drawings(ctx, "render", renderedOf, set, &alone[1]); err != nil {
		return err
	}
	drawn := (alone[0] + alone[1]) / 2
	page := func(took time.Duration) float64 { return took.Seconds() / float64(r.Pages) / drawn }
	r.say("  %d sheets are listed after %.1f s, those of the second set after %.1f s; a page %.2f and %.2f × the %.3f s of rendering it alone", r.Pages, took[0].Seconds(), took[1].Seconds(), page(took[0]), page(took[1]), drawn)
	r.say("  p99 of a list beside it, in still turns %.2f ms, idle %.2f ms", busy, idle)
	r.figure("sheets time", took[0].Seconds())
	r.figure("sheets page", page(took[0]))
	r.figure("sheets page, tiles waiting", page(took[1]))
	if len(busy) > 0 && len(idle) > 0 {
		r.figure("sheets p99", median(busy)/median(idle))
	}
	peak, err := s.peak()
	r.figure("sheets memory", peak)
	return err
}

// beside asks for lists while something is done, and gives the p99 of each still turn.
func (g *ground) beside(ctx context.Context, s *server, do func() error) (p99 []float64, err error) {
	done := make(chan error, 1)
	go func() { done <- do() }()
	t := &g.r.results.Taken
	for {
		before := readTimes()
		one, err := s.open(ctx, besideRate, besideTurn, 200, g.page(""))
		if err != nil {
			return nil, errors.Join(err, <-done)
		}
		_, share := before.since()
		t.Asked++
		if share <= still {
			t.Still++
			p99 = append(p99, one.P99)
		}
		select {
		case err := <-done:
			return p99, err
		default:
		}
	}
}

// published holds that all pages are sheets, with thumbnails, and gives how long it took from began until the last of
// them was made.
func (r *rig) published(g *ground, s *server, began time.Time) (time.Duration, error) {
	w, status, err := s.ask(appendRequest(nil, "GET", g.project+"/sheets?current=true&limit=50", g.headers(), nil))
	if err != nil {
		return 0, err
	}
	body := string(w.body)
	if status != 200 || !strings.Contains(body, fmt.Sprintf(`"total_count":%d`, r.Pages)) ||
		strings.Contains(body, `"thumbnail_url":null`) {
		return 0, fmt.Errorf("the sheets: %d %.300s", status, body)
	}
	_, after, _ := strings.Cut(body, `"published_at":"`)
	text, _, _ := strings.Cut(after, `"`)
	at, err := time.Parse("2006-01-02T15:04:05.999999-07:00", text)
	return at.Sub(began), err
}

// drawings runs the tool that draws sets and renders pages; where it measures, it gives the seconds of a page.
func (r *rig) drawings(ctx context.Context, what string, pages int, set string, seconds *float64) error {
	out, err := exec.CommandContext(ctx, r.tool("drawings"), what, strconv.Itoa(pages), set).Output()
	if err == nil && seconds != nil {
		*seconds, err = strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	}
	var said *exec.ExitError
	if errors.As(err, &said) {
		err = fmt.Errorf("%w: %s", err, said.Stderr)
	}
	return err
}

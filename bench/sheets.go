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
	besideRate = 100
	besideTurn = 5 * time.Second
	renderedOf = 20 // pages that are rendered alone
)

// sheets has a set of drawings read, in turns with rendering its pages alone, and asks for lists beside it and beside nothing.
func (r *rig) sheets(ctx context.Context, _ *field) error {
	g, err := r.newGround(ctx, "sheets", "")
	if err != nil {
		return err
	}
	s, err := g.serve(ctx, "sheets", nil)
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
	set := filepath.Join(r.folder, "set.pdf")
	if err := r.drawings(ctx, "draw", r.Pages, set, nil); err != nil {
		return err
	}
	for round := range min(3, r.Rounds) {
		r.say("sheets: round %d of %d, %d pages", round+1, min(3, r.Rounds), r.Pages)
		if err := r.readSet(ctx, g, s, set, round); err != nil {
			return err
		}
	}
	peak, err := s.peak()
	r.figure("sheets memory", peak)
	return err
}

// readSet is one round.
func (r *rig) readSet(ctx context.Context, g *ground, s *server, set string, round int) error {
	var alone [2]float64
	if err := r.drawings(ctx, "render", renderedOf, set, &alone[0]); err != nil {
		return err
	}
	idle, err := s.open(ctx, besideRate, 2*besideTurn, 200, g.page(""))
	if err != nil {
		return err
	}
	began := time.Now()
	done := make(chan error, 1)
	go func() {
		_, err := g.command(ctx, "", "sheets", "upload", "--email", "person00@example.com", "--project", filepath.Base(g.project), "--version", fmt.Sprintf("Issue %d", round+1), set)
		done <- err
	}()
	var beside []float64
	for ended := false; !ended; {
		one, err := s.open(ctx, besideRate, besideTurn, 200, g.page(""))
		if err != nil {
			return err
		}
		beside = append(beside, one.P99)
		select {
		case err := <-done:
			if err != nil {
				return err
			}
			ended = true
		default:
		}
	}
	took, err := r.published(g, s, began)
	if err != nil {
		return err
	}
	if err := r.drawings(ctx, "render", renderedOf, set, &alone[1]); err != nil {
		return err
	}
	page, drawn := took.Seconds()/float64(r.Pages), (alone[0]+alone[1])/2
	r.say("  %.1f s until %d sheets are listed; a page %.3f s, rendered alone %.3f s; p99 %.2f ms, idle %.2f ms", took.Seconds(), r.Pages, page, drawn, median(beside), idle.P99)
	r.figure("sheets time", took.Seconds())
	r.figure("sheets page", page/drawn)
	r.figure("sheets p99", median(beside)/idle.P99)
	return nil
}

// published holds that all pages are sheets, with thumbnails, and gives how long it took from began until the last of them was made.
func (r *rig) published(g *ground, s *server, began time.Time) (time.Duration, error) {
	w, status, err := s.ask(appendRequest(nil, "GET", g.project+"/sheets?current=true&limit=50", g.headers(), nil))
	if err != nil {
		return 0, err
	}
	body := string(w.body)
	if status != 200 || !strings.Contains(body, fmt.Sprintf(`"total_count":%d`, r.Pages)) || strings.Contains(body, `"thumbnail_url":null`) {
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

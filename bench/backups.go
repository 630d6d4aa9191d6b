package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const (
	// stockFile is how large each of the files is of which backups are made.
	stockFile = 8 << 20
	// backupRounds is how often backup and copy take their turn: each writes everything.
	backupRounds = 3
)

// backups makes backups of an installation with many issues and files while it is served, in turns with a plain copy of
// its folder that waits for the disk; then one more after a hundredth has changed.
func (r *rig) backups(ctx context.Context, f *field) error {
	g, err := f.read.copied("backups")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(g.data) }() // the whole folder goes with the run
	s, err := g.serve(ctx, "backups", nil)
	if err != nil {
		return err
	}
	defer s.stop()
	n := int(r.Stock / stockFile)
	r.say("backups: %d files of %d MB", n, stockFile>>20)
	if err := g.stock(ctx, s, n); err != nil {
		return err
	}
	place := filepath.Join(r.folder, "place")
	for round := range min(backupRounds, r.Rounds) {
		r.say("backups: round %d", round+1)
		got, err := calmly(ctx, r, needs{disk: true}, func() (taking, error) {
			return g.backUp(ctx, s, place, round%2 == 1)
		})
		if err != nil {
			return err
		}
		r.figure("backup", got.plain.Seconds()/got.backup.Seconds())
		r.figure("backup time", got.backup.Seconds())
	}
	first, err := bytesUnder(place)
	if err != nil {
		return err
	}
	if err := g.stock(ctx, s, n/100); err != nil {
		return err
	}
	for i, uid := range g.uids[:r.Issues/100] {
		body, err := json.Marshal(map[string]any{"title": fmt.Sprintf("Changed since, %d", i)})
		if err != nil {
			return err
		}
		w, status, err := s.ask(appendRequest(nil, "PATCH", g.project+"/issues/"+uid, g.headers(), body))
		if err != nil {
			return err
		}
		if status != 200 {
			return fmt.Errorf("PATCH: %d %.300s", status, w.body)
		}
	}
	began := time.Now()
	if _, err := g.command(ctx, "", "backup", "--out", place); err != nil {
		return err
	}
	r.figure("second backup time", time.Since(began).Seconds())
	both, err := bytesUnder(place)
	if err != nil {
		return err
	}
	r.figure("second backup", 100*(both-first)/first)
	return os.RemoveAll(place)
}

// taking is how long a backup took, and a plain copy.
type taking struct{ backup, plain time.Duration }

// backUp makes a whole backup at the place, and a plain copy of the folder, before or after it: what the first one reads
// is in memory for the second.
func (g *ground) backUp(ctx context.Context, s *server, place string, plainFirst bool) (out taking, err error) {
	other := place + "-plain"
	halves := []func() error{
		func() error {
			began := time.Now()
			_, err := g.command(ctx, "", "backup", "--out", place)
			out.backup = time.Since(began)
			return err
		},
		func() error {
			began := time.Now()
			err := copyFolder(g.data, other)
			out.plain = time.Since(began)
			return err
		},
	}
	if plainFirst {
		slices.Reverse(halves)
	}
	if err := os.RemoveAll(place); err != nil {
		return out, err
	}
	for _, half := range halves {
		if err := s.settle(ctx, time.Second); err != nil {
			return out, err
		}
		if err := half(); err != nil {
			return out, err
		}
	}
	return out, os.RemoveAll(other)
}

// stock uploads so many files.
func (g *ground) stock(ctx context.Context, s *server, n int) error {
	for i := range n {
		if _, _, err := g.sendFile(ctx, s, stockFile, uint64(g.stocked+i)); err != nil {
			return err
		}
	}
	g.stocked += n
	return s.settle(ctx, time.Second)
}

func bytesUnder(folder string) (sum float64, err error) {
	err = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sum += float64(info.Size())
		}
		return err
	})
	return sum, err
}
